#!/usr/bin/env python3
"""The OpenAPI document of the API: `ops/reference.py FILE [CONSOLE]` writes it, and that of the console; the build puts both into the executable.

It is made of a fragment for each resource (http/api/<resource>/openapi.json: what its operations take and answer, and in `x-route` who may call,
scope, rate class, safe repeats, dry runs) and of a head (http/api/openapi_head.json: what all have in common). Equal sources give equal bytes.
The console's (http/admin/openapi.json) is written by hand but for what generators of clients need (`with_types`). ops/operations.py makes the table of routes from the same fragments; tests/http/api/reference_test.cpp compares the two.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True # ops/check_reference imports this
ROOT = pathlib.Path(__file__).resolve().parents[1]
ACCESS = ("open", "caller", "owner", "admin", "partner")
# What an operation's x-route may say (docs/api/reference.md).
WORDS = {"access", "scope", "reads", "by_caller", "always", "built_in", "rate", "audited", "dry_runs", "a_day", "repeats", "partners", "needs_grant",
         "any_media", "handler", "replay", "successor", "sunset", "v1"}
# Since when version 1 is deprecated, as its first endpoints were removed (spec, Versioning), and from when on the rest of it may be gone.
V1_DEPRECATED, V1_SUNSET = "2025-08-08", "2027-08-08"
SECURITY = {"caller": ("accessToken", "apiKey", "session"), "owner": ("accessToken", "session"), "admin": ("accessToken",),
            "partner": ("partnerToken", "partnerSession")}


def route_of(verb, path, operation):
    """What the operation's `x-route` declares, and what follows from it; docs/api/reference.md says what each word means."""
    said = operation.get("x-route")
    if not said or not said.keys() <= WORDS or said.get("access") not in ACCESS:
        raise ValueError(f"{verb.upper()} {path}: x-route must say access ({', '.join(ACCESS)}), and of the others only {', '.join(sorted(WORDS))}")
    writes = verb != "get" and "reads" not in said
    if is_first_version(path) and "successor" not in said:
        raise ValueError(f"{verb.upper()} {path}: x-route says which call succeeds it (successor)")
    if ("a_day" in said) != (writes and said["access"] != "admin"):
        raise ValueError(f"{verb.upper()} {path}: a write says what bounds it a day (a_day), but for those of admins; nothing else does")
    if "repeats" in said if not writes else said["access"] == "open" and "repeats" not in said:
        raise ValueError(f"{verb.upper()} {path}: an open write says who keeps its repeats from a second effect (repeats); no read does")
    route = {"verb": verb, "path": path, **said}
    route["reads"] = not writes
    in_scope = route["reads"] and said["access"] in ("open", "caller") and not said.get("always")
    route.setdefault("scope", "read" if in_scope else "none")
    default = "admin" if said["access"] == "admin" else "read" if route["reads"] else "write"
    route["rate"] = "none" if said.get("built_in") else said.get("rate", default)
    route["repeats"] = not route["reads"] and said.get("repeats") != "rules"
    route["partner"] = said["access"] == "partner" or said.get("partners") == "act"
    route["counted"] = said.get("a_day", "by_rules") != "by_rules"
    return route


def resources():
    return sorted(file.parent for file in ROOT.glob("http/api/*/openapi.json"))


def fragment_of(folder):
    """The description of a resource."""
    return json.loads((folder / "openapi.json").read_text())


def in_version_1(verb, path, operation):
    """The same call below /api/v1, which `v1` of its x-route declares: `same`, or `data`, where the answer stands in `{"ok": true, "data": …}`."""
    route = operation["x-route"]
    out = {**operation, "operationId": operation["operationId"] + "V1", "x-route": {**route, "successor": f"{verb.upper()} {path}"}}
    if route["v1"] == "data":
        answer = operation["responses"]["200"]
        content = answer["content"]["application/json"]
        members = {"ok": {"const": True, "description": "It succeeded."}, "data": {**content["schema"], "description": "The answer itself."}}
        content = {"schema": {"type": "object", "required": ["ok", "data"], "properties": members}, "example": {"ok": True, "data": content["example"]}}
        out["responses"] = {"200": {**answer, "content": {"application/json": content}}}
    return out


def operations_of(fragment):
    out = {(verb, path): operation for path, verbs in fragment["paths"].items() for verb, operation in verbs.items()}
    both = [(at, each) for at, each in out.items() if "v1" in each.get("x-route", {})]
    return out | {(verb, path.replace("/api/v2/", "/api/v1/", 1)): in_version_1(verb, path, each) for (verb, path), each in both}


def is_first_version(path):
    return path == "/api/v1" or path.startswith("/api/v1/")


def alike_for_all(route):
    """Whether a credential makes no difference, so that a bad one does no harm either."""
    return route["access"] == "open" and route["reads"] and not route.get("by_caller")


TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


LONGEST = 2**63


