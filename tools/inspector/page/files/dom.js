// Small helpers for elements and texts.

export const byId = (id) => document.getElementById(id);

/// An element: h("button", { class: "x", onclick: f, "aria-label": "y" }, "text", child, ...).
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((c) => c !== undefined && c !== null));
  return element;
}

/// A select with options [[value, text], …] or [{group, options}, …].
export function selection(attributes, options, value) {
  const make = ([v, text]) => h("option", { value: v, selected: v === value }, text);
  const children = options.map((o) => o.group ? h("optgroup", { label: o.group }, ...o.options.map(make)) : make(o));
  const element = h("select", attributes, ...children);
  element.value = value;
  return element;
}

export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/// Up to `digits` significant digits, without trailing zeros; NaN and infinities by name.
export function short(x, digits = 5) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "+∞" : "−∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x).replace("-", "−");
  const text = Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7 ? x.toExponential(Math.max(0, digits - 1)) : x.toPrecision(digits);
  return (text.includes("e") ? text : text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text).replace("-", "−");
}

export const percent = (share) => share === 0 ? "0 %" : share < 0.001 ? "< 0.1 %" : (100 * share).toFixed(1) + " %";
export const four = (n) => String(n).padStart(4, "0");
export const thousands = (n) => n.toLocaleString("en-US").replaceAll(",", " ");

/// Calls f once per animation frame, however often it is asked for.
export function oncePerFrame(f) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; f(); });
  };
}

export function after(milliseconds, f) {
  let timer = 0;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => f(...args), milliseconds); };
}

/// True while the user types into a field, where keys are text.
export const isTyping = (target) => target.matches?.("input:not([type=range]):not([type=checkbox]), textarea") ?? false;

/// A canvas's drawing context at the screen's resolution, cleared; null while it has no size.
export function canvasContext(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

export const themeColor = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
