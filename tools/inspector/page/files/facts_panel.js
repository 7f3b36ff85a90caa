// What is known of the frame and its scene beside pixels.
import { h, short } from "./dom.js";
import { data, loadFrame, loadScene, poseOf, sourceNumber } from "./data.js";
import { source } from "./source.js";
import { shownFrame } from "./panes.js";

const words = { spp: "samples a pixel", seconds: "made in", view: "view", seed: "seed", nan_samples: "NaN samples", limited_pixels: "limited pixels", unlabelled_pixels: "unlabelled pixels",
  empty_pixels: "empty pixels", max_identity_error: "largest identity error", max_identity_error_steps: "in float16 steps" };

const table = (rows) => h("table", { class: "facts" }, h("tbody", {}, ...rows.filter(([, v]) => v !== undefined && v !== null && v !== "").map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))));

export async function drawFacts(panel) {
  const i = shownFrame();
  if (i < 0) return;
  let scene, frame;
  try {
    [scene, frame] = await Promise.all([loadScene(data.index.frames.scene[i]), loadFrame(0, i)]);
  } catch (error) {
    return panel.replaceChildren(h("p", { class: "bad" }, error.message));
  }
  if (i !== shownFrame() || document.getElementById("tab-frame").getAttribute("aria-selected") !== "true") return;
  const pose = poseOf(scene, i), record = frame.record ?? {};
  const files = Object.entries(frame.labels).map(([label, f]) => [label, f.problem ? h("span", { class: "bad" }, f.problem) : `${f.dtype} ${f.shape.join(" × ")}, ${(f.bytes / 1024).toFixed(0)} KB`]);
  const parts = [h("h2", {}, "frame"), table([...Object.entries(words).map(([key, name]) => [name, record[key] === undefined ? null : key === "seconds" ? short(record[key], 3) + " s" : typeof record[key] === "number" ? short(record[key], 4) : record[key]]),
    ["camera at", pose ? pose.eye.map((c) => short(c, 4)).join("  ") + " m" : "no pose"]]),
    h("h2", {}, "scene"), table([["name", scene.name], ["type", scene.type], ["source", scene.source], ["metres a unit", scene.meters_per_unit === null ? "unknown, taken as 1" : short(scene.meters_per_unit, 5)],
      ["lens", scene.lens?.assumed ? "60° pinhole, assumed" : "M_cam_from_uv of the table"], ["instances", Object.keys(scene.instances ?? {}).length || null], ["cameras", scene.cameras?.map((c) => c.name).join(", ")]]),
    h("h2", {}, "files"), table([...files, ["folder", frame.folder]])];
  if (scene.problems?.length) parts.splice(0, 0, ...scene.problems.map((p) => h("p", { class: "bad" }, p)));
  if (source.preview && frame.previews.length) parts.push(h("h2", {}, "previews of the data set"), h("div", { class: "previews" }, ...frame.previews.map((name) => {
    const url = source.preview(sourceNumber(i), name);
    return h("figure", {}, h("a", { href: url, target: "_blank", rel: "noreferrer" }, h("img", { src: url, loading: "lazy", alt: name })), h("figcaption", { title: name }, name));
  })));
  if (scene.warnings?.length) parts.push(h("details", {}, h("summary", {}, `${scene.warnings.length} warnings of the import`), h("pre", {}, scene.warnings.join("\n"))));
  if (scene.credits) parts.push(h("details", {}, h("summary", {}, "credits"), h("pre", {}, scene.credits)));
  panel.replaceChildren(...parts);
}
