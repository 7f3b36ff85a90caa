#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inspector's page in a real browser: every control does what it says, and every number is the stored one.

  browser_test.py --program build/bin/simulacra --shots FOLDER [unittest arguments]

Screenshots of what was tested lie in FOLDER afterwards. Exits with 77 (skipped) where there is no browser to drive.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

try:
    import h5py  # noqa: F401
    import numpy as np
    import inspector_page as tools
    from inspector_page import FINAL, GEOMETRY, Inspector, Page, Keys, label_file, read
except ImportError as missing:
    print(f"skipped: no {missing.name} for this Python")
    sys.exit(77)

ARGUMENTS = None
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "hypersim"
# The page is to be there within these, on an idle machine; where others use the processor, their share is added.
FIRST_FRAME_S, FIRST_FRAME_OF_MANY_S = 2.0, 3.0


def loaded():
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def setUpModule():
    global FOLDER, SETS, PAGE, GOOD, BAD
    FOLDER = tempfile.TemporaryDirectory(prefix="simulacra-inspect-")
    SETS = tools.make_sets(ARGUMENTS.program, Path(FOLDER.name))
    weights = Path(FOLDER.name) / "weights.csv"
    weights.write_text("scene_name,camera_name,frame_id,weight\n" + "".join(
        f"{s},{c},{int(n)},{k / 10}\n" for k, (s, c, n) in enumerate(f.split("/") for f in SETS["frames"])))
    GOOD = Inspector(ARGUMENTS.program, SETS["good"], "--compare", SETS["predicted"], "--weights", weights)
    BAD = Inspector(ARGUMENTS.program, SETS["bad"])
    PAGE = Page(ARGUMENTS.shots)


def tearDownModule():
    PAGE.close()
    codes = [GOOD.close(), BAD.close()]
    FOLDER.cleanup()
    assert codes == [0, 0], codes


def stored(label, frame=None, name="good"):
    return read(label_file(SETS[name], frame or SETS["frames"][0], label)).astype(np.float64)


class Case(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(PAGE.problems(), [], "the browser complains of nothing")

    def same_numbers(self, shown, wanted, words=""):
        np.testing.assert_array_equal(np.array(shown, np.float64), np.atleast_1d(np.asarray(wanted, np.float64)), words)

    def open(self, address="", inspector=None, frame=None):
        PAGE.open((inspector or GOOD).url, (f"f={frame or SETS['frames'][0]}&" if frame is not False else "") + address)
        PAGE.settled()


class Values(Case):
    def test_the_first_frame_is_there_soon(self):
        self.open(frame=False)
        milliseconds = int(PAGE.js("return document.documentElement.dataset.firstFrame"))
        print(f"first frame of a small set after {milliseconds} ms")
        self.assertLess(milliseconds, 1000 * FIRST_FRAME_S * loaded())
        self.assertEqual(len(PAGE.all(".pane")), 4)
        PAGE.shot("start_dark")

    def test_values_under_the_pointer_are_the_stored_ones(self):
        self.open("v=color;semantic")
        for x, y in [(0, 0), (159, 119), (80, 61), (33, 97)]:
            PAGE.pointer(*PAGE.pixel_place(0, x, y))
            PAGE.until("document.querySelector('#readout tr[data-label=transparency]')")   # fetched with the others
            PAGE.until(f"document.querySelector('#readout .where').textContent.includes('x {x}  y {y}')")
            shown = PAGE.values()
            for label in FINAL + GEOMETRY:
                self.same_numbers(shown[label], stored(label)[y, x], f"{label} at {x}, {y}")
            color, albedo, light, rest = (stored(l)[y, x] for l in FINAL)
            self.assertAlmostEqual(shown["identity_error"][0], np.abs(color - (albedo * light + rest)).max(), delta=1e-9)
        PAGE.shot("values")

    def test_names_are_those_of_the_tables(self):
        semantic, instance = stored("semantic"), stored("semantic_instance")
        y, x = np.argwhere(instance > 0)[50]
        self.open(f"at={x},{y}")
        PAGE.until("document.querySelector('#readout tr[data-label=material_id]')")
        scene = SETS["frames"][0].split("/")[0]
        table = [line.split(",") for line in (SETS["good"] / scene / "_detail/mesh/metadata_instances.csv").read_text().splitlines()]
        row = next(r for r in table[1:] if int(r[0]) == int(instance[y, x]))
        self.assertIn(row[3], PAGE.text("tr[data-label=semantic_instance] td"))
        self.assertIn(row[2], PAGE.text("tr[data-label=semantic] td"))
        self.assertEqual(int(row[1]), int(semantic[y, x]))
        materials = (SETS["good"] / scene / "_detail/mesh/metadata_materials.csv").read_text().splitlines()[1:]
        self.assertIn(materials[int(stored("material_id")[y, x])], PAGE.text("tr[data-label=material_id] td"))
        nodes = (SETS["good"] / scene / "_detail/metadata_nodes.csv").read_text()
        self.assertIn(f"\n{int(stored('render_entity_id')[y, x])}," + PAGE.text("tr[data-label=render_entity_id] td").split("  ")[0], nodes)

    def test_every_label_can_be_shown_and_read(self):
        self.open("v=color;depth_meters")
        for label in FINAL + GEOMETRY:
            PAGE.choose(".pane select", label)
            PAGE.until(f"document.querySelector('.pane .body').getAttribute('aria-label') && document.querySelector('.pane select').value === '{label}'")
            shape = PAGE.module("modalities.js:paneOf", "const p = await paneOf(given[0], 0); return [p.height, p.width, p.channels, [...p.pixel(17, 23)]];", label)
            want = stored(label)
            self.assertEqual(shape[:2], list(want.shape[:2]))
            self.same_numbers(shape[3], want[23, 17], label)

    def test_keys_move_the_pixel(self):
        self.open("v=color;depth_meters&at=10,20")
        PAGE.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, (Keys.SHIFT, Keys.ARROW_RIGHT))
        self.assertEqual(PAGE.state()["pin"], [21, 21])
        PAGE.until("document.querySelector('#readout tr[data-label=depth_meters]')")
        self.same_numbers(PAGE.values()["depth_meters"], stored("depth_meters")[21, 21])
        PAGE.press(Keys.ENTER)
        self.assertIsNone(PAGE.state()["pin"])


