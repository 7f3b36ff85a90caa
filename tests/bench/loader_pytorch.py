#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images per second of the loader against a PyTorch DataLoader with h5py, on the same files and for the same work.

    loader_pytorch.py LOADER_BENCH SET [--repeats 5] [--images 200] [--workers 2] [--color tone_mapped|linear]

LOADER_BENCH is the program built from loader_bench.cpp. Both give batches of 8 random, perhaps mirrored crops of 192x256:
color (tone-mapped by the percentile of the whole frame, or linear), depth, unit normals in the camera frame, semantics,
and a mask for each label. The Python side reads only the window from each file (h5py unpacks only the chunks it
touches), keeps a frame's tone map scale once it has it, as ours does, and lets its workers stay alive. Contestants take turns; CPU
seconds are those of all processes. First the middles of the same frames are compared, sum by sum.
"""
import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

HEIGHT, WIDTH, BATCH = 192, 256, 8


class Frames(Dataset):
    def __init__(self, root, color, fixed=False):
        pattern = os.path.join(root, "*", "images", "scene_cam_*_final_hdf5", "frame.*.color.hdf5")
        self.color_files = sorted(glob.glob(pattern)) or sorted(glob.glob(os.path.join(root, "scenes", pattern)))
        self.color, self.fixed, self.scales = color, fixed, {}
        with h5py.File(self.color_files[0], "r") as f:
            self.height, self.width = f["dataset"].shape[:2]

    def __len__(self):
        return len(self.color_files)

    def label(self, i, name):
        return re.sub(r"_final_hdf5(.*)\.color\.hdf5$", rf"_geometry_hdf5\1.{name}.hdf5", self.color_files[i])

    @staticmethod
    def window(path, rows, columns):
        with h5py.File(path, "r") as f:
            return f["dataset"][rows, columns]

    def scale(self, i):
        if i not in self.scales:
            whole = slice(None)
            rgb = self.window(self.color_files[i], whole, whole).astype(np.float32)
            valid = self.window(self.label(i, "render_entity_id"), whole, whole) != -1
            light = (rgb @ np.array([0.3, 0.59, 0.11], np.float32))[valid]
            top = np.percentile(light, 90) if light.size else None
            self.scales[i] = 1.0 if top is None else 0.0 if top < 1e-4 else 0.8 ** 2.2 / top
        return self.scales[i]

    def __getitem__(self, i):
        r, c, flip = (self.height - HEIGHT) // 2, (self.width - WIDTH) // 2, False
        if not self.fixed:
            r = int(torch.randint(self.height - HEIGHT + 1, ()))
            c = int(torch.randint(self.width - WIDTH + 1, ()))
            flip = bool(torch.rand(()) < 0.5)
        rows, columns = slice(r, r + HEIGHT), slice(c, c + WIDTH)
        color = self.window(self.color_files[i], rows, columns).astype(np.float32)
        depth = self.window(self.label(i, "depth_meters"), rows, columns).astype(np.float32)
        normal = self.window(self.label(i, "normal_cam"), rows, columns).astype(np.float32)
        classes = self.window(self.label(i, "semantic"), rows, columns).astype(np.int64)
        if flip:
            color, depth, normal, classes = (x[:, ::-1] for x in (color, depth, normal, classes))
            normal = normal * np.array([-1, 1, 1], np.float32)
        if self.color == "tone_mapped":
            color = np.clip(np.maximum(color * np.float32(self.scale(i)), 0) ** np.float32(1 / 2.2), 0, 1)
        else:
            color = np.clip(color, 0, 65504)
        depth_mask = np.isfinite(depth) & (depth > 0)
        length = np.sqrt((normal * normal).sum(-1))
        normal_mask = length > 1e-3
        normal = np.where(normal_mask[..., None], normal / np.where(normal_mask, length, 1)[..., None], 0)
        class_mask = classes > 0
        chw = lambda x: torch.from_numpy(np.ascontiguousarray(x.transpose(2, 0, 1)))
        hw = lambda x: torch.from_numpy(np.ascontiguousarray(x))
        return (chw(color), hw(np.where(depth_mask, depth, 0))[None], hw(depth_mask)[None], chw(normal), hw(normal_mask)[None],
                hw(np.where(class_mask, classes, -1)), hw(class_mask)[None])


def child_cpu_seconds(pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def run_pytorch(root, color, workers, images):
    """Passes like those of loader_bench: the first epoch, then so many images."""
    torch.set_num_threads(1)
    frames = Frames(root, color)
    loader = DataLoader(frames, batch_size=BATCH, shuffle=True, drop_last=True, num_workers=workers, persistent_workers=workers > 0,
                        prefetch_factor=2 if workers else None)
    iterator = iter(loader)          # starts the workers: not counted
    pids = [w.pid for w in iterator._workers] if workers else []
    results = []
    for name, wanted in (("first epoch", len(loader) * BATCH), ("later", images)):
        start, cpu, done = time.perf_counter(), time.process_time() + child_cpu_seconds(pids), 0
        while done < wanted:
            try:
                batch = next(iterator)
            except StopIteration:
                iterator = iter(loader)
                continue
            done += batch[0].shape[0]
        seconds, cpu = time.perf_counter() - start, time.process_time() + child_cpu_seconds(pids) - cpu
        results.append({"pass": name, "images": done, "seconds": seconds, "cpu_seconds": cpu, "images_per_second": done / seconds,
                        "images_per_cpu_second": done / cpu})
    return results


def run_ours(bench, root, color, workers, images):
    out = subprocess.run([bench, root, "--color", color, "--threads", str(workers), "--images", str(images)], check=True,
                         capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(bench, root, color):
    """The middle of the first frames, sum by sum: image, depth, normals, semantics and their masks."""
    ours = json.loads(subprocess.run([bench, root, "--color", color, "--fixed"], check=True, capture_output=True, text=True).stdout)["checksums"]
    frames = Frames(root, color, fixed=True)
    batch = [torch.stack(x) for x in zip(*(frames[i] for i in range(min(BATCH, len(frames)))))]
    theirs = [float(x.sum(dtype=torch.float64)) for x in batch]
    for name, a, b in zip(("image", "depth", "depth mask", "normals", "normal mask", "semantics", "semantics mask"), ours, theirs):
        # Sums of up to a million floats of rounding 6e-8, and a power to 1e-6.
        if not abs(a - b) <= 2e-6 * max(abs(a), abs(b), 1.0):
            sys.exit(f"{root}: the sum of {name} is {a} in one loader and {b} in the other")


def summary(values):
    return f"{statistics.median(values):.3g} ({min(values):.3g}..{max(values):.3g})"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("bench")
    ap.add_argument("set")
    ap.add_argument("--repeats", type=int, default=5)
    ap.add_argument("--images", type=int, default=200)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--color", choices=["tone_mapped", "linear"], default="tone_mapped")
    o = ap.parse_args()
    compare(o.bench, o.set, o.color)
    runs = {"ours": [], "PyTorch": []}
    for repeat in range(o.repeats):
        turns = [("ours", lambda: run_ours(o.bench, o.set, o.color, o.workers, o.images)),
                 ("PyTorch", lambda: run_pytorch(o.set, o.color, o.workers, o.images))]
        for name, turn in turns if repeat % 2 == 0 else reversed(turns):
            runs[name].append(turn())
    print("| pass | ours, images/s | PyTorch, images/s | ratio | ours, images/CPU s | PyTorch, images/CPU s | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    for i, name in enumerate(("first epoch", "later")):
        row = [name]
        for key in ("images_per_second", "images_per_cpu_second"):
            ours, theirs = ([r[i][key] for r in runs[who]] for who in ("ours", "PyTorch"))
            row += [summary(ours), summary(theirs), summary([a / b for a, b in zip(ours, theirs)])]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
