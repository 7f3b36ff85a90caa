// What the audit found, as a list that leads to the pixel.
import { byId, h, selection, thousands } from "./dom.js";
import { data, frameName } from "./data.js";
import { source } from "./source.js";
import { lookAt, panes, shownFrame } from "./panes.js";
import { current, set } from "./state.js";
import { setFrameSize, frameSize } from "./cursor.js";

export const findings = { list: [], byFrame: new Map(), checks: {}, state: "off", done: 0, scenes: 0, problem: "" };
const listeners = [];
export const onFindings = (f) => listeners.push(f);
const kMost = 150;
let only = "all", check = "", chosen = null;

export async function startFindings() {
  byId("audit-badge").addEventListener("click", () => set({ tab: "audit" }));
  for (;;) {
    let answer;
    try {
      answer = await source.findings(findings.list.length);
    } catch (error) {
      Object.assign(findings, { state: "failed", problem: error.message });
      tell();
      return;
    }
    Object.assign(findings, { state: answer.state, checks: answer.checks, done: answer.scenes_done ?? 0, scenes: answer.scenes ?? 0, problem: answer.problem ?? "" });
    for (const finding of answer.findings) {
      findings.list.push(finding);
      if (finding.frame === null) continue;
      if (!findings.byFrame.has(finding.frame)) findings.byFrame.set(finding.frame, []);
      findings.byFrame.get(finding.frame).push(finding);
    }
    tell();
    if (findings.list.length < answer.total) continue;
    if (answer.state !== "running") return;
    await new Promise((r) => setTimeout(r, 700));
  }
}

function tell() {
  const badge = byId("audit-badge"), n = findings.list.length, running = findings.state === "running";
  badge.hidden = findings.state === "off";
  badge.className = "badge " + (n ? "bad" : findings.state === "done" ? "good" : "soft");
  badge.textContent = n ? `audit: ${thousands(n)} finding${n === 1 ? "" : "s"}${running ? " …" : ""}` : running ? `audit: ${findings.done} of ${findings.scenes} scenes` : findings.state === "done" ? "audit: nothing found" : "audit: not made";
  for (const f of listeners) f();
}

/// The frame, a picture of what the finding is about, and the pixel.
export function goTo(finding) {
  chosen = finding;
  if (finding.frame === null) return tell();
  const label = finding.label, shown = current.panes.includes(label), wanted = [...current.panes];
  const beside = { "F5.depth": "!distance", "F7.facing": "!facing", "F7.camera": "!camera", "F9.identity": "!identity" }[finding.check];
  if (data.seen.has(label) && !shown) wanted[wanted.length > 1 ? 1 : 0] = label;
  if (beside && !wanted.includes(beside)) wanted[Math.max(wanted.length - 1, 0) || 1] = beside;
  set({ frame: frameName(finding.frame), mode: "images", panes: wanted.filter(Boolean), focus: Math.max(0, wanted.indexOf(label)) });
  if (finding.row === undefined) return tell();
  const look = () => {
    if (shownFrame() !== finding.frame || !panes.some((p) => p.plane)) return setTimeout(look, 40);
    const plane = panes.find((p) => p.plane).plane;
    if (!frameSize.width) setFrameSize(plane.width, plane.height);
    lookAt(finding.column, finding.row, 4);
  };
  look();
  tell();
}

export function stepFinding(by) {
  const list = listed();
  if (list.length) goTo(list[(list.indexOf(chosen) + by + list.length) % list.length]);
}

const listed = () => findings.list.filter((f) => (only === "all" || f.frame === shownFrame()) && (!check || f.check === check));

export function drawFindings(panel) {
  const { state, list } = findings, checks = [...new Set(list.map((f) => f.check))].sort();
  const lines = [];
  if (state === "off") lines.push(h("p", { class: "soft" }, "No audit was made. `simulacra inspect DIR` makes one in the background; --audit FILE takes one that is there."));
  if (state === "failed") lines.push(h("p", { class: "soft" }, `No audit: ${findings.problem}`));
  if (state === "running") lines.push(h("p", { class: "soft" }, `${findings.done} of ${findings.scenes} scenes are judged.`));
  if (state === "done" && !list.length) lines.push(h("p", { class: "good" }, "All checks hold. Checksums are left to `simulacra audit`."));
  if (!list.length) return panel.replaceChildren(...lines);
  const kept = panel.contains(document.activeElement) ? document.activeElement.id : null, scroll = panel.scrollTop;
  const controls = h("div", { class: "row" }, selection({ id: "finding-only", "aria-label": "findings of", onchange: (e) => { only = e.target.value; drawFindings(panel); } }, [["all", "all frames"], ["frame", "this frame"]], only),
    selection({ id: "finding-check", "aria-label": "check", style: "flex:1;min-width:0", onchange: (e) => { check = e.target.value; drawFindings(panel); } }, [["", "every check"], ...checks.map((c) => [c, `${c}: ${findings.checks[c] ?? ""}`])], check));
  const shown = listed(), at = Math.max(0, Math.min(shown.indexOf(chosen) - 20, shown.length - kMost));
  const buttons = shown.slice(at, at + kMost).map((f) => h("button", { "aria-current": String(f === chosen), "data-check": f.check, onclick: () => goTo(f), id: "finding-" + findings.list.indexOf(f) },
    h("b", {}, f.check), ` ${f.frame === null ? f.path : frameName(f.frame) + " " + f.label}`, h("span", {}, `expected: ${f.expected}`), h("span", {}, `found: ${f.found}`)));
  panel.replaceChildren(...lines, controls, h("p", { class: "soft" }, `${thousands(shown.length)} finding${shown.length === 1 ? "" : "s"}${shown.length > kMost ? `, ${kMost} of them listed; choose a check` : ""}. [ and ] go from one to the next.`), h("div", { class: "findings" }, ...buttons));
  panel.scrollTop = scroll;
  if (kept) byId(kept)?.focus();
}
