// The list of frames: filtered, sorted, and drawn only where it is in view.
import { after, byId, four, h, selection, short, thousands } from "./dom.js";
import { data, frameName, sceneName, sourceNumber } from "./data.js";
import { findings, onFindings } from "./findings_panel.js";
import { source } from "./source.js";
import { current, on, set } from "./state.js";

const kRow = 70;
const statistics = { near: [], far: [], empty: [], instances: [], damaged: [], classes: [], done: 0, total: 0 };
let order = [], rows = new Map(), selected = -1;
const orderListeners = [];
export const onOrder = (f) => orderListeners.push(f);

export function startStrip() {
  const list = byId("frames");
  list.addEventListener("scroll", drawRows);
  list.addEventListener("keydown", keys);
  new ResizeObserver(drawRows).observe(list);
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  byId("filter-text").addEventListener("input", after(120, () => change({})));
  byId("filter-more").addEventListener("click", () => openPanel(byId("filter-panel").hidden));
  byId("sort").addEventListener("change", (e) => set({ sort: e.target.value }));
  byId("sort-down").addEventListener("click", () => set({ down: !current.down }));
  buildPanel();
  on(["filter", "sort", "down"], () => { fillControls(); arrange(); });
  on(["frame"], choose);
  onFindings(after(50, () => { if (current.filter.audit || current.sort === "findings") arrange(); else drawRows(true); fillChecks(); }));
  fillControls();
  if (Object.keys(current.filter).some((k) => k !== "text")) openPanel(true);
  arrange();
  loadStatistics();
}

// ---- what is known of the frames ----

async function loadStatistics() {
  for (;;) {
    let part;
    try {
      part = await source.statistics(statistics.done);
    } catch {
      return;   // filters that need them say how many frames are known
    }
    for (const key of ["near", "far", "empty", "instances", "damaged", "classes"]) statistics[key].push(...part[key]);
    statistics.done += part.near.length;
    statistics.total = part.total;
    const needs = ["class", "near", "far"].some((k) => current.filter[k]) || ["near", "far", "instances"].includes(current.sort);
    if (needs) arrange();
    else showCount();
    if (statistics.done >= part.total || (source.isReport)) break;
    if (part.near.length < 4000) await new Promise((r) => setTimeout(r, 600));
  }
  fillClasses();
  drawRows(true);
}

const columns = () => data.index.frames;
const column = (name) => (i) => columns()[name]?.[i] ?? null;
const numFindings = (i) => findings.byFrame.get(i)?.length ?? 0;

/// name -> [title, value of frame i (null = unknown), text of a value]
const sorts = {
  order: ["scene and camera", (i) => i, null],
  findings: ["audit findings", numFindings, (v) => `${v} finding${v === 1 ? "" : "s"}`],
  weight: ["weight", column("weight"), (v) => `weight ${short(v, 4)}`],
  identity: ["identity error", column("identity_steps"), (v) => `identity ${short(v, 2)} steps`],
  near: ["nearest surface", (i) => statistics.near[i] ?? null, (v) => `nearest ${short(v, 3)} m`],
  far: ["farthest surface", (i) => statistics.far[i] ?? null, (v) => `farthest ${short(v, 3)} m`],
  empty: ["empty share", (i) => statistics.empty[i] ?? null, (v) => `${short(100 * v, 3)} % empty`],
  instances: ["instances", (i) => statistics.instances[i] ?? null, (v) => `${v} instances`],
  unlabelled: ["unlabelled pixels", column("unlabelled_pixels"), (v) => `${v} unlabelled`],
  limited: ["limited pixels", column("limited_pixels"), (v) => `${v} limited`],
  nan: ["NaN samples", column("nan_samples"), (v) => `${v} NaN samples`],
  seconds: ["time to render", column("seconds"), (v) => `${short(v, 3)} s`],
};
const available = (name) => !{ weight: 1, identity: 1, unlabelled: 1, limited: 1, nan: 1, seconds: 1 }[name] || columns()[{ weight: "weight", identity: "identity_steps", unlabelled: "unlabelled_pixels", limited: "limited_pixels", nan: "nan_samples", seconds: "seconds" }[name]];

// ---- filters ----

function change(patch) {
  const filter = { ...current.filter, text: byId("filter-text").value, ...patch };
  for (const [key, value] of Object.entries(filter)) if (value === "" || value === null || Number.isNaN(value)) delete filter[key];
  set({ filter });
}

