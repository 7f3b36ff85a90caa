// Classes, instances, entities or materials of the frame, with their pixels; chosen ones stay bright in every picture.
import { h, percent, selection, thousands } from "./dom.js";
import { css, idColor } from "./colors.js";
import { data, loadPlane, planeAtHand } from "./data.js";
import { idCounts } from "./plane.js";
import { kinds } from "./modalities.js";
import { idUnderCursor, sceneAtHand } from "./readout.js";
import { shownFrame } from "./panes.js";
import { current, set } from "./state.js";

const titles = { semantic: "classes", instance: "instances", entity: "entities", material: "materials" };
const kMost = 400;   // rows; the others are summed up
let sort = "pixels";

export function toggleHighlight(id) {
  const { kind, ids } = current.highlight;
  set({ highlight: { kind, ids: ids.includes(id) ? ids.filter((k) => k !== id) : [...ids, id] } });
}
export function highlightUnderCursor() {
  const id = idUnderCursor(kinds[current.highlight.kind]);
  if (id !== null) toggleHighlight(id);
}
export const clearHighlight = () => set({ highlight: { ...current.highlight, ids: [] } });

function nameOf(kind, id) {
  const scene = sceneAtHand();
  if (id < (kind === "material" ? 0 : 1)) return "none";
  if (kind === "semantic") return data.classes.get(id)?.name ?? `class ${id}`;
  const names = { instance: scene?.instances?.[id]?.name, entity: scene?.entities?.[id], material: scene?.materials?.[id] };
  return names[kind] || `${kind} ${id}`;
}

export function drawLegend(panel) {
  const { kind, ids } = current.highlight, i = shownFrame(), label = kinds[kind];
  const kept = panel.contains(document.activeElement) ? document.activeElement.dataset.id ?? document.activeElement.id : null;
  const kindSelect = selection({ id: "legend-kind", "aria-label": "legend of", onchange: (e) => set({ highlight: { kind: e.target.value, ids: [] } }) }, Object.entries(titles), kind);
  const sortSelect = selection({ id: "legend-sort", "aria-label": "order", onchange: (e) => { sort = e.target.value; drawLegend(panel); } }, [["pixels", "by pixels"], ["name", "by name"], ["id", "by id"]], sort);
  const clear = h("button", { id: "legend-clear", disabled: ids.length === 0, onclick: clearHighlight, title: "nothing highlighted ( Shift+H )" }, "clear");
  const head = h("div", { class: "row" }, kindSelect, sortSelect, clear);
  const plane = i >= 0 ? planeAtHand(0, i, label) : null;
  if (!plane) {
    const note = h("p", { class: "soft" }, "…");
    panel.replaceChildren(head, note);
    if (i >= 0) loadPlane(0, i, label).then(() => drawLegend(panel), (e) => { note.textContent = e.message; });
    return;
  }
  const counts = [...idCounts(plane)], total = plane.width * plane.height;
  const order = { pixels: (a, b) => b[1] - a[1], id: (a, b) => a[0] - b[0], name: (a, b) => nameOf(kind, a[0]).localeCompare(nameOf(kind, b[0])) }[sort];
  const rows = counts.sort(order).slice(0, kMost).map(([id, count]) => h("button", { "data-id": String(id), "data-count": String(count), "aria-pressed": String(ids.includes(id)), onclick: () => toggleHighlight(id), title: `${kind} ${id}: ${count} pixels` },
    h("span", { class: "swatch", style: `background:${css(idColor(kind, id))}` }), h("span", { class: "name" }, nameOf(kind, id)), h("span", { class: "n" }, thousands(count)), h("span", { class: "n" }, percent(count / total))));
  panel.replaceChildren(head, h("p", { class: "soft" }, `${counts.length} ${titles[kind]} in ${thousands(total)} pixels${counts.length > kMost ? `; the ${kMost} first are listed` : ""}`), h("div", { class: "legend" }, ...rows));
  if (kept) (panel.querySelector(`[data-id="${kept}"]`) ?? panel.querySelector("#" + CSS.escape(kept)))?.focus();
}
