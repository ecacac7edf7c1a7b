#!/usr/bin/env python3
"""The C++ side of the OpenAPI descriptions: `ops/operations.py OUT [FRAGMENT...]`, which the build runs.

For each resource (http/api/<resource>/openapi.json) it writes OUT/http/api/<resource>/operations.hpp, which declares a handler for each
operation, called as its operationId in snake case; OUT/http/routes.cpp, the table of routes, from what `x-route` of each operation says
(docs/api/reference.md); the same of the console's API (http/admin/openapi.json) in OUT/http/admin/; and OUT/fuzz_paths.inc, the paths that the
server has. FRAGMENT: the description of one more resource, such as tests/example/openapi.json. A file that would stay as it is keeps its time.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from reference import ROOT, V1_DEPRECATED, V1_SUNSET, fragment_of, is_first_version, operations_of, resources, route_of

METHODS = {"get": "get", "post": "post", "put": "put", "patch": "patch", "delete": "del"}
WHO = {"open": "open", "caller": "bearer", "owner": "owner", "admin": "admin", "partner": "owner"}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: "_" + found.group().lower(), name)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Operation:
    """One operation: its handler, and its line in the table of routes."""

    def __init__(self, verb, path, described):
        self.verb, self.path, self.described = verb, path, described

    def name(self):
        return snake(self.described["operationId"])

    def query(self):
        """The names in the query, also `name[]` of lists."""
        for each in self.described.get("parameters", []):
            if each.get("in") == "query":
                yield each["name"]
                if "array" in (each["schema"].get("type"), *(other.get("type") for other in each["schema"].get("anyOf", []))):
                    yield each["name"] + "[]"

    def declaration(self):
        text = f"/// {self.verb.upper()} {self.path}: {self.described['summary']}\nvoid {self.handler}(call& c);\n"
        return text + (f"void {self.replay}(call& c, const idempotency::found_record& done);\n" if self.replay else "")

    def row(self):
        return "  {" + ", ".join(f".{name} = {value}" for name, value in self.members()) + "},\n"


class ApiOperation(Operation):
    """Of the public listener."""

    def __init__(self, verb, path, described):
        super().__init__(verb, path, described)
        self.route = route = route_of(verb, path, described)
        self.space = "v1" if is_first_version(path) and "v1" not in route else "v2"
        self.handler = route.get("handler", self.name().removesuffix("_v1") if is_first_version(path) else self.name())
        by_front = not route["reads"] and "repeats" not in described["x-route"]
        self.replay = route.get("replay", "replay_" + self.handler) if by_front else None

    def members(self):
        route, said = self.route, self.described["x-route"]
        yield "verb", f"method::{METHODS[self.verb]}"
        yield "path", quoted(self.path)
        yield "who", f"access::{WHO[route['access']]}"
        yield "may", f"scope::{route['scope']}"
        yield "run", f"&{self.space}::{self.handler}"
        if not route["reads"] or said.get("always"):
            yield "first", "needs::nothing" if said.get("always") else "needs::writing"
        if "rate" in said or (route["reads"] and self.verb != "get"):
            yield "quota", f"quota_class::{route['rate']}"
        if is_first_version(self.path):
            yield "deprecated", quoted(f"{V1_DEPRECATED} {route.get('sunset', V1_SUNSET)}")
        if route["reads"] and self.verb != "get":
            yield "does", "effect::none"
        elif said.get("audited"):
            yield "does", "effect::audited"
        if self.replay:
            yield "replay", f"&{self.space}::{self.replay}"
        for name in ("dry_runs", "by_caller"):
            if said.get(name):
                yield name, "true"
        if "repeats" in said:
            yield "idempotency_by", f"idempotency_keeper::by_{said['repeats']}"
        if route["partner"] or "partners" in said:
            yield "partners", f"partner_use::{'act' if route['partner'] else said['partners']}"
        if said.get("needs_grant"):
            yield "needs_grant", "true"
        if said.get("any_media") or said.get("handler") == "tell_removed": # whatever it is asked
            yield "any_media", "true"
        if names := ",".join(self.query()):
            yield "by_query", quoted(names)
        if "a_day" in said:
            yield "a_day", f"daily_act::{said['a_day']}"
        if "successor" in said:
            yield "successor", quoted(said["successor"])


class AdminOperation(Operation):
    """Of the admin listener: `x-role` and `x-topic`, and a write that takes an Idempotency-Key has a replay."""

    def __init__(self, verb, path, described):
        super().__init__(verb, path, described)
        self.handler = self.name()
        self.parameters = {each.get("name") or each["$ref"].rsplit("/", 1)[1] for each in described.get("parameters", [])}
        self.replay = "replay_" + self.handler if "Idempotency-Key" in self.parameters else None

    def members(self):
        role = self.described["x-role"]
        yield "verb", f"method::{METHODS[self.verb]}"
        yield "path", quoted(self.path)
        yield "who", "access::owner"
        yield "may", "scope::none"
        yield "run", f"&{self.handler}"
        yield "first", "needs::nothing"
        yield "quota", "quota_class::admin"
        if self.verb != "get":
            yield "does", "effect::audited"
        if self.replay:
            yield "replay", f"&{self.replay}"
        if "dryRun" in self.parameters:
            yield "dry_runs", "true"
        yield "least", "role::" + {"open": "none", "operator": "operator_"}.get(role, role)
        if "x-topic" in self.described:
            yield "topic", quoted(self.described["x-topic"])
        if "text/event-stream" in self.described["responses"].get("200", {}).get("content", {}):
            yield "streams", "true"
        if names := ",".join(self.query()):
            yield "by_query", quoted(names)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def declarations(operations, space):
    """What operations.hpp of a resource says: each handler once, however many operations it has."""
    seen, text = set(), ""
    for each in operations:
        if each.handler not in seen:
            text += "\n" + each.declaration()
        elif each.replay and each.replay not in seen:
            text += f"void {each.replay}(call& c, const idempotency::found_record& done);\n"
        seen |= {each.handler, each.replay}
    return f"namespace {space} {{\n{text}\n}} // namespace {space}\n" if text else ""


def header(source, spaces):
    includes = '#include "actors/idempotency/idempotency_types.hpp"\n#include "http/call/call.hpp"\n'
    return f"// Generated from {source} by ops/operations.py.\n#pragma once\n\n{includes}\n" + "\n".join(space for space in spaces if space)


def table(space, includes, operations):
    lines = "".join(f'#include "{each}"\n' for each in includes)
    rows = "".join(each.row() for each in operations)
    return f"""// Generated from the OpenAPI descriptions by ops/operations.py.
{lines}
#include <array>

