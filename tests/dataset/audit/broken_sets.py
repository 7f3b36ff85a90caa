# SPDX-License-Identifier: Apache-2.0
"""Writes valid and broken data sets with the independent tools, and what their checker says of each.

usage: broken_sets.py TOOLS TARGET [NAME...]

TOOLS is the folder with make_fixture.py, mutate.py and check_dataset.py. TARGET gets one folder a set, all or
those named. Without names, also verdicts.json: {name: {"expect": test or null, "failed": [tests]}}.
"""
import json
import os
import sys


def main():
    tools, target, *names = sys.argv[1:]
    sys.path.insert(0, tools)
    sys.dont_write_bytecode = True
    import check_dataset
    import make_fixture
    import mutate

    valid = {"valid": {}, "valid_mesh": {"mesh": True}, "valid_81x64": {"width": 81, "height": 64},
             "valid_160x120": {"width": 160, "height": 120, "mesh": True}, "valid_bare": {"pictures_too": False}}
    source = os.path.join(target, "valid")
    make_fixture.build(source)
    for name in names or [*valid, *mutate.MUTATIONS]:
        path = os.path.join(target, name)
        if name in valid and name != "valid":
            make_fixture.build(path, **valid[name])
        elif name != "valid":
            mutate.break_copy(name, source, path)
    if names:
        return
    verdicts = {}
    for name in [*valid, *mutate.MUTATIONS]:
        report = check_dataset.Judge(os.path.join(target, name)).run()
        expect = None if name in valid else mutate.MUTATIONS[name].expect
        verdicts[name] = {"expect": expect, "failed": sorted({f["test"] for f in report.failures})}
    with open(os.path.join(target, "verdicts.json"), "w", encoding="utf-8") as f:
        json.dump(verdicts, f, indent=1)


main()
