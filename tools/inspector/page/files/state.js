// What the user sees, as one object that the page's address holds. Modules subscribe to the fields they draw.

const defaults = {
  frame: "",              // "ai_900_001/cam_00/0003"
  mode: "images",         // images, points, plan
  panes: [],              // what each pane shows; see modalities.js
  focus: 0,               // number of the focused pane
  zoom: 1, cx: 0.5, cy: 0.5,   // 1 = the whole image; the image point at the pane's middle, in shares
  pin: null,              // [x, y] whose values stay
  line: null,             // [x0, y0, x1, y1] of the profile
  exposure: 0, tone: "hypersim", gamma: 2.2,
  display: {},            // by pane text: {map, mode, low, high, part}
  highlight: { kind: "semantic", ids: [] },
  boxes2: false, boxes3: false,
  filter: {}, sort: "order", down: false,
  tab: "display",
  cloud: { frames: 1, from: "depth", color: "color", size: 2 },
};

const state = structuredClone(defaults);
const listeners = [];
let restoring = false;

export const current = state;

/// f() runs after any of `fields` changed, and once now when `now`.
export function on(fields, f, now = false) {
  listeners.push({ fields, f });
  if (now) f();
}

const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

export function set(patch) {
  const changed = Object.keys(patch).filter((k) => !same(state[k], patch[k]));
  if (changed.length === 0) return;
  Object.assign(state, patch);
  for (const { fields, f } of listeners) if (fields.some((field) => changed.includes(field))) f();
  if (!restoring) writeAddress();
}

// One entry a field: its key in the address, how it is written ("" = left out) and read.
const number = { write: (v) => String(Math.round(v * 1e4) / 1e4), read: Number };
const text = { write: String, read: String };
const flag = { write: (v) => v ? "1" : "", read: (t) => t === "1" };
// Objects come from an address that anyone may have written: only what has the expected form is taken.
const isPlain = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
const scalar = (v) => typeof v === "string" || Number.isFinite(v);
const entries = (v, keep) => Object.fromEntries(Object.entries(isPlain(v) ? v : {}).filter(([, x]) => keep(x)));
const json = (clean) => ({ write: (v) => JSON.stringify(v), read: (t) => clean(JSON.parse(t)) });
const scalars = json((v) => entries(v, scalar));
const settings = json((v) => Object.fromEntries(Object.entries(entries(v, isPlain)).map(([k, x]) => [k, entries(x, scalar)])));
const highlighted = json((v) => ({ kind: ["semantic", "instance", "entity", "material"].includes(v?.kind) ? v.kind : "semantic", ids: Array.isArray(v?.ids) ? v.ids.filter(Number.isInteger) : [] }));
const cloudOf = json((v) => ({ ...defaults.cloud, ...entries(v, scalar) }));
const oneOf = (...all) => ({ write: String, read: (t) => { if (!all.includes(t)) throw new Error(); return t; } });
const within = (low, high) => ({ write: number.write, read: (t) => { const v = Number(t); if (!(v >= low && v <= high)) throw new Error(); return v; } });
const places = (n) => ({ write: (v) => v ? v.join(",") : "", read: (t) => { const v = t.split(",").map(Number); if (v.length !== n || !v.every(Number.isFinite)) throw new Error(); return v; } });
const fields = {
  frame: ["f", text], mode: ["m", oneOf("images", "points", "plan")], panes: ["v", { write: (v) => v.join(";"), read: (t) => t.split(";").filter(Boolean).slice(0, 12) }],
  focus: ["p", within(0, 11)], zoom: ["z", within(0.1, 2000)], cx: ["x", within(-50, 50)], cy: ["y", within(-50, 50)], pin: ["at", places(2)], line: ["line", places(4)],
  exposure: ["ev", within(-8, 8)], tone: ["tone", oneOf("hypersim", "gamma", "srgb", "linear")], gamma: ["gamma", within(1, 3)], display: ["d", settings], highlight: ["hl", highlighted],
  boxes2: ["b2", flag], boxes3: ["b3", flag], filter: ["q", scalars], sort: ["s", text], down: ["down", flag], tab: ["t", text], cloud: ["c", cloudOf],
};

export function addressOf(values) {
  const parts = new URLSearchParams();
  for (const [field, [key, form]] of Object.entries(fields))
    if (!same(values[field], defaults[field])) parts.set(key, form.write(values[field]));
  return parts.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3B", ";").replaceAll("%3A", ":");
}

let timer = 0;
function writeAddress() {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", "#" + addressOf(state)), 120);
}

/// Takes the state from the address; what is malformed there keeps its default.
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1) || window.simulacraReport?.start || ""), found = structuredClone(defaults);
  for (const [field, [key, form]] of Object.entries(fields)) {
    if (!parts.has(key)) continue;
    try {
      found[field] = form.read(parts.get(key));
    } catch { /* not ours */ }
  }
  restoring = true;
  set(found);
  restoring = false;
}

/// The address of what is shown now.
export function address() {
  return location.href.split("#")[0] + "#" + addressOf(state);
}
