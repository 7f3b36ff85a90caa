// Colors of numbers and ids.
import { data } from "./data.js";

/// Between anchors [r, g, b] in 0..255 at even distances.
function between(anchors) {
  return (t) => {
    const at = t * (anchors.length - 1), i = Math.min(Math.floor(at), anchors.length - 2), w = at - i;
    return anchors[i].map((c, k) => (1 - w) * c + w * anchors[i + 1][k]);
  };
}

// The published polynomial of A. Mikhailov's map (Apache-2.0), highest power last.
const turboTerms = [[0.13572138, 4.6153926, -42.66032258, 132.13108234, -152.94239396, 59.28637943],
  [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604], [0.1066733, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973]];
const turbo = (t) => turboTerms.map((terms) => 255 * Math.min(1, Math.max(0, terms.reduceRight((sum, term) => sum * t + term, 0))));

const viridis = between([[68, 1, 84], [72, 34, 115], [64, 67, 135], [52, 94, 141], [41, 120, 142], [32, 144, 140], [34, 167, 132], [68, 190, 112], [121, 209, 81], [189, 222, 38], [253, 231, 36]]);
const cyclic = between([[226, 217, 226], [158, 186, 202], [99, 136, 190], [93, 76, 164], [47, 20, 54], [124, 33, 79], [178, 84, 80], [205, 158, 134], [226, 217, 226]]);
const twoSided = between([[34, 74, 196], [108, 150, 244], [196, 212, 240], [236, 236, 236], [243, 199, 178], [228, 112, 92], [172, 12, 40]]);
const gray = between([[0, 0, 0], [255, 255, 255]]);

/// Name and function of [0, 1] to [r, g, b]; the order is that of rows in the renderer's texture.
export const maps = [["turbo", turbo], ["viridis", viridis], ["cyclic", cyclic], ["two-sided", twoSided], ["gray", gray]];
export const mapNames = maps.map(([name]) => name);

export function mapTexels(width = 256) {
  const out = new Uint8Array(maps.length * width * 4);
  maps.forEach(([, f], row) => {
    for (let i = 0; i < width; ++i) out.set([...f(i / (width - 1)).map(Math.round), 255], 4 * (row * width + i));
  });
  return out;
}

/// [r, g, b] at t in [0, 1].
export const mapColor = (name, t) => mapOf(name)(t).map(Math.round);
const mapOf = (name) => (maps.find(([n]) => n === name) ?? maps[0])[1];

export function mapGradient(name) {
  const f = mapOf(name);
  return `linear-gradient(90deg, ${Array.from({ length: 17 }, (_, i) => `rgb(${f(i / 16).map(Math.round).join(" ")})`).join(", ")})`;
}

function fromHsv(hue, saturation, value) {
  const channel = (shift) => {
    const k = (shift + hue * 6) % 6;
    return Math.round(255 * (value - value * saturation * Math.min(1, Math.max(0, Math.min(k, 4 - k)))));
  };
  return [channel(5), channel(3), channel(1)];
}

/// [r, g, b] of an id: classes have theirs; hues of neighbouring ids lie a golden angle apart.
export function idColor(kind, id) {
  if (kind === "semantic") return data.classes.get(id)?.color ?? [70, 74, 82];
  if (id < (kind === "material" ? 0 : 1)) return [70, 74, 82];
  const n = kind === "material" ? id + 1 : id, shade = Math.imul(n, 2654435761) >>> 0;
  return fromHsv((0.381966011250105 * n) % 1, 0.5 + 0.4 * ((shade >>> 8) & 255) / 255, 0.68 + 0.32 * ((shade >>> 16) & 255) / 255);
}
export const css = (color) => `rgb(${color.join(" ")})`;

export const kIdTexels = 4096;
/// RGBA of ids 0 .. kIdTexels - 1; larger ids start again.
export function idTexels(kind) {
  const out = new Uint8Array(kIdTexels * 4);
  for (let id = 0; id < kIdTexels; ++id) out.set([...idColor(kind, id), 255], 4 * id);
  return out;
}
