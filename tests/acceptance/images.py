# SPDX-License-Identifier: Apache-2.0
"""Renders scenes at the size and samples their references ask for, and lets the independent judges compare."""
import os
import sys
import tempfile

import support

LARGE = ["--size", "640x360", "--spp", "64", "--max-depth", "65"]
ZOO = ["--size", "160x160", "--spp", "128", "--max-depth", "24"]
SCENES = {"veach-mis": ("data/scenes/bitterli-veach-mis-mitsuba/scene.xml", LARGE),
          "modern-hall": ("data/scenes/bitterli-modern-hall-mitsuba/scene.xml", LARGE)}
SCENES.update({f"zoo/{name}": (f"acceptance/images/zoo/{name}.xml", ZOO) for name in
               "conductor diffuse glass mask plastic point-light rough-beckmann rough-ggx rough-plastic sun".split()})

options = support.arguments(__doc__, ("scene", {"choices": sorted(SCENES)}))
judges = support.need_shared("acceptance", "images")
support.need_modules("numpy", "OpenEXR")
file, settings = SCENES[options.scene]
with tempfile.TemporaryDirectory(prefix="simulacra-images-") as work:
    exr = os.path.join(work, "ours.exr")
    support.run([options.program, "render", support.need_shared(file), "-o", exr, "--seed", "1", *settings])
    support.run([sys.executable, os.path.join(judges, "compare.py"), exr, options.scene])
    if options.scene.startswith("zoo/"):
        support.run([sys.executable, os.path.join(judges, "compare_labels.py"), exr, options.scene])