def is_long(schema):
    """Whether it is an integer that needs up to 64 bits: generated clients of many languages take one that says nothing for 32."""
    if schema.get("type") != "integer" or "enum" in schema or "const" in schema:
        return False
    low, high = schema.get("minimum", -LONGEST), schema.get("maximum", LONGEST - 1)
    return -LONGEST <= low and high < LONGEST and not (-2**31 <= low and high < 2**31)


def with_types(node):
    """The same schemas where constants and enums say their type, null and other types stand beside each other by anyOf, as do null and the empty
    text and the other values of an enum, and a long integer says its format: generated clients need all of that."""
    if isinstance(node, list):
        return [with_types(each) for each in node]
    if not isinstance(node, dict):
        return node
    out = {key: value if key in ("example", "examples", "default") else with_types(value) for key, value in node.items()}
    if isinstance(out.get("enum"), list):
        values = [each for each in out["enum"] if each not in (None, "")]
        types = {TYPES[type(each)] for each in values}
        named = {"type": "number" if types == {"integer", "number"} else types.pop(), "enum": values}
        beside = [schema for value, schema in ((None, {"type": "null"}), ("", {"type": "string", "enum": [""]})) if value in out["enum"]]
        if beside:
            rest = {key: value for key, value in out.items() if key not in ("type", "enum")}
            return {**rest, "anyOf": [named, *beside]}
        return {**named, **out}
    if isinstance(out.get("type"), list):
        about = {key: value for key, value in out.items() if key in ("description", "title", "default", "example", "examples")}
        rest = {key: value for key, value in out.items() if key != "type" and key not in about}
        return {**about, "anyOf": [with_types({"type": each} if each == "null" else {"type": each, **rest}) for each in out["type"]]}
    if isinstance(out.get("const"), (bool, int, float, str)):
        return {"type": TYPES[type(out["const"])], **out}
    return {**out, "format": "int64"} if is_long(out) else out


