// The pictures side by side: which there are, what they show, how they move together.
import { byId, clamp, h, oncePerFrame, selection, short, themeColor } from "./dom.js";
import { cursor, frameSize, hover, leave, pin, setFrameSize, unpin } from "./cursor.js";
import { data, loadFrame, loadPlane, planeAtHand, sourceNumber } from "./data.js";
import { source } from "./source.js";
import { displayOf, lightScale, rangeOf, usesMap } from "./display.js";
import { extremes } from "./plane.js";
import { firstError, kinds, lookOf, metrics, paneOf, paneOptions, parsePane, titleOf, unitOfPane } from "./modalities.js";
import { mapGradient } from "./colors.js";
import { Renderer } from "./gl.js";
import { drawOverlay } from "./overlay.js";
import { setRepaint } from "./repaint.js";
import { current, on, set } from "./state.js";

export const panes = [];   // {text, element, body, overlay, scale, plane, card, ...}, as current.panes
let renderer = null, frame = -1, shownOnce = false;
const shownListeners = [];
/// f(frame) runs when a frame's pictures are there.
export const onShown = (f) => shownListeners.push(f);

export const firstPanes = () => {
  const wanted = ["color", "depth_meters", "normal_world", "semantic"].filter((l) => data.seen.has(l));
  const others = [...data.labels.keys(), ...data.seen].filter((l) => data.seen.has(l) && !wanted.includes(l));
  return [...new Set([...wanted, ...others])].slice(0, 4);
};

export function startPanes() {
  renderer = new Renderer(byId("gl"));
  renderer.restored = redraw;
  setRepaint(redraw);
  new ResizeObserver(redraw).observe(byId("panes"));
  on(["panes"], rebuild);
  on(["focus"], () => { markFocus(); redraw(); });
  on(["zoom", "cx", "cy", "exposure", "tone", "gamma", "display", "boxes2", "boxes3", "pin", "line"], redraw);
  on(["highlight"], () => { highlightChanged(); redraw(); });
  rebuild();
}

/// Shows frame i in every pane. Resolves when each has its picture or says why not.
export async function showFrame(i) {
  frame = i;
  await Promise.all(panes.map(load));
  if (frame !== i) return;
  if (current.tone === "hypersim" && panes.some((p) => lookOf(p.text) === "light")) await exposureOf(i);
  highlightChanged();
  drawNow();
  if (!shownOnce) {
    shownOnce = true;
    document.documentElement.dataset.firstFrame = Math.round(performance.now());
  }
  document.documentElement.dataset.shown = i;
  for (const f of shownListeners) f(i);
}

/// The tone map needs color, and ids where there are any, though no pane may show them.
async function exposureOf(i) {
  const facts = await loadFrame(0, i).catch(() => null);
  const wanted = ["color", "render_entity_id"].filter((l) => facts?.labels[l] && !facts.labels[l].problem);
  await Promise.all(wanted.map((l) => loadPlane(0, i, l).catch(() => null)));
}

async function load(pane) {
  const wanted = pane.wanted = `${frame} ${pane.text}`;
  try {
    const plane = await paneOf(pane.text, frame);
    if (pane.wanted !== wanted) return;
    if (plane.width > renderer.maxSide || plane.height > renderer.maxSide) throw new Error(`${plane.width} × ${plane.height} pixels: this graphics card draws up to ${renderer.maxSide} a side`);
    pane.plane = plane;
    showCard(pane, null);
    const size = Object.values((await loadFrame(0, frame)).labels).filter((l) => l.shape).map((l) => l.shape);
    if (pane.wanted === wanted && size.length) setFrameSize(Math.max(...size.map((s) => s[1])), Math.max(...size.map((s) => s[0])));
  } catch (error) {
    if (pane.wanted !== wanted) return;
    pane.plane = null;
    error.preview = await previewOf(pane.text, frame);
    if (pane.wanted === wanted) showCard(pane, error);
  }
}

/// The address of the data set's own picture of a label, or null.
async function previewOf(text, i) {
  const { kind, set: number, label } = parsePane(text);
  if (kind !== "label" || number !== 0 || !source.preview) return null;
  const previews = (await loadFrame(0, i).catch(() => null))?.previews ?? [];
  const name = [...(label === "color" ? ["tonemap.jpg"] : []), `${label}.jpg`, `geometry.${label}.png`].find((n) => previews.includes(n));
  return name ? source.preview(sourceNumber(i), name) : null;
}

