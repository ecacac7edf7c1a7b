#!/usr/bin/env python3
"""Makes the C++ structs of the contracts' events and answers.

    ops/contract_abi.py OUT     writes the header that actors/chain/contracts.abi declares to OUT
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "actors/chain/contracts.abi"
# Solidity's types, and the C++ type of each; every other type goes by its C++ name.
TYPES = {"string": "std::string", "bytes": "std::vector<std::byte>", "bytes32": "digest32", "uint64": "std::uint64_t",
         "int256": "wei_change", "account_service": "people::account_service"}
INPUT = re.compile(r"(?P<type>\w+)(?P<array>\[\])?(?P<indexed> indexed)?(?: (?!as )(?P<name>\w+))?(?: as (?P<member>\w+))?")
DECLARATION = re.compile(r"(?P<what>event|struct) (?P<name>\w+)\((?P<inputs>.*)\)(?: as (?P<as>\w+))?")
ENUM = re.compile(r"enum (?P<name>\w+) \{ (?P<values>[\w, ]+) \}")


def snake(name):
    short = re.sub(r"(?<=.)I[dD]$", "", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", short).lower()


def declarations():
    """Each declaration on one line, with its number and the description before it."""
    doc, pending, begun = [], "", 0
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("///"):
            doc.append(line)
            continue
        begun = begun if pending else number
        pending = (pending + " " + line.strip()).strip()
        if pending.count("(") == pending.count(")"):
            yield begun, doc, pending
            doc, pending = [], ""
    if pending:
        yield begun, doc, pending


def members(text, where):
    for each in filter(None, text.split(", ")):
        found = INPUT.fullmatch(each)
        if not found:
            sys.exit(f"{where}: not an input: {each}")
        cpp = TYPES.get(found["type"], found["type"])
        yield (f"std::vector<{cpp}>" if found["array"] else cpp, found["member"] or snake(found["name"]), found["name"] or "",
               "indexed" if found["indexed"] else "plain")


def structs():
    """The text of all structs, and the qualified names of those that are events."""
    out, events, contract, space = [], [], None, None
    for number, doc, text in declarations():
        where = f"{SOURCE}:{number}"
        if text.startswith("contract "):
            contract = text.removeprefix("contract ")
            out += ([f"}} // namespace {space}", ""] if space else []) + [f"namespace {contract}_events {{", ""]
            space = f"{contract}_events"
            continue
        if found := ENUM.fullmatch(text):
            count = len(found["values"].split(","))
            out += [*doc, f"enum class {found['name']} : std::uint8_t {{ {found['values']} }};",
                    f"template <>\ninline constexpr std::uint8_t enum_size<{found['name']}> = {count};", ""]
            continue
        found = DECLARATION.fullmatch(text)
        if not found or (found["what"] == "event" and not contract):
            sys.exit(f"{where}: not a declaration: {text}")
        name = found["as"] or snake(found["name"])
        inputs = list(members(found["inputs"], where))
        out += [*doc, f"struct {name} {{"]
        if found["what"] == "event":
            events.append(f"{space}::{name}")
            out.append(f'  static constexpr event_name is{{contract_kind::{contract}, "{found["name"]}"}};')
        out += [f"  {cpp} {member}{{}};" for cpp, member, _, _ in inputs]
        out += ["  static constexpr auto inputs() {", f"    using self = {name};",
                "    return field_list{" + ", ".join(f'{how}("{abi}", &self::{member})' for _, member, abi, how in inputs) + "};", "  }",
                f"  friend bool operator==(const {name}&, const {name}&) = default;", "};", ""]
    return out + ([f"}} // namespace {space}", ""] if space else []), events


def main(target):
    body, events = structs()
    text = "\n".join(["// Made of actors/chain/contracts.abi by ops/contract_abi.py.", "#pragma once", "",
                      '#include "actors/chain/abi.hpp"', '#include "actors/kernel/one_of.hpp"', "", "namespace credence::chain {", "",
                      *body, "/// All kinds of events. What is a member here is looked for in logs.",
                      "using event_kinds = types<" + ",\n  ".join(events) + ">;", "",
                      "/// EVENT(kind) for each of them.",
                      "#define CREDENCE_EACH_EVENT(EVENT) \\\n  " + " \\\n  ".join(f"EVENT({each})" for each in events), "",
                      "} // namespace credence::chain", ""])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