namespace {space} {{

namespace {{

constexpr auto table = std::to_array<http::route>({{
{rows}}});

}} // namespace

std::span<const http::route> routes() {{ return table; }}

}} // namespace {space}
"""


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    folders = resources() + [pathlib.Path(each).resolve().parent for each in sys.argv[2:]]
    everything, headers = [], ["http/routes.hpp"]
    for folder in folders:
        operations = [ApiOperation(verb, path, each) for (verb, path), each in operations_of(fragment_of(folder)).items()]
        operations = [each for each in operations if not each.route.get("built_in")]
        name = folder.relative_to(ROOT).as_posix()
        spaces = (declarations([each for each in operations if each.space == space], f"credence::http::{space}") for space in ("v1", "v2"))
        write(out / name / "operations.hpp", header(f"{name}/openapi.json", spaces))
        headers.append(f"{name}/operations.hpp")
        everything += operations
    write(out / "http/routes.cpp", table("credence::http", headers, everything))
    write(out / "fuzz_paths.inc", "".join(f"at({quoted(path)}),\n" for path in sorted({each.path for each in everything})))
    console = fragment_of(ROOT / "http/admin")
    operations = [AdminOperation(verb, path, each) for (verb, path), each in operations_of(console).items()]
    write(out / "http/admin/operations.hpp", header("http/admin/openapi.json", [declarations(operations, "credence::http::admin")]))
    write(out / "http/admin/routes.cpp", table("credence::http::admin", ["http/admin/routes.hpp", "http/admin/operations.hpp"], operations))


if __name__ == "__main__":
    main()
