// The row above the pictures: what is used again and again.
import { byId, h, selection, short } from "./dom.js";
import { addPane, panes, placeOf, zoomBy, zoomFit, zoomTo } from "./panes.js";
import { toneOptions } from "./display.js";
import { current, on, set } from "./state.js";

export function startBar() {
  on(["mode"], build, true);
  on(["exposure", "tone", "boxes2", "boxes3", "zoom", "panes"], refresh);
}

const pressed = (id, text, title, field) => h("button", { id, title, onclick: () => set({ [field]: !current[field] }) }, text);

function build() {
  const bar = byId("bar");
  bar.hidden = current.mode !== "images";
  if (bar.hidden) return;
  bar.replaceChildren(
    h("button", { id: "zoom-out", "aria-label": "smaller", title: "smaller ( - )", onclick: () => zoomBy(1 / 1.5) }, "−"),
    h("button", { id: "zoom-fit", title: "whole picture ( 0 )", onclick: zoomFit }, "fit"),
    h("button", { id: "zoom-one", title: "one screen pixel a pixel ( = )", onclick: () => zoomTo(1) }, "1:1"),
    h("button", { id: "zoom-in", "aria-label": "larger", title: "larger ( + )", onclick: () => zoomBy(1.5) }, "+"),
    h("output", { id: "zoom-value", class: "soft", style: "min-width:42px" }), h("span", { class: "space" }),
    h("label", { title: "exposure of light ( e, E )" }, "EV", h("input", { id: "bar-exposure", type: "range", min: -8, max: 8, step: 0.25, style: "width:72px", oninput: (e) => set({ exposure: Number(e.target.value) }) }), h("output", { id: "bar-exposure-value", style: "min-width:30px" })),
    h("label", { title: "tone map of light ( o )" }, "tone", selection({ id: "bar-tone", onchange: (e) => set({ tone: e.target.value }) }, toneOptions, current.tone)),
    h("span", { class: "soft" }, "boxes"), pressed("boxes-2", "2-D", "boxes of the pixels of each instance ( b )", "boxes2"), pressed("boxes-3", "3-D", "boxes of the scene's table ( Shift+B )", "boxes3"),
    h("span", { class: "grow" }), h("button", { id: "add-pane", "aria-label": "one picture more", title: "one picture more ( n )", onclick: addPane }, "+ picture"));
  refresh();
}

function refresh() {
  if (current.mode !== "images") return;
  byId("bar-exposure").value = current.exposure;
  byId("bar-exposure-value").textContent = (current.exposure > 0 ? "+" : "") + short(current.exposure, 3);
  byId("bar-tone").value = current.tone;
  byId("boxes-2").setAttribute("aria-pressed", String(current.boxes2));
  byId("boxes-3").setAttribute("aria-pressed", String(current.boxes3));
  byId("add-pane").disabled = current.panes.length >= 12;
  const pane = panes[current.focus];
  byId("zoom-value").textContent = pane?.plane ? `${Math.round(100 * placeOf(pane).scale)} %` : "";
}
export const refreshBar = () => refresh();
