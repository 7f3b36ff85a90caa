// What a pane can show. A pane is a text: "depth_meters" (of the first set), "1.depth_meters" (of the second), "!identity"
// (made of other labels), "error:depth_meters:1.depth_meters:difference" (of two).
import { data, hasFrame, lensOf, loadFrame, loadPlane, loadScene, poseOf, rayOf, turned, turnedBack, unitOf } from "./data.js";
import { Plane, halfStep } from "./plane.js";
import { SourceError } from "./source.js";

const titles = { color: "color", diffuse_reflectance: "diffuse reflectance", diffuse_illumination: "diffuse illumination", residual: "residual",
  depth_meters: "distance", depth_planar_meters: "planar depth", position: "position", normal_world: "normal, world", normal_cam: "normal, camera",
  normal_bump_world: "bump normal, world", normal_bump_cam: "bump normal, camera", tex_coord: "texture coordinate", render_entity_id: "entity",
  semantic: "class", semantic_instance: "instance", material_id: "material", valid_mask: "validity", transparency: "transparency" };

export const kinds = { semantic: "semantic", instance: "semantic_instance", entity: "render_entity_id", material: "material_id" };

/// Pictures that are made of several labels of one frame. Each tells at a glance what an audit's check tells in numbers. Their
/// ranges are `fixed`, or reach to `least` at least, so that rounding looks like nothing and a fault like one.
export const made = {
  identity: { title: "identity error", unit: "float16 steps", look: "scalar", fixed: [0, 1], needs: ["color", "diffuse_reflectance", "diffuse_illumination", "residual"],
    doc: "largest |color − (reflectance × illumination + residual)| of the three channels, in float16 steps of color" },
  distance: { title: "distance − |position − camera|", unit: "m", look: "signed", needs: ["depth_meters", "position"], pose: true, least: 0.02,
    doc: "how far the stored distance is from that of the stored position; planar depth in its place shows as a bowl" },
  planar: { title: "planar depth − distance · cos", unit: "m", look: "signed", needs: ["depth_planar_meters", "depth_meters"], lens: true, least: 0.02,
    doc: "the stored planar depth against the one that follows from distance and lens" },
  facing: { title: "normal towards the viewer", unit: "cosine", look: "signed", needs: ["normal_world"], pose: true, lens: true, fixed: [-1, 1],
    doc: "cosine between the world normal and the direction to the camera; below 0 it points away: flipped" },
  camera: { title: "normal, world against camera", unit: "degrees", look: "scalar", needs: ["normal_world", "normal_cam"], pose: true, fixed: [0, 10],
    doc: "angle between the camera-frame normal and the world normal turned into the camera frame" },
};

export const metrics = [["difference", "A − B"], ["absolute", "|A − B|"], ["relative", "|A − B| / |B|"], ["angle", "angle, degrees"], ["mismatch", "where ids differ"]];

export function parsePane(text) {
  if (text.startsWith("error:")) {
    const [, a = "", b = "", metric = "difference"] = text.split(":");
    return { kind: "error", text, a, b, metric };
  }
  if (text.startsWith("!")) return { kind: "made", text, name: text.slice(1) };
  const number = /^(\d+)\.(.+)$/.exec(text);
  return { kind: "label", text, set: number ? Number(number[1]) : 0, label: number ? number[2] : text };
}

export const titleOf = (text) => {
  const pane = parsePane(text);
  if (pane.kind === "error") return `error: ${titleOf(pane.a)} against ${titleOf(pane.b)}`;
  if (pane.kind === "made") return made[pane.name]?.title ?? text;
  const name = titles[pane.label] ?? pane.label.replaceAll("_", " ");
  return pane.set === 0 ? name : `${name} · ${data.index.sets[pane.set]?.title ?? "set " + pane.set}`;
};

/// How it is drawn: light, albedo, scalar, signed, normal, position, texture, bits, or the kind of an id.
export function lookOf(text) {
  const pane = parsePane(text);
  if (pane.kind === "error") return pane.metric === "difference" ? "signed" : pane.metric === "mismatch" ? "mismatch" : "scalar";
  if (pane.kind === "made") return made[pane.name]?.look ?? "scalar";
  return data.labels.get(pane.label)?.look ?? "scalar";
}
export const isId = (look) => look in kinds;
export const isMapped = (look) => look === "scalar" || look === "signed";
export const isVector = (look) => look === "normal" || look === "position" || look === "texture";

