# SPDX-License-Identifier: Apache-2.0
"""Generates a small data set of one kind of input and lets the independent checker and our own audit judge it."""
import os
import sys
import tempfile

import support

# What generate is asked for, the tests that do not apply, and what must be on the machine.
KINDS = {
    "drake": (["configs/dataset/drake_living_room.yaml", "--frames", "10"], [], "data"),
    "modern-hall": (["configs/dataset/modern_hall.yaml", "--frames", "10"], [], "data"),
    # Four plates before a wall are no interior: F15 asks for what readers of interiors filter by.
    "veach-mis": (["configs/dataset/veach_mis.yaml", "--frames", "10"], ["--skip", "F15"], "data"),
    "cornell": (["configs/dataset/cornell_multimaterial.yaml", "--frames", "10"], [], "data"),
    "rooms": (["rooms", "--scenes", "3", "--frames", "4", "--seed", "11"], [], "furniture"),
}
FURNITURE = "/usr/share/sweethome3d/furniture"

options = support.arguments(__doc__, ("kind", {"choices": sorted(KINDS)}))
checker = support.need_shared("acceptance", "hypersim", "check_dataset.py")
support.need_modules("numpy", "h5py")
request, checks, needs = KINDS[options.kind]
if needs == "furniture" and not os.path.isdir(FURNITURE):
    support.skip("no furniture; the package sweethome3d-furniture brings it")
os.chdir(support.ROOT)
with tempfile.TemporaryDirectory(prefix="simulacra-set-") as work:
    out = os.path.join(work, "set")
    # An odd size: nothing may rest on multiples of a tile or of a chunk.
    support.run([options.program, "generate", *request, "--out", out, "--size", "333x217", "--spp", "8"])
    support.run([options.program, "audit", out] + checks)
    support.run([sys.executable, checker, out, "--size", "333x217"] + checks)
