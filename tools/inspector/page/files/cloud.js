// Points of one or several frames in the world. Depth, pose and lens put them there; where frames overlap and do not agree,
// something of the three is wrong. The stored positions may take depth's place.
import { byId, clamp, h, oncePerFrame, selection, short, thousands, themeColor } from "./dom.js";
import { idColor, mapColor } from "./colors.js";
import { percentiles } from "./plane.js";
import { data, frameName, lensOf, loadFrame, loadPlane, loadScene, poseOf, rayOf, turned, unitOf } from "./data.js";
import { hypersimScale } from "./display.js";
import { current, on, set } from "./state.js";

const kPoints = 90000;   // of a frame
const vertexText = `#version 300 es
layout(location = 0) in vec3 place; layout(location = 1) in vec4 tint;
uniform mat4 clip; uniform float size; out vec4 hue;
void main() { gl_Position = clip * vec4(place, 1.0); gl_PointSize = max(1.0, size * clamp(3.0 / gl_Position.w, 0.35, 3.0)); hue = tint; }`;
const fragmentText = `#version 300 es
precision mediump float; in vec4 hue; out vec4 color; void main() { color = hue; }`;

let gl = null, program = null, at = {}, clouds = [], wanted = "", view = { yaw: 0.6, pitch: 0.5, distance: 6, target: [0, 0, 1], fitted: "" }, controlsFor = "";

export function startCloud() {
  on(["mode", "frame", "cloud"], () => { if (current.mode === "points") show(); });
  on(["exposure"], () => { if (current.mode === "points") { wanted = ""; show(); } });
  listen(byId("cloud"));
  new ResizeObserver(() => redrawCloud()).observe(byId("cloud"));
}

/// Frames of the same camera around the current one, then others of the scene.
export function framesOfCloud(i, count) {
  const f = data.index.frames, same = [];
  for (let k = 0; k < data.count; ++k) if (f.scene[k] === f.scene[i]) same.push(k);
  const rank = (k) => (f.camera[k] === f.camera[i] ? 0 : 1e6) + Math.abs(f.frame[k] - f.frame[i]);
  return same.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, count);
}

async function show() {
  const i = data.byName.get(current.frame);
  if (i === undefined) return;
  controls();
  if (!gl && !prepare()) return;
  const settings = current.cloud, key = JSON.stringify([current.frame, settings.frames, settings.from, settings.color]);
  if (wanted === key) return redrawCloud();
  wanted = key;
  const note = byId("cloud-note");
  note.textContent = "reading …";
  const made = await Promise.all(framesOfCloud(i, settings.frames).map((k, n) => cloudOf(k, n).catch((error) => ({ problem: `${frameName(k)}: ${error.message}` }))));
  if (wanted !== key) return;
  for (const cloud of clouds) gl.deleteVertexArray(cloud.array);
  clouds = made.filter((c) => !c.problem);
  for (const cloud of clouds) upload(cloud);
  const sum = clouds.reduce((n, c) => n + c.count, 0), worst = clouds.map((c) => c.apart).filter((x) => x !== null);
  const problems = made.filter((c) => c.problem).map((c) => c.problem);
  note.replaceChildren(`${thousands(sum)} points of ${clouds.length} frame${clouds.length === 1 ? "" : "s"}`,
    ...(worst.length ? [h("br"), h("span", { id: "cloud-apart", "data-metres": Math.max(...worst), class: Math.max(...worst) > 0.05 ? "bad" : "good" }, `depth, pose and lens put points ${short(1000 * Math.max(...worst), 3)} mm (median) from the stored positions`)] : []),
    ...problems.flatMap((p) => [h("br"), h("span", { class: "bad" }, p)]));
  if (view.fitted !== current.frame.split("/")[0]) fitView();
  document.documentElement.dataset.points = sum;
  redrawCloud();
}

function controls() {
  const key = JSON.stringify([current.cloud, current.mode]);
  if (controlsFor === key && byId("cloud-frames")) return;
  controlsFor = key;
  const change = (field, read = String) => (e) => set({ cloud: { ...current.cloud, [field]: read(e.target.value) } });
  const c = current.cloud, bar = byId("bar");
  if (byId("cloud-frames")?.contains(document.activeElement) || bar.contains(document.activeElement)) return;
  bar.hidden = false;
  bar.replaceChildren(
    h("label", {}, "frames", selection({ id: "cloud-frames", onchange: change("frames", Number) }, [1, 2, 4, 8, 16].map((n) => [String(n), String(n)]), String(c.frames))),
    h("label", {}, "from", selection({ id: "cloud-from", onchange: change("from") }, [["depth", "depth and pose"], ["position", "positions"]], c.from)),
    h("label", {}, "color", selection({ id: "cloud-color", onchange: change("color") }, [["color", "color"], ["semantic", "class"], ["semantic_instance", "instance"], ["frame", "frame"], ["apart", "disagreement"]], c.color)),
    h("label", {}, "size", h("input", { id: "cloud-size", type: "range", min: 1, max: 8, step: 0.5, value: c.size, style: "width:64px", oninput: change("size", Number) })),
    h("button", { id: "cloud-fit", onclick: () => { fitView(); redrawCloud(); } }, "fit"), h("button", { id: "cloud-eye", title: "from where the camera stands", onclick: eyeView }, "camera"));
}

