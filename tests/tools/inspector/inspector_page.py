# SPDX-License-Identifier: Apache-2.0
"""A browser, an inspector and data sets to look at, for the tests of the page."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# All labels of a generated frame, by folder.
FINAL = ["color", "diffuse_reflectance", "diffuse_illumination", "residual"]
GEOMETRY = ["depth_meters", "position", "normal_world", "normal_cam", "normal_bump_world", "normal_bump_cam", "tex_coord", "render_entity_id", "semantic",
            "semantic_instance", "depth_planar_meters", "material_id", "valid_mask", "transparency"]


def label_file(root, frame, label):
    scene, camera, number = frame.split("/")
    part = "final" if label in FINAL else "geometry"
    return Path(root) / scene / "images" / f"scene_{camera}_{part}_hdf5" / f"frame.{number}.{label}.hdf5"


def read(path):
    with h5py.File(path, "r") as file:
        return file["dataset"][:]


def rewrite(path, array):
    """Other values in place of the stored ones, stored as before."""
    with h5py.File(path, "r") as file:
        kind = file["dataset"].dtype
    os.remove(path)
    with h5py.File(path, "w") as file:
        file.create_dataset("dataset", data=array.astype(kind), compression="gzip", shuffle=True)


def find_program(*names):
    return next((shutil.which(n) for n in names if shutil.which(n)), None)


class Inspector:
    """`simulacra inspect`, until it is closed."""

    def __init__(self, program, *arguments):
        self.started = time.time()
        self.process = subprocess.Popen([program, "inspect", *map(str, arguments), "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = [self.process.stdout.readline().strip() for _ in range(2)]
        if not self.lines[1].startswith("http://127.0.0.1:"):
            raise AssertionError(f"no address: {self.lines} {self.process.stderr.read()}")
        self.url = self.lines[1]
        self.seconds_to_start = time.time() - self.started

    def memory_mib(self):
        """Most that was resident so far."""
        return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1024

    def close(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Page:
    """A chromium without a screen, and short ways to see what a page shows."""

    def __init__(self, folder, width=1280, height=720):
        options = Options()
        options.binary_location = find_program("chromium", "chromium-browser", "google-chrome")
        for argument in ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage",
                         "--force-device-scale-factor=1", f"--window-size={width},{height}", "--disable-background-networking", "--disable-component-update"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(find_program("chromedriver")))
        self.driver.set_script_timeout(60)
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.size(width, height)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def system_theme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, url, address="", wait="document.documentElement.dataset.firstFrame"):
        """Loads anew, also where only the part behind '#' differs."""
        self.driver.get("about:blank")
        self.driver.get(url + ("#" + address if address else ""))
        if wait:
            self.until(wait)

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def module(self, names, body, *arguments):
        """Runs `body` with names of the page's own modules: module("panes.js:panes", "return panes.length")."""
        imports = "".join(f'const {{{n.split(":")[1]}}} = await import("./page/{n.split(":")[0]}");' for n in names.split(";"))
        answer = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);"
            f"(async (...given) => {{ {imports} {body} }})(...given).then((v) => done({{value: v ?? null}}), (e) => done({{error: String(e)}}));", *arguments)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def until(self, condition, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            if self.js(f"return {condition}"):
                return
            time.sleep(0.03)
        self.shot("timeout")
        raise AssertionError(f"waited {seconds} s for: {condition}")

    def settled(self, frame=None):
        """Everything asked for is drawn."""
        if frame is not None:
            self.until(f"document.getElementById('frame-name').textContent.replaceAll(' ', '') === '{frame}'")
        self.until("document.documentElement.dataset.shown !== undefined && document.getElementById('frame-name').textContent.replaceAll(' ', '') !== ''")
        self.driver.execute_async_script("const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 60);")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def press(self, *keys):
        """Keys on the page itself, with no control focused."""
        self.js("document.activeElement?.blur()")
        actions = ActionChains(self.driver, duration=0)
        for key in keys:
            if isinstance(key, tuple):
                actions.key_down(key[0]).send_keys(key[1]).key_up(key[0])
            else:
                actions.send_keys(key)
        actions.perform()

    def choose(self, selector, value):
        self.js("const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true}));", selector, value)

    def pointer(self, x, y, then="move", to=None, shift=False):
        """The mouse at a place of the window, in CSS pixels: move, click, or drag to another."""
        actions = ActionBuilder(self.driver, duration=0)
        if shift:
            actions.key_action.key_down(Keys.SHIFT)
        actions.pointer_action.move_to_location(round(x), round(y))
        if then == "click":
            actions.pointer_action.click()
        elif then == "drag":
            actions.pointer_action.pointer_down()
            for k in range(1, 5):
                actions.pointer_action.move_to_location(round(x + (to[0] - x) * k / 4), round(y + (to[1] - y) * k / 4))
            actions.pointer_action.pointer_up()
        if shift:
            actions.key_action.key_up(Keys.SHIFT)
        actions.perform()

    def wheel(self, selector, x, y, delta):
        self.js("const e = document.querySelector(arguments[0]); e.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: arguments[1], clientY: arguments[2], deltaY: arguments[3]}))", selector, x, y, delta)

    def pixel_place(self, pane, x, y):
        """Where pixel (x, y) of a pane's picture lies in the window (its middle)."""
        return self.module("panes.js:panes, placeOf", """
            const pane = panes[given[0]], place = placeOf(pane), box = pane.body.getBoundingClientRect();
            return [box.left + place.left + (given[1] + 0.5) * place.scale, box.top + place.top + (given[2] + 0.5) * place.scale];""", pane, x, y)

    def drawn(self, pane, x, y):
        """[r, g, b] on the screen in the middle of a pixel, without what is drawn over the picture."""
        at = self.pixel_place(pane, x, y)
        return self.js("""const canvas = document.getElementById('gl'), box = canvas.getBoundingClientRect(), gl = canvas.getContext('webgl2'), out = new Uint8Array(4);
            gl.readPixels(Math.floor(arguments[0] - box.left), Math.floor(canvas.height - (arguments[1] - box.top)), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out); return [...out].slice(0, 3);""", *at)

    def values(self):
        """What the readout shows: label -> numbers."""
        rows = self.js("return [...document.querySelectorAll('#readout tr')].map((r) => [r.dataset.label, r.dataset.value ?? null])")
        return {label: [float(v) for v in text.split(",")] if text is not None else None for label, text in rows}

    def state(self):
        return self.module("state.js:current", "return structuredClone(current)")

    def problems(self):
        """What the browser complained of since it was asked last."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]

    def shot(self, name):
        self.driver.save_screenshot(str(self.folder / f"{name}.png"))

    def close(self):
        self.driver.quit()


def make_sets(program, folder):
    """good: two rooms of three frames. bad: the same with faults. predicted: depth and classes with small errors."""
    good, bad, predicted = folder / "good", folder / "bad", folder / "predicted"
    subprocess.run([program, "generate", "rooms", "--out", good, "--scenes", "2", "--frames", "3", "--size", "160x120", "--spp", "2", "--seed", "11"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.copytree(good, bad)
    frames = sorted(f"{p.parts[-4]}/cam_00/{p.name[6:10]}" for p in good.glob("*/images/scene_cam_00_final_hdf5/frame.*.color.hdf5"))
    flipped, planar, holes, damaged, missing = frames[0], frames[1], frames[2], frames[3], frames[4]
    for label in ["normal_world", "normal_cam", "normal_bump_world", "normal_bump_cam"]:
        path = label_file(bad, flipped, label)
        rewrite(path, -read(path).astype(np.float32))
    rewrite(label_file(bad, planar, "depth_meters"), read(label_file(good, planar, "depth_planar_meters")))
    depth = read(label_file(good, holes, "depth_meters")).astype(np.float32)
    depth[20:60, 30:80] = np.nan
    depth[70:80, 30:80] = np.inf
    rewrite(label_file(bad, holes, "depth_meters"), depth)
    path = label_file(bad, damaged, "normal_world")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    label_file(bad, missing, "depth_meters").unlink()
    rng = np.random.default_rng(3)
    for frame in frames:
        for label in ["depth_meters", "semantic"]:
            path = label_file(predicted, frame, label)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(label_file(good, frame, label), path)
        path = label_file(predicted, frame, "depth_meters")
        depth = read(path).astype(np.float32)
        rewrite(path, depth * (1 + 0.05 * rng.standard_normal(depth.shape)))
        path = label_file(predicted, frame, "semantic")
        semantic = read(path)
        semantic[:20] = 1
        rewrite(path, semantic)
    return {"good": good, "bad": bad, "predicted": predicted, "frames": frames, "flipped": flipped, "planar": planar, "holes": holes, "damaged": damaged, "missing": missing}


def make_long_set(good, folder, count):
    """`count` frames in the manifest: scenes that are links to one of `good`, files listed too."""
    folder.mkdir()
    lines = (good / "manifest.jsonl").read_text().splitlines()
    record = {k: [json.loads(l) for l in lines if f'"record":"{k}"' in l] for k in ["dataset", "frame", "file"]}
    scene = record["frame"][0]["scene"]
    of_scene = [f for f in record["frame"] if f["scene"] == scene]
    files = [f for f in record["file"] if f["path"].startswith(scene + "/images")]
    dump = lambda line: json.dumps(line, separators=(",", ":")) + "\n"
    with open(folder / "manifest.jsonl", "w") as out:
        out.write(dump({**record["dataset"][0], "complete": True}))
        texts = []
        for n in range(count // len(of_scene) + 1):
            name = f"ai_{n // 1000:03d}_{n % 1000:03d}"
            os.symlink(good / scene, folder / name)
            for frame in of_scene:
                if len(texts) < count:
                    texts.append(dump({**frame, "scene": name}))
        out.writelines(texts)
        for n in range(count // len(of_scene)):
            name = f"ai_{n // 1000:03d}_{n % 1000:03d}"
            out.writelines(dump({**f, "path": name + f["path"][len(scene):]}) for f in files[:20])
    return folder
