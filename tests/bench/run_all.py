#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the tables of RESULTS.md and print them as Markdown.

    run_all.py [TABLE ...] [--build DIR] [--shared DIR] [--repeats N] [...]

TABLE is one or more of rays, labels, hdf5, cycles, mitsuba; without any, all. Build first, with
-DSIMULACRA_BENCH=ON: ninja simulacra rays_bench frame_bench hdf5_bench. Needs numpy, h5py and OpenEXR (pip install numpy h5py OpenEXR);
cycles needs a Python with bpy and OpenEXR (--bpy-python), mitsuba one with mitsuba (--mitsuba-python) and, for
llvm_ad_rgb, a libLLVM that DRJIT_LIBLLVM_PATH names.
"""
import argparse
import os
import sys

import beside_others
import tables
from measure import ROOT, Missing, circumstances

TABLES = {"rays": tables.rays, "labels": tables.labels, "hdf5": tables.hdf5, "cycles": beside_others.cycles,
          "mitsuba": beside_others.mitsuba}


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    ap.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder (default: build/ of this tree)")
    ap.add_argument("--shared", default=os.path.join(ROOT, "..", "shared"), help="folder with data/scenes and acceptance/images")
    ap.add_argument("--repeats", type=int, default=5)
    ap.add_argument("--spp", type=int, default=16, help="of the mitsuba table")
    ap.add_argument("--seed", type=int, default=0, help="mitsuba: of the first repeat; each further one adds 1")
    ap.add_argument("--scenes", nargs="+", default=["modern-hall", "veach-mis"], help="mitsuba: scenes to measure")
    ap.add_argument("--data-set", nargs="+", default=[], metavar="[NAME=]DIR", help="hdf5: also write frame 0 of these data sets")
    ap.add_argument("--levels", type=int, nargs="+", default=[1, 2, 4], help="hdf5: of our compression")
    ap.add_argument("--baseline", help="mitsuba: frame_bench of another build, measured in the same turns")
    ap.add_argument("--variants", nargs="+", default=["scalar_rgb", "llvm_ad_rgb"], help="mitsuba: variants to measure")
    ap.add_argument("--bpy-python", default=sys.executable)
    ap.add_argument("--mitsuba-python", default=sys.executable)
    o = ap.parse_args()
    o.tables = o.tables or list(TABLES)
    for name in o.tables:
        if name not in TABLES:
            ap.error(f"no table {name!r}; there are {', '.join(TABLES)}")
    if o.repeats < 1:
        ap.error(f"--repeats {o.repeats}: expected 1 or more")
    o.scene = lambda name: os.path.join(o.shared, "data", "scenes", f"bitterli-{name}-mitsuba", "scene.xml")
    return o


def main():
    o = arguments()
    try:
        for name in o.tables:
            body = TABLES[name](o)
            print(f"### {name}: {TABLES[name].__doc__}\n\n{circumstances()}; {o.repeats} repeats in turns: median (smallest..largest)"
                  f"\n\n{body}\n", flush=True)
    except Missing as missing:
        print(f"run_all.py: {missing}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
