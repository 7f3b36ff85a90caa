// Starts the page and follows its address.
import { byId, h, thousands } from "./dom.js";
import { data, frameName, loadFrame, loadIndex, loadPlane } from "./data.js";
import { firstPanes, onShown, refreshHeaders, showFrame, startPanes } from "./panes.js";
import { goBy, neighbour, onOrder, listPlace, startStrip } from "./strip.js";
import { parsePane } from "./modalities.js";
import { redrawCloud, startCloud } from "./cloud.js";
import { redrawPlan, startPlan } from "./plan.js";
import { refreshBar, startBar } from "./bar.js";
import { source } from "./source.js";
import { startFindings } from "./findings_panel.js";
import { startKeys } from "./keys.js";
import { startReadout } from "./readout.js";
import { startTabs } from "./tabs.js";
import { onTheme, startTheme } from "./theme.js";
import { address, current, on, readAddress, set } from "./state.js";

function fatal(error) {
  document.body.append(h("div", { id: "fatal" }, h("div", { class: "card", role: "alert" }, h("b", {}, "The page cannot start"), error.message)));
}

function showTitle() {
  const set0 = data.index.sets[0];
  document.title = `${data.index.title} · simulacra inspect`;
  byId("title").textContent = data.index.title;
  byId("title").title = set0.folder;
  const facts = [`${thousands(data.index.total_frames)} frames`, `${thousands(data.index.scenes.length)} scene${data.index.scenes.length === 1 ? "" : "s"}`];
  if (set0.complete === false) facts.push("incomplete");
  if (data.index.sets.length > 1) facts.push("against " + data.index.sets.slice(1).map((s) => s.title).join(", "));
  byId("set-facts").textContent = facts.join(" · ");
  if (data.index.problems.length) byId("status-note").textContent = data.index.problems.join(" · ");
}

function showMode() {
  if (!["images", "points", "plan"].includes(current.mode)) return set({ mode: "images" });
  byId("panes").hidden = current.mode !== "images";
  byId("points").hidden = current.mode !== "points";
  byId("plan").hidden = current.mode !== "plan";
  for (const button of document.querySelectorAll("#modes button")) button.setAttribute("aria-pressed", String(button.dataset.mode === current.mode));
}

async function frameChanged() {
  const i = data.byName.get(current.frame);
  if (i === undefined) return void (current.frame && set({ frame: frameName(0) }));
  byId("frame-name").textContent = current.frame.replaceAll("/", " / ");
  showPlace();
  if (!current.panes.length || current.panes.every((p) => parsePane(p).kind === "label" && !data.seen.size)) {
    await loadFrame(0, i).catch(() => null);
    if (!current.panes.length) set({ panes: firstPanes().length ? firstPanes() : ["color", "depth_meters"] });
  }
  await showFrame(i);
  refreshHeaders();
  refreshBar();
  prefetch(i);
}

/// The next frame's pictures, while nothing else is asked for.
function prefetch(i) {
  const next = neighbour(1);
  if (next === null || source.isReport) return;
  const idle = window.requestIdleCallback ?? ((f) => setTimeout(f, 150));
  idle(async () => {
    if (data.byName.get(current.frame) !== i) return;
    const facts = await loadFrame(0, next).catch(() => null);
    for (const pane of current.panes.map(parsePane)) if (pane.kind === "label" && pane.set === 0 && facts?.labels[pane.label]?.dtype) loadPlane(0, next, pane.label).catch(() => null);
  });
}

function showPlace() {
  const { place, count } = listPlace();
  byId("previous").disabled = place === 0;
  byId("next").disabled = place === count - 1;
}

async function copyAddress() {
  try {
    await navigator.clipboard.writeText(address());
    byId("status-note").textContent = "the address of this view is copied";
  } catch {
    byId("status-note").textContent = address();
  }
}

async function start() {
  startTheme();
  await loadIndex();
  readAddress();
  showTitle();
  if (!data.count) throw new Error(`${data.index.sets[0].folder}: there are scenes, but no frame with a picture`);
  const first = data.byName.get(current.frame) ?? 0;
  await loadFrame(0, first).catch(() => null);   // which labels there are
  if (!data.seen.size) await firstReadable();
  startPanes();
  startBar();
  if (!current.panes.length) set({ panes: firstPanes().length ? firstPanes() : ["color", "depth_meters", "normal_world", "semantic"] });
  startReadout();
  startTabs();
  startStrip();
  startCloud();
  startPlan();
  startKeys();
  startFindings();
  on(["mode"], showMode, true);
  on(["frame"], frameChanged);
  onOrder(showPlace);
  onShown(refreshBar);
  onTheme(() => { redrawCloud(); redrawPlan(); });
  for (const button of document.querySelectorAll("#modes button")) button.addEventListener("click", () => set({ mode: button.dataset.mode }));
  byId("previous").addEventListener("click", () => goBy(-1));
  byId("next").addEventListener("click", () => goBy(1));
  byId("share").addEventListener("click", copyAddress);
  window.addEventListener("hashchange", () => { readAddress(); });
  if (current.frame === frameName(first)) set({ frame: "" });   // so that everything learns of it
  set({ frame: frameName(first) });
}

/// The first frame may be missing or damaged: a few others tell what labels there are.
async function firstReadable() {
  for (let k = 1; k <= 20 && !data.seen.size; ++k) await loadFrame(0, Math.min(data.count - 1, Math.floor((k * data.count) / 21))).catch(() => null);
}

start().catch(fatal);
