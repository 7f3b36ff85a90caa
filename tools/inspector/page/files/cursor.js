// The pixel whose values are shown: under the pointer, or pinned. In pixels of the frame (its largest label).
import { clamp } from "./dom.js";
import { current, set } from "./state.js";

const listeners = [];
let hovered = null;   // {x, y} or null
export const frameSize = { width: 0, height: 0 };

export const onCursor = (f) => listeners.push(f);
const tell = () => { for (const f of listeners) f(); };

export function setFrameSize(width, height) {
  if (frameSize.width === width && frameSize.height === height) return;
  Object.assign(frameSize, { width, height });
  tell();
}

/// The pixel to show, or null.
export function cursor() {
  if (current.pin && frameSize.width) return { x: clamp(Math.round(current.pin[0]), 0, frameSize.width - 1), y: clamp(Math.round(current.pin[1]), 0, frameSize.height - 1), pinned: true };
  return hovered;
}
/// The pixel under the pointer, pinned or not.
export const pointed = () => hovered;

export function hover(x, y) {
  if (hovered && hovered.x === x && hovered.y === y) return;
  hovered = { x, y, pinned: false };
  tell();
}
export function leave() {
  hovered = null;
  tell();
}

/// Keys move the pinned pixel, or pin the middle of the view first.
export function step(dx, dy) {
  if (!frameSize.width) return;
  const from = cursor() ?? { x: Math.floor(frameSize.width * current.cx), y: Math.floor(frameSize.height * current.cy) };
  pin(clamp(from.x + dx, 0, frameSize.width - 1), clamp(from.y + dy, 0, frameSize.height - 1));
}
export function pin(x, y) {
  set({ pin: [x, y] });
  tell();
}
export function unpin() {
  set({ pin: null });
  tell();
}

/// The same place in a plane of another size.
export function inPlane({ x, y }, plane) {
  return { x: clamp(Math.floor(((x + 0.5) * plane.width) / (frameSize.width || plane.width)), 0, plane.width - 1),
    y: clamp(Math.floor(((y + 0.5) * plane.height) / (frameSize.height || plane.height)), 0, plane.height - 1) };
}