export function unitOfPane(text) {
  const pane = parsePane(text);
  if (pane.kind === "made") return made[pane.name]?.unit ?? "";
  if (pane.kind === "error") return pane.metric === "angle" ? "°" : pane.metric === "relative" || pane.metric === "mismatch" ? "" : unitOfPane(pane.a);
  const unit = data.labels.get(pane.label)?.unit ?? "";
  return unit === "m" ? "m" : unit === "radiance" ? "radiance" : "";
}

/// Options for a select of everything that a pane can show.
export function paneOptions(withErrors = true) {
  const labels = [...data.labels.keys()].filter((l) => data.seen.has(l));
  for (const l of data.seen) if (!data.labels.has(l)) labels.push(l);
  const groups = data.index.sets.map((s, n) => ({ group: data.index.sets.length > 1 ? s.title : "labels",
    options: labels.map((l) => [n === 0 ? l : `${n}.${l}`, titleOf(n === 0 ? l : `${n}.${l}`)]) }));
  if (withErrors) {
    groups.push({ group: "consistency", options: Object.entries(made).map(([name, m]) => ["!" + name, m.title]) });
    groups.push({ group: "error", options: [["error", "error of two …"]] });
  }
  return groups;
}

/// The pane that "error of two" starts with: the same label of the second set, or the two kinds of normal.
export function firstError(from) {
  const pane = parsePane(from), label = pane.kind === "label" ? pane.label : "depth_meters";
  const look = data.labels.get(label)?.look;
  const metric = look === "normal" ? "angle" : isId(look) ? "mismatch" : "difference";
  if (data.index.sets.length > 1) return `error:${label}:1.${label}:${metric}`;
  if (label.startsWith("normal_bump_")) return `error:${label}:${label.replace("bump_", "")}:angle`;
  if (look === "normal") return `error:${label}:${label.replace("normal_", "normal_bump_")}:angle`;
  return "error:depth_meters:depth_planar_meters:difference";
}

/// The plane of a pane for frame i. Rejects with SourceError that says what is missing or damaged, and where.
export async function paneOf(text, i) {
  const pane = parsePane(text);
  if (pane.kind === "label") return labelPlane(pane.set, i, pane.label);
  if (pane.kind === "error") return errorPlane(pane, i);
  return madePlane(pane.name, i);
}

async function labelPlane(set, i, label) {
  if (!(set < data.index.sets.length)) throw new SourceError(`there is no set number ${set}; start with --compare DIR`, 404);
  if (!hasFrame(set, i)) throw new SourceError(`${data.index.sets[set].title} has no such frame`, 404);
  const frame = await loadFrame(set, i), facts = frame.labels[label];
  if (!facts) throw new SourceError(`${label} is not there: no file frame.${String(data.index.frames.frame[i]).padStart(4, "0")}.${label}.hdf5 below ${frame.folder}`, 404);
  if (facts.problem) throw new SourceError(facts.problem, 422);
  return loadPlane(set, i, label);
}

function checkSize(a, b, what) {
  if (a.width !== b.width || a.height !== b.height) throw new SourceError(`${what} differ in size: ${a.width} × ${a.height} and ${b.width} × ${b.height}`, 422);
}

const memory = new Map();
/// Planes that were made, the last few.
function kept(key, make) {
  let promise = memory.get(key);
  if (!promise) {
    promise = make();
    promise.catch(() => memory.delete(key));
    memory.set(key, promise);
    if (memory.size > 24) memory.delete(memory.keys().next().value);
  }
  return promise;
}

function errorPlane(pane, i) {
  return kept(`${pane.text} ${i}`, async () => {
    const [a, b] = await Promise.all([paneOf(pane.a, i), paneOf(pane.b, i)]);
    checkSize(a, b, "the two");
    return errorOf(a, b, pane.metric);
  });
}

