#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time to write one frame set, ours against h5py gzip-9, in turns.

    hdf5_h5py.py HDF5_BENCH [--data-set DIR] [--levels 1 2 4] [--runs 3]

HDF5_BENCH is the program built from hdf5_bench.cpp. What it wrote is read back with h5py and written again with
h5py's compression="gzip", compression_opts=9, in one thread, each file synced. Prints a JSON object a run:
{"ours": [rows of HDF5_BENCH], "h5py": {...}}.
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile
import time

import h5py


def write_with_h5py(arrays, folder):
    start, cpu_start = time.perf_counter(), time.process_time()
    for name, array in arrays.items():
        path = os.path.join(folder, name)
        with h5py.File(path, "w") as f:
            f.create_dataset("dataset", data=array, compression="gzip", compression_opts=9)
        with open(path, "rb") as f:
            os.fsync(f.fileno())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    return {"seconds": seconds, "cpu_seconds": cpu, "bytes": sum(os.path.getsize(os.path.join(folder, n)) for n in arrays)}


def write_with_ours(program, level, data_set, folder):
    command = [program, folder, str(level), "1"] + ([data_set] if data_set else [])
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def arrays_of(folder):
    arrays = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "frame.0000.*.hdf5"), recursive=True)):
        with h5py.File(path, "r") as f:
            arrays[os.path.basename(path)] = f["dataset"][:]
    return arrays


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("bench")
    ap.add_argument("--data-set", help="write its frame.0000 instead of a synthetic frame")
    ap.add_argument("--levels", type=int, nargs="+", default=[1, 2, 4])
    ap.add_argument("--runs", type=int, default=3)
    o = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
        os.mkdir(theirs)
        for _ in range(o.runs):
            rows = [row for level in o.levels for row in write_with_ours(o.bench, level, o.data_set, ours)]
            print(json.dumps({"ours": rows, "h5py": write_with_h5py(arrays_of(ours), theirs)}), flush=True)


if __name__ == "__main__":
    main()