function prepare() {
  gl = byId("cloud").getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return false;
  program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  at = { clip: gl.getUniformLocation(program, "clip"), size: gl.getUniformLocation(program, "size") };
  return true;
}

/// {places, tints, count, pose, apart}: `apart` is the median distance between the two ways to a point, in metres.
async function cloudOf(i, number) {
  const settings = current.cloud, scene = await loadScene(data.index.frames.scene[i]), facts = (await loadFrame(0, i)).labels, pose = poseOf(scene, i);
  const get = async (label) => facts[label] && !facts[label].problem ? loadPlane(0, i, label) : null;
  const depth = await get("depth_meters"), position = await get("position");
  const tint = settings.color === "frame" || settings.color === "apart" ? null : await get(settings.color), ids = settings.color === "color" ? await get("render_entity_id") : null;
  if (settings.from === "depth" && !depth) throw new Error("there is no depth");
  if (settings.from === "depth" && !pose) throw new Error("there is no pose");
  if (settings.from === "position" && !position) throw new Error("there are no positions");
  const base = settings.from === "depth" ? depth : position, { width, height } = base, lens = lensOf(scene, width, height), unit = unitOf(scene);
  const step = Math.max(1, Math.ceil(Math.sqrt((width * height) / kPoints))), places = [], tints = [], apart = [];
  const light = tint && settings.color === "color" ? 2 ** current.exposure * hypersimScale(tint, ids) : 1;
  const reach = depth ? percentiles(depth, 1, 99) : [0, 10], middle = pose?.eye ?? [0, 0, 0];   // without colors, the distance makes some
  const distance = (p) => clamp((Math.hypot(...p.map((c, k) => c - middle[k])) - reach[0]) / (reach[1] - reach[0] || 1), 0, 1);
  const matched = tint && tint.width === width && tint.height === height ? tint : null, beside = position && position.width === width && position.height === height ? position : null;
  for (let y = step >> 1; y < height; y += step)
    for (let x = step >> 1; x < width; x += step) {
      const stored = beside ? beside.pixel(x, y).map((v) => v * unit) : null;
      let point = stored;
      if (depth && pose && depth.width === width) {
        const d = depth.at(x, y), world = turned(pose.axes, rayOf(lens, width, height, x, y)).map((c, k) => pose.eye[k] + d * c);
        const gap = stored ? Math.hypot(...world.map((c, k) => c - stored[k])) : NaN;
        if (Number.isFinite(gap)) apart.push(gap);
        if (settings.from === "depth") point = world;
        if (settings.color === "apart") tints.push(...apartColor(gap), 255);
      } else if (settings.color === "apart") tints.push(150, 150, 150, 255);
      if (!point || !point.every(Number.isFinite)) { if (settings.color === "apart") tints.length -= 4; continue; }
      places.push(...point);
      if (settings.color !== "apart") tints.push(...(matched || settings.color === "frame" ? tintOf(matched, settings.color, x, y, light, number) : mapColor("turbo", distance(point))), 255);
    }
  apart.sort((a, b) => a - b);
  return { places: new Float32Array(places), tints: new Uint8Array(tints), count: places.length / 3, pose, lens, apart: apart.length ? apart[apart.length >> 1] : null };
}

const apartColor = (gap) => {
  const t = clamp(Math.log10(Math.max(gap, 1e-4) / 1e-3) / 3, 0, 1);   // 1 mm green to 1 m red
  return [Math.round(60 + 195 * t), Math.round(200 - 150 * t), 90];
};

function tintOf(plane, kind, x, y, light, number) {
  if (kind === "frame") return idColor("instance", number + 1);
  if (kind !== "color") return idColor({ semantic: "semantic", semantic_instance: "instance" }[kind], plane.at(x, y));
  return plane.pixel(x, y).map((v) => Math.round(255 * clamp(Math.max(v * light, 0) ** (1 / 2.2), 0, 1)));
}

function arrayOf(places, tints) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  for (const [index, content, size, type, even] of [[0, places, 3, gl.FLOAT, false], [1, tints, 4, gl.UNSIGNED_BYTE, true]]) {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, content, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, size, type, even, 0, 0);
  }
  return array;
}

function upload(cloud) {
  cloud.array = arrayOf(cloud.places, cloud.tints);
  if (!cloud.pose) return;
  const lines = frustum(cloud.pose, cloud.lens, 0.25).flatMap(([a, b]) => [...a, ...b]);
  cloud.lines = lines.length / 3;
  cloud.lineArray = arrayOf(new Float32Array(lines), new Uint8Array(Array.from({ length: cloud.lines }, () => [255, 190, 60, 255]).flat()));
}

