// Settings of the focused picture: exposure and tone map of light, color map and range of numbers.
import { h, selection, short } from "./dom.js";
import { displayOf, rangeModes, rangeOf, toneOptions, usesMap } from "./display.js";
import { isId, isVector, lookOf, made, parsePane, titleOf, unitOfPane } from "./modalities.js";
import { mapGradient, mapNames } from "./colors.js";
import { data } from "./data.js";
import { panes } from "./panes.js";
import { current, set } from "./state.js";

export function setDisplay(text, patch) {
  set({ display: { ...current.display, [text]: { ...current.display[text], ...patch } } });
}

/// The focused picture's next color map.
export function nextMap() {
  const text = current.panes[current.focus];
  if (usesMap(text)) setDisplay(text, { map: mapNames[(mapNames.indexOf(displayOf(text).map) + 1) % mapNames.length] });
}
export function nextRange() {
  const text = current.panes[current.focus];
  if (usesMap(text)) chooseMode(text, rangeModes[(rangeModes.findIndex(([m]) => m === displayOf(text).mode) + 1) % rangeModes.length][0]);
}

/// A fixed range starts with what is shown.
function chooseMode(text, mode) {
  const plane = panes[current.focus]?.plane;
  if (mode === "fixed" && plane) {
    const [low, high] = rangeOf(text, plane);
    setDisplay(text, { mode, low, high });
  } else setDisplay(text, mode === "percent" ? { mode, low: 1, high: 99 } : { mode });
}

export function drawDisplay(panel) {
  const text = current.panes[current.focus];
  if (!text || panel.contains(document.activeElement) && panel.dataset.text === text) return refresh(panel, text);
  panel.dataset.text = text;
  const look = lookOf(text), doc = docOf(text);
  const fields = look === "light" ? lightFields() : look === "albedo" ? [] : mapFields(text, look);
  panel.replaceChildren(h("h2", {}, titleOf(text)), h("div", { class: "fields" }, ...fields), ...[doc, isId(look) ? "Colors are those of the ids; the legend names and highlights them." : null].filter(Boolean).map((t) => h("p", { class: "soft" }, t)));
  refresh(panel, text);
}

function docOf(text) {
  const pane = parsePane(text);
  if (pane.kind === "made") return made[pane.name]?.doc;
  return pane.kind === "label" ? data.labels.get(pane.label)?.doc : null;
}

const row = (id, title, control) => [h("label", { for: id }, title), control];

function lightFields() {
  const exposure = h("input", { id: "exposure", type: "range", min: -8, max: 8, step: 0.25, value: current.exposure, oninput: (e) => set({ exposure: Number(e.target.value) }) });
  const gamma = h("input", { id: "gamma", type: "range", min: 1, max: 3, step: 0.05, value: current.gamma, oninput: (e) => set({ gamma: Number(e.target.value) }), disabled: current.tone === "hypersim" || current.tone !== "gamma" });
  return [...row("tone", "tone map", selection({ id: "tone", onchange: (e) => set({ tone: e.target.value }) }, toneOptions, current.tone)),
    ...row("exposure", "exposure", h("span", { class: "pair" }, exposure, h("output", { id: "exposure-value", for: "exposure" }))),
    ...row("gamma", "gamma", h("span", { class: "pair" }, gamma, h("output", { id: "gamma-value", for: "gamma" })))];
}

function mapFields(text, look) {
  const settings = displayOf(text), fields = [];
  if (isVector(look)) {
    const names = look === "texture" ? ["u", "v", "w"] : ["x", "y", "z"];
    const options = [["rgb", "all as red, green, blue"], ...names.map((n, c) => [String(c), n]), ["length", "length"]];
    fields.push(...row("part", "shows", selection({ id: "part", onchange: (e) => setDisplay(text, { part: ["0", "1", "2"].includes(e.target.value) ? Number(e.target.value) : e.target.value }) }, options, String(settings.part))));
  }
  if (!usesMap(text)) return fields;
  fields.push(...row("map", "color map", selection({ id: "map", onchange: (e) => setDisplay(text, { map: e.target.value }) }, mapNames.map((n) => [n, n]), settings.map)),
    h("span", {}), h("span", { id: "map-ramp", class: "ramp", style: "height:10px;border-radius:3px" }),
    ...row("range-mode", "range", selection({ id: "range-mode", onchange: (e) => chooseMode(text, e.target.value) }, rangeModes, settings.mode)));
  if (settings.mode === "percent" || settings.mode === "fixed") {
    const unit = settings.mode === "percent" ? "%" : unitOfPane(text);
    const field = (key, title) => h("input", { id: "range-" + key, type: "number", step: "any", "aria-label": title, value: settings[key], onchange: (e) => { if (Number.isFinite(e.target.valueAsNumber)) setDisplay(text, { [key]: e.target.valueAsNumber }); } });
    fields.push(h("label", { for: "range-low" }, "from, to"), h("span", { class: "pair" }, field("low", "low end of the range"), field("high", "high end of the range"), h("span", { class: "soft" }, unit)));
  }
  return fields;
}

/// What changes while a control is in use.
function refresh(panel, text) {
  const find = (id) => panel.querySelector("#" + id);
  if (find("exposure")) {
    find("exposure").value = current.exposure;
    find("exposure-value").textContent = (current.exposure > 0 ? "+" : "") + short(current.exposure, 3) + " EV";
    find("tone").value = current.tone;
    find("gamma").value = current.gamma;
    find("gamma").disabled = current.tone !== "gamma";
    find("gamma-value").textContent = current.tone === "gamma" ? short(current.gamma, 3) : current.tone === "hypersim" ? "2.2" : "";
  }
  if (find("map-ramp")) find("map-ramp").style.background = mapGradient(displayOf(text).map);
  const hasEnds = Boolean(find("range-low")), wantsEnds = ["percent", "fixed"].includes(displayOf(text).mode) && usesMap(text);
  const partChanged = find("part") && usesMap(text) !== Boolean(find("map"));
  if (hasEnds !== wantsEnds || partChanged) {
    const id = document.activeElement?.id;
    panel.dataset.text = "";
    document.activeElement?.blur?.();
    drawDisplay(panel);
    if (id) panel.querySelector("#" + id)?.focus();
  }
}
