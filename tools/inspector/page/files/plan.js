// The scene from above: boxes of its instances, every camera with what it sees, the current one's points.
import { byId, canvasContext, clamp, h, oncePerFrame, short, themeColor } from "./dom.js";
import { boxCorners } from "./overlay.js";
import { css, idColor } from "./colors.js";
import { data, frameName, lensOf, loadFrame, loadPlane, loadScene, poseOf, turned, unitOf } from "./data.js";
import { current, on, set } from "./state.js";

let scene = null, sceneNumber = -1, cameras = [], dots = [], view = null, under = null, wanted = "";

export function startPlan() {
  on(["mode", "frame"], () => { if (current.mode === "plan") show(); });
  listen(byId("plan-canvas"));
  new ResizeObserver(() => redrawPlan()).observe(byId("plan-canvas"));
}

async function show() {
  const i = data.byName.get(current.frame);
  if (i === undefined || wanted === current.frame + current.mode) return redrawPlan();
  wanted = current.frame + current.mode;
  buildBar();
  const number = data.index.frames.scene[i];
  try {
    scene = await loadScene(number);
  } catch (error) {
    byId("plan-note").textContent = error.message;
    return;
  }
  cameras = [];
  for (let k = 0; k < data.count; ++k)
    if (data.index.frames.scene[k] === number) { const pose = poseOf(scene, k); if (pose) cameras.push({ i: k, ...pose }); }
  dots = await dotsOf(i).catch(() => []);
  if (number !== sceneNumber) { sceneNumber = number; view = null; }
  const poses = (scene.cameras ?? []).reduce((n, c) => n + c.frames.length, 0);
  byId("plan-note").textContent = `${scene.name}: ${cameras.length} frame${cameras.length === 1 ? "" : "s"} with a pose${poses > cameras.length ? ` (and ${poses - cameras.length} poses without a frame)` : ""}, ${Object.values(scene.instances ?? {}).filter((x) => x.box).length} boxes`;
  document.documentElement.dataset.plan = scene.name;
  redrawPlan();
}

function buildBar() {
  byId("bar").hidden = false;
  byId("bar").replaceChildren(h("button", { id: "plan-fit", onclick: () => { view = null; redrawPlan(); } }, "fit"), h("span", { class: "soft" }, "Click a camera to go to its frame; , and . go from one to the next."));
}

/// Points of the frame from above: stored positions, else depth with pose and lens. [x, y, class]
async function dotsOf(i) {
  const facts = (await loadFrame(0, i)).labels, has = (label) => facts[label] && !facts[label].problem, unit = unitOf(scene), pose = poseOf(scene, i);
  const base = has("position") ? await loadPlane(0, i, "position") : has("depth_meters") && pose ? await loadPlane(0, i, "depth_meters") : null;
  if (!base) return [];
  const classes = has("semantic") ? await loadPlane(0, i, "semantic") : null, { width, height } = base, step = Math.max(1, Math.round(Math.sqrt((width * height) / 9000))), out = [];
  const lens = lensOf(scene, width, height);
  for (let y = 0; y < height; y += step)
    for (let x = 0; x < width; x += step) {
      let p;
      if (base.channels === 3) p = base.pixel(x, y).map((v) => v * unit);
      else {
        const ray = [0, 1, 2].map((r) => lens[3 * r] * ((2 * (x + 0.5)) / width - 1) + lens[3 * r + 1] * (1 - (2 * (y + 0.5)) / height) + lens[3 * r + 2]), d = base.at(x, y) / Math.hypot(...ray);
        p = turned(pose.axes, ray).map((c, k) => pose.eye[k] + d * c);
      }
      if (p.every(Number.isFinite)) out.push([p[0], p[1], classes && classes.width === width ? classes.at(x, y) : -1]);
    }
  return out;
}

/// Footprints {id, name, semantic, corners}, largest first.
function footprints() {
  return Object.entries(scene?.instances ?? {}).filter(([, x]) => x.box).map(([id, x]) => ({ id: Number(id), name: x.name, semantic: x.semantic, corners: boxCorners(x.box).slice(0, 4), area: x.box.extents[0] * x.box.extents[1] })).sort((a, b) => b.area - a.area);
}

function fit(width, height) {
  const points = [...cameras.map((c) => c.eye), ...dots, ...footprints().flatMap((f) => f.corners), ...(scene.cameras ?? []).flatMap((c) => c.frames.map((_, k) => c.positions.slice(3 * k, 3 * k + 2)))].filter((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
  if (!points.length) return { x: 0, y: 0, scale: 60 };
  const range = (k) => points.reduce(([a, b], p) => [Math.min(a, p[k]), Math.max(b, p[k])], [Infinity, -Infinity]), [x0, x1] = range(0), [y0, y1] = range(1);
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: 0.86 * Math.min(width / Math.max(0.5, x1 - x0), height / Math.max(0.5, y1 - y0)) };
}

function drawNow() {
  if (current.mode !== "plan" || !scene) return;
  const onCanvas = canvasContext(byId("plan-canvas"));
  if (!onCanvas) return;
  const { context, width, height } = onCanvas;
  view ??= fit(width, height);
  const to = (p) => [width / 2 + (p[0] - view.x) * view.scale, height / 2 - (p[1] - view.y) * view.scale];
  drawGrid(context, width, height);
  for (const [x, y, semantic] of dots) {
    const [a, b] = to([x, y]);
    context.fillStyle = semantic > 0 ? css(idColor("semantic", semantic)) : themeColor("soft");
    context.globalAlpha = 0.45;
    context.fillRect(a - 1, b - 1, 2, 2);
  }
  context.globalAlpha = 1;
  drawFootprints(context, to);
  drawPoses(context, to);
  for (const camera of cameras) drawCamera(context, to, camera, frameName(camera.i) === current.frame, under === camera);
}

function drawGrid(context, width, height) {
  const step = [0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100].find((s) => s * view.scale > 46) ?? 250;
  context.strokeStyle = themeColor("soft");
  context.globalAlpha = 0.18;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = Math.floor((view.x - width / 2 / view.scale) / step) * step; x < view.x + width / 2 / view.scale; x += step) { const a = Math.round(width / 2 + (x - view.x) * view.scale) + 0.5; context.moveTo(a, 0); context.lineTo(a, height); }
  for (let y = Math.floor((view.y - height / 2 / view.scale) / step) * step; y < view.y + height / 2 / view.scale; y += step) { const b = Math.round(height / 2 - (y - view.y) * view.scale) + 0.5; context.moveTo(0, b); context.lineTo(width, b); }
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = themeColor("soft");
  context.font = "11px system-ui, sans-serif";
  context.fillText(`a square is ${short(step, 3)} m; x to the right, y up`, 10, 18);
}

