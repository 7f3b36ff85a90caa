# SPDX-License-Identifier: Apache-2.0
"""Tables 1 to 3: inside our own program, and its files beside h5py's."""
import json
import os
import subprocess
import sys
import tempfile

from measure import HERE, ROOT, Missing, need, ratios, run_json, spread, table


def rays(o):
    """Rays per second inside the path loop against a bare Embree loop on the same rays, one thread."""
    program = need(os.path.join(o.build, "bin", "rays_bench"), "build the target rays_bench with -DSIMULACRA_BENCH=ON")
    rows = []
    for name in ("modern-hall", "veach-mis"):
        print(f"rays: {name}", file=sys.stderr)
        scene = need(o.scene(name), "shared data")
        runs = run_json([program, scene, "--size", "640x360", "--spp", "1", "--max-depth", "65", "--repeats", o.repeats])
        path = [r["path_cpu_seconds"] for r in runs]
        bare = [r["bare_cpu_seconds"] for r in runs]
        count = runs[0]["rays"]
        rows.append([name, f"{count / 1e6:.2f} M", spread(count / 1e6 / t for t in path), spread(count / 1e6 / t for t in bare),
                     spread(ratios(bare, path), 2), spread((r["share_in_embree"] for r in runs), 2)])
    return table(["scene", "rays", "path loop, M rays / CPU s", "bare Embree loop, M rays / CPU s",
                  "bare time / path loop time", "share of the path loop inside Embree"], rows)


def labels(o):
    """Cost of the label pass over the color pass at 64 samples a pixel, in CPU seconds of three frames each."""
    program = need(os.path.join(o.build, "bin", "simulacra"), "build the target simulacra")
    rows = []
    for name, source, more in (("modern-hall", "configs/dataset/modern_hall.yaml", []),
                               ("drake living room", "configs/dataset/drake_living_room.yaml", []),
                               ("rooms", "rooms", ["--scenes", o.repeats, "--seed", 1])):
        print(f"labels: {name}", file=sys.stderr)
        frames = ["--frames", 1] if source == "rooms" else ["--frames", o.repeats]
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "generate", source if source == "rooms" else os.path.join(ROOT, source), "--out",
                       os.path.join(folder, "set"), "--size", "256x192", "--spp", 64, "--threads", 2, *frames, *more]
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
            if done.returncode != 0:
                raise Missing(f"{' '.join(map(str, command))}: {done.stderr.strip()[-600:]}")
            with open(os.path.join(folder, "set", "manifest.jsonl"), encoding="utf-8") as f:
                records = [r for r in map(json.loads, f) if r["record"] == "frame"]
        label = [r["label_cpu_seconds"] for r in records]
        color = [r["color_cpu_seconds"] for r in records]
        rows.append([name, len(records), spread(label), spread(color),
                     spread((100 * x for x in ratios(label, color)), 2) + " %"])
    return table(["data set", "frames", "label pass, CPU s", "color pass, CPU s", "labels / color"], rows)


def hdf5(o):
    """Compressing and writing one 1024x768 frame set, against h5py with gzip-9 in one thread."""
    program = need(os.path.join(o.build, "bin", "hdf5_bench"), "build the target hdf5_bench with -DSIMULACRA_BENCH=ON")
    sources = [("synthetic room, noise as of 64 samples", [])]
    for text in o.data_set:
        name, _, folder = text.rpartition("=")
        sources.append((name or os.path.basename(folder), ["--data-set", folder]))
    rows = []
    for name, source in sources:
        print(f"hdf5: {name}", file=sys.stderr)
        results = run_json([sys.executable, os.path.join(HERE, "hdf5_h5py.py"), program, "--levels", *o.levels, "--runs",
                            o.repeats, *source])
        theirs = [r["h5py"] for r in results]
        for level in o.levels:
            one, two = ([next(u for u in r["ours"] if (u["level"], u["threads"]) == (level, threads)) for r in results]
                        for threads in (1, 2))

            def faster(ours, key, their_key="seconds"):
                return spread(ratios([t[their_key] for t in theirs], [u[key] for u in ours]))

            rows.append([name, level,
                         spread(u["seconds"] for u in one), spread(u["seconds"] for u in two),
                         spread(t["seconds"] for t in theirs), faster(two, "seconds"), faster(two, "frame_seconds"),
                         f"{spread(u['cpu_seconds'] for u in two)} / {spread(t['cpu_seconds'] for t in theirs)}",
                         faster(two, "cpu_seconds", "cpu_seconds"),
                         f"{two[0]['bytes'] / 1e6:.2f} / {theirs[0]['bytes'] / 1e6:.2f}",
                         f"{two[0]['bytes'] / theirs[0]['bytes']:.2f}"])
    return table(["frame set", "our level", "1 thread, s", "2 threads, s", "h5py gzip-9, s", "times faster, 2 threads",
                  "from planes, times faster", "CPU s, ours / h5py", "times less CPU", "MB ours / h5py", "size ours / h5py"], rows)
