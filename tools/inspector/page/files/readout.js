// Every value of one pixel, by name.
import { byId, h, short } from "./dom.js";
import { cursor, frameSize, inPlane, onCursor } from "./cursor.js";
import { css, idColor } from "./colors.js";
import { data, lensOf, loadFrame, loadPlane, loadScene, planeAtHand, rayOf, sourceNumber } from "./data.js";
import { halfStep } from "./plane.js";
import { source } from "./source.js";
import { titleOf } from "./modalities.js";
import { onShown, shownFrame } from "./panes.js";
import { on } from "./state.js";

let scene = null, frame = null, fetched = null, asked = "", wanted = 0;

export function startReadout() {
  onCursor(update);
  on(["pin"], update);
  onShown(async (i) => {
    fetched = null;
    [scene, frame] = await Promise.all([loadScene(data.index.frames.scene[i]).catch(() => null), loadFrame(0, i).catch(() => null)]);
    update();
  });
  update();
}

/// Values of the pixel: from planes at hand, the others from the server, which reads only that pixel of each file.
function update() {
  const at = cursor(), i = shownFrame();
  if (!at || i < 0) return draw(null, {});
  const values = {};
  let missing = false;
  for (const [label, facts] of Object.entries(frame?.labels ?? {})) {
    const plane = planeAtHand(0, i, label);
    if (plane) {
      const p = inPlane(at, plane);
      values[label] = plane.pixel(p.x, p.y);
    } else if (fetched && fetched.key === `${i} ${at.x} ${at.y}`) {
      const v = fetched.values[label];
      values[label] = Array.isArray(v) ? v.map(Number) : { problem: v?.problem ?? "not read" };
    } else if (facts.problem) values[label] = { problem: facts.problem };
    else missing = true;
  }
  draw(at, values);
  if (missing) fetchPixel(at, i);
}

function fetchPixel(at, i) {
  const key = `${i} ${at.x} ${at.y}`;
  if (asked === key) return;
  asked = key;
  clearTimeout(wanted);
  wanted = setTimeout(async () => {
    try {
      if (source.pixel) fetched = { key, values: await source.pixel(0, sourceNumber(i), at.x, at.y) };
      else await Promise.all(Object.keys(frame.labels).filter((l) => !frame.labels[l].problem).map((l) => loadPlane(0, i, l).catch(() => null)));
    } catch (error) {
      fetched = { key, values: Object.fromEntries(Object.keys(frame?.labels ?? {}).map((l) => [l, { problem: error.message }])) };
    }
    asked = "";
    update();
  }, 60);
}

const rgb = (v) => v.map((x) => short(x, 4)).join("  ");

function swatch(kind, id) {
  return h("span", { class: "swatch", style: `background:${css(idColor(kind, id))}` });
}

function nameOfId(label, id) {
  if (id === undefined) return "";
  if (label === "semantic") return id < 1 ? "none" : data.classes.get(id)?.name ?? "unknown class";
  if (label === "semantic_instance") return id < 1 ? "none" : scene?.instances?.[id]?.name ?? "";
  if (label === "render_entity_id") return id < 1 ? "nothing hit" : scene?.entities?.[id] ?? "";
  if (label === "material_id") return id < 0 ? "none" : scene?.materials?.[id] ?? "";
  return "";
}

const bits = { valid_mask: ["surface", "illumination defined"], transparency: ["transmits light", "behind a transparent surface"] };