class Pictures(Case):
    def close(self, shown, wanted, words="", delta=2):
        for a, b in zip(shown, wanted):
            self.assertLessEqual(abs(float(a) - float(b)), delta, f"{words}: {shown} against {list(wanted)}")

    def test_colors_are_those_of_the_values(self):
        self.open("v=color;depth_meters;normal_world;semantic&d=" + '{"depth_meters":{"map":"gray"}}')
        color, depth, normal, semantic = (stored(l) for l in ["color", "depth_meters", "normal_world", "semantic"])
        luminance = (color @ [0.3, 0.59, 0.11])[stored("render_entity_id") != -1]
        scale = 0.8**2.2 / np.percentile(luminance, 90)
        low, high = np.percentile(depth, [1, 99], method="nearest")
        nyu = {c["id"]: c["color"] for c in PAGE.module("data.js:data", "return data.index.classes")}
        for x, y in [(5, 5), (80, 60), (150, 100), (40, 90)]:
            self.close(PAGE.drawn(0, x, y), 255 * np.clip(np.maximum(color[y, x] * scale, 0) ** (1 / 2.2), 0, 1), "tone map as in tonemap.jpg")
            self.close(PAGE.drawn(1, x, y), [255 * np.clip((depth[y, x] - low) / (high - low), 0, 1)] * 3, "depth in grey, 1 to 99 per cent")
            self.close(PAGE.drawn(2, x, y), 255 * (0.5 + 0.5 * normal[y, x]), "normal")
            self.close(PAGE.drawn(3, x, y), nyu[int(semantic[y, x])], "class")

    def test_exposure_gamma_and_tone_map(self):
        self.open("v=color&tone=linear")
        color, (x, y) = stored("color"), (80, 60)
        self.close(PAGE.drawn(0, x, y), 255 * np.clip(color[y, x], 0, 1))
        PAGE.choose("#bar-exposure", "-2")
        PAGE.settled()
        self.close(PAGE.drawn(0, x, y), 255 * np.clip(color[y, x] / 4, 0, 1), "two stops darker")
        PAGE.choose("#tone", "gamma")
        PAGE.choose("#gamma", "1.5")
        PAGE.settled()
        self.close(PAGE.drawn(0, x, y), 255 * np.clip(color[y, x] / 4, 0, 1) ** (1 / 1.5))
        PAGE.choose("#bar-tone", "srgb")
        PAGE.settled()
        c = np.clip(color[y, x] / 4, 0, 1)
        self.close(PAGE.drawn(0, x, y), 255 * np.where(c < 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055))
        PAGE.press("e", "o")
        self.assertEqual((PAGE.state()["exposure"], PAGE.state()["tone"]), (-1.5, "linear"))

    def test_maps_and_ranges(self):
        self.open("v=depth_meters")
        depth, ends = stored("depth_meters"), lambda: [float(t.split(" ")[0]) for t in PAGE.js("return [...document.querySelectorAll('.pane .scale > span')].map((e) => e.textContent).filter(Boolean)")]
        self.close(ends(), np.percentile(depth, [1, 99], method="nearest"), delta=0.006)
        PAGE.choose("#range-mode", "all")
        PAGE.settled()
        self.close(ends(), [depth.min(), depth.max()], delta=0.006)
        PAGE.choose("#range-mode", "fixed")
        PAGE.choose("#range-low", "1")
        PAGE.choose("#range-high", "3")
        PAGE.choose("#map", "gray")
        PAGE.settled()
        self.close(ends(), [1, 3])
        self.close(PAGE.drawn(0, 80, 60), [255 * np.clip((depth[60, 80] - 1) / 2, 0, 1)] * 3)
        colors = set()
        for name in ["turbo", "viridis", "cyclic", "two-sided", "gray"]:
            PAGE.choose("#map", name)
            PAGE.settled()
            colors.add(tuple(PAGE.drawn(0, 80, 60)))
        self.assertEqual(len(colors), 5)
        PAGE.press("c")
        self.assertEqual(PAGE.state()["display"]["depth_meters"]["map"], "turbo")
        self.open("v=position")
        PAGE.choose("#part", "2")
        PAGE.settled()
        PAGE.choose("#map", "gray")
        PAGE.settled()
        z = stored("position")[..., 2]
        low, high = np.percentile(z, [1, 99], method="nearest")
        self.close(PAGE.drawn(0, 80, 60), [255 * np.clip((z[60, 80] - low) / (high - low), 0, 1)] * 3, "z alone", delta=3)

    def test_nan_is_hatched_and_infinity_too(self):
        self.open("v=depth_meters&z=2&d=" + '{"depth_meters":{"map":"turbo"}}', BAD, SETS["holes"])
        nan = {tuple(PAGE.drawn(0, x, 45)) for x in range(45, 75)}
        self.assertEqual(len(nan), 2, "two tones of a hatching")
        self.assertTrue(all(max(c) - min(c) < 25 for c in nan), f"grey, as no map has it: {nan}")
        infinite = {tuple(PAGE.drawn(0, x, 75)) for x in range(45, 75)}
        self.assertTrue(infinite and infinite.isdisjoint(nan))
        PAGE.js("document.activeElement.blur()")
        PAGE.pointer(*PAGE.pixel_place(0, 50, 45))
        PAGE.until("document.querySelector('#readout tr[data-label=depth_meters]')")
        self.assertTrue(np.isnan(PAGE.values()["depth_meters"][0]))
        self.assertEqual(PAGE.text("tr[data-label=depth_meters] td"), "NaN m")
        PAGE.shot("nan")

    def test_pictures_move_together(self):
        self.open("v=color;depth_meters;semantic;normal_world")
        x, y = (round(v) for v in PAGE.pixel_place(1, 40, 30))   # events know whole pixels only
        apart = np.subtract(PAGE.pixel_place(1, 40, 30), (x, y))
        PAGE.wheel(".pane:nth-of-type(2) .body", x, y, -600)
        PAGE.settled()
        zoom = PAGE.state()["zoom"]
        self.assertGreater(zoom, 2)
        self.close(PAGE.pixel_place(1, 40, 30), (x, y) + apart * zoom, "what is under the pointer stays there", 0.01)
        offsets = PAGE.module("panes.js:panes, placeOf", "return panes.map((p) => { const q = placeOf(p); return [q.left, q.top, q.scale].map((v) => Math.round(v * 10) / 10); })")
        self.assertTrue(all(o == offsets[0] for o in offsets), offsets)
        PAGE.pointer(x, y, "drag", (x + 60, y + 24))
        PAGE.settled()
        self.close(PAGE.pixel_place(1, 40, 30), (x + 60, y + 24) + apart * zoom, "dragged", 0.01)
        PAGE.press("0")
        self.assertEqual(PAGE.state()["zoom"], 1)
        PAGE.js("document.getElementById('zoom-one').click()")
        PAGE.settled()
        self.assertAlmostEqual(PAGE.module("panes.js:panes, placeOf", "return placeOf(panes[0]).scale"), 1)
        PAGE.press("z")
        PAGE.settled()
        self.assertAlmostEqual(PAGE.module("panes.js:panes, placeOf", "return placeOf(panes[0]).scale"), 64)
        PAGE.shot("single_pixels")

    def test_panes_come_and_go(self):
        self.open("v=color;depth_meters")
        PAGE.press("n", "n")
        self.assertEqual(len(PAGE.all(".pane")), 4)
        PAGE.press("2", "m")
        self.assertEqual(PAGE.state()["focus"], 1)
        self.assertNotEqual(PAGE.state()["panes"][1], "depth_meters")
        PAGE.press(Keys.DELETE)
        self.assertEqual(len(PAGE.all(".pane")), 3)
        PAGE.js("document.querySelector('.pane .close').click()")
        self.assertEqual(len(PAGE.all(".pane")), 2)
        self.assertEqual(len(PAGE.all("canvas#gl")), 1, "one drawing surface, however many pictures")