/// One number a pixel: what separates two planes. Vectors give the length of their difference (signed: of the first channel).
export function errorOf(a, b, metric) {
  const va = a.values(), vb = b.values(), pixels = a.width * a.height, channels = Math.min(a.channels, b.channels), out = new Float32Array(pixels);
  for (let p = 0; p < pixels; ++p) {
    const pa = p * a.channels, pb = p * b.channels;
    if (metric === "mismatch") {
      let differs = 0;
      for (let c = 0; c < channels; ++c) if (va[pa + c] !== vb[pb + c] && !(Number.isNaN(va[pa + c]) && Number.isNaN(vb[pb + c]))) differs = 1;
      out[p] = differs;
    } else if (metric === "angle" && channels === 3) out[p] = angle(va[pa], va[pa + 1], va[pa + 2], vb[pb], vb[pb + 1], vb[pb + 2]);
    else if (channels === 1) out[p] = va[pa] - vb[pb];
    else if (metric === "difference") {
      let sum = 0;
      for (let c = 0; c < channels; ++c) sum += va[pa + c] - vb[pb + c];
      out[p] = sum / channels;
    } else {
      let sum = 0;
      for (let c = 0; c < channels; ++c) sum += (va[pa + c] - vb[pb + c]) ** 2;
      out[p] = Math.sqrt(sum);
    }
    if (metric === "absolute" || metric === "relative") out[p] = Math.abs(out[p]);
    if (metric === "relative") {
      let size = 0;
      for (let c = 0; c < b.channels; ++c) size += vb[pb + c] ** 2;
      out[p] /= Math.sqrt(size);
    }
  }
  return Plane.fromValues(a.width, a.height, 1, out);
}

function angle(ax, ay, az, bx, by, bz) {
  const cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
  return (Math.atan2(Math.hypot(cx, cy, cz), ax * bx + ay * by + az * bz) * 180) / Math.PI;
}

function madePlane(name, i) {
  const recipe = made[name];
  if (!recipe) return Promise.reject(new SourceError(`there is no picture '!${name}'`, 404));
  return kept(`!${name} ${i}`, async () => {
    const planes = await Promise.all(recipe.needs.map((label) => labelPlane(0, i, label)));
    for (const plane of planes) checkSize(planes[0], plane, recipe.needs.join(" and "));
    const scene = await loadScene(data.index.frames.scene[i]), pose = poseOf(scene, i);
    if (recipe.pose && !pose) throw new SourceError(`there is no pose of this frame; ${recipe.title} needs one`, 404);
    return makers[name](planes, scene, pose);
  });
}

/// Calls f(p, ray in the camera frame) for each pixel.
function eachRay(plane, scene, f) {
  const lens = lensOf(scene, plane.width, plane.height);
  for (let y = 0, p = 0; y < plane.height; ++y) for (let x = 0; x < plane.width; ++x, ++p) f(p, rayOf(lens, plane.width, plane.height, x, y));
}

const makers = {
  identity: ([color, albedo, light, rest]) => {
    const [c, a, l, r] = [color, albedo, light, rest].map((plane) => plane.values()), out = new Float32Array(color.width * color.height);
    for (let p = 0; p < out.length; ++p) {
      let worst = 0;
      for (let k = 3 * p; k < 3 * p + 3; ++k) {
        const error = Math.abs(c[k] - (a[k] * l[k] + r[k])) / halfStep(c[k]);
        if (!(error <= worst)) worst = error;
      }
      out[p] = worst;
    }
    return Plane.fromValues(color.width, color.height, 1, out);
  },
  distance: ([depth, position], scene, { eye }) => {
    const d = depth.values(), q = position.values(), unit = unitOf(scene), out = new Float32Array(depth.width * depth.height);
    for (let p = 0; p < out.length; ++p)
      out[p] = d[p] - Math.hypot(q[3 * p] * unit - eye[0], q[3 * p + 1] * unit - eye[1], q[3 * p + 2] * unit - eye[2]);
    return Plane.fromValues(depth.width, depth.height, 1, out);
  },
  planar: ([planar, depth], scene) => {
    const z = planar.values(), d = depth.values(), out = new Float32Array(depth.width * depth.height);
    eachRay(depth, scene, (p, ray) => { out[p] = z[p] + d[p] * ray[2]; });
    return Plane.fromValues(depth.width, depth.height, 1, out);
  },
  facing: ([normal], scene, { axes }) => {
    const n = normal.values(), out = new Float32Array(normal.width * normal.height);
    eachRay(normal, scene, (p, ray) => {
      const [x, y, z] = turned(axes, ray);
      out[p] = -(n[3 * p] * x + n[3 * p + 1] * y + n[3 * p + 2] * z);
    });
    return Plane.fromValues(normal.width, normal.height, 1, out);
  },
  camera: ([world, camera], scene, { axes }) => {
    const w = world.values(), c = camera.values(), out = new Float32Array(world.width * world.height);
    for (let p = 0; p < out.length; ++p) {
      const [x, y, z] = turnedBack(axes, [w[3 * p], w[3 * p + 1], w[3 * p + 2]]);
      out[p] = angle(x, y, z, c[3 * p], c[3 * p + 1], c[3 * p + 2]);
    }
    return Plane.fromValues(world.width, world.height, 1, out);
  },
};
