#!/usr/bin/env python3
"""Sorts sources into floors by what their includes reach, for CMakeLists.txt.

    ops/floors.py FOLDER      prints a line for each .cpp file below FOLDER: its floor, and its path

The floors, from the ground up, each with what leads there: `rules` (nothing), `actors` (CAF, or the header in front of it), `front` (http/ and auth/), `sql`
(persistence/, or a program that a test starts), `system` (tests/system/, the executable as a whole). A file stands on the highest one that
its includes reach, so whoever changes a rule builds and runs the tests of rules and nothing above.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)', re.M)
FLOORS = ["rules", "actors", "front", "sql", "system"]
# What begins so stands on that floor. Headers of config/ and ops/ are part of every floor; the tests of these folders are few.
STANDS_ON = {"caf/": "actors", "actors/kernel/actor.hpp": "actors", "http/": "front", "auth/": "front", "tests/http/": "front",
             "tests/auth/": "front", "tests/config/": "front", "tests/ops/": "front", "persistence/": "sql", "tests/persistence/": "sql", "tests/simulation/": "sql", "tests/process.": "sql", "tests/system/": "system"}


@functools.cache
def includes(name):
    path = ROOT / name
    return INCLUDE.findall(path.read_text()) if path.exists() else [] # others are generated, or a library's


@functools.cache
def stands_on(name):
    return max((FLOORS.index(floor) for begin, floor in STANDS_ON.items() if name.startswith(begin)), default=0)


def floor_of(name):
    seen, open_, highest = {name}, [name], stands_on(name)
    while open_:
        for header in includes(open_.pop()):
            if header not in seen:
                seen.add(header)
                open_.append(header)
                highest = max(highest, stands_on(header))
    return FLOORS[highest]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for path in sorted((ROOT / sys.argv[1]).rglob("*.cpp")):
        name = path.relative_to(ROOT).as_posix()
        if "node_modules" not in name:
            print(floor_of(name), name)