class Errors(Case):
    def plane(self, pane):
        return np.array(PAGE.module("modalities.js:paneOf", "return Array.from((await paneOf(given[0], given[1])).values(), String);", pane, SETS["frames"].index(SETS["frames"][0])), np.float64).reshape(120, 160)

    def test_errors_against_another_set(self):
        self.open("v=error:depth_meters:1.depth_meters:difference;error:semantic:1.semantic:mismatch;1.depth_meters")
        a, b = stored("depth_meters"), stored("depth_meters", name="predicted")
        np.testing.assert_allclose(self.plane("error:depth_meters:1.depth_meters:difference"), a - b, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(self.plane("error:depth_meters:1.depth_meters:relative"), np.abs(a - b) / np.abs(b), rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(self.plane("error:semantic:1.semantic:mismatch"), stored("semantic") != stored("semantic", name="predicted"))
        PAGE.shot("errors")
        PAGE.choose(".pane select", "error")
        PAGE.choose(".pane .operands select:nth-of-type(3)", "absolute")
        PAGE.settled()
        self.assertEqual(PAGE.state()["panes"][0].split(":")[3], "absolute")

    def test_errors_of_two_labels(self):
        self.open("v=color")
        a, b = stored("normal_world"), stored("normal_bump_world")
        want = np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(-1)))
        np.testing.assert_allclose(self.plane("error:normal_world:normal_bump_world:angle"), want, atol=1e-4)
        color, albedo, light, rest = (stored(l) for l in FINAL)
        step = np.where(np.abs(color) < 2**-14, 2**-24, 2.0 ** (np.floor(np.log2(np.maximum(np.abs(color), 1e-30))) - 10))
        np.testing.assert_allclose(self.plane("!identity"), (np.abs(color - (albedo * light + rest)) / step).max(-1), rtol=1e-5, atol=1e-6)

    def test_consistency_shows_the_faults(self):
        good = [np.nanpercentile(np.abs(self.both(p, "good")), 99) for p in ["!distance", "!camera"]]
        self.assertLess(good[0], 0.01)
        self.assertLess(good[1], 1)
        self.assertGreater(np.nanmin(self.both("!facing", "good")), -0.05)
        self.assertLess(np.median(self.both("!facing", "bad", SETS["flipped"])), 0, "flipped normals point away")
        self.assertGreater(np.nanmax(np.abs(self.both("!distance", "bad", SETS["planar"]))), 0.2, "planar depth is no distance")
        self.open("v=depth_meters;!distance;normal_world;!facing", BAD, SETS["planar"])
        PAGE.shot("planar_depth_in_place_of_distance")

    def both(self, pane, name, frame=None):
        self.open("v=color", GOOD if name == "good" else BAD, frame)
        return np.array(PAGE.module("modalities.js:paneOf;panes.js:shownFrame", "return Array.from((await paneOf(given[0], shownFrame())).values(), String);", pane), np.float64)


