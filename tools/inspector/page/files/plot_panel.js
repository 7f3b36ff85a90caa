// Histogram of the focused picture, and the values along a line.
import { canvasContext, h, selection, short, themeColor } from "./dom.js";
import { cursor, frameSize } from "./cursor.js";
import { rangeOf, usesMap } from "./display.js";
import { extremes, percentiles } from "./plane.js";
import { lookOf, titleOf, unitOfPane } from "./modalities.js";
import { panes, placeOf } from "./panes.js";
import { current, set } from "./state.js";

const kBins = 96;
let where = "all", logarithmic = false, drawn = null;

const channelColors = ["#e5695e", "#4fb477", "#5b8def", "#b0b6be"];
const channelNames = (pane) => pane.plane.channels === 1 ? [""] : lookOf(pane.text) === "texture" ? ["u", "v", "w"] : ["normal", "position"].includes(lookOf(pane.text)) ? ["x", "y", "z"] : ["red", "green", "blue", "4th"];

/// Pixels [x0, x1) × [y0, y1) to count: all, or those in view.
function region(pane) {
  const { plane } = pane;
  if (where === "all") return [0, 0, plane.width, plane.height];
  const place = placeOf(pane), edge = (v, size) => Math.min(size, Math.max(0, v));
  return [edge(Math.floor(-place.left / place.scale), plane.width), edge(Math.floor(-place.top / place.scale), plane.height),
    edge(Math.ceil((pane.body.clientWidth - place.left) / place.scale), plane.width), edge(Math.ceil((pane.body.clientHeight - place.top) / place.scale), plane.height)];
}

/// {low, high, counts: one array a channel, below, above, nan} of a pane.
export function histogramOf(pane) {
  const { plane } = pane, values = plane.values(), [x0, y0, x1, y1] = region(pane);
  let [low, high] = Array.from({ length: plane.channels }, (_, c) => ["semantic", "instance", "entity", "material", "bits"].includes(lookOf(pane.text)) ? extremes(plane, c) : percentiles(plane, 0.2, 99.8, c))
    .reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)], [Infinity, -Infinity]);
  if (high <= low) { low -= 0.5; high += 0.5; }
  const counts = Array.from({ length: plane.channels }, () => new Uint32Array(kBins));
  let below = 0, above = 0, nan = 0;
  for (let y = y0; y < y1; ++y)
    for (let x = x0; x < x1; ++x)
      for (let c = 0; c < plane.channels; ++c) {
        const v = values[(y * plane.width + x) * plane.channels + c];
        if (Number.isNaN(v)) ++nan;
        else if (v < low) ++below;
        else if (v > high) ++above;
        else ++counts[c][Math.min(kBins - 1, Math.floor(((v - low) / (high - low)) * kBins))];
      }
  return { low, high, counts, below, above, nan };
}

/// Points of the line, one a pixel step: {x, y, t} with t in [0, 1].
export function lineSteps([x0, y0, x1, y1]) {
  const n = Math.max(1, Math.round(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))));
  return Array.from({ length: n + 1 }, (_, k) => ({ x: Math.round(x0 + ((x1 - x0) * k) / n), y: Math.round(y0 + ((y1 - y0) * k) / n), t: k / n }));
}

export function profileOf(pane, line) {
  const { plane } = pane, u = plane.width / frameSize.width, v = plane.height / frameSize.height;
  return lineSteps(line).map((p) => plane.pixel(Math.min(plane.width - 1, Math.floor((p.x + 0.5) * u)), Math.min(plane.height - 1, Math.floor((p.y + 0.5) * v))));
}

export function drawPlot(panel) {
  const pane = panes[current.focus];
  if (!pane?.plane) return panel.replaceChildren(h("p", { class: "soft" }, "The focused picture has no values."));
  if (!drawn || drawn.panel !== panel || !panel.contains(drawn.histogram)) build(panel);
  drawn.title.textContent = `histogram: ${titleOf(pane.text)}`;
  drawHistogram(pane);
  drawn.line.textContent = `along a line: ${titleOf(pane.text)}`;
  drawProfile(pane);
}

