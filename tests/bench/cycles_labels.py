#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Render label passes of a glTF with Cycles at one sample and print its seconds as JSON. Used by run_all.py cycles.

    cycles_labels.py SCENE.gltf -o FOLDER --eye X Y Z --target X Y Z [--fov-x DEG] [--size 1024x768] [--threads 2]
                     [--repeats 3]

Runs where `import bpy` works (pip install bpy). Position and target are in metres, z up. Each render call is
timed: the first builds everything and writes a file; the later ones keep the scene and only render. Bounces are
set to none, which is the least that Cycles can do for its passes. The position pass of the first is written as
FOLDER/position.npy (rows from the top, x y z), so that others can see whether it shows the same view.
"""
import argparse
import json
import math
import os
import resource
import time

import bpy
import mathutils
import numpy as np


def set_camera(scene, eye, target, fov_x):
    data = bpy.data.cameras.new("bench")
    data.sensor_fit, data.angle = "HORIZONTAL", math.radians(fov_x)
    camera = bpy.data.objects.new("bench", data)
    camera.location = eye
    direction = mathutils.Vector(target) - mathutils.Vector(eye)
    camera.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera


def set_render(scene, width, height, threads, folder):
    r, c = scene.render, scene.cycles
    r.engine = "CYCLES"
    r.resolution_x, r.resolution_y, r.resolution_percentage = width, height, 100
    r.threads_mode, r.threads = "FIXED", threads
    r.use_persistent_data, r.use_compositing, r.use_sequencer = True, False, False
    c.device, c.samples, c.use_adaptive_sampling, c.use_denoising = "CPU", 1, False, False
    c.max_bounces = c.transparent_max_bounces = 0
    c.pixel_filter_type = "BOX"
    layer = scene.view_layers[0]
    for name in ("z", "position", "normal", "uv", "object_index", "diffuse_color"):
        setattr(layer, "use_pass_" + name, True)
    if hasattr(r.image_settings, "media_type"):  # Blender 5
        r.image_settings.media_type = "MULTI_LAYER_IMAGE"
    r.image_settings.file_format = "OPEN_EXR_MULTILAYER"
    r.image_settings.color_depth, r.image_settings.exr_codec = "32", "NONE"
    r.filepath = os.path.join(folder, "passes.exr")


def seconds_of(call):
    def cpu():
        u = resource.getrusage(resource.RUSAGE_SELF)
        return u.ru_utime + u.ru_stime
    start, cpu_start = time.perf_counter(), cpu()
    call()
    return {"seconds": time.perf_counter() - start, "cpu_seconds": cpu() - cpu_start}


def read_position(path):
    import OpenEXR
    with OpenEXR.File(path, separate_channels=True) as f:
        channels = {n: c.pixels for part in f.parts for n, c in part.channels.items()}
    names = {n.rpartition(".")[2]: n for n in channels if ".Position." in n or n.startswith("Position.")}
    return np.stack([channels[names[axis]] for axis in "XYZ"], -1)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("scene")
    ap.add_argument("-o", "--output", required=True)
    ap.add_argument("--eye", type=float, nargs=3, required=True)
    ap.add_argument("--target", type=float, nargs=3, required=True)
    ap.add_argument("--fov-x", type=float, default=75)
    ap.add_argument("--size", default="1024x768")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--repeats", type=int, default=3)
    o = ap.parse_args()
    width, height = map(int, o.size.split("x"))

    bpy.ops.wm.read_factory_settings(use_empty=True)
    load = seconds_of(lambda: bpy.ops.import_scene.gltf(filepath=os.path.abspath(o.scene)))
    scene = bpy.context.scene
    set_camera(scene, o.eye, o.target, o.fov_x)
    set_render(scene, width, height, o.threads, o.output)
    for i, thing in enumerate(bpy.data.objects):
        thing.pass_index = i + 1
    first = seconds_of(lambda: bpy.ops.render.render(write_still=True))
    later = [seconds_of(lambda: bpy.ops.render.render()) for _ in range(o.repeats)]
    np.save(os.path.join(o.output, "position.npy"), read_position(scene.render.filepath))
    print("\n" + json.dumps({"version": bpy.app.version_string, "import": load, "first": first, "later": later}))


if __name__ == "__main__":
    main()