class Labels(Case):
    def test_legend_counts_and_highlights(self):
        self.open("v=color;semantic&t=legend")
        semantic = stored("semantic")
        PAGE.until("document.querySelectorAll('.legend button').length > 2")
        rows = PAGE.js("return [...document.querySelectorAll('.legend button')].map((b) => [Number(b.dataset.id), Number(b.dataset.count), b.textContent])")
        ids, counts = np.unique(semantic, return_counts=True)
        self.assertEqual({r[0]: r[1] for r in rows}, {int(i): int(c) for i, c in zip(ids, counts)})
        self.assertEqual([r[1] for r in rows], sorted((r[1] for r in rows), reverse=True))
        largest = rows[0]
        self.assertIn(f"{100 * largest[1] / semantic.size:.1f} %", largest[2])
        inside, outside = np.argwhere(semantic == largest[0])[40][::-1], np.argwhere(semantic != largest[0])[40][::-1]
        before = [PAGE.drawn(1, *map(int, p)) for p in (inside, outside)]
        PAGE.js("document.querySelector('.legend button').click()")
        PAGE.until("document.querySelector('.legend button').getAttribute('aria-pressed') === 'true'")
        PAGE.settled()
        after = [PAGE.drawn(1, *map(int, p)) for p in (inside, outside)]
        self.assertEqual(after[0], before[0])
        self.assertLess(sum(after[1]), 0.6 * sum(before[1]), "the others are dimmed")
        PAGE.shot("highlight")
        PAGE.press((Keys.SHIFT, "h"))
        self.assertEqual(PAGE.state()["highlight"]["ids"], [])
        PAGE.choose("#legend-kind", "instance")
        PAGE.until("document.querySelector('#tab-panel p').textContent.includes('instances')")
        self.assertEqual(len(PAGE.all(".legend button")), len(np.unique(stored("semantic_instance"))))

    def test_highlight_under_the_pixel(self):
        semantic = stored("semantic")
        self.open("v=semantic&at=80,60")
        PAGE.press("h")
        self.assertEqual(PAGE.state()["highlight"]["ids"], [int(semantic[60, 80])])

    def test_flat_and_solid_boxes(self):
        self.open("v=semantic_instance")
        instance = stored("semantic_instance")
        boxes = {int(k): v for k, v in PAGE.module("data.js:loadPlane;plane.js:idBoxes", "return [...idBoxes(await loadPlane(0, 0, 'semantic_instance'))]")}
        for i in np.unique(instance[instance > 0]):
            ys, xs = np.nonzero(instance == i)
            self.assertEqual(boxes[int(i)], {"x0": xs.min(), "y0": ys.min(), "x1": xs.max(), "y1": ys.max()})
        ink = "const c = document.querySelector('.pane .body canvas'), copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true}); copy.drawImage(c, 0, 0); return copy.getImageData(0, 0, c.width, c.height).data.reduce((n, v, k) => n + (k % 4 === 3 && v > 0 ? 1 : 0), 0);"
        self.assertEqual(PAGE.js(ink), 0)
        PAGE.press("b")
        PAGE.settled()
        flat = PAGE.js(ink)
        self.assertGreater(flat, 500)
        PAGE.press("b", (Keys.SHIFT, "b"))
        PAGE.settled()
        self.assertGreater(PAGE.js(ink), 300)
        PAGE.shot("boxes")

    def test_projection_is_that_of_the_camera(self):
        self.open("v=position")
        position = stored("position")
        places = [(10, 10), (80, 60), (150, 110)]
        got = PAGE.module("overlay.js:projection;data.js:loadScene, poseOf, data", "const s = await loadScene(data.index.frames.scene[0]); const f = projection(s, poseOf(s, 0)); return given[0].map(f);",
                          [position[y, x].tolist() for x, y in places])
        for (x, y), (u, v) in zip(places, got):
            self.assertLess(max(abs(u - x - 0.5), abs(v - y - 0.5)), 0.3, "the stored position falls on its pixel")

    def test_histogram_and_profile(self):
        self.open("v=depth_meters&t=plot&line=10,20,150,90")
        depth = stored("depth_meters")
        h = PAGE.module("plot_panel.js:histogramOf;panes.js:panes", "const h = histogramOf(panes[0]); return {low: h.low, high: h.high, counts: Array.from(h.counts[0]), below: h.below, above: h.above, nan: h.nan};")
        inside = depth[(depth >= h["low"]) & (depth <= h["high"])]
        np.testing.assert_array_equal(h["counts"], np.bincount(np.minimum(95, np.floor((inside - h["low"]) / (h["high"] - h["low"]) * 96)).astype(int), minlength=96))
        self.assertEqual(sum(h["counts"]) + h["below"] + h["above"] + h["nan"], depth.size)
        profile = PAGE.module("plot_panel.js:profileOf;panes.js:panes;state.js:current", "return profileOf(panes[0], current.line).map((v) => v[0])")
        steps = np.arange(141)
        floor = lambda v: np.floor(v + 0.5).astype(int)
        self.same_numbers(profile, depth[floor(20 + 70 * steps / 140), floor(10 + steps)])
        self.assertIn("141 pixels", PAGE.text("#profile-note"))
        x, y = PAGE.pixel_place(0, 20, 30)
        PAGE.pointer(x, y, "drag", PAGE.pixel_place(0, 90, 70), shift=True)
        self.assertLess(np.abs(np.subtract(PAGE.state()["line"], [20, 30, 90, 70])).max(), 2)
        PAGE.js("document.activeElement.blur()")
        PAGE.press("l", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "l")
        PAGE.shot("plots")


