# SPDX-License-Identifier: Apache-2.0
"""Writes valid and broken data sets with the independent tools, and what their checker says of each.

usage: broken_sets.py TOOLS TARGET

TOOLS is the folder with make_fixture.py, mutate.py and check_dataset.py. TARGET gets one folder a set and
verdicts.json: {name: {"expect": test or null, "failed": [tests]}}.
"""
import json
import os
import sys


def main():
    tools, target = sys.argv[1:]
    sys.path.insert(0, tools)
    sys.dont_write_bytecode = True
    import check_dataset
    import make_fixture
    import mutate

    verdicts = {}

    def judge(name, expect):
        report = check_dataset.Judge(os.path.join(target, name)).run()
        verdicts[name] = {"expect": expect, "failed": sorted({f["test"] for f in report.failures})}

    for name, options in (("valid", {}), ("valid_mesh", {"mesh": True}), ("valid_81x64", {"width": 81, "height": 64}),
                          ("valid_160x120", {"width": 160, "height": 120, "mesh": True}),
                          ("valid_bare", {"pictures_too": False})):
        make_fixture.build(os.path.join(target, name), **options)
        judge(name, None)
    for name, mutation in mutate.MUTATIONS.items():
        mutate.break_copy(name, os.path.join(target, "valid"), os.path.join(target, name))
        judge(name, mutation.expect)
    with open(os.path.join(target, "verdicts.json"), "w", encoding="utf-8") as f:
        json.dump(verdicts, f, indent=1)


main()
