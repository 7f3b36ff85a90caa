#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sigmoid against softmax attention, and poly-view pretraining against none, on generated rooms.

  rooms_study.py [--program build/bin/simulacra] [--out runs/rooms_study] [--jobs 2] [--part parity|pretraining|all]

Makes 432 frames of 72 rooms at 256 x 192 (once), trains with three seeds each, evaluates on the rooms that were held back,
and prints tables in Markdown: every seed, the mean, and a 95 % interval of the paired differences (Student's t). What is
there already is kept, so that a stopped study goes on. Each training has one thread, and --jobs run at a time: the numbers
do not depend on it. About 80 minutes on two cores.
"""
import argparse, concurrent.futures, json, math, pathlib, statistics, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEEDS = (0, 1, 2)
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}  # two-sided 95 % quantiles of Student's t by degrees of freedom
SCORES = [("depth/abs_rel", "AbsRel", False), ("depth/delta1", "δ1", True), ("depth/abs_rel_aligned", "AbsRel aligned", False),
          ("normals/mean_deg", "normals, mean °", False), ("semantics/mean_iou", "mIoU", True), ("semantics/pixel_accuracy", "pixel accuracy", True)]
STEPS = {"parity": 400, "pretrain": 600, "few": 200}


def run(*command):
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)


class Study:
    def __init__(self, a):
        self.program, self.out = pathlib.Path(a.program).resolve(), pathlib.Path(a.out)
        self.jobs = concurrent.futures.ThreadPoolExecutor(a.jobs)
        self.data = self.out / "rooms"

    def make_data(self):
        run(self.program, "generate", "rooms", "--out", self.data, "--scenes", 72, "--frames", 6, "--size", "256x192", "--spp", 8, "--seed", 100)

    def settings(self, seed, steps):
        return [f"--set={s}" for s in (f"run.seed={seed}", f"loader.seed={seed}", f"schedule.total={steps}", f"schedule.warmup={steps // 10}",
                                       "run.threads=1", "run.evaluate_every=0", f"run.checkpoint_every={steps // 4}")]

    def trained(self, name, config, seed, steps, *more):
        """Scores of a training, run where they are not there yet."""
        folder, scores = self.out / f"{name}_{seed}", self.out / f"{name}_{seed}.json"
        if not scores.exists():
            run(self.program, "train", ROOT / "configs/learning" / config, "--data", self.data, "--out", folder, *self.settings(seed, steps),
                "--set=average.rho=0.98", *more)
            text = subprocess.run([str(self.program), "evaluate", str(folder), "--json"], check=True, capture_output=True, text=True).stdout
            scores.write_text(text)
        return json.loads(scores.read_text())

    def encoder(self, seed):
        folder = self.out / f"poly_view_{seed}"
        if not (folder / "encoder.safetensors").exists():
            run(self.program, "pretrain", ROOT / "configs/learning/poly_view.yaml", "--data", self.data, "--out", folder,
                *self.settings(seed, STEPS["pretrain"]))
        return folder / "encoder.safetensors"

    def pretrained(self, seed, *more):
        return self.trained("poly_view_few", "depth_sigmoid_vit.yaml", seed, STEPS["few"], *more, f"--set=run.start_from={self.encoder(seed)}")

    def parity(self):
        arms = {kind: [self.jobs.submit(self.trained, kind, f"depth_{kind}_vit.yaml", s, STEPS["parity"]) for s in SEEDS]
                for kind in ("softmax", "sigmoid")}
        report("Sigmoid against softmax attention", arms)

    def pretraining(self):
        few = "--set=split.labelled=0.1"
        arms = {"scratch": [self.jobs.submit(self.trained, "scratch", "depth_sigmoid_vit.yaml", s, STEPS["few"], few) for s in SEEDS],
                "poly-view": [self.jobs.submit(self.pretrained, s, few) for s in SEEDS]}
        report("Poly-view pretraining, 10 % of the labels", arms)


def report(title, arms):
    """Arms of scores by seed; the difference is the second less the first."""
    (first, a), (second, b) = [(name, [job.result() for job in jobs]) for name, jobs in arms.items()]
    print(f"\n### {title}\n\n| score | {first} | mean | {second} | mean | difference, 95 % interval |\n|---|---|---|---|---|---|")
    for key, name, up in SCORES:
        x, y = [s[key] for s in a], [s[key] for s in b]
        d = [q - p for p, q in zip(x, y)]
        half = T_95[len(d) - 1] * statistics.stdev(d) / math.sqrt(len(d))
        print(f"| {name} {'↑' if up else '↓'} | {' '.join(f'{v:.4f}' for v in x)} | {statistics.mean(x):.4f} | {' '.join(f'{v:.4f}' for v in y)} "
              f"| {statistics.mean(y):.4f} | {statistics.mean(d):+.4f} ± {half:.4f} |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", default=ROOT / "build/bin/simulacra")
    p.add_argument("--out", default="runs/rooms_study")
    p.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    p.add_argument("--part", choices=["all", "parity", "pretraining"], default="all")
    a = p.parse_args()
    study = Study(a)
    study.out.mkdir(parents=True, exist_ok=True)
    study.make_data()
    if a.part in ("all", "parity"):
        study.parity()
    if a.part in ("all", "pretraining"):
        study.pretraining()


if __name__ == "__main__":
    main()
