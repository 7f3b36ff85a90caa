// The panels below the values: one is shown at a time.
import { byId, h } from "./dom.js";
import { drawDisplay } from "./display_panel.js";
import { drawFacts } from "./facts_panel.js";
import { drawFindings, onFindings } from "./findings_panel.js";
import { drawLegend } from "./legend_panel.js";
import { drawPlot } from "./plot_panel.js";
import { onCursor } from "./cursor.js";
import { onShown } from "./panes.js";
import { current, on, set } from "./state.js";

export const tabs = [["display", "display", drawDisplay], ["legend", "legend", drawLegend], ["plot", "plot", drawPlot], ["audit", "audit", drawFindings], ["frame", "frame", drawFacts]];

export function startTabs() {
  const list = byId("tabs");
  list.replaceChildren(...tabs.map(([name, title]) => h("button", { role: "tab", id: "tab-" + name, "aria-controls": "tab-panel", onclick: () => set({ tab: name }) }, title)));
  list.addEventListener("keydown", (e) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!move) return;
    e.preventDefault();
    e.stopPropagation();
    const next = tabs[(tabs.findIndex(([n]) => n === current.tab) + move + tabs.length) % tabs.length][0];
    set({ tab: next });
    byId("tab-" + next).focus();
  });
  on(["tab"], choose, true);
  on(["display", "focus", "panes", "tone"], () => redrawIf("display", "plot"));
  on(["highlight"], () => redrawIf("legend"));
  on(["line", "zoom", "cx", "cy"], () => redrawIf("plot"));
  onShown(() => redrawIf("display", "legend", "plot", "frame", "audit"));
  onFindings(() => redrawIf("audit"));
  onCursor(() => redrawIf("plot"));
}

function choose() {
  if (!tabs.some(([n]) => n === current.tab)) return set({ tab: "display" });
  for (const [name] of tabs) {
    byId("tab-" + name).setAttribute("aria-selected", String(name === current.tab));
    byId("tab-" + name).tabIndex = name === current.tab ? 0 : -1;
  }
  byId("tab-panel").setAttribute("aria-labelledby", "tab-" + current.tab);
  byId("tab-panel").replaceChildren();
  redrawIf(current.tab);
}

function redrawIf(...names) {
  if (names.includes(current.tab)) tabs.find(([n]) => n === current.tab)[2](byId("tab-panel"));
}
