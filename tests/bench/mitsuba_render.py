#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Render a Mitsuba scene with Mitsuba 3 and print its seconds as JSON. Used by run_all.py mitsuba.

    mitsuba_render.py VARIANT SCENE.xml -o FILE.exr [--size 640x360] [--spp 16] [--max-depth 65] [--seed 0] [--threads 2]

Only the render call is timed, after one of a single sample that compiles the kernels (which the
compiled variants keep). The scene is rendered as the references were: path integrator, box filter, size and
depth from the command line. What Mitsuba 3 refuses in old files is dropped, and named.
"""
import argparse
import json
import os
import resource
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

DROPPED_TAGS = {"mode", "hide", "integrator"}
DROPPED_NAMES = {"high_quality_edges", "extEta"}  # extEta 1: of conductors in air


def cleaned(root, width, height):
    """Drops what Mitsuba 3 does not know; sets the film. Returns the names of what was dropped."""
    dropped = []
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in DROPPED_TAGS or child.get("name") in DROPPED_NAMES:
                parent.remove(child)
                dropped.append(child.get("name") or child.tag)
    for film in root.iter("film"):
        film.set("type", "hdrfilm")
        for child in list(film):
            if child.tag != "include":  # pixel formats and tone curves of other films
                film.remove(child)
        for name, value in (("width", width), ("height", height)):
            ET.SubElement(film, "integer", name=name, value=str(value))
        ET.SubElement(film, "rfilter", type="box")
    return dropped


def load(mi, path, width, height):
    tree = ET.parse(path)
    dropped = cleaned(tree.getroot(), width, height)
    with tempfile.TemporaryDirectory() as folder:
        beside = os.path.dirname(os.path.abspath(path))
        for name in os.listdir(beside):  # so that relative names still lead to the files
            if name != os.path.basename(path):
                os.symlink(os.path.join(beside, name), os.path.join(folder, name))
        clean = os.path.join(folder, "cleaned.xml")
        tree.write(clean)
        return mi.load_file(clean), dropped


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("variant")
    ap.add_argument("scene")
    ap.add_argument("-o", "--output", required=True)
    ap.add_argument("--size", default="640x360")
    ap.add_argument("--spp", type=int, default=16)
    ap.add_argument("--max-depth", type=int, default=65)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--threads", type=int, default=2)
    o = ap.parse_args()
    width, height = map(int, o.size.split("x"))

    import drjit
    import mitsuba as mi
    import numpy as np
    if o.variant not in mi.variants():
        sys.exit(f"Mitsuba has no variant {o.variant!r}; there are {', '.join(mi.variants())}")
    mi.set_variant(o.variant)
    # The calling thread works too in scalar variants; in compiled ones it waits.
    drjit.set_thread_count(o.threads)
    scene, dropped = load(mi, o.scene, width, height)
    integrator = mi.load_dict({"type": "path", "max_depth": o.max_depth})
    np.array(mi.render(scene, integrator=integrator, spp=1, seed=o.seed + 1000))

    start, cpu_start = time.perf_counter(), cpu()
    image = np.array(mi.render(scene, integrator=integrator, spp=o.spp, seed=o.seed))
    seconds, cpu_seconds = time.perf_counter() - start, cpu() - cpu_start
    if image.shape != (height, width, 3) or not np.isfinite(image).all():
        sys.exit(f"unusable image: shape {image.shape}, finite {bool(np.isfinite(image).all())}")
    mi.Bitmap(image.astype(np.float32)).write(o.output)
    print(json.dumps({"version": mi.__version__, "spp": o.spp, "samples": width * height * o.spp, "seconds": seconds,
                      "cpu_seconds": cpu_seconds, "dropped": sorted(set(dropped))}))


if __name__ == "__main__":
    main()
