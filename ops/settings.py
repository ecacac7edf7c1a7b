#!/usr/bin/env python3
"""Makes what config/settings.toml declares.

    ops/settings.py GENERATED   writes config/settings.hpp and setting_table.inc below that folder; CMake calls it
    ops/settings.py --docs      writes the tables of docs/settings.md
    ops/settings.py --check     fails when these tables are not what the declarations say
"""
import fnmatch
import json
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/settings.md"
KEYS = {"type", "default", "bounds", "length_min", "check", "wanted", "choices", "member", "flag", "file", "internal", "example", "required", "help",
        "unit", "docs", "shown"}
# The type of the member, and what docs/settings.md says in the column of units.
TYPES = {"text": ("std::string", "text"), "flag": ("bool", "true or false"), "milliseconds": ("milliseconds", "ms"), "rate": ("rate", "rate"),
         "ids": ("std::vector<std::int32_t>", "list of ids"), "texts": ("std::vector<std::string>", "list"), "secret": ("secret", "secret"),
         "size": ("std::size_t", ""), **{each: (f"std::{each}_t", "") for each in ("uint16", "uint32", "uint64", "int32", "int64")}}
RATE_UNITS = {"s": "seconds", "min": "minutes", "h": "hours"}
HEADER = """#pragma once

// Made by ops/settings.py from config/settings.toml.

#include "config/secret.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Everything an operator may set, one plain struct per folder; config/load.hpp fills in flags, environment and file.
namespace credence::settings {

using std::chrono::milliseconds;

/// So many requests in that time, and so many at once. A count of 0: no bound.
struct rate {
  std::uint32_t count = 0;
  std::chrono::seconds per{1};
  std::uint32_t burst = 0;
};
"""


def declared():
    """The settings and the groups, each by name in the order of the file."""
    everything = tomllib.loads((ROOT / "config/settings.toml").read_text())
    groups = {name.removeprefix("struct "): each for name, each in everything.items() if name.startswith("struct ")}
    settings = {name: each for name, each in everything.items() if not name.startswith("struct ")}
    for name, each in settings.items():
        if unknown := set(each) - KEYS:
            sys.exit(f"config/settings.toml: {name} has {', '.join(sorted(unknown))}, which nobody reads")
        each.setdefault("member", name)
    return settings, groups


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def default_of(each):
    """What stands behind the member's name."""
    value = each.get("default")
    if value is None:
        return {"flag": " = false", "milliseconds": "{0}"}.get(each["type"], "" if TYPES[each["type"]][1] else " = 0")
    if each["type"] == "rate":
        count, unit, burst = re.fullmatch(r"(\d+)/(\w+) burst (\d+)", value).groups()
        return f"{{{count}, std::chrono::{RATE_UNITS[unit]}{{1}}, {burst}}}"
    return f"{{{value}}}" if each["type"] == "milliseconds" else f" = {json.dumps(value)}"


def structs(settings, groups):
    members = {}
    for each in settings.values():
        path, _, name = each["member"].rpartition(".")
        members.setdefault(path, []).append(f"  {TYPES[each['type']][0]} {name}{default_of(each)}; // {each['help']}\n")
    out = HEADER
    for path in sorted(members, key=lambda path: -path.count(".") if path else 1): # those within others first, and all of them last
        group = groups[path] if path else {"about": "Every setting."}
        inner = [each for each in members if each and each.rpartition(".")[0] == path]
        on = " || ".join(f"!{name}.empty()" for name in group.get("on", ()))
        out += (f"\n/// {group['about']}\nstruct {path.replace('.', '_') or 'all'} {{\n" + "".join(members[path])
                + "".join(f"  settings::{each.replace('.', '_')} {each.rpartition('.')[2]};\n" for each in inner)
                + (f"  bool on() const {{ return {on}; }}\n" if on else "") + "};\n")
    return out + "\n} // namespace credence::settings\n"


def full_help(each):
    """With what follows from type and bounds."""
    choices = each.get("choices")
    return each["help"] + {"milliseconds": ", in milliseconds", "flag": ": true or false", "rate": ", such as '10/min burst 30', 0 for no bound"}.get(
        each["type"], "") + (" ({} to {})".format(*each["bounds"]) if "bounds" in each else f": {', '.join(choices[:-1])} or {choices[-1]}" if choices else "")