function buildPanel() {
  // Scenes may be thousands: names are offered while one types.
  const names = h("datalist", { id: "scene-names" }), scene = h("input", { id: "filter-scene", list: "scene-names", placeholder: "any", autocomplete: "off", spellcheck: "false", onfocus: () => offer(""), oninput: (e) => offer(e.target.value), onchange: (e) => change({ scene: e.target.value.trim() }) });
  const offer = (part) => names.replaceChildren(...data.index.scenes.filter((s) => s.name.includes(part)).slice(0, 40).map((s) => h("option", { value: s.name }, s.type)));
  const cameras = [["", "any"], ...[...new Set(columns().camera)].sort().map((c) => [c, c])];
  const pick = (id, options, key) => selection({ id, onchange: (e) => change({ [key]: e.target.value }) }, options, "");
  const range = (from, to, title) => h("span", { class: "pair" }, ...[[from, "from"], [to, "to"]].map(([key, word]) =>
    h("input", { id: "filter-" + key, type: "number", step: "any", placeholder: word, "aria-label": `${title} ${word}`, onchange: (e) => change({ [key]: e.target.valueAsNumber }) })));
  const rowsOf = [["filter-scene", "scene", h("span", { class: "pair" }, scene, names)], ["filter-camera", "camera", pick("filter-camera", cameras, "camera")],
    ["filter-class", "class", pick("filter-class", [["", "any"]], "class")], ["filter-audit", "audit", pick("filter-audit", [["", "any"], ["failed", "with findings"], ["passed", "without findings"]], "audit")],
    ["filter-near", "depth, m", range("near", "far", "depth in metres")], ["filter-light", "weight", columns().weight ? range("light", "heavy", "weight") : null]].filter(([, , control]) => control);
  byId("filter-panel").replaceChildren(...rowsOf.flatMap(([id, title, control]) => [h("label", { for: id }, title), control]), h("span", {}), h("button", { type: "button", id: "filter-clear", onclick: () => { byId("filter-text").value = ""; set({ filter: {} }); } }, "clear filters"));
  byId("sort").replaceChildren(...Object.entries(sorts).filter(([name]) => available(name)).map(([name, [title]]) => h("option", { value: name }, title)));
}

function openPanel(open) {
  byId("filter-panel").hidden = !open;
  byId("filter-more").setAttribute("aria-expanded", String(open));
}

function fillClasses() {
  const seen = new Map();
  for (const list of statistics.classes) for (let k = 0; k < list.length; k += 2) if (list[k] >= 1) seen.set(list[k], (seen.get(list[k]) ?? 0) + 1);
  const options = [["", "any"], ...[...seen].sort((a, b) => (data.classes.get(a[0])?.name ?? "").localeCompare(data.classes.get(b[0])?.name ?? "")).map(([id, n]) => [String(id), `${data.classes.get(id)?.name ?? id} (${n})`])];
  replaceOptions(byId("filter-class"), options, current.filter.class ?? "");
}
function fillChecks() {
  const checks = [...new Set(findings.list.map((f) => f.check))].sort();
  replaceOptions(byId("filter-audit"), [["", "any"], ["failed", "with findings"], ["passed", "without findings"], ...checks.map((c) => [c, c])], current.filter.audit ?? "");
}
function replaceOptions(select, options, value) {
  if (select.options.length !== options.length || document.activeElement !== select) select.replaceChildren(...options.map(([v, text]) => h("option", { value: v }, text)));
  if (value && ![...select.options].some((o) => o.value === value)) select.append(h("option", { value }, value));
  select.value = value;
}

function fillControls() {
  const f = current.filter;
  if (document.activeElement !== byId("filter-text")) byId("filter-text").value = f.text ?? "";
  for (const key of ["scene", "camera"]) if (document.activeElement !== byId("filter-" + key)) byId("filter-" + key).value = f[key] ?? "";
  for (const key of ["near", "far", "light", "heavy"]) if (byId("filter-" + key)) byId("filter-" + key).value = f[key] ?? "";
  fillClasses();
  fillChecks();
  byId("sort").value = current.sort;
  byId("sort-down").setAttribute("aria-pressed", String(current.down));
}

/// True, false, or null while what the filter needs is not known.
function passes(i) {
  const f = current.filter, words = (f.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    const name = `${frameName(i)} ${data.index.scenes[columns().scene[i]].type}`.toLowerCase();
    if (!words.every((w) => name.includes(w))) return false;
  }
  if (f.scene && sceneName(i) !== f.scene) return false;
  if (f.camera && columns().camera[i] !== f.camera) return false;
  if (f.audit) {
    const found = findings.byFrame.get(i) ?? [];
    if (f.audit === "failed" ? !found.length : f.audit === "passed" ? found.length : !found.some((x) => x.check === f.audit)) return false;
  }
  const weight = columns().weight?.[i] ?? null;
  if (f.light !== undefined && !(weight !== null && weight >= f.light)) return false;
  if (f.heavy !== undefined && !(weight !== null && weight <= f.heavy)) return false;
  if (f.class || f.near !== undefined || f.far !== undefined) {
    if (i >= statistics.done) return null;
    if (f.class && !statistics.classes[i].some((v, k) => k % 2 === 0 && String(v) === String(f.class))) return false;
    if (f.near !== undefined && !(statistics.near[i] !== null && statistics.near[i] >= f.near)) return false;
    if (f.far !== undefined && !(statistics.far[i] !== null && statistics.far[i] <= f.far)) return false;
  }
  return true;
}

