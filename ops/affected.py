#!/usr/bin/env python3
"""Says which tests a change reaches, for `ops/test`.

    ops/affected.py BUILD                  of the files that differ from the last commit, or from the one before where none does
    ops/affected.py --named PATTERN…       of names as --gtest_filter takes them, several with `:` or as several words

Prints a line for each floor (ops/floors.py) that has such tests: the floor, and the filter for its executable. For a change, the files
that each test was compiled from are those that ninja recorded in BUILD; a source counts as the header of the same name. Tests of the floor
`system` start the executable, which every file of the product reaches: only those whose own files changed are named.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from floors import FLOORS, ROOT, floor_of

# What the build makes of a file that is no source: headers below build/<preset>/generated. Of each openapi.json, operations.hpp as well.
MADE = [
    ("config/settings.toml", ["config/settings.hpp"]),
    ("actors/chain/contracts.abi", ["actors/chain/contract_abi.hpp"]),
    ("http/api/*/openapi.json", ["http/routes.cpp"]),
    ("http/admin/openapi.json", ["http/admin/routes.cpp"]),
    ("persistence/verify/promises.sql", ["promises.inc"]),
]
TEST = re.compile(r"^\s*TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)


def tests():
    """Every test as (floor, file, suite, name)."""
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        name = path.relative_to(ROOT).as_posix()
        if "node_modules" not in name:
            for suite, test in TEST.findall(path.read_text()):
                yield floor_of(name), name, suite, test


def named(patterns):
    wanted, unwanted, out = [], [], {}
    for pattern in ":".join(patterns).split(":"):
        (unwanted if unwanted or pattern.startswith("-") else wanted).append(pattern.removeprefix("-"))
    wanted = [p for p in wanted if p] or ["*"]
    for floor, _, suite, test in tests():
        # Tests with parameters are called `Prefix/Suite.Test/Parameter`.
        if any(fnmatch.fnmatchcase(f"{suite}.{test}", p) or re.search(r"(^|/)" + re.escape(suite) + r"\.", p) and
               fnmatch.fnmatchcase(f"{suite}.{test}", re.sub(r"(^.*/)(?=[^.]*\.)|/[^/]*$", "", p)) for p in wanted):
            out[floor] = ":".join(wanted) + ("-" + ":".join(unwanted) if unwanted else "")
    return out


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout.split("\n")


def changed():
    files = [line[3:].split(" -> ")[-1] for line in git("status", "--porcelain", "--untracked-files=all") if line]
    return files or [line for line in git("diff", "--name-only", "HEAD~1") if line]


def compiled_from(build):
    """The sources below tests/ -> the files of this checkout that they were compiled from."""
    out, files = {}, None
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout.split("\n"):
        if not line.startswith(" "):
            match = re.search(r"\.dir/(tests/\S+\.cpp)\.o:", line)
            files = out.setdefault(match[1], set()) if match else None
        elif files is not None and line.strip().startswith(str(ROOT)):
            files.add(pathlib.Path(line.strip()).relative_to(ROOT).as_posix())
    return out


def affected(build):
    files = set(changed())
    files |= {name.removesuffix(".cpp") + ".hpp" for name in files if name.endswith(".cpp")}
    generated = (pathlib.Path(build).resolve() / "generated").relative_to(ROOT)
    files |= {(generated / made).as_posix() for name in files for pattern, all_made in MADE for made in all_made if fnmatch.fnmatchcase(name, pattern)}
    files |= {(generated / name).with_name("operations.hpp").as_posix() for name in files if name.endswith("/openapi.json")}
    reach, out = compiled_from(build), {}
    for floor, name, suite, test in tests():
        of = reach.get(name)
        if of is None or name in files or of & files: # without a record it has not been built yet
            if floor != "system" or of is None or any(each.startswith("tests/") for each in (of | {name}) & files):
                out.setdefault(floor, []).append(f"{suite}.{test}:*/{suite}.{test}/*")
    return {floor: ":".join(names) for floor, names in out.items()}


if __name__ == "__main__":
    if len(sys.argv) < 2 or (sys.argv[1] == "--named") != (len(sys.argv) > 2):
        sys.exit(__doc__)
    found = named(sys.argv[2:]) if sys.argv[1] == "--named" else affected(sys.argv[1])
    for floor in FLOORS:
        if floor in found:
            print(floor, found[floor])