class Scene(Case):
    def test_points_agree_where_depth_and_pose_do(self):
        self.open("m=points&c=" + '{"frames":2,"from":"depth","color":"color","size":2}')
        PAGE.until("document.documentElement.dataset.points")
        self.assertEqual(int(PAGE.js("return document.documentElement.dataset.points")), 2 * 160 * 120)
        self.assertLess(float(PAGE.js("return document.getElementById('cloud-apart').dataset.metres")), 0.005)
        PAGE.shot("points")
        picture = lambda: PAGE.js("return document.getElementById('cloud').toDataURL()")
        before = picture()
        PAGE.press(Keys.ARROW_LEFT, "+")
        PAGE.settled()
        self.assertNotEqual(picture(), before)
        for selector, value in [("#cloud-color", "semantic"), ("#cloud-color", "frame"), ("#cloud-from", "position"), ("#cloud-frames", "1")]:
            PAGE.choose(selector, value)
            PAGE.settled()
        PAGE.until("document.documentElement.dataset.points === '19200'")
        self.open("m=points", BAD, SETS["planar"])
        PAGE.until("document.getElementById('cloud-apart')")
        self.assertGreater(float(PAGE.js("return document.getElementById('cloud-apart').dataset.metres")), 0.1, "planar depth in place of distance")
        PAGE.shot("points_of_planar_depth")

    def test_the_plan_shows_cameras_and_leads_to_frames(self):
        self.open("m=plan")
        PAGE.until("document.documentElement.dataset.plan && !document.getElementById('plan-note').textContent.startsWith('reading')")
        self.assertIn("3 frames with a pose", PAGE.text("#plan-note"))
        PAGE.settled()
        PAGE.shot("plan")
        eye = read(SETS["good"] / SETS["frames"][0].split("/")[0] / "_detail/cam_00/camera_keyframe_positions.hdf5")[2]
        # Where the plan draws it: found by the pointer's title, around the place that the fit gives.
        found = PAGE.js("""const c = document.getElementById('plan-canvas'), box = c.getBoundingClientRect();
            for (let y = 6; y < box.height; y += 7) for (let x = 6; x < box.width; x += 7) {
              c.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
              if (c.title.endsWith('/0002')) return [box.left + x, box.top + y]; } return null;""")
        self.assertIsNotNone(found, f"the camera at {eye}")
        PAGE.pointer(*found, "click")
        self.assertEqual(PAGE.state()["frame"].split("/")[2], "0002")

    def test_frame_panel_tells_of_files_and_manifest(self):
        self.open("t=frame")
        PAGE.until("document.querySelector('#tab-panel table')")
        text = PAGE.text("#tab-panel")
        for words in ["samples a pixel2", "float16 120 × 160 × 3", "M_cam_from_uv", "rooms"]:
            self.assertIn(words, text)
        self.assertGreater(len(PAGE.all(".previews img")), 10)


class Frames(Case):
    def count(self):
        return PAGE.text("#filter-state")

    def test_filters(self):
        self.open("")
        PAGE.until("document.getElementById('filter-class').options.length > 3")
        scene = SETS["frames"][3].split("/")[0]
        PAGE.choose("#filter-text", scene[-3:] + " 0001")
        PAGE.until("document.getElementById('filter-state').textContent.startsWith('1 of 6')")
        PAGE.choose("#filter-text", "")
        PAGE.js("document.getElementById('filter-more').click()")
        PAGE.choose("#filter-scene", scene)
        PAGE.until("document.getElementById('filter-state').textContent.startsWith('3 of 6')")
        PAGE.choose("#filter-scene", "")
        with_class = {}
        for frame in SETS["frames"]:
            for c in np.unique(stored("semantic", frame)):
                with_class.setdefault(int(c), []).append(frame)
        rare = min((c for c in with_class if c > 0), key=lambda c: len(with_class[c]))
        PAGE.choose("#filter-class", str(rare))
        self.assertLess(len(with_class[rare]), 6)
        PAGE.until(f"document.getElementById('filter-state').textContent.startsWith('{len(with_class[rare])} of 6')")
        PAGE.js("document.getElementById('filter-clear').click()")
        near = sorted(stored("depth_meters", f).min() for f in SETS["frames"])
        PAGE.choose("#filter-near", str((near[2] + near[3]) / 2))
        PAGE.until(f"document.getElementById('filter-state').textContent.startsWith('{sum(n >= (near[2] + near[3]) / 2 for n in near)} of 6')")
        PAGE.js("document.getElementById('filter-clear').click()")
        PAGE.choose("#filter-light", "0.15")
        PAGE.choose("#filter-heavy", "0.45")
        PAGE.until("document.getElementById('filter-state').textContent.startsWith('3 of 6')")
        PAGE.shot("filters")

    def test_sorting(self):
        self.open("")
        PAGE.until("document.getElementById('filter-class').options.length > 3")
        listed = lambda: PAGE.js("return [...document.querySelectorAll('.frame')].sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map((e) => e.title)")
        self.assertEqual(listed(), SETS["frames"])
        PAGE.choose("#sort", "near")
        PAGE.settled()
        self.assertEqual(listed(), sorted(SETS["frames"], key=lambda f: stored("depth_meters", f).min()))
        PAGE.choose("#sort", "weight")
        PAGE.js("document.getElementById('sort-down').click()")
        PAGE.settled()
        self.assertEqual(listed(), SETS["frames"][::-1])

    def test_frames_by_keys_and_clicks(self):
        self.open("")
        PAGE.press(".", ".")
        PAGE.settled(SETS["frames"][2])
        PAGE.press(",")
        PAGE.settled(SETS["frames"][1])
        self.assertIsNotNone(PAGE.js("return document.querySelector('.frame[aria-selected=true]')"))
        PAGE.js("document.querySelectorAll('.frame')[4].click()")
        PAGE.settled(PAGE.js("return document.querySelectorAll('.frame')[4].title"))
        self.assertEqual(PAGE.js("return document.activeElement.id"), "frames")
        PAGE.driver.switch_to.active_element.send_keys(Keys.HOME)
        PAGE.settled(SETS["frames"][0])

    def test_twenty_thousand_frames(self):
        folder = tools.make_long_set(SETS["good"], Path(FOLDER.name) / "long", 20_000)
        elements = lambda: PAGE.js("return document.querySelectorAll('*').length")
        self.open("", frame=False)
        few = elements()
        many = Inspector(ARGUMENTS.program, folder, "--no-audit")
        try:
            PAGE.open(many.url)
            first = int(PAGE.js("return document.documentElement.dataset.firstFrame"))
            print(f"20 000 frames: the server is there after {many.seconds_to_start:.2f} s, the first frame {first} ms later; {elements()} elements against {few}")
            self.assertLess(many.seconds_to_start + first / 1000, FIRST_FRAME_OF_MANY_S * loaded())
            self.assertIn("20 000 frames", self.count())
            self.assertLess(elements(), few + 40, "as many elements as for six frames, and a screen full of rows")
            PAGE.js("document.getElementById('frames').scrollTop = 1e9")
            PAGE.settled()
            self.assertLess(len(PAGE.all(".frame")), 24)
            self.assertEqual(PAGE.js("return Math.max(...[...document.querySelectorAll('.frame')].map((e) => Number(e.ariaPosInSet)))"), 20_000)
            PAGE.choose("#filter-text", "ai_003_141 0002")
            PAGE.until("document.getElementById('filter-state').textContent.startsWith('1 of 20 000')")
            PAGE.shot("twenty_thousand")
        finally:
            PAGE.driver.get("about:blank")
            self.assertEqual(many.close(), 0)