/// Edges [from, to] of the pyramid that a camera sees, `reach` metres long.
export function frustum({ eye, axes }, lens, reach) {
  const ends = [[-1, 1], [1, 1], [1, -1], [-1, -1]].map(([u, v]) => {
    const ray = [0, 1, 2].map((r) => lens[3 * r] * u + lens[3 * r + 1] * v + lens[3 * r + 2]);
    return turned(axes, ray).map((c, k) => eye[k] + (reach * c) / Math.abs(ray[2] || 1));
  });
  return [...ends.map((e) => [eye, e]), ...ends.map((e, k) => [e, ends[(k + 1) % 4]])];
}

// ---- looking around ----

function fitView() {
  const all = clouds.flatMap((c) => Array.from({ length: Math.min(2000, c.count) }, (_, k) => { const p = Math.floor((k * c.count) / Math.min(2000, c.count)); return c.places.slice(3 * p, 3 * p + 3); }));
  if (!all.length) return;
  const middle = [0, 1, 2].map((k) => { const s = all.map((p) => p[k]).sort((a, b) => a - b); return [s[Math.floor(s.length * 0.03)], s[Math.floor(s.length * 0.97)]]; });
  view.target = middle.map(([a, b]) => (a + b) / 2);
  view.distance = Math.max(0.5, 1.15 * Math.hypot(...middle.map(([a, b]) => b - a)));
  const pose = clouds[0].pose;
  if (pose) view.yaw = Math.atan2(pose.axes[5], pose.axes[2]);   // from behind the camera
  view.pitch = 0.55;
  view.fitted = current.frame.split("/")[0];
}

function eyeView() {
  const pose = clouds[0]?.pose;
  if (!pose) return;
  const back = [pose.axes[2], pose.axes[5], pose.axes[8]];
  view.yaw = Math.atan2(back[1], back[0]);
  view.pitch = Math.asin(clamp(back[2], -1, 1));
  view.distance = 2;
  view.target = pose.eye.map((c, k) => c - 2 * back[k]);
  redrawCloud();
}

function listen(canvas) {
  let drag = null;
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); drag = { x: e.clientX, y: e.clientY, move: e.shiftKey || e.button !== 0 }; });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return;
    (drag.move ? slide : turn)(e.clientX - drag.x, e.clientY - drag.y);
    drag.x = e.clientX;
    drag.y = e.clientY;
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); cloudZoom(Math.exp(e.deltaY * 0.0012)); }, { passive: false });
}

function turn(dx, dy) {
  view.yaw -= dx * 0.008;
  view.pitch = clamp(view.pitch + dy * 0.008, -1.55, 1.55);
  redrawCloud();
}
function slide(dx, dy) {
  const { side, up } = axesOf(), k = view.distance * 0.0016;
  view.target = view.target.map((c, n) => c - dx * k * side[n] + dy * k * up[n]);
  redrawCloud();
}
export const cloudTurn = (dx, dy) => turn(-dx * 20, dy * 20);
export function cloudZoom(factor) {
  view.distance = clamp(view.distance * factor, 0.05, 1000);
  redrawCloud();
}

function axesOf() {
  const { yaw, pitch } = view, back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const side = [-Math.sin(yaw), Math.cos(yaw), 0], up = [back[1] * side[2] - back[2] * side[1], back[2] * side[0] - back[0] * side[2], back[0] * side[1] - back[1] * side[0]];
  return { back, side, up };
}

/// Column-major matrix of world to clip space.
function clipMatrix(aspect) {
  const { back, side, up } = axesOf(), eye = view.target.map((c, k) => c + view.distance * back[k]), dot = (a) => a.reduce((s, c, k) => s - c * eye[k], 0);
  const near = 0.02 * view.distance + 0.005, far = view.distance + 400, f = 1 / Math.tan(0.45), world = [side, up, back].map((a) => [...a, dot(a)]);
  const rows = [world[0].map((c) => (c * f) / aspect), world[1].map((c) => c * f), world[2].map((c, k) => (c * (far + near)) / (near - far) + (k === 3 ? (2 * far * near) / (near - far) : 0)), world[2].map((c) => -c)];
  return new Float32Array([0, 1, 2, 3].flatMap((c) => rows.map((r) => r[c])));
}

function drawNow() {
  const canvas = byId("cloud"), ratio = window.devicePixelRatio || 1;
  if (current.mode !== "points" || !gl || !canvas.clientWidth) return;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const n = parseInt(themeColor("image").slice(1), 16);
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.useProgram(program);
  gl.uniformMatrix4fv(at.clip, false, clipMatrix(canvas.width / canvas.height));
  gl.uniform1f(at.size, current.cloud.size * ratio);
  for (const cloud of clouds) {
    gl.bindVertexArray(cloud.array);
    gl.drawArrays(gl.POINTS, 0, cloud.count);
    if (!cloud.lineArray) continue;
    gl.bindVertexArray(cloud.lineArray);
    gl.drawArrays(gl.LINES, 0, cloud.lines);
  }
}
export const redrawCloud = oncePerFrame(drawNow);