function build(panel) {
  const title = h("h2", {}), line = h("h2", {}), note = h("p", { class: "soft", id: "histogram-note" }), lineNote = h("p", { class: "soft", id: "profile-note" });
  const histogram = h("canvas", { class: "plot", id: "histogram", role: "img", "aria-describedby": "histogram-note", "aria-label": "histogram" });
  const profile = h("canvas", { class: "plot", id: "profile", role: "img", "aria-describedby": "profile-note", "aria-label": "values along the line" });
  const controls = h("div", { class: "row", style: "margin:0 0 6px" },
    selection({ "aria-label": "pixels counted", id: "histogram-where", onchange: (e) => { where = e.target.value; drawPlot(panel); } }, [["all", "whole picture"], ["view", "what is in view"]], where),
    h("label", {}, h("input", { type: "checkbox", id: "histogram-log", checked: logarithmic, onchange: (e) => { logarithmic = e.target.checked; drawPlot(panel); } }), "logarithmic"));
  const clear = h("button", { onclick: () => set({ line: null }), id: "line-clear" }, "remove the line");
  panel.replaceChildren(title, controls, histogram, note, line, profile, lineNote, clear);
  drawn = { panel, title, line, note, lineNote, histogram, profile, clear };
}

function axis(context, width, height, low, high, unit) {
  context.fillStyle = themeColor("soft");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  context.fillText(short(low, 3), 3, height - 3);
  context.textAlign = "right";
  context.fillText(`${short(high, 3)} ${unit}`, width - 3, height - 3);
}

function drawHistogram(pane) {
  const { low, high, counts, below, above, nan } = histogramOf(pane), names = channelNames(pane);
  const peak = Math.max(1, ...counts.map((c) => Math.max(...c))), height01 = (n) => logarithmic ? Math.log1p(n) / Math.log1p(peak) : n / peak;
  drawn.note.textContent = `${counts.length > 1 ? names.slice(0, counts.length).join(", ") + "; " : ""}tallest bar ${peak}; ${below} below, ${above} above, ${nan} NaN`;
  const on = canvasContext(drawn.histogram);
  if (!on) return;
  const { context, width, height } = on, ground = height - 16;
  counts.forEach((bins, c) => {
    context.fillStyle = counts.length === 1 ? themeColor("accent") : channelColors[c];
    context.globalAlpha = counts.length === 1 ? 0.9 : 0.55;
    bins.forEach((n, b) => { if (n) { const tall = height01(n) * (ground - 6); context.fillRect((b * width) / kBins, ground - tall, width / kBins + 0.4, tall); } });
  });
  context.globalAlpha = 1;
  if (usesMap(pane.text)) {
    context.strokeStyle = themeColor("text");
    context.setLineDash([3, 3]);
    for (const end of rangeOf(pane.text, pane.plane)) {
      const x = ((end - low) / (high - low)) * width;
      context.beginPath();
      context.moveTo(x, 2);
      context.lineTo(x, ground);
      context.stroke();
    }
    context.setLineDash([]);
  }
  axis(context, width, height, low, high, unitOfPane(pane.text));
}

function drawProfile(pane) {
  drawn.clear.hidden = !current.line;
  drawn.profile.hidden = !current.line;
  if (!current.line) return void (drawn.lineNote.textContent = "Drag with Shift over a picture, or press l at both ends.");
  const values = profileOf(pane, current.line), channels = pane.plane.channels, finite = values.flat().filter(Number.isFinite);
  const low = Math.min(...finite), high = Math.max(...finite), [x0, y0, x1, y1] = current.line;
  drawn.lineNote.textContent = `a (${x0}, ${y0}) to b (${x1}, ${y1}): ${values.length} pixels, ${finite.length ? `${short(low, 4)} to ${short(high, 4)} ${unitOfPane(pane.text)}` : "no finite value"}`;
  const on = canvasContext(drawn.profile);
  if (!on || !finite.length) return;
  const { context, width, height } = on, ground = height - 16, toY = (v) => ground - 4 - ((v - low) / (high - low || 1)) * (ground - 10);
  for (let c = 0; c < channels; ++c) {
    context.strokeStyle = channels === 1 ? themeColor("accent") : channelColors[c];
    context.lineWidth = 1.5;
    context.beginPath();
    let open = false;
    values.forEach((v, k) => {
      const x = (k / Math.max(1, values.length - 1)) * (width - 2) + 1;
      if (!Number.isFinite(v[c])) open = false;
      else if (open) context.lineTo(x, toY(v[c]));
      else { context.moveTo(x, toY(v[c])); open = true; }
    });
    context.stroke();
  }
  const at = cursor(), nearest = at ? lineSteps(current.line).map((p, k) => [Math.hypot(p.x - at.x, p.y - at.y), k]).sort((a, b) => a[0] - b[0])[0] : null;
  if (nearest && nearest[0] < 3) {
    context.fillStyle = themeColor("text");
    context.fillRect((nearest[1] / Math.max(1, values.length - 1)) * (width - 2), 2, 1, ground);
  }
  axis(context, width, height, low, high, unitOfPane(pane.text));
}
