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
const numbers = { write: (v) => v ? v.join(",") : "", read: (t) => t ? t.split(",").map(Number) : null };
const json = { write: (v) => JSON.stringify(v), read: JSON.parse };
const fields = {
  frame: ["f", text], mode: ["m", text], panes: ["v", { write: (v) => v.join(";"), read: (t) => t.split(";").filter(Boolean) }], focus: ["p", number],
  zoom: ["z", number], cx: ["x", number], cy: ["y", number], pin: ["at", numbers], line: ["line", numbers], exposure: ["ev", number],
  tone: ["tone", text], gamma: ["gamma", number], display: ["d", json], highlight: ["hl", json], boxes2: ["b2", flag], boxes3: ["b3", flag],
  filter: ["q", json], sort: ["s", text], down: ["down", flag], tab: ["t", text], cloud: ["c", json],
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
      const value = form.read(parts.get(key));
      const wrong = typeof value === "number" ? !Number.isFinite(value) : Array.isArray(value) ? value.some((v) => typeof v === "number" && !Number.isFinite(v)) : typeof value !== typeof defaults[field];
      if (!wrong) found[field] = value;
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
