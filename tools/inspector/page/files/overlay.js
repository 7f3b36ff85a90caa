// What is drawn over a picture: the cursor, values of single pixels, boxes, the line of the profile.
import { canvasContext, short, themeColor } from "./dom.js";
import { cursor, frameSize } from "./cursor.js";
import { css, idColor } from "./colors.js";
import { data, lensOf, loadScene, loadPlane, planeAtHand, poseOf, turnedBack } from "./data.js";
import { isId, lookOf } from "./modalities.js";
import { idBoxes } from "./plane.js";
import { current } from "./state.js";
import { repaint } from "./repaint.js";

const scenes = new Map();   // scenes at hand, by number

function sceneAtHand(frame) {
  const number = data.index.frames.scene[frame];
  if (!scenes.has(number)) {
    scenes.set(number, null);
    loadScene(number).then((scene) => { scenes.set(number, scene); repaint(); }, () => scenes.delete(number));
  }
  return scenes.get(number);
}

export function drawOverlay(pane, place, frame) {
  const on = canvasContext(pane.overlay);
  if (!on || !place) return;
  const { context } = on, { plane } = pane;
  labels = [];
  const sx = (place.scale * plane.width) / frameSize.width, sy = (place.scale * plane.height) / frameSize.height;
  const toPane = (x, y) => [place.left + x * sx, place.top + y * sy];
  context.font = "11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  if (place.scale >= 44) drawValues(context, on, pane, place);
  if (current.boxes2) drawFlatBoxes(context, frame, toPane);
  if (current.boxes3) drawSolidBoxes(context, frame, toPane);
  if (current.line) drawLine(context, toPane);
  const at = cursor();
  if (at) drawCursor(context, toPane, at, Math.max(sx, 1), Math.max(sy, 1));
}

function drawCursor(context, toPane, at, width, height) {
  const [x, y] = toPane(at.x, at.y), cx = x + width / 2, cy = y + height / 2;
  for (const [color, wide] of [["rgb(0 0 0 / 75%)", 3], [at.pinned ? themeColor("accent") : "#ffffff", 1]]) {
    context.strokeStyle = color;
    context.lineWidth = wide;
    if (width >= 7) context.strokeRect(x, y, width, height);
    else {
      context.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) { context.moveTo(cx + 5 * dx, cy + 5 * dy); context.lineTo(cx + 13 * dx, cy + 13 * dy); }
      context.stroke();
    }
  }
}

function drawLine(context, toPane) {
  const [x0, y0, x1, y1] = current.line, [ax, ay] = toPane(x0 + 0.5, y0 + 0.5), [bx, by] = toPane(x1 + 0.5, y1 + 0.5);
  for (const [color, wide] of [["rgb(0 0 0 / 75%)", 3.5], ["#ffd84d", 1.5]]) {
    context.strokeStyle = color;
    context.lineWidth = wide;
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
  }
  context.fillStyle = "#ffd84d";
  for (const [x, y, text] of [[ax, ay, "a"], [bx, by, "b"]]) label(context, text, x + 5, y - 5, "#ffd84d");
}

