# SPDX-License-Identifier: Apache-2.0
"""Tables 4 and 5: beside Cycles and Mitsuba."""
import os
import statistics
import sys
import tempfile

from measure import HERE, in_turns, need, ratios, run_json, seconds_of, spread, table

EYE, TARGET, FOV = (-2.4, 2.5, 1.6), (0.5, -1.6, 0.8), 75


def share_that_differs(exr, position_npy):
    """Share of pixels whose positions differ by more than 1 cm, between our file and Cycles' pass."""
    import numpy as np
    import OpenEXR
    with OpenEXR.File(exr, separate_channels=True) as f:
        part = next(p for p in f.parts if p.header.get("name") == "position")
        names = {n.rpartition(".")[2]: n for n in part.channels}
        axes = ("X", "Y", "Z") if "X" in names else ("R", "G", "B")
        ours = np.stack([part.channels[names[a]].pixels for a in axes], -1).astype(np.float64)
    theirs = np.load(position_npy).astype(np.float64)
    return float((np.abs(ours - theirs).max(-1) > 0.01).mean())


def cycles(o):
    """A labels-only frame at 1024x768 against Cycles' label passes at one sample, 2 threads."""
    frame_bench = need(os.path.join(o.build, "bin", "frame_bench"), "build the target frame_bench")
    program = need(os.path.join(o.build, "bin", "simulacra"), "build the target simulacra")
    room = need(os.path.join(o.shared, "data/scenes/drake-living-room/models/assets/living_room.gltf"), "shared data")
    with tempfile.TemporaryDirectory() as folder:
        scene, exr = os.path.join(folder, "room.yaml"), os.path.join(folder, "labels.exr")
        with open(scene, "w", encoding="utf-8") as f:
            f.write(f"scene:\n  place:\n    - {{file: {os.path.abspath(room)}, name: room}}\n  cameras:\n    - {{name: bench, "
                    f"position: {list(EYE)}, look_at: {list(TARGET)}, fov_deg: {FOV}}}\n")
        common = ["--size", "1024x768", "--threads", 2]
        bpy = [o.bpy_python, os.path.join(HERE, "cycles_labels.py"), room, "-o", folder, "--eye", *EYE, "--target", *TARGET,
               "--fov-x", FOV, "--repeats", 1, *common]

        def whole_command(_):
            return seconds_of([program, "render", scene, "-o", exr, "--spp", 0, *common])
        runs = in_turns(o.repeats, passes=lambda _: run_json([frame_bench, scene, "--spp", 0, *common])[0],
                        command=whole_command, theirs=lambda _: run_json(bpy)[0])
        differing = share_that_differs(exr, os.path.join(folder, "position.npy"))
    theirs, ours, command = runs["theirs"], runs["passes"], runs["command"]
    later = [t["later"][0] for t in theirs]
    whole = [{key: t["import"][key] + t["first"][key] for key in ("seconds", "cpu_seconds")} for t in theirs]
    rows = []
    for unit, label_key, key in (("wall s", "label_seconds", "seconds"), ("CPU s", "label_cpu_seconds", "cpu_seconds")):
        for name, mine, other in (("label pass / render call, scene kept", [r[label_key] for r in ours], [t[key] for t in later]),
                                  ("whole command / import, render call, EXR", [c[key] for c in command], [w[key] for w in whole])):
            rows.append([f"{name}, {unit}", spread(mine), spread(other), spread(ratios(other, mine))])
    return (table(["what", "ours", f"Cycles {theirs[0]['version']}", "times faster"], rows) +
            f"\n\nBoth show the same view: positions differ by more than 1 cm at {100 * differing:.4f} % of the pixels.")


def errors(exr, reference):
    """relMSE as acceptance/images/compare.py computes it, and without the worst thousandth of the pixels."""
    import numpy as np
    import compare
    ours, ref = compare.read_rgb(exr, "color"), compare.read_rgb(reference)
    d = (ours - ref) ** 2 / (ref ** 2 + 1e-2 * ref.mean() ** 2)
    per_pixel = np.sort(d.mean(-1).ravel())
    return {"relmse": float(d.mean()), "trimmed": float(per_pixel[:-max(1, per_pixel.size // 1000)].mean()),
            "mean": float(ours.mean() / ref.mean())}


def mitsuba(o):
    """Samples per CPU second, and error x time, beside Mitsuba 3; 640x360, depth 65, 2 threads."""
    images = need(os.path.join(o.shared, "acceptance", "images"), "shared data")
    sys.path.insert(0, images)
    ours = {"ours": need(os.path.join(o.build, "bin", "frame_bench"), "build the target frame_bench")}
    if o.baseline:
        ours["ours, before"] = need(o.baseline, "--baseline names another build's frame_bench")
    text = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in o.scenes:
            file, reference = need(o.scene(scene), "shared data"), os.path.join(images, scene + ".exr")
            settings = ["--size", "640x360", "--spp", o.spp, "--max-depth", 65, "--threads", 2]

            def render(command, repeat, name):
                exr = os.path.join(folder, name.replace(" ", "_") + ".exr")
                row = run_json([*command, file, *settings, "--seed", o.seed + repeat, "-o", exr])[-1]
                row.setdefault("seconds", row.get("color_seconds", 0) + row.get("label_seconds", 0))
                row.setdefault("cpu_seconds", row.get("color_cpu_seconds", 0) + row.get("label_cpu_seconds", 0))
                return row | errors(exr, reference)
            contestants = {name: [program] for name, program in ours.items()}
            contestants |= {variant: [o.mitsuba_python, os.path.join(HERE, "mitsuba_render.py"), variant] for variant in o.variants}
            runs = in_turns(o.repeats, **{name: (lambda r, c=command, n=name: render(c, r, n))
                                          for name, command in contestants.items()})
            text.append(f"**{scene}**, {o.spp} samples a pixel\n\n" + _mitsuba_table(runs, o.variants))
    return "\n\n".join(text)


def _mitsuba_table(runs, variants):
    """What was measured, and below it our rows set beside each variant's: above 1 is better."""
    def speed(rs):
        return [r["samples"] / r["cpu_seconds"] for r in rs]

    def efficiency(rs, error, seconds="cpu_seconds"):
        # The error's mean over the repeats: a single image's depends on a few bright pixels.
        mean = statistics.mean(r[error] for r in rs)
        return [1 / (mean * r[seconds]) for r in rs]
    measured = [[name, spread(r["cpu_seconds"] for r in rs), spread(r["seconds"] for r in rs), spread(s / 1e6 for s in speed(rs)),
                 spread(r["relmse"] for r in rs), spread(r["trimmed"] for r in rs), f"{statistics.mean(r['mean'] for r in rs):.4f}"]
                for name, rs in runs.items()]
    beside = [[f"{name} / {variant}", spread(ratios(speed(rs), speed(runs[variant]))),
               *(spread(ratios(efficiency(rs, *what), efficiency(runs[variant], *what)))
                 for what in (("relmse",), ("trimmed",), ("trimmed", "seconds")))]
              for variant in variants for name, rs in runs.items() if name not in variants]
    return (table(["renderer", "CPU s", "wall s", "M samples / CPU s", "relMSE", "relMSE of 99.9 %", "mean / reference"], measured) +
            "\n\n" + table(["ratio", "samples / CPU s", "1 / (relMSE x CPU s)", "1 / (relMSE of 99.9 % x CPU s)",
                            "1 / (relMSE of 99.9 % x wall s)"], beside))
