// Dark and light; the system's choice until the user makes one.
import { byId } from "./dom.js";
import { repaint } from "./repaint.js";

const listeners = [];
export const onTheme = (f) => listeners.push(f);
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;

function apply() {
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
  repaint();
  for (const f of listeners) f();
}

export function toggleTheme() {
  chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("simulacra-theme", chosen); } catch { /* not kept */ }
  apply();
}

export function startTheme() {
  try { chosen = localStorage.getItem("simulacra-theme"); } catch { /* none */ }
  dark.addEventListener("change", apply);
  byId("theme").addEventListener("click", toggleTheme);
  apply();
}