class Faults(Case):
    def test_findings_lead_to_frame_and_pixel(self):
        self.open("t=audit", BAD, False)
        PAGE.until("document.getElementById('audit-badge').textContent.includes('finding') && !document.getElementById('audit-badge').textContent.includes('…')", 90)
        for check, frame in [("F7.facing", SETS["flipped"]), ("F5.depth", SETS["planar"])]:
            PAGE.choose("#finding-check", check)
            PAGE.settled()
            self.assertIn(frame, PAGE.text(".findings button"))
            PAGE.js("document.querySelector('.findings button').click()")
            PAGE.settled(frame)
            PAGE.until("document.querySelector('.pane canvas') && location.hash.includes('at=')")
            found = PAGE.text(".findings button span:nth-of-type(2)")
            row, column = found.split("worst at row ")[1].split(":")[0].split(" column ")
            self.assertEqual(PAGE.state()["pin"], [int(column), int(row)])
            PAGE.shot("finding_" + check.replace(".", "_"))
        PAGE.choose("#sort", "findings")
        PAGE.js("if (document.getElementById('sort-down').getAttribute('aria-pressed') === 'false') document.getElementById('sort-down').click()")
        PAGE.settled()
        self.assertIn("finding", PAGE.text(".frame"))
        PAGE.choose("#filter-audit", "failed")
        PAGE.settled()
        self.assertIn(" of 6 frames", PAGE.text("#filter-state"))

    def test_damaged_and_missing_files_show_a_card(self):
        self.open("v=color;normal_world;semantic", BAD, SETS["damaged"])
        self.assertEqual(len(PAGE.all(".card")), 1)
        self.assertIn(f"frame.{SETS['damaged'][-4:]}.normal_world.hdf5", PAGE.text(".card"))
        self.assertEqual(len(PAGE.js("return [...document.querySelectorAll('.pane .body')].filter((b) => b.dataset.ready !== '')")), 2, "the other pictures are there")
        PAGE.shot("damaged")
        self.open("v=depth_meters;color", BAD, SETS["missing"])
        PAGE.until("document.querySelector('.card, .preview')")
        PAGE.shot("missing")
        self.assertIn("distance: only the preview", PAGE.text(".card"))
        self.open("v=depth_planar_meters;none_such;7.color", BAD, SETS["missing"])
        cards = PAGE.js("return [...document.querySelectorAll('.card')].map((c) => c.textContent)")
        self.assertIn("none_such", cards[0])
        self.assertIn(f"ai_900_{SETS['missing'][7:10]}", cards[0])
        self.assertIn("no set number 7", cards[1])

    def test_an_odd_address_is_no_broken_page(self):
        for address in ["f=nowhere/cam_00/0000", "v=%3Cimg%20src=x%3E&z=NaN&at=9,x&d=%7B%22a", "m=upside&t=none&s=none&hl=%7B%7D&z=-4&p=99"]:
            self.open(address, frame=False)
            self.assertGreater(len(PAGE.all(".pane")), 0, address)
            self.assertEqual(len(PAGE.all("#fatal")), 0, address)

    def test_the_server_may_go_away(self):
        short = Inspector(ARGUMENTS.program, SETS["good"], "--no-audit")
        self.open("v=color", short, False)
        short.close()
        PAGE.press(".", ".", ".")
        PAGE.until("document.querySelector('.card')")
        self.assertIn("does not answer", PAGE.text(".card"))
        self.assertTrue(all("net::ERR" in p for p in PAGE.problems()))