function showCard(pane, error) {
  pane.card?.remove();
  pane.card = null;
  if (!error) return;
  const missing = error.status === 404, preview = missing ? error.preview : null;
  const words = h("div", { class: missing ? "card calm" : "card", role: "alert" }, h("b", {}, `${titleOf(pane.text)}: ${preview ? "only the preview" : missing ? "not there" : "cannot be shown"}`), preview ? "Its values are not there." : error.message);
  pane.card = preview ? h("div", { class: "preview" }, h("img", { src: preview, alt: `preview of ${titleOf(pane.text)}` }), words) : words;
  pane.body.append(pane.card);
}

function rebuild() {
  const grid = byId("panes");
  while (panes.length > current.panes.length) panes.pop().element.remove();
  current.panes.forEach((text, n) => {
    if (!panes[n]) {
      panes[n] = makePane(n);
      grid.append(panes[n].element);
    }
    if (panes[n].text === text) return;
    panes[n].text = text;
    panes[n].plane = null;
    fillHeader(panes[n]);
    if (frame >= 0) load(panes[n]).then(() => { if (current.tone === "hypersim") exposureOf(frame).then(redraw); redraw(); for (const f of shownListeners) f(frame); });
  });
  if (!(current.focus < panes.length)) set({ focus: 0 });
  markFocus();
  arrange();
  redraw();
}

/// Rows and columns that give the largest pictures.
function arrange() {
  const grid = byId("panes"), n = Math.max(1, panes.length), width = grid.clientWidth || 1, height = grid.clientHeight || 1;
  const aspect = frameSize.width ? frameSize.width / frameSize.height : 4 / 3;
  let best = 1, area = 0;
  for (let columns = 1; columns <= n; ++columns) {
    const rows = Math.ceil(n / columns), w = Math.min(width / columns, (height / rows - 30) * aspect);
    if (w > area + 1) { area = w; best = columns; }
  }
  grid.style.gridTemplateColumns = `repeat(${best}, minmax(0, 1fr))`;
  grid.style.gridTemplateRows = `repeat(${Math.ceil(n / best)}, minmax(0, 1fr))`;
}

function makePane(n) {
  const body = h("div", { class: "body", tabindex: "0", role: "img" }), overlay = h("canvas", { "aria-hidden": "true" });
  body.append(overlay);
  const header = h("header"), operands = h("div", { class: "operands", hidden: true });
  const element = h("section", { class: "pane" }, header, operands, body);
  const pane = { n, text: "", element, header, operands, body, overlay, plane: null, card: null };
  element.addEventListener("pointerdown", () => set({ focus: n }));
  element.addEventListener("focusin", () => set({ focus: n }));
  listen(pane);
  return pane;
}

export function changePane(n, text) {
  const next = [...current.panes];
  next[n] = text === "error" ? firstError(next[n]) : text;
  set({ panes: next });
}
export function addPane() {
  const unused = [...data.seen].find((l) => !current.panes.includes(l));
  if (current.panes.length < 12) set({ panes: [...current.panes, unused ?? current.panes[0] ?? "color"], focus: current.panes.length });
}
export function removePane(n) {
  if (current.panes.length > 1) set({ panes: current.panes.filter((_, k) => k !== n), focus: Math.max(0, Math.min(n, current.panes.length - 2)) });
}
/// The next thing that the focused pane can show.
export function turnPane(by) {
  const all = paneOptions(false).flatMap((g) => g.options.map(([v]) => v)), at = all.indexOf(current.panes[current.focus]);
  if (all.length) changePane(current.focus, all[(at + by + all.length) % all.length]);
}