function drawFootprints(context, to) {
  const names = [];   // no name over another
  context.font = "11px system-ui, sans-serif";
  for (const f of footprints()) {
    const color = css(idColor("semantic", f.semantic));
    context.beginPath();
    f.corners.forEach((c, k) => (k ? context.lineTo(...to(c)) : context.moveTo(...to(c))));
    context.closePath();
    context.fillStyle = color;
    context.globalAlpha = 0.22;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.stroke();
    if (f.area * view.scale ** 2 > 2000 && f.name) {
      const [x, y] = to([0, 1].map((k) => f.corners.reduce((s, c) => s + c[k] / 4, 0))), half = context.measureText(f.name).width / 2 + 4;
      if (names.some((n) => Math.abs(n.x - x) < n.half + half && Math.abs(n.y - y) < 14)) continue;
      names.push({ x, y, half });
      context.fillStyle = themeColor("text");
      context.textAlign = "center";
      context.fillText(f.name, x, y + 4);
      context.textAlign = "left";
    }
  }
}

/// Poses that have no frame here, as points.
function drawPoses(context, to) {
  context.fillStyle = themeColor("soft");
  for (const camera of scene.cameras ?? [])
    camera.frames.forEach((_, k) => { const [x, y] = to(camera.positions.slice(3 * k, 3 * k + 2)); context.fillRect(x - 1.5, y - 1.5, 3, 3); });
}

function drawCamera(context, to, { eye, axes }, chosen, pointed) {
  const lens = lensOf(scene, 4, 3), reach = chosen ? 1.2 : 0.45;
  const ends = [-1, 1].map((u) => { const ray = [0, 1, 2].map((r) => lens[3 * r] * u + lens[3 * r + 2]); const w = turned(axes, ray); return to([eye[0] + reach * w[0], eye[1] + reach * w[1]]); });
  const color = themeColor(chosen ? "accent" : pointed ? "warn" : "text");
  context.beginPath();
  context.moveTo(...to(eye));
  context.lineTo(...ends[0]);
  context.lineTo(...ends[1]);
  context.closePath();
  context.strokeStyle = context.fillStyle = color;
  context.globalAlpha = chosen || pointed ? 0.3 : 0.1;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = chosen ? 2 : 1;
  context.stroke();
  context.beginPath();
  context.arc(...to(eye), chosen ? 4.5 : 3, 0, 2 * Math.PI);
  context.fill();
}
export const redrawPlan = oncePerFrame(drawNow);

function nearest(event) {
  const box = byId("plan-canvas").getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const far = (c) => Math.hypot(box.width / 2 + (c.eye[0] - view.x) * view.scale - x, box.height / 2 - (c.eye[1] - view.y) * view.scale - y);
  const best = cameras.reduce((a, c) => (a === null || far(c) < far(a) ? c : a), null);
  return best && far(best) < 14 ? best : null;
}

function listen(canvas) {
  let drag = null;
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); drag = { x: e.clientX, y: e.clientY, moved: false }; });
  canvas.addEventListener("pointermove", (e) => {
    if (!view) return;
    if (drag) {
      drag.moved ||= Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 3;
      if (drag.moved) { view.x -= (e.clientX - drag.x) / view.scale; view.y += (e.clientY - drag.y) / view.scale; drag.x = e.clientX; drag.y = e.clientY; }
    } else {
      under = nearest(e);
      canvas.title = under ? frameName(under.i) : "";
    }
    redrawPlan();
  });
  canvas.addEventListener("pointerup", (e) => {
    const camera = drag && !drag.moved ? nearest(e) : null;
    drag = null;
    if (camera) set({ frame: frameName(camera.i) });
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = canvas.getBoundingClientRect(), x = e.clientX - box.left - box.width / 2, y = box.height / 2 - (e.clientY - box.top), factor = Math.exp(-e.deltaY * 0.0014);
    view.x += x / view.scale - x / (view.scale * factor);
    view.y += y / view.scale - y / (view.scale * factor);
    view.scale = clamp(view.scale * factor, 1, 5000);
    redrawPlan();
  }, { passive: false });
}
export function planZoom(factor) {
  if (view) view.scale = clamp(view.scale * factor, 1, 5000);
  redrawPlan();
}