class Use(Case):
    def test_the_address_holds_the_view(self):
        self.open("v=color;semantic")
        PAGE.press("2", "+", "+", "e", "b")
        PAGE.choose("#sort", "near")
        PAGE.press("g", "h")
        PAGE.pointer(*PAGE.pixel_place(1, 80, 60), "click")
        PAGE.settled()
        before, address = PAGE.state(), PAGE.module("state.js:address", "return address()")
        PAGE.open(address.split("#")[0], address.split("#")[1])
        PAGE.settled()
        after = PAGE.state()
        for key in before:
            if isinstance(before[key], float):
                self.assertAlmostEqual(before[key], after[key], places=3)
            else:
                self.assertEqual(before[key], after[key], key)
        self.assertEqual(PAGE.js("return [...document.querySelectorAll('.pane select:first-of-type')].map((s) => s.value)"), ["color", "semantic"])

    def test_every_key_does_something(self):
        self.open("v=color;depth_meters;semantic&at=80,60")
        for key, field in [("v", "mode"), ("v", "mode"), ("v", "mode"), ("+", "zoom"), ("-", "zoom"), ("z", "zoom"), ("0", "zoom"), ("=", "zoom"), ("m", "panes"), ((Keys.SHIFT, "m"), "panes"), ("n", "panes"), ("1", "focus"),
                           ("2", "focus"), ("c", "display"), ("r", "display"), ("e", "exposure"), ((Keys.SHIFT, "e"), "exposure"), ("o", "tone"), ("b", "boxes2"), ((Keys.SHIFT, "b"), "boxes3"),
                           ("h", "highlight"), ((Keys.SHIFT, "h"), "highlight"), ("p", "tab"), ("g", "tab"), ("a", "tab"), ("f", "tab"), ("d", "tab"), (Keys.ARROW_UP, "pin"), (Keys.ENTER, "pin"), (".", "frame"), (",", "frame")]:
            before = PAGE.state()
            PAGE.press(key)
            PAGE.settled()
            self.assertNotEqual(PAGE.state()[field], before[field], f"{key} changes {field}")
        PAGE.press("/")
        self.assertEqual(PAGE.js("return document.activeElement.id"), "filter-text")
        PAGE.driver.switch_to.active_element.send_keys("t?v")   # text here, not commands
        self.assertEqual(PAGE.js("return document.activeElement.value"), "t?v")
        PAGE.choose("#filter-text", "")
        theme = PAGE.js("return document.documentElement.dataset.theme")
        PAGE.press("t")
        self.assertNotEqual(PAGE.js("return document.documentElement.dataset.theme"), theme)
        PAGE.press("t", "?")
        self.assertTrue(PAGE.js("return document.getElementById('help').open"))
        shown = PAGE.js("return [...document.querySelectorAll('#help kbd')].length")
        self.assertGreater(shown, 35)
        PAGE.shot("help")
        PAGE.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def test_labels_and_focus_order(self):
        self.open("v=color;error:depth_meters:1.depth_meters:absolute&q=" + '{"text":"","near":0}')
        nameless = PAGE.js("""return [...document.querySelectorAll('button, select, input, [tabindex="0"]')].filter((e) => e.checkVisibility()).filter((e) => {
            const labelled = (e.getAttribute('aria-label') || e.labels?.[0]?.textContent || (e.tagName === 'BUTTON' ? e.textContent : '') || document.getElementById(e.getAttribute('aria-labelledby') ?? '')?.textContent || '').trim();
            return !labelled; }).map((e) => e.outerHTML.slice(0, 120))""")
        self.assertEqual(nameless, [])
        ids = PAGE.js("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
        self.assertEqual(len(ids), len(set(ids)), "no id twice")
        PAGE.js("document.activeElement?.blur(); window.getSelection().removeAllRanges();")
        regions, actions = [], tools.ActionChains(PAGE.driver, duration=0)
        for _ in range(70):
            tools.ActionChains(PAGE.driver, duration=0).send_keys(Keys.TAB).perform()
            region = PAGE.js("const e = document.activeElement; return e === document.body ? null : e.className === 'skip' ? 'skip' : (e.closest('#top, #strip, #bar, #panes, #side, #status') ?? e).id")
            if region is None:
                break
            if not regions or regions[-1] != region:
                regions.append(region)
            visible = PAGE.js("const e = document.activeElement; const s = getComputedStyle(e); return s.outlineStyle !== 'none' || e.className === 'skip'")
            self.assertTrue(visible, "what has the focus can be seen")
        self.assertEqual(regions, ["skip", "top", "strip", "bar", "panes", "side"], "from left to right and down, each region once")

    def test_text_can_be_read_in_both_themes(self):
        for theme in ["dark", "light"]:
            PAGE.system_theme(theme)
            PAGE.js("localStorage.clear()")
            for address in ["t=legend&at=80,60", "t=display&m=points", "t=plot", "t=audit", "t=frame", "q=" + '{"text":"a"}&s=near']:
                self.open(address)
                PAGE.until("document.querySelector('#tab-panel > *')")
                self.assertEqual(PAGE.js("return document.documentElement.dataset.theme"), theme)
                weak = PAGE.js(CONTRAST)
                self.assertEqual(weak, [], f"{theme}, {address}")
            PAGE.size(1920, 1080)
            self.open("t=legend&at=80,60&b2=1")
            PAGE.shot(f"large_{theme}")
            PAGE.size(1280, 720)
            self.open("t=legend&at=80,60")
            PAGE.shot(f"small_{theme}")
            self.assertEqual(PAGE.js("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), [1280, 720], "all of it fits")
        PAGE.system_theme("dark")

    def test_nothing_is_asked_of_anyone_else(self):
        self.open("v=color;depth_meters&t=frame")
        for mode in ["points", "plan", "images"]:
            PAGE.js("document.querySelector(`#modes button[data-mode=${arguments[0]}]`).click()", mode)
            PAGE.settled()
        origins = PAGE.js("return [...new Set(performance.getEntriesByType('resource').map((e) => new URL(e.name).origin))]")
        self.assertLessEqual(set(origins), {GOOD.url.rsplit("/", 2)[0], "null"})


# Texts whose color stands out less than 4.5 to 1 (large ones 3 to 1) from what lies behind.
CONTRAST = """
const parse = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return c.startsWith('color(') ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const behind = (e) => { const layers = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
  return layers.reverse().reduce((under, c) => under.map((u, k) => u * (1 - c[3]) + c[k] * c[3]), [255, 255, 255]); };
const weak = [];
for (const e of document.querySelectorAll('body *')) {
  if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility() || e.disabled || e.tagName === 'OPTION' || e.tagName === 'SCRIPT' || e.className === 'skip') continue;
  const style = getComputedStyle(e), back = behind(e), c = parse(style.color), front = back.map((b, k) => b * (1 - c[3]) + c[k] * c[3]);
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
  if (ratio < (parseFloat(style.fontSize) >= 18 ? 3 : 4.5)) weak.push(`${e.tagName} ${e.className} '${e.textContent.slice(0, 30)}' ${ratio.toFixed(2)}`);
}
return weak;"""


class PublicFiles(Case):
    """The files that the public set ships: one depth file, poses, mesh tables, previews."""

    @classmethod
    def setUpClass(cls):
        if not SHARED.is_dir():
            raise unittest.SkipTest("no shared data")
        cls.server = Inspector(ARGUMENTS.program, SHARED)

    @classmethod
    def tearDownClass(cls):
        if SHARED.is_dir():
            assert cls.server.close() == 0

    def test_depth_poses_and_names(self):
        self.open("f=ai_037_002/cam_00/0000&v=depth_meters", self.server, False)
        depth = read(SHARED / "frame-ai_037_002/ai_037_002/images/scene_cam_00_geometry_hdf5/frame.0000.depth_meters.hdf5").astype(np.float64)
        for x, y in [(0, 0), (1023, 767), (512, 400)]:
            PAGE.module("cursor.js:pin", "pin(given[0], given[1])", x, y)
            PAGE.until(f"document.querySelector('#readout .where').textContent.includes('x {x}  y {y}') && document.querySelector('#readout tr')")
            self.same_numbers(PAGE.values()["depth_meters"], depth[y, x])
        PAGE.shot("public_depth")
        PAGE.js("document.querySelector('#modes button[data-mode=points]').click()")
        PAGE.until("Number(document.documentElement.dataset.points) > 50000")
        PAGE.shot("public_points")
        PAGE.js("document.querySelector('#modes button[data-mode=plan]').click()")
        PAGE.until("document.getElementById('plan-note').textContent.includes('99 poses')")
        PAGE.shot("public_plan")
        scene = PAGE.module("data.js:loadScene, data", "return loadScene(data.index.frames.scene[data.byName.get('ai_037_002/cam_00/0000')])")
        self.assertGreater(len(scene["instances"]), 100)
        self.assertEqual(scene["problems"], [])

    def test_previews_stand_in_where_there_are_no_values(self):
        self.open("f=ai_001_001/cam_00/0000&v=color;depth_meters;semantic;normal_cam", self.server, False)
        PAGE.until("[...document.querySelectorAll('.preview img')].filter((i) => i.naturalWidth === 1024).length === 4")
        self.assertIn("only the preview", PAGE.text(".card"))
        PAGE.shot("public_previews")


class Reports(Case):
    def test_a_report_works_from_files(self):
        out = Path(FOLDER.name) / "report"
        subprocess.run([ARGUMENTS.program, "inspect", SETS["bad"], "--export", out, "--frames", "4"], check=True, stdout=subprocess.DEVNULL)
        url = (out / "index.html").as_uri()
        PAGE.open(url)
        PAGE.settled()
        self.assertIn("a sample of 6", PAGE.text("#filter-state"))
        shown = PAGE.text("#frame-name").replace(" ", "")
        place = PAGE.js("const b = document.querySelector('.pane .body').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
        PAGE.pointer(*place)
        PAGE.until("document.querySelector('#readout tr[data-label=transparency]')")
        x, y = (int(v) for v in PAGE.text("#readout .where").replace("x ", "").split("click")[0].split("y "))
        for label, values in PAGE.values().items():
            if label in FINAL + GEOMETRY and values is not None:
                self.same_numbers(values, stored(label, shown, "bad")[y, x], label)
        self.assertIn("finding", PAGE.text("#audit-badge"))
        PAGE.press("a", "]")
        PAGE.settled()
        PAGE.until("[...document.querySelectorAll('.frame img')].some((i) => i.naturalWidth > 10)")
        PAGE.press("v")
        PAGE.until("Number(document.documentElement.dataset.points) > 0")
        PAGE.press("v", "v")
        PAGE.shot("report")

    def test_audit_writes_the_page_of_its_findings(self):
        out = Path(FOLDER.name) / "audit_page"
        done = subprocess.run([ARGUMENTS.program, "audit", SETS["bad"], "--html", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        PAGE.open((out / "index.html").as_uri())
        PAGE.settled()
        PAGE.until("document.querySelectorAll('.findings button').length > 3")
        PAGE.choose("#finding-check", "F7.facing")
        PAGE.js("document.querySelector('.findings button').click()")
        PAGE.settled(SETS["flipped"])
        PAGE.shot("audit_page")


class Load(Case):
    def test_memory_is_bounded_with_sixteen_clients(self):
        server = Inspector(ARGUMENTS.program, SETS["good"], "--no-audit", "--cache-mib", "8")
        try:
            base = server.url + "api/"
            urllib.request.urlopen(base + "index").read()
            before = server.memory_mib()
            paths = [f"plane/0/{i}/{label}" for i in range(6) for label in FINAL + GEOMETRY] + [f"thumbnail/{i}" for i in range(6)] + [f"frame/0/{i}" for i in range(6)]

            def client(n):
                size = 0
                for k in range(40):
                    size += len(urllib.request.urlopen(base + paths[(7 * n + k) % len(paths)]).read())
                return size
            start = time.time()
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                total = sum(pool.map(client, range(16)))
            grown = server.memory_mib() - before
            print(f"16 clients: {640 / (time.time() - start):.0f} answers a second, {total / 1e6:.0f} MB; {grown:.0f} MiB more memory (cache 8 MiB)")
            # The cache, a plane or two being read for each core, and what the allocator keeps of it.
            self.assertLess(grown, 8 + 60)
        finally:
            server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--shots", required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    if not tools.find_program("chromium", "chromium-browser", "google-chrome") or not tools.find_program("chromedriver"):
        print("skipped: no chromium with its chromedriver")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *rest])