function fillHeader(pane) {
  const parsed = parsePane(pane.text), groups = paneOptions(), value = parsed.kind === "error" ? "error" : pane.text;
  if (!groups.some((g) => g.options.some(([v]) => v === value))) groups[0].options.push([value, titleOf(value)]);
  const select = selection({ "aria-label": `picture ${pane.n + 1} shows`, onchange: (e) => changePane(pane.n, e.target.value) }, groups, value);
  pane.low = h("span", {}), pane.high = h("span", {}), pane.ramp = h("span", { class: "ramp" });
  const scale = h("span", { class: "scale" }, pane.low, pane.ramp, pane.high);
  const close = h("button", { class: "close", "aria-label": `close picture ${pane.n + 1}`, title: "close ( Delete )", onclick: () => removePane(pane.n) }, "×");
  pane.header.replaceChildren(select, scale, close);
  pane.body.setAttribute("aria-label", titleOf(pane.text));
  pane.element.setAttribute("aria-label", titleOf(pane.text));
  pane.operands.hidden = parsed.kind !== "error";
  if (parsed.kind !== "error") return;
  const change = (part) => (e) => {
    const p = { ...parsePane(pane.text), [part]: e.target.value };
    changePane(pane.n, `error:${p.a}:${p.b}:${p.metric}`);
  };
  const all = paneOptions(false);
  pane.operands.replaceChildren(selection({ "aria-label": "A", title: "A", onchange: change("a") }, all, parsed.a),
    selection({ "aria-label": "B", title: "B", onchange: change("b") }, all, parsed.b), selection({ "aria-label": "kind of error", onchange: change("metric") }, metrics, parsed.metric));
}

/// New labels may have been seen: selects are made again.
export function refreshHeaders() {
  for (const pane of panes) if (!pane.element.contains(document.activeElement) || document.activeElement === pane.body) fillHeader(pane);
  redraw();
}

function markFocus() {
  panes.forEach((p, n) => p.element.classList.toggle("focused", n === current.focus && panes.length > 1));
}

// ---- moving ----

/// CSS pixels of a pixel of the frame at which the whole of it is seen in every pane: all move as one.
function fitOfAll() {
  const fits = panes.filter((p) => p.plane).map((p) => Math.min(p.body.clientWidth / (frameSize.width || p.plane.width), p.body.clientHeight / (frameSize.height || p.plane.height)));
  return Math.max(1e-3, Math.min(...fits));
}

/// Place of a pane's picture: CSS pixels of an image pixel, and its upper left corner in the pane's body.
export function placeOf(pane) {
  const width = pane.body.clientWidth, height = pane.body.clientHeight, { plane } = pane;
  const fit = (fitOfAll() * (frameSize.width || plane.width)) / plane.width, scale = fit * current.zoom;
  return { fit, scale, left: width / 2 - current.cx * plane.width * scale, top: height / 2 - current.cy * plane.height * scale };
}

export function zoomBy(factor, pane = null, x = 0, y = 0) {
  const zoom = clamp(current.zoom * factor, 0.25, 2000);
  if (!pane?.plane) return set({ zoom });
  const { scale, left, top, fit } = placeOf(pane), u = (x - left) / (scale * pane.plane.width), v = (y - top) / (scale * pane.plane.height);
  const next = fit * zoom;   // the image point under the pointer stays there
  set({ zoom, cx: u - (x - pane.body.clientWidth / 2) / (next * pane.plane.width), cy: v - (y - pane.body.clientHeight / 2) / (next * pane.plane.height) });
}
export const zoomFit = () => set({ zoom: 1, cx: 0.5, cy: 0.5 });
/// So many screen pixels an image pixel.
export function zoomTo(pixels) {
  const pane = panes[current.focus];
  if (!pane?.plane) return;
  const at = cursor();
  set({ zoom: pixels / placeOf(pane).fit, ...(at ? { cx: (at.x + 0.5) / frameSize.width, cy: (at.y + 0.5) / frameSize.height } : {}) });
}
/// Brings pixel (x, y) to the middle, enlarged.
export function lookAt(x, y, zoom = 6) {
  set({ zoom, cx: (x + 0.5) / frameSize.width, cy: (y + 0.5) / frameSize.height, pin: [x, y] });
}

function pixelAt(pane, event) {
  const box = pane.body.getBoundingClientRect(), { scale, left, top } = placeOf(pane);
  const u = (event.clientX - box.left - left) / (scale * pane.plane.width), v = (event.clientY - box.top - top) / (scale * pane.plane.height);
  return { x: Math.floor(u * frameSize.width), y: Math.floor(v * frameSize.height), inside: u >= 0 && v >= 0 && u < 1 && v < 1 };
}

