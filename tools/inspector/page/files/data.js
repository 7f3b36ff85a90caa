// Everything that was fetched: the index, scenes, frames and the latest planes.
import { Plane } from "./plane.js";
import { four } from "./dom.js";
import { source } from "./source.js";

const kPlaneBytes = 320 * 1024 * 1024;

export const data = { index: null, labels: new Map(), classes: new Map(), count: 0, byName: new Map(), seen: new Set() };

export async function loadIndex() {
  const index = await source.index();
  data.index = index;
  for (const label of index.labels) data.labels.set(label.name, label);
  for (const c of index.classes) data.classes.set(c.id, c);
  data.count = index.frames.scene.length;
  for (let i = 0; i < data.count; ++i) data.byName.set(frameName(i), i);
}

export const sceneName = (i) => data.index.scenes[data.index.frames.scene[i]].name;
export const frameName = (i) => `${sceneName(i)}/${data.index.frames.camera[i]}/${four(data.index.frames.frame[i])}`;
/// The number by which the source knows the frame: that of the whole set, also in a report of a sample.
export const sourceNumber = (i) => data.index.frame_idx ? data.index.frame_idx[i] : i;
export const hasFrame = (set, i) => set < data.index.sets.length && !(set > 0 && data.index.sets[set].absent.includes(i));

/// Keeps the promises of the last `limit` keys; what failed may be tried again.
function remember(limit, make) {
  const kept = new Map();
  return (...key) => {
    const name = key.join(" ");
    let promise = kept.get(name);
    if (promise) kept.delete(name);
    else {
      promise = make(...key);
      promise.catch(() => kept.delete(name));
    }
    kept.set(name, promise);
    while (kept.size > limit) kept.delete(kept.keys().next().value);
    return promise;
  };
}

export const loadScene = remember(12, (scene) => source.scene(scene));
export const loadFrame = remember(200, async (set, i) => {
  const frame = await source.frame(set, sourceNumber(i));
  for (const label of Object.keys(frame.labels)) data.seen.add(label);
  return frame;
});

const planes = new Map();   // key -> {promise, plane, bytes}, latest last
let planeBytes = 0;

/// The plane of a label of frame i in a set.
export function loadPlane(set, i, label) {
  const key = `${set} ${i} ${label}`;
  let entry = planes.get(key);
  if (entry) {
    planes.delete(key);
    planes.set(key, entry);
    return entry.promise;
  }
  entry = { plane: null, bytes: 0 };
  entry.promise = source.plane(set, sourceNumber(i), label).then((packed) => {
    entry.plane = Plane.fromBytes(packed);
    entry.bytes = 3 * entry.plane.raw.byteLength;   // with the decoded values
    planeBytes += entry.bytes;
    for (const [oldest, other] of planes) {
      if (planeBytes <= kPlaneBytes || oldest === key) break;
      planes.delete(oldest);
      planeBytes -= other.bytes;
    }
    return entry.plane;
  });
  entry.promise.catch(() => planes.delete(key));
  planes.set(key, entry);
  return entry.promise;
}
/// The plane if it is there already.
export const planeAtHand = (set, i, label) => planes.get(`${set} ${i} ${label}`)?.plane ?? null;

/// The pose of frame i in metres, or null: {eye: [3], axes: [9] row-major, camera to world}.
export function poseOf(scene, i) {
  const camera = scene.cameras?.find((c) => c.name === data.index.frames.camera[i]);
  const row = camera ? camera.frames.indexOf(data.index.frames.frame[i]) : -1;
  if (row < 0) return null;
  return { eye: camera.positions.slice(3 * row, 3 * row + 3), axes: camera.orientations.slice(9 * row, 9 * row + 9) };
}

/// Nine numbers, row-major: the camera-frame ray of (u, v, 1), u and v in [-1, 1] right and up.
export function lensOf(scene, width, height) {
  if (scene.lens?.cam_from_uv) return scene.lens.cam_from_uv;
  const t = Math.tan((scene.lens?.fov_x_rad ?? Math.PI / 3) / 2);
  return [t, 0, 0, 0, (t * height) / width, 0, 0, 0, -1];
}

/// The unit ray of a pixel's center in the camera frame.
export function rayOf(lens, width, height, x, y) {
  const u = (2 * (x + 0.5)) / width - 1, v = 1 - (2 * (y + 0.5)) / height;
  const ray = [0, 1, 2].map((r) => lens[3 * r] * u + lens[3 * r + 1] * v + lens[3 * r + 2]);
  const length = Math.hypot(...ray);
  return ray.map((c) => c / length);
}

export const turned = (m, v) => [0, 1, 2].map((r) => m[3 * r] * v[0] + m[3 * r + 1] * v[1] + m[3 * r + 2] * v[2]);
export const turnedBack = (m, v) => [0, 1, 2].map((c) => m[c] * v[0] + m[3 + c] * v[1] + m[6 + c] * v[2]);
export const unitOf = (scene) => scene.meters_per_unit ?? 1;
