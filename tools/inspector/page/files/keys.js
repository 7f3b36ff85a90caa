// Everything by keyboard, and the page that tells how.
import { byId, clamp, h, isTyping } from "./dom.js";
import { clearHighlight, highlightUnderCursor } from "./legend_panel.js";
import { cloudTurn, cloudZoom } from "./cloud.js";
import { cursor, pin, step, unpin } from "./cursor.js";
import { nextMap, nextRange } from "./display_panel.js";
import { planZoom } from "./plan.js";
import { stepFinding } from "./findings_panel.js";
import { addPane, removePane, turnPane, zoomBy, zoomFit, zoomTo } from "./panes.js";
import { goBy } from "./strip.js";
import { toneOptions } from "./display.js";
import { current, set } from "./state.js";
import { toggleTheme } from "./theme.js";

let lineStart = null;
const modes = ["images", "points", "plan"];
const zoom = (factor) => current.mode === "points" ? cloudZoom(1 / factor) : current.mode === "plan" ? planZoom(factor) : zoomBy(factor);
const move = (dx, dy) => current.mode === "points" ? cloudTurn(dx, dy) : step(dx, dy);

function markLine() {
  const at = cursor();
  if (!at) return;
  if (lineStart) {
    set({ line: [...lineStart, at.x, at.y], tab: "plot" });
    lineStart = null;
  } else lineStart = [at.x, at.y];
  byId("status-note").textContent = lineStart ? "the line starts here; move and press l again" : "";
}

function togglePin() {
  const at = cursor();
  if (at?.pinned) unpin();
  else if (at) pin(at.x, at.y);
}

// [group, keys as shown, what they do, {key: action}]
const table = [
  ["frames", [","], "previous frame", { ",": () => goBy(-1) }],
  ["frames", ["."], "next frame", { ".": () => goBy(1) }],
  ["frames", ["/"], "filter", { "/": () => byId("filter-text").focus() }],
  ["frames", ["["], "previous finding of the audit", { "[": () => stepFinding(-1) }],
  ["frames", ["]"], "next finding", { "]": () => stepFinding(1) }],
  ["view", ["v"], "images, points, plan", { v: () => set({ mode: modes[(modes.indexOf(current.mode) + 1) % 3] }) }],
  ["view", ["+", "−"], "larger, smaller", { "+": () => zoom(1.5), "-": () => zoom(1 / 1.5), "_": () => zoom(1 / 1.5) }],
  ["view", ["0"], "whole picture", { 0: zoomFit }],
  ["view", ["="], "one screen pixel a pixel", { "=": () => zoomTo(1) }],
  ["view", ["z"], "64 screen pixels a pixel", { z: () => zoomTo(64) }],
  ["view", ["t"], "dark or light", { t: toggleTheme }],
  ["pixel", ["←", "→", "↑", "↓"], "move the pixel; with Shift, ten at a time; turn the points", { ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1) }],
  ["pixel", ["Enter"], "pin the pixel, or let it go", { Enter: togglePin }],
  ["pixel", ["h"], "highlight what is under it", { h: highlightUnderCursor }],
  ["pixel", ["Shift", "H"], "highlight nothing", { H: clearHighlight }],
  ["pixel", ["l"], "start a line; press again to end it", { l: markLine }],
  ["pictures", ["1", "…", "9"], "focus a picture", Object.fromEntries(Array.from({ length: 9 }, (_, k) => [String(k + 1), () => { if (k < current.panes.length) set({ focus: k }); }]))],
  ["pictures", ["m"], "next thing to show; Shift: the one before", { m: () => turnPane(1), M: () => turnPane(-1) }],
  ["pictures", ["n"], "one picture more", { n: addPane }],
  ["pictures", ["Delete"], "close the picture", { Delete: () => removePane(current.focus) }],
  ["pictures", ["c"], "next color map", { c: nextMap }],
  ["pictures", ["r"], "next kind of range", { r: nextRange }],
  ["pictures", ["e"], "brighter; Shift: darker", { e: () => set({ exposure: clamp(current.exposure + 0.5, -8, 8) }), E: () => set({ exposure: clamp(current.exposure - 0.5, -8, 8) }) }],
  ["pictures", ["o"], "next tone map", { o: () => set({ tone: toneOptions[(toneOptions.findIndex(([t]) => t === current.tone) + 1) % toneOptions.length][0] }) }],
  ["pictures", ["b"], "2-D boxes; Shift: 3-D boxes", { b: () => set({ boxes2: !current.boxes2 }), B: () => set({ boxes3: !current.boxes3 }) }],
  ["panels", ["d"], "display", { d: () => set({ tab: "display" }) }],
  ["panels", ["g"], "legend", { g: () => set({ tab: "legend" }) }],
  ["panels", ["p"], "plot", { p: () => set({ tab: "plot" }) }],
  ["panels", ["a"], "audit", { a: () => set({ tab: "audit" }) }],
  ["panels", ["f"], "frame", { f: () => set({ tab: "frame" }) }],
  ["panels", ["?"], "this page", { "?": toggleHelp }],
];
const actions = Object.assign({}, ...table.map(([, , , a]) => a));

export function toggleHelp() {
  const dialog = byId("help");
  if (dialog.open) return dialog.close();
  const groups = [...new Set(table.map(([g]) => g))];
  dialog.replaceChildren(h("div", { class: "row" }, h("h2", { style: "margin:0;flex:1" }, "keyboard"), h("button", { onclick: () => dialog.close(), "aria-label": "close" }, "×")),
    h("div", { class: "columns", style: "margin-top:12px" }, ...groups.map((group) => h("section", {}, h("h2", {}, group),
      h("dl", {}, ...table.filter(([g]) => g === group).flatMap(([, keys, text]) => [h("dt", {}, ...keys.flatMap((k, n) => [n ? " " : "", k === "…" ? k : h("kbd", {}, k)])), h("dd", {}, text)]))))),
    h("p", { class: "soft" }, "Mouse: the wheel enlarges, dragging moves, a click pins the pixel, Shift and drag draws a line, a double click shows the whole picture. The address of the page holds all of the view."));
  dialog.showModal();
}

export function startKeys() {
  byId("help-button").addEventListener("click", toggleHelp);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (e.key === "Escape" && isTyping(e.target)) return e.target.blur();
    if (isTyping(e.target)) return;
    if (byId("help").open && e.key !== "?") return;
    const control = e.target.closest?.("button, select, input, summary, a");
    if (control && (e.key.startsWith("Arrow") || e.key === "Enter" || e.key === " ")) return;
    if (control?.matches("select") && e.key.length === 1) return;   // letters choose an option
    const tenfold = e.shiftKey && e.key.startsWith("Arrow");
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    for (let k = 0; k < (tenfold ? 10 : 1); ++k) action();
  });
}
