#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time to write one frame set, ours against h5py gzip-9, as a ratio in one run.

    hdf5_h5py.py HDF5_BENCH [--data-set DIR] [--threads 2] [--levels 4 5 6] [--runs 3] [--json]

HDF5_BENCH is the program built from hdf5_bench.cpp. Its files are read back, compared and written again with
h5py's compression="gzip", compression_opts=9 (and, for comparison, with shuffle).
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import h5py


def write_with_h5py(arrays, folder, **options):
    start, cpu_start = time.perf_counter(), time.process_time()
    for name, array in arrays.items():
        path = os.path.join(folder, name)
        with h5py.File(path, "w") as f:
            f.create_dataset("dataset", data=array, compression="gzip", compression_opts=9, **options)
        with open(path, "rb") as f:
            os.fsync(f.fileno())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    return seconds, sum(os.path.getsize(os.path.join(folder, n)) for n in arrays), cpu


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("bench")
    ap.add_argument("--data-set", help="write its frame.0000 instead of a synthetic frame")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--levels", type=int, nargs="+", default=[4, 5, 6])
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    o = ap.parse_args()
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        rows, source = [], [o.data_set] if o.data_set else []
        for level in o.levels:
            out = subprocess.run([o.bench, ours, str(o.threads), str(level)] + source, check=True, capture_output=True)
            rows.append(json.loads(out.stdout))
        arrays = {}
        for name in sorted(os.listdir(ours)):
            with h5py.File(os.path.join(ours, name), "r") as f:
                arrays[name] = f["dataset"][:]
        plain = [write_with_h5py(arrays, theirs) for _ in range(o.runs)]
        shuffled = None if o.json else write_with_h5py(arrays, theirs, shuffle=True)
    seconds, size = statistics.median(run[0] for run in plain), plain[0][1]
    cpu = statistics.median(run[2] for run in plain)
    if o.json:
        print(json.dumps({"ours": rows, "h5py": {"seconds": seconds, "cpu_seconds": cpu, "bytes": size}}))
        return
    print(f"{len(arrays)} files; h5py gzip-9: {seconds:.2f} s ({cpu:.2f} s of CPU), {size / 1e6:.2f} MB; "
          f"with shuffle {shuffled[0]:.2f} s, {shuffled[1] / 1e6:.2f} MB")
    for r in rows:
        print(f"ours, level {r['level']}, {r['threads']} threads: {r['seconds']:.3f} s "
              f"({r['seconds_min']:.3f}..{r['seconds_max']:.3f}; {r['cpu_seconds']:.3f} s of CPU), {r['bytes'] / 1e6:.2f} MB; "
              f"{seconds / r['seconds']:.1f} times faster ({cpu / r['cpu_seconds']:.1f} in CPU), {r['bytes'] / size:.2f} of the size")


if __name__ == "__main__":
    main()