let labels = [];   // places of those drawn already
/// A name beside a thing, unless another name is there.
function label(context, text, x, y, color) {
  const width = context.measureText(text).width;
  if (labels.some((l) => x < l.x + l.width + 8 && l.x < x + width + 8 && Math.abs(y - l.y) < 14)) return;
  labels.push({ x, y, width });
  context.fillStyle = "rgb(12 14 18 / 78%)";
  context.fillRect(x - 3, y - 11, width + 6, 14);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/// Numbers in the pixels, once these are large enough to hold them.
function drawValues(context, { width, height }, pane, place) {
  const { plane } = pane, ids = isId(lookOf(pane.text));
  const x0 = Math.max(0, Math.floor(-place.left / place.scale)), x1 = Math.min(plane.width - 1, Math.floor((width - place.left) / place.scale));
  const y0 = Math.max(0, Math.floor(-place.top / place.scale)), y1 = Math.min(plane.height - 1, Math.floor((height - place.top) / place.scale));
  context.textAlign = "center";
  context.lineWidth = 2.5;
  context.strokeStyle = "rgb(0 0 0 / 80%)";
  context.fillStyle = "#ffffff";
  for (let y = y0; y <= y1; ++y)
    for (let x = x0; x <= x1; ++x) {
      const values = plane.pixel(x, y).map((v) => ids ? String(v) : short(v, place.scale < 60 ? 3 : 4));
      const cx = place.left + (x + 0.5) * place.scale, cy = place.top + (y + 0.5) * place.scale - (values.length - 1) * 6 + 4;
      values.forEach((text, line) => { context.strokeText(text, cx, cy + 12 * line); context.fillText(text, cx, cy + 12 * line); });
    }
  context.textAlign = "left";
}

function drawFlatBoxes(context, frame, toPane) {
  const plane = planeAtHand(0, frame, "semantic_instance");
  if (!plane) return void loadPlane(0, frame, "semantic_instance").then(repaint, () => {});
  const scene = sceneAtHand(frame);
  context.lineWidth = 1.5;
  const area = (b) => (b.x1 - b.x0) * (b.y1 - b.y0), order = [...idBoxes(plane)].sort((a, b) => area(b[1]) - area(a[1]));
  for (const [id, box] of order) {
    const u = frameSize.width / plane.width, v = frameSize.height / plane.height;
    const [ax, ay] = toPane(box.x0 * u, box.y0 * v), [bx, by] = toPane((box.x1 + 1) * u, (box.y1 + 1) * v), color = css(idColor("instance", id));
    context.strokeStyle = color;
    context.strokeRect(ax, ay, bx - ax, by - ay);
    if (bx - ax > 34) label(context, scene?.instances?.[id]?.name ?? String(id), ax + 3, ay + 11, color);
  }
}

const corners = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]];
const edges = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/// The eight corners of an instance's box in the world, in metres.
export function boxCorners(box) {
  return corners.map((c) => [0, 1, 2].map((r) => box.center[r] + [0, 1, 2].reduce((sum, k) => sum + (box.axes[3 * r + k] * c[k] * box.extents[k]) / 2, 0)));
}

function inverse3([a, b, c, d, e, f, g, h, i]) {
  const A = e * i - f * h, B = f * g - d * i, C = d * h - e * g, determinant = a * A + b * B + c * C;
  return [A, c * h - b * i, b * f - c * e, B, a * i - c * g, c * d - a * f, C, b * g - a * h, a * e - b * d].map((x) => x / determinant);
}

/// (x, y) in pixels of the frame of a world point, or null behind the camera.
export function projection(scene, pose) {
  const back = inverse3(lensOf(scene, frameSize.width, frameSize.height));
  return (point) => {
    const q = turnedBack(pose.axes, point.map((c, k) => c - pose.eye[k]));
    const [u, v, w] = [0, 1, 2].map((r) => back[3 * r] * q[0] + back[3 * r + 1] * q[1] + back[3 * r + 2] * q[2]);
    return w > 0.02 ? [((u / w + 1) / 2) * frameSize.width, ((1 - v / w) / 2) * frameSize.height] : null;
  };
}

function drawSolidBoxes(context, frame, toPane) {
  const scene = sceneAtHand(frame), pose = scene && poseOf(scene, frame);
  if (!pose) return;
  const seen = planeAtHand(0, frame, "semantic_instance");
  if (!seen) loadPlane(0, frame, "semantic_instance").then(repaint, () => {});
  const project = projection(scene, pose), visible = seen ? idBoxes(seen) : null;
  const order = Object.entries(scene.instances ?? {}).filter(([id, x]) => x.box && (!visible || visible.has(Number(id))));
  order.sort((a, b) => Math.hypot(...b[1].box.extents) - Math.hypot(...a[1].box.extents));   // large ones get their names first
  for (const [id, instance] of order) {
    const points = boxCorners(instance.box).map(project), color = css(idColor("instance", Number(id)));
    context.strokeStyle = color;
    context.lineWidth = 1.25;
    context.beginPath();
    for (const [a, b] of edges) {
      if (!points[a] || !points[b]) continue;
      context.moveTo(...toPane(...points[a]));
      context.lineTo(...toPane(...points[b]));
    }
    context.stroke();
    const top = points.filter(Boolean).sort((p, q) => p[1] - q[1])[0];
    const wide = points.filter(Boolean).map((p) => toPane(...p)[0]);
    if (top && Math.max(...wide) - Math.min(...wide) > 26) { const [x, y] = toPane(...top); label(context, instance.name ?? id, x + 3, y - 3, color); }
  }
}