class Builder:
    """Puts the document together; `document` is what came out."""

    def __init__(self):
        head = json.loads((ROOT / "http/api/openapi_head.json").read_text())
        self.common = head.pop("x-common-errors")
        order = head.pop("x-order-of-use")
        self.document = head
        self.shared = head["components"]["responses"]
        for folder in resources():
            self.add(fragment_of(folder))
        document = self.document
        document["paths"] = dict(sorted(document["paths"].items()))
        self.put_in_order(order)
        self.share_errors()
        for kind in ("schemas", "responses"):
            document["components"][kind] = dict(sorted(document["components"][kind].items()))
        self.document = with_types(document)

    def put_in_order(self, order):
        """Tags in the order of their use; an operation that is used much says its rank as `x-rank`, from 1."""
        named = {tag["name"]: tag for tag in self.document["tags"]}
        self.document["tags"] = [named.pop(name) for name in order["tags"] if name in named] + list(named.values())
        operations = {each["operationId"]: each for _, each in operations_of(self.document).items()}
        for rank, name in enumerate(order["operations"], 1):
            operations[name]["x-rank"] = rank

    def add(self, fragment):
        tag = fragment["tag"]
        self.document["tags"].append(tag)
        self.document["components"]["schemas"].update(fragment.get("components", {}).get("schemas", {}))
        for (verb, path), operation in operations_of(fragment).items():
            self.document["paths"].setdefault(path, {})[verb] = self.completed(operation, route_of(verb, path, operation), tag["name"])

    def completed(self, operation, route, tag):
        errors = self.errors_of(operation, route)
        out = {"tags": [tag], **{key: value for key, value in operation.items() if key not in ("responses", "x-errors", "x-route", "parameters")}}
        if is_first_version(route["path"]):
            out["deprecated"] = True
            instead = f"Use `{route['successor']}` instead."
            out["description"] = f"{out['description']} {instead}" if "description" in out else instead
        out["security"] = self.security_of(operation, route)
        out["x-access"], out["x-scope"], out["x-rate-class"] = route["access"], route["scope"], route["rate"]
        out["parameters"] = operation.get("parameters", []) + self.parameters_of(operation, route)
        out["responses"] = self.answers_of(operation, route, errors)
        return out

    @staticmethod
    def security_of(operation, route):
        """A scheme with a scope: an API key that was narrowed needs it."""
        if "security" in operation:
            return operation["security"]
        scope = [] if route["scope"] == "none" else [route["scope"]]
        schemes = [{name: scope if name == "apiKey" else []} for name in SECURITY.get(route["access"], ())]
        if route.get("by_caller"):
            schemes = [{}] + [{name: scope if name == "apiKey" else []} for name in SECURITY["caller"]]
        if route["partner"] and route["access"] == "open" and route["reads"]:
            schemes = [{}] + [{name: []} for name in SECURITY["partner"]]
        return schemes

    @staticmethod
    def parameters_of(operation, route):
        there = {each.get("name") for each in operation.get("parameters", [])}
        wanted = (("dryRun", "DryRun", route.get("dry_runs")), ("Idempotency-Key", "IdempotencyKey", route["repeats"]),
                  ("X-Service-Client", "ServiceClient", route["rate"] != "none"), ("X-Request-Id", "RequestId", True))
        return [{"$ref": f"#/components/parameters/{ref}"} for name, ref, is_due in wanted if is_due and name not in there]

    def errors_of(self, operation, route):
        """{status: [(code, when, is the route's own)]}."""
        own = [(each["status"], each["code"], each["when"], True) for each in operation.get("x-errors", [])]
        first = is_first_version(route["path"])
        said = {(status, code) for status, code, *_ in own}
        errors = own[:]
        for each in self.common:
            code = each.get("v1", each["code"]) if first else each["code"]
            if self.concerns(each["of"], route) and (each["status"], code) not in said:
                errors.append((each["status"], code, each["when"], False))
        out = {}
        for status, code, when, is_own in errors:
            out.setdefault(str(status), []).append((code, when, is_own))
        return dict(sorted(out.items()))

    @staticmethod
    def concerns(whom, route):
        """Whether an error that many routes have in common can come of this one."""
        return {"everybody": route["rate"] != "none",
                "credentials": not alike_for_all(route) and not route["partner"],
                "callers": route["access"] != "open",
                "keys": route["scope"] != "none" and route["access"] in ("open", "caller"),
                "repeats": route["repeats"],
                "writers": not route["reads"],
                "counted": route["counted"]}[whom]

    def answers_of(self, operation, route, errors):
        out = {}
        for status, answer in operation["responses"].items():
            headers = {**self.headers_of(route, int(status)), **answer.get("headers", {})}
            out[status] = {**answer, "headers": headers}
        for status, codes in errors.items():
            if status in out:  # an answer that the fragment tells as a whole
                continue
            out[status] = self.error_answer(route, status, codes)
            more = operation.get("x-error-headers", {}).get(status)
            if more:
                out[status] = {**out[status], "headers": {**out[status]["headers"], **more}}
        name = "V1Other" if is_first_version(route["path"]) else "Other"
        out["default"] = {"$ref": f"#/components/responses/{name}"}
        return dict(sorted(out.items()))

    def headers_of(self, route, status, codes=()):
        names = ["X-Request-Id"]
        if route["rate"] != "none":
            names += ["RateLimit-Policy", "RateLimit"]
        if is_first_version(route["path"]):
            names += ["Deprecation", "Sunset", "Link"]
        if route["repeats"] and status < 300:
            names.append("Idempotency-Replayed")
        if status == 401:
            names.append("WWW-Authenticate")
        if status in (429, 503) or "IDEMPOTENCY_IN_PROGRESS" in codes:
            names.append("Retry-After")
        return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

    def error_answer(self, route, status, codes):
        first = is_first_version(route["path"])
        names = list(dict.fromkeys(code for code, _, _ in codes))
        example = {"message": codes[0][1], "code": names[0]}
        schema = {"allOf": [{"$ref": f"#/components/schemas/{'ErrorV1' if first else 'Error'}"}, {"properties": {"code": {"enum": names, "description": "Which error it is, for programs."}}}]}
        if first:
            example = {"ok": False, "error": {"code": names[0], "message": codes[0][1]}}
            schema = {"type": "object", "required": ["ok", "error"], "properties": {"ok": {"const": False, "description": "It was refused."}, "error": {**schema, "description": "What went wrong."}}}
        answer = {"description": "\n".join(f"- `{code}`: {when}" for code, when, _ in codes), "headers": self.headers_of(route, int(status), names),
                  "content": {"application/json": {"schema": schema, "example": example}}}
        if any(is_own for _, _, is_own in codes):
            return answer
        name = self.name_of_error(first, names)
        self.shared.setdefault(name, answer)
        return {"$ref": f"#/components/responses/{name}"}

    @staticmethod
    def name_of_error(first, codes):
        return ("V1" if first else "") + "Or".join("".join(word.capitalize() for word in code.split("_")) for code in codes)

    def share_errors(self):
        """What several calls say alike of an error stands once, among the components: `/openapi.json` is long enough to be packed (http/server/packer.hpp)."""
        alike = {}
        for (_, path), operation in operations_of(self.document).items():
            for status, answer in operation["responses"].items():
                codes = re.findall(r"^- `(\w+)`: ", answer.get("description", ""), re.M) if status >= "400" else []
                if codes:
                    alike.setdefault((self.name_of_error(is_first_version(path), codes), text_of(answer)), []).append((operation["responses"], status))
        for (name, _), places in alike.items():
            if len(places) > 1:
                name = next(each for each in (name, *(f"{name}{number}" for number in range(2, len(alike) + 2))) if each not in self.shared)
                self.shared[name] = places[0][0][places[0][1]]
                for answers, status in places:
                    answers[status] = {"$ref": f"#/components/responses/{name}"}


def text_of(document):
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def document_of_console():
    return with_types(fragment_of(ROOT / "http/admin"))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} FILE [CONSOLE]\n\nWrites the OpenAPI documents of the API and of the console.")
    for file, document in zip(map(pathlib.Path, sys.argv[1:]), (Builder().document, document_of_console())):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text_of(document))


if __name__ == "__main__":
    main()
