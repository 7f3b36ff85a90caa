// How a pane's numbers become colors: the settings, with what they are where the user has chosen nothing.
import { current } from "./state.js";
import { extremes, percentiles } from "./plane.js";
import { isVector, lookOf, made } from "./modalities.js";
import { data, planeAtHand } from "./data.js";

const whole = { map: "turbo", mode: "percent", low: 1, high: 99, part: "rgb" };

const recipeOf = (text) => text.startsWith("!") ? made[text.slice(1)] : null;

export function displayOf(text) {
  const look = lookOf(text), chosen = current.display[text] ?? {}, recipe = recipeOf(text);
  const first = { ...whole, ...(look === "signed" ? { map: "two-sided", mode: "around zero" } : {}), ...(recipe?.fixed ? { mode: "fixed", low: recipe.fixed[0], high: recipe.fixed[1] } : {}),
    ...(look === "mismatch" ? { map: "gray", mode: "fixed", low: 0, high: 1 } : {}) };
  const settings = { ...first, ...chosen };
  for (const key of ["low", "high"]) if (!Number.isFinite(settings[key])) settings[key] = first[key];
  return settings;
}

export const rangeModes = [["percent", "percentiles"], ["all", "least to greatest"], ["around zero", "even around zero"], ["fixed", "fixed"]];

/// The number at each end of the color map.
export function rangeOf(text, plane) {
  const settings = displayOf(text), part = settings.part === "rgb" ? 0 : settings.part;
  if (settings.mode === "fixed") return [settings.low, settings.high];
  if (settings.mode === "all") return extremes(plane, part);
  const [low, high] = settings.mode === "percent" ? percentiles(plane, settings.low, settings.high, part) : percentiles(plane, 1, 99, part);
  if (settings.mode === "percent") return [low, high];
  const reach = Math.max(Math.abs(low), Math.abs(high), recipeOf(text)?.least ?? 1e-6);
  return [-reach, reach];
}

/// True when one number a pixel goes through a color map.
export const usesMap = (text) => {
  const look = lookOf(text);
  return look === "scalar" || look === "signed" || look === "mismatch" || (isVector(look) && displayOf(text).part !== "rgb");
};

/// What light is multiplied with: the exposure, and for the Hypersim tone map the factor that puts the 90th percentile of
/// luminance (of pixels with a surface) at 0.8 after a gamma of 2.2, as tonemap.jpg has it.
export function lightScale(frame) {
  const stops = 2 ** current.exposure, color = planeAtHand(0, frame, "color");
  if (current.tone !== "hypersim" || !color) return stops;
  return stops * hypersimScale(color, planeAtHand(0, frame, "render_entity_id"));
}

export function hypersimScale(color, entities) {
  const masked = entities && entities.width === color.width && entities.height === color.height;
  return color.fact(masked ? "tone with ids" : "tone", () => {
    const v = color.values(), ids = masked ? entities.values() : null, luminance = [];
    for (let p = 0; p < color.width * color.height; ++p)
      if (!ids || ids[p] !== -1) luminance.push(0.3 * v[3 * p] + 0.59 * v[3 * p + 1] + 0.11 * v[3 * p + 2]);
    if (luminance.length === 0) return 1;
    const sorted = Float64Array.from(luminance).sort(), at = 0.9 * (sorted.length - 1), i = Math.floor(at);
    const p90 = sorted[i] + (at - i) * ((sorted[i + 1] ?? sorted[i]) - sorted[i]);
    return p90 < 1e-4 ? 0 : 0.8 ** 2.2 / p90;
  });
}

export const toneOptions = [["hypersim", "Hypersim"], ["gamma", "gamma"], ["srgb", "sRGB"], ["linear", "linear"]];
export const titleOfSet = (n) => data.index.sets[n]?.title ?? `set ${n}`;