function arrange() {
  order = [];
  for (let i = 0; i < data.count; ++i) if (passes(i)) order.push(i);
  const [, value] = sorts[current.sort] ?? sorts.order, sign = current.down ? -1 : 1;
  if (current.sort !== "order" || current.down) {
    const known = new Map(order.map((i) => [i, value(i)]));
    order.sort((a, b) => {
      const x = known.get(a), y = known.get(b);
      return x === null || y === null ? (x === null) - (y === null) || a - b : sign * (x - y) || a - b;   // unknown ones last
    });
  }
  byId("frames-height").style.height = order.length * kRow + "px";
  byId("frames").scrollTop = Math.min(byId("frames").scrollTop, Math.max(0, order.length * kRow - byId("frames").clientHeight));
  showCount();
  drawRows(true);
  for (const f of orderListeners) f();
}

function showCount() {
  const waiting = ["class", "near", "far"].some((k) => current.filter[k] !== undefined) && statistics.done < statistics.total;
  const all = order.length === data.count ? `${thousands(data.count)} frames` : `${thousands(order.length)} of ${thousands(data.count)} frames`;
  const part = data.index.total_frames > data.count ? `, a sample of ${thousands(data.index.total_frames)}` : "";
  byId("filter-state").textContent = all + part + (waiting ? ` (${statistics.done} of ${statistics.total} read)` : "");
}

// ---- rows ----

function fillRow(element, i) {
  const [, value, text] = sorts[current.sort] ?? sorts.order, v = text ? value(i) : null, found = numFindings(i);
  const type = data.index.scenes[columns().scene[i]].type;
  const third = found ? h("span", { class: "bad" }, `${found} finding${found === 1 ? "" : "s"}`) : statistics.damaged[i] ? h("span", { class: "bad" }, "damaged file") : null;
  const image = h("img", { src: source.thumbnail(sourceNumber(i)), alt: "", loading: "lazy", decoding: "async", onerror: (e) => e.target.classList.add("none") });
  element.replaceChildren(image, h("div", {}, h("b", {}, sceneName(i)), h("span", {}, `${columns().camera[i]} · ${four(columns().frame[i])}`), text ? h("span", {}, v === null ? "unknown" : text(v)) : type ? h("span", {}, type) : null, third));
  element.title = frameName(i);
}

function drawRows(all) {
  const list = byId("frames"), first = Math.max(0, Math.floor(list.scrollTop / kRow) - 2), last = Math.min(order.length, Math.ceil((list.scrollTop + list.clientHeight) / kRow) + 2);
  if (all === true) { for (const element of rows.values()) element.remove(); rows = new Map(); }
  for (const [place, element] of rows) if (place < first || place >= last) { element.remove(); rows.delete(place); }
  for (let place = first; place < last; ++place) {
    const i = order[place];
    if (!rows.has(place)) {
      const element = h("div", { class: "frame", role: "option", id: "frame-" + i, "aria-setsize": order.length, "aria-posinset": place + 1, onclick: () => { set({ frame: frameName(i) }); byId("frames").focus({ preventScroll: true }); } });
      element.style.top = place * kRow + "px";
      fillRow(element, i);
      rows.set(place, element);
      list.append(element);
    }
    rows.get(place).setAttribute("aria-selected", String(i === selected));
  }
  if (selected >= 0 && byId("frame-" + selected)) list.setAttribute("aria-activedescendant", "frame-" + selected);
  else list.removeAttribute("aria-activedescendant");
}

function choose() {
  selected = data.byName.get(current.frame) ?? -1;
  const place = order.indexOf(selected), list = byId("frames");
  if (place >= 0) {
    const top = place * kRow;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + kRow > list.scrollTop + list.clientHeight) list.scrollTop = top + kRow - list.clientHeight;
  }
  drawRows();
}

/// The frame so many places on in the list, or null at its end.
export function neighbour(by) {
  const place = order.indexOf(selected);
  if (place < 0) return order.length ? order[0] : null;
  return order[place + by] ?? null;
}
export function goBy(by) {
  const next = neighbour(by);
  if (next !== null) set({ frame: frameName(next) });
}
export const listPlace = () => ({ place: order.indexOf(selected), count: order.length });

function keys(e) {
  const page = Math.max(1, Math.floor(byId("frames").clientHeight / kRow) - 1);
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[e.key];
  const place = order.indexOf(selected);
  let next = null;
  if (by) next = Math.min(order.length - 1, Math.max(0, place + by));
  else if (e.key === "Home") next = 0;
  else if (e.key === "End") next = order.length - 1;
  if (next === null || !order.length) return;
  e.preventDefault();
  e.stopPropagation();
  set({ frame: frameName(order[next]) });
}