/// [title, label, cell content, first of a group]
function rowsOf(values, at) {
  const rows = [], has = (label) => values[label] !== undefined;
  const add = (label, title, content, part = false) => { if (has(label)) rows.push({ label, title, part, value: values[label], content }); };
  const ids = (label, kind, title, part) => add(label, title, (v) => [swatch(kind, v[0]), `${nameOfId(label, v[0]) || "—"}  `, h("span", { class: "soft" }, String(v[0]).replace("-", "−"))], part);
  ids("semantic", "semantic", "class");
  ids("semantic_instance", "instance", "instance");
  ids("render_entity_id", "entity", "entity");
  ids("material_id", "material", "material");
  add("depth_meters", "distance", (v) => `${short(v[0])} m`, true);
  add("depth_planar_meters", "planar depth", (v) => `${short(v[0], 6)} m`);
  if (!has("depth_planar_meters") && has("depth_meters") && scene && !values.depth_meters.problem) {
    const ray = rayOf(lensOf(scene, frameSize.width, frameSize.height), frameSize.width, frameSize.height, at.x, at.y);
    rows.push({ label: "planar_from_lens", title: "planar depth", value: [-values.depth_meters[0] * ray[2]],
      content: (v) => [`${short(v[0])} m `, h("span", { class: "soft" }, scene.lens?.assumed ? "(60° lens assumed)" : "(from the lens)")] });
  }
  add("position", "position", (v) => rgb(v) + (scene?.meters_per_unit && scene.meters_per_unit !== 1 ? " units" : " m"));
  add("normal_world", "normal, world", rgb);
  add("normal_cam", "normal, camera", rgb);
  add("normal_bump_world", "bump, world", rgb);
  add("normal_bump_cam", "bump, camera", rgb);
  add("tex_coord", "uv", rgb);
  add("color", "color", rgb, true);
  add("diffuse_reflectance", "reflectance", rgb);
  add("diffuse_illumination", "illumination", rgb);
  add("residual", "residual", rgb);
  addIdentity(rows, values);
  let first = true;
  for (const [label, names] of Object.entries(bits)) {
    add(label, titleOf(label), (v) => [0, 1].filter((b) => v[0] & (1 << b)).map((b) => names[b]).join(", ") || "none", first);
    first = first && !has(label);
  }
  for (const label of Object.keys(values)) if (!data.labels.has(label)) add(label, label, rgb);
  return rows;
}

/// |color − (reflectance × illumination + residual)|, the largest of the channels.
function addIdentity(rows, values) {
  const [c, a, l, r] = ["color", "diffuse_reflectance", "diffuse_illumination", "residual"].map((name) => values[name]);
  if (![c, a, l, r].every(Array.isArray)) return;
  const errors = c.map((x, k) => Math.abs(x - (a[k] * l[k] + r[k]))), steps = Math.max(...c.map((x, k) => errors[k] / halfStep(x)));
  rows.push({ label: "identity_error", title: "identity error", value: [Math.max(...errors)],
    content: (v) => [short(v[0], 3), h("span", { class: steps > 1 ? "bad" : "soft" }, `  ${short(steps, 2)} float16 steps`)] });
}

function draw(at, values) {
  const panel = byId("readout");
  const where = at ? h("p", { class: "where" }, `x ${at.x}  y ${at.y}`, h("small", {}, at.pinned ? "pinned; Enter lets go" : "click pins it"))
    : h("p", { class: "where" }, h("small", {}, "Point at a picture, or press an arrow key, to read its values."));
  const rows = at ? rowsOf(values, at) : [];
  const table = h("table", {}, h("tbody", {}, ...rows.map((row, n) => {
    const broken = row.value.problem !== undefined;
    return h("tr", { class: [row.part && n ? "part" : "", rows[n + 1]?.part ? "before" : ""].join(" ").trim() || null, "data-label": row.label, "data-value": broken ? null : row.value.map(String).join(",") },
      h("th", { scope: "row" }, row.title), h("td", broken ? { class: "bad", title: row.value.problem } : { title: row.value.map(String).join(", ") }, ...[broken ? "cannot be read" : row.content(row.value)].flat()));
  })));
  panel.replaceChildren(where, table);
  byId("status-pixel").textContent = at ? statusLine(at, values) : "";
}

function statusLine(at, values) {
  const parts = [`(${at.x}, ${at.y})`];
  if (Array.isArray(values.depth_meters)) parts.push(`${short(values.depth_meters[0], 4)} m`);
  if (Array.isArray(values.semantic)) parts.push(nameOfId("semantic", values.semantic[0]));
  if (Array.isArray(values.semantic_instance) && values.semantic_instance[0] >= 1) parts.push(nameOfId("semantic_instance", values.semantic_instance[0]));
  return parts.join(" · ");
}

/// The id of that kind under the cursor, or null.
export function idUnderCursor(label) {
  const at = cursor(), plane = at && planeAtHand(0, shownFrame(), label);
  if (!plane) return null;
  const p = inPlane(at, plane);
  return plane.at(p.x, p.y);
}
export const sceneAtHand = () => scene;
export const frameAtHand = () => frame;