function listen(pane) {
  const { body } = pane;
  let drag = null;
  body.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = body.getBoundingClientRect();
    zoomBy(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), pane, e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
  body.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || !pane.plane || e.target.closest(".card")) return;
    body.setPointerCapture(e.pointerId);
    const start = pixelAt(pane, e);
    drag = { x: e.clientX, y: e.clientY, cx: current.cx, cy: current.cy, line: e.shiftKey, start, moved: false };
  });
  body.addEventListener("pointermove", (e) => {
    if (!pane.plane) return;
    const at = pixelAt(pane, e);
    if (drag && (drag.moved || Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 3)) {
      drag.moved = true;
      if (drag.line) set({ line: [drag.start.x, drag.start.y, clamp(at.x, 0, frameSize.width - 1), clamp(at.y, 0, frameSize.height - 1)], tab: "plot" });
      else {
        const { scale } = placeOf(pane);
        set({ cx: drag.cx - (e.clientX - drag.x) / (scale * pane.plane.width), cy: drag.cy - (e.clientY - drag.y) / (scale * pane.plane.height) });
      }
    }
    if (at.inside) hover(at.x, at.y);
    else leave();
  });
  body.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved && pane.plane) {
      const at = pixelAt(pane, e);
      const again = current.pin && at.x === current.pin[0] && at.y === current.pin[1];
      if (again) unpin();
      else if (at.inside) pin(at.x, at.y);
    }
    drag = null;
  });
  body.addEventListener("pointerleave", () => { if (!drag) leave(); });
  body.addEventListener("dblclick", zoomFit);
}

// ---- drawing ----

const rgbOf = (name) => {
  const text = themeColor(name), n = parseInt(text.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255].map((c) => c / 255);
};

function styleOf(pane, mask) {
  const look = lookOf(pane.text), settings = displayOf(pane.text), style = { look, low: [0, 0, 0], high: [1, 1, 1], accent: rgbOf("accent"), mask };
  if (look === "light") Object.assign(style, { light: lightScale(frame), tone: current.tone, gamma: current.tone === "hypersim" ? 2.2 : current.gamma });
  else if (look === "albedo") Object.assign(style, { light: 1, tone: "gamma", gamma: 2.2 });
  else if (usesMap(pane.text)) {
    const [low, high] = rangeOf(pane.text, pane.plane);
    Object.assign(style, { low: [low, 0, 0], high: [high === low ? low + 1e-6 : high, 1, 1], map: settings.map, part: settings.part === "rgb" ? -1 : settings.part === "length" ? 3 : settings.part });
  } else if (look === "position") {
    const ranges = [0, 1, 2].map((c) => extremes(pane.plane, c));
    Object.assign(style, { low: ranges.map((r) => r[0]), high: ranges.map((r) => r[1]) });
  }
  return style;
}

function highlightChanged() {
  if (!renderer) return;
  renderer.setHighlight(current.highlight.ids);
  if (current.highlight.ids.length && frame >= 0) loadPlane(0, frame, kinds[current.highlight.kind]).then(redraw, () => {});
}

function showScale(pane) {
  const mapped = pane.plane && usesMap(pane.text);
  pane.ramp.hidden = !mapped;
  pane.low.textContent = pane.high.textContent = "";
  if (!mapped) return;
  const [low, high] = rangeOf(pane.text, pane.plane), unit = unitOfPane(pane.text);
  pane.ramp.style.background = mapGradient(displayOf(pane.text).map);
  pane.low.textContent = short(low, 3);
  pane.high.textContent = short(high, 3) + (unit ? " " + unit : "");
}

function drawNow() {
  if (!renderer || current.mode !== "images") return;
  arrange();
  const grid = byId("panes").getBoundingClientRect();
  renderer.begin(rgbOf("image"));
  const mask = current.highlight.ids.length ? planeAtHand(0, frame, kinds[current.highlight.kind]) : null;
  for (const pane of panes) {
    showScale(pane);
    pane.body.dataset.ready = pane.plane ? frame : "";
    if (!pane.plane) {
      drawOverlay(pane, null, frame);
      continue;
    }
    const box = pane.body.getBoundingClientRect(), place = placeOf(pane), x = box.left - grid.left, y = box.top - grid.top;
    renderer.draw(pane.plane, { x, y, width: box.width, height: box.height }, x + place.left, y + place.top, place.scale, styleOf(pane, mask));
    drawOverlay(pane, place, frame);
  }
}
export const redraw = oncePerFrame(drawNow);

export const shownFrame = () => frame;