def table(settings):
    """The rows of `declarations` in config/load.cpp."""
    out = ""
    for name, each in settings.items():
        if each.get("internal"):
            continue
        bounds = [f".low = {each['bounds'][0]}, .high = {each['bounds'][1]}"] if "bounds" in each else []
        bounds += [f".length_min = {each['length_min']}"] if "length_min" in each else []
        choices = ["true", "false"] if each["type"] == "flag" else each.get("choices", [])
        bounds += [f".good = {each['check']}, .wanted = {quoted(each['wanted'])}"] if "check" in each else []
        bounds += [f".choices = {quoted(','.join(choices))}"] if choices else []
        example = json.dumps(each["example"], ensure_ascii=False) if "example" in each else ""
        flags = {"required": each.get("required", False), "with_file": each["type"] == "secret" and each.get("file", True),
                 "is_secret": each["type"] == "secret", "is_list": each["type"] in ("ids", "texts")}
        out += (f"{{.name = {quoted(name)}, .alias = {quoted(each.get('flag', ''))}, .help = {quoted(full_help(each))}, .example = {quoted(example)}, "
                + "".join(f".{flag} = {json.dumps(value)}, " for flag, value in flags.items())
                + f".of = {{{', '.join(bounds)}}}, .at = [](all& s) -> void* {{ return &s.{each['member']}; }}, "
                f".type = &values_of<{TYPES[each['type']][0]}>}},\n")
    return out


def rows(settings):
    """The lines of docs/settings.md, by the name of the setting."""
    out = {}

    def row(name, each, default, unit, text):
        flags = ", ".join(f"`{flag}`" for flag in ("--" + re.sub("[._]", "-", name), each.get("flag")) if flag)
        out[name] = f"| `{name}` | {flags} | `CREDENCE_{name.replace('.', '_').upper()}` | {default} | {unit} | {text} |\n"

    for name, each in settings.items():
        if each.get("internal"):
            continue
        kind, unit = each["type"], each.get("unit", TYPES[each["type"]][1])
        default = each.get("default", {"flag": False, "text": "", "ids": "", "texts": ""}.get(kind, 0))
        default = "none" if kind == "secret" else each.get("shown") or ("empty" if default == "" else f"`{json.dumps(default) if kind == 'flag' else default}`")
        bounds = "{} to {}".format(*each["bounds"]) if "bounds" in each else ""
        row(name, each, default, ", ".join(filter(None, (unit, bounds))), each.get("docs", each["help"]))
        if kind == "secret" and each.get("file", True):
            row(name + "_file", {}, "none", "file", f"file whose first line is `{name}`")
    return out


def page(settings):
    """docs/settings.md with the tables as they should be. Each stands behind a line that names its settings: `<!-- settings: http.* -->`."""
    all_rows = rows(settings)
    left = dict(all_rows)

    def made(match):
        patterns = match[1].split()
        names = [name for name in all_rows if any(fnmatch.fnmatchcase(name, p) for p in patterns)
                 and not any(fnmatch.fnmatchcase(name, p[1:]) for p in patterns if p.startswith("!"))]
        return match[0].split("\n")[0] + "\n\n| TOML key | flag | environment | default | unit and bounds | what it does |\n|---|---|---|---|---|---|\n" + "".join(
            left.pop(name) for name in names)

    text = re.sub(r"<!-- settings: (.*) -->\n\n(?:\|.*\n)*", made, PAGE.read_text())
    if left:
        sys.exit(f"docs/settings.md has no table for {', '.join(left)}")
    return text


def write(path, text):
    """Leaves a file alone that is right, so that nothing is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--docs":
        write(PAGE, page(declared()[0]))
    elif sys.argv[1] == "--check":
        if page(declared()[0]) != PAGE.read_text():
            sys.exit("the tables of docs/settings.md differ from config/settings.toml: ops/settings.py --docs writes them")
        print("docs/settings.md shows what config/settings.toml declares")
    else:
        all_settings, all_groups = declared()
        write(pathlib.Path(sys.argv[1]) / "config/settings.hpp", structs(all_settings, all_groups))
        write(pathlib.Path(sys.argv[1]) / "setting_table.inc", table(all_settings))
