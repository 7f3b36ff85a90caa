# SPDX-License-Identifier: Apache-2.0
"""One thread and two threads write the same bytes; so does a run that was killed several times and then finished.

After each kill the audit must call the set incomplete (exit 1), and no file under its final name may be damaged.
"""
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

import support

REQUEST = ["--frames", "5", "--size", "160x120", "--spp", "16", "--seed", "3"]
KILLS = 10
# What a run may write differently: the manifest tells the seconds each file took.
COMPARED = (".hdf5", ".csv", ".jpg", ".png", ".md", ".txt")


def generate(program, scene, out, threads):
    return [program, "generate", scene, "--out", out, "--threads", str(threads), *REQUEST]


def check_files_are_whole(out):
    """Everything under a final name opens as what it claims to be."""
    import h5py
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".hdf5"):
                with h5py.File(path, "r") as file:
                    file["dataset"][...]
            elif name.endswith(".jpg"):
                with open(path, "rb") as file:
                    data = file.read()
                if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
                    support.fail(f"{path}: no whole JPEG file")


def killed_run(command, out, seconds, program):
    """Starts the command and kills it after some seconds. Number of frames it left; None when it had finished."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=seconds)
        if process.returncode != 0:
            support.fail(f"a resumed run ended with {process.returncode}: {errors}")
        return None
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    if not os.path.isdir(out):
        print(f"killed after {seconds:.2f} s, before the folder was made")
        return 0
    text = support.run([program, "audit", out], expect=(0, 1), lines=1)
    if text.endswith("all checks hold\n"):
        return None        # the last file was written, and the program about to end
    if "incomplete" not in text:
        support.fail(f"the audit of a killed run does not say that it is incomplete:\n{text}")
    check_files_are_whole(out)
    frames = len([n for _, _, names in os.walk(out) for n in names if n.endswith(".color.hdf5")])
    print(f"killed after {seconds:.2f} s with {frames} frames; the audit says incomplete, no file is damaged")
    return frames


options = support.arguments(__doc__, ("--kills", {"type": int, "default": KILLS}),
                            ("--seed", {"type": int, "default": 1}))
support.need_shared("data", "obj-odd", "tinyobjloader", "cornell_box_multimaterial.obj")
scene = os.path.join(support.ROOT, "configs", "dataset", "cornell_multimaterial.yaml")
support.need_modules("numpy", "h5py")
with tempfile.TemporaryDirectory(prefix="simulacra-same-") as work:
    one, two, killed = (os.path.join(work, name) for name in ("one", "two", "killed"))
    start = time.time()
    support.run(generate(options.program, scene, one, 1))
    support.run(generate(options.program, scene, two, 2))
    whole = (time.time() - start) / 2
    reference = support.tree(one, COMPARED)
    support.same_trees(reference, support.tree(two, COMPARED), "one thread and two")

    chance = random.Random(options.seed)
    kills = with_frames = 0
    for _ in range(20 * options.kills):
        if kills >= options.kills and with_frames > 0:
            break
        frames = killed_run(generate(options.program, scene, killed, 2), killed, chance.uniform(0.02, 0.9) * whole,
                            options.program)
        if frames is None:
            print("finished before the kill; starting over")
            shutil.rmtree(killed)
        else:
            kills += 1
            with_frames += frames > 0
    if kills < options.kills or with_frames == 0:
        support.fail(f"{kills} of {options.kills} kills met a running program, {with_frames} of them with frames")
    support.run(generate(options.program, scene, killed, 2))
    support.same_trees(reference, support.tree(killed, COMPARED), f"uninterrupted and after {kills} kills")
    support.run([options.program, "audit", killed])
