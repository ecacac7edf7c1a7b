#!/usr/bin/env python3
"""The OpenAPI document of the API: `ops/reference.py FILE` writes it, the build puts it into the executable.

It is made of a fragment for each resource (http/api/<resource>/openapi.json: what the resource's own routes take and answer), of what the routes
declare (routes.hpp beside it: who may call, scope, rate class, safe repeats, dry runs), and of a head (http/api/openapi_head.json: what all
have in common). Equal sources give equal bytes. tests/http/api/reference_test.cpp compares it with the table of routes.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True # ops/check_reference imports this
ROOT = pathlib.Path(__file__).resolve().parents[1]
# What each kind of route says (http/api/declare.hpp, and each routes.hpp for its own).
KINDS = {
    "reads": {"verb": "get", "access": "open", "scope": "read", "reads": True},
    "reads_by_caller": {"verb": "get", "access": "open", "scope": "read", "reads": True, "by_caller": True},
    "reads_own": {"verb": "get", "access": "caller", "scope": "read", "reads": True},
    "reads_always": {"verb": "get", "access": "open", "scope": "none", "reads": True},
    "asks": {"verb": "post", "access": "open", "scope": "read", "reads": True},
    "asks_by_caller": {"verb": "post", "access": "open", "scope": "read", "reads": True, "by_caller": True},
    "asks_chain": {"verb": "get", "access": "caller", "scope": "read", "reads": True},
    "writes": {"verb": "post", "access": "caller", "repeats": True},
    "records": {"verb": "post", "access": "caller", "scope": "record", "repeats": True, "dry_runs": True},
    "edits_record": {"verb": "patch", "access": "caller", "scope": "record", "repeats": True, "dry_runs": True},
    "puts_record": {"verb": "put", "access": "caller", "repeats": True, "dry_runs": True},
    "deletes": {"verb": "delete", "access": "caller", "repeats": True},
    "deletes_record": {"verb": "delete", "access": "caller", "repeats": True, "dry_runs": True},
    "admin": {"verb": "post", "access": "admin", "scope": "none", "repeats": True},
    "admin_records": {"verb": "post", "access": "admin", "scope": "none", "repeats": True, "dry_runs": True},
    "admin_edits": {"verb": "patch", "access": "admin", "scope": "none", "repeats": True, "dry_runs": True},
    "shows": {"verb": "get", "access": "open", "scope": "none", "reads": True},
    "signs": {"verb": "post", "access": "open", "scope": "none", "rate": "wallet"},
    "joins": {"verb": "post", "access": "open", "scope": "none", "rate": "wallet", "repeats": True, "dry_runs": True},
    "acts": {"verb": "post", "access": "partner", "partner": True, "scope": "none", "rate": "wallet", "repeats": True, "dry_runs": True},
}
# What the front answers without a route (http/server/built_in.cpp).
BUILT_IN = {("get", path): {"verb": "get", "path": path, "access": "open", "scope": "none", "reads": True, "rate": "none"}
            for path in ("/livez", "/readyz")}
SECURITY = {"caller": ("accessToken", "apiKey", "session"), "owner": ("accessToken", "session"), "admin": ("accessToken",),
            "partner": ("partnerToken", "partnerSession")}


def declared(text):
    """(words before the path, path, what follows it) of each route in the text of a routes.hpp."""
    for found in re.finditer(r'((?:\w+\()+)"(/[^"]*)"', text):
        depth, end = found.group(1).count("("), found.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield found.group(1).rstrip("(").split("("), found.group(2), text[found.end():end]


def route_of(words, path, rest):
    kind = words[-1]
    if kind not in KINDS:
        raise ValueError(f"{path} is declared by '{kind}', a kind of route that ops/reference.py does not know")
    route = {"path": path, "scope": "none", **KINDS[kind]}
    for pattern, name in ((r"scope::(\w+)", "scope"), (r"quota_class::(\w+)", "rate")):
        if found := re.search(pattern, rest):
            route[name] = found.group(1)
    route["dry_runs"] = route.get("dry_runs", False) or "dry_runs = true" in rest
    route["repeats"] = route.get("repeats", False) or "idempotency_keeper::by_handler" in rest
    for wrapper in reversed(words[:-1]):
        if wrapper == "by_owner":
            route.update(access="owner", scope="none")
        elif wrapper == "of_caller":
            route["access"] = "caller"
        elif wrapper == "a_day":
            route["a_day"] = "daily_act::by_rules" not in rest
        elif wrapper == "by_partner":
            route["partner"] = True
            if route["access"] != "open":
                route.update(access="partner", scope="none")
    route.setdefault("rate", "admin" if route["access"] == "admin" else "read" if route.get("reads") else "write")
    return route


def routes_of(folder):
    """{(verb, path): what the route declares} of a resource."""
    found = {}
    for words, path, rest in declared((folder / "routes.hpp").read_text()):
        route = route_of(words, path, rest)
        found[route["verb"], path] = route
    if folder.name == "health":
        found.update(BUILT_IN)
    return found


def resources():
    return sorted(file.parent for file in ROOT.glob("http/api/*/routes.hpp"))


def fragment_of(folder):
    """The description of a resource; nothing where there is none yet."""
    file = folder / "openapi.json"
    return json.loads(file.read_text()) if file.exists() else None


def operations_of(fragment):
    return {(verb, path): operation for path, verbs in fragment["paths"].items() for verb, operation in verbs.items()}


def is_first_version(path):
    return path == "/api/v1" or path.startswith("/api/v1/")


def alike_for_all(route):
    """Whether a credential makes no difference, so that a bad one does no harm either."""
    return route["access"] == "open" and route.get("reads") and not route.get("by_caller")


TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


LONGEST = 2**63


def is_long(schema):
    """Whether it is an integer that needs up to 64 bits: generated clients of many languages take one that says nothing for 32."""
    if schema.get("type") not in ("integer", ["integer", "null"]) or "enum" in schema or "const" in schema:
        return False
    low, high = schema.get("minimum", -LONGEST), schema.get("maximum", LONGEST - 1)
    return -LONGEST <= low and high < LONGEST and not (-2**31 <= low and high < 2**31)


def with_types(node):
    """The same schemas where constants and enums say their type, null and the empty text stand beside the other values of an enum, and a long
    integer says its format: generated clients need all of that."""
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
    if isinstance(out.get("const"), (bool, int, float, str)):
        return {"type": TYPES[type(out["const"])], **out}
    return {**out, "format": "int64"} if is_long(out) else out


class Builder:
    """Puts the document together; `document` is what came out."""

    def __init__(self):
        head = json.loads((ROOT / "http/api/openapi_head.json").read_text())
        self.common = head.pop("x-common-errors")
        self.document = head
        self.shared = head["components"]["responses"]
        for folder in resources():
            if fragment := fragment_of(folder):
                self.add(folder, fragment)
        document = self.document
        document["paths"] = dict(sorted(document["paths"].items()))
        for kind in ("schemas", "responses"):
            document["components"][kind] = dict(sorted(document["components"][kind].items()))
        self.document = with_types(document)

    def add(self, folder, fragment):
        tag = fragment["tag"]
        self.document["tags"].append(tag)
        self.document["components"]["schemas"].update(fragment.get("components", {}).get("schemas", {}))
        routes = routes_of(folder)
        for (verb, path), operation in operations_of(fragment).items():
            route = routes.get((verb, path))
            if route is None:
                raise ValueError(f"{folder.name}: {verb.upper()} {path} is described, and is no route")
            self.document["paths"].setdefault(path, {})[verb] = self.completed(operation, route, tag["name"])

    def completed(self, operation, route, tag):
        errors = self.errors_of(operation, route)
        out = {"tags": [tag], **{key: value for key, value in operation.items() if key not in ("responses", "x-errors", "parameters")}}
        if is_first_version(route["path"]):
            out["deprecated"] = True
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
        if route.get("partner") and route["access"] == "open" and route.get("reads"):
            schemes = [{}] + [{name: []} for name in SECURITY["partner"]]
        return schemes

    @staticmethod
    def parameters_of(operation, route):
        there = {each.get("name") for each in operation.get("parameters", [])}
        wanted = (("dryRun", "DryRun", route.get("dry_runs")), ("Idempotency-Key", "IdempotencyKey", route.get("repeats")),
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
                "credentials": not alike_for_all(route) and not route.get("partner"),
                "callers": route["access"] != "open",
                "keys": route["scope"] != "none" and route["access"] in ("open", "caller"),
                "repeats": bool(route.get("repeats")),
                "writers": not route.get("reads"),
                "counted": bool(route.get("a_day"))}[whom]

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
        if route.get("repeats") and status < 300:
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
        schema = {"allOf": [{"$ref": f"#/components/schemas/{'ErrorV1' if first else 'Error'}"}, {"properties": {"code": {"enum": names}}}]}
        if first:
            example = {"ok": False, "error": {"code": names[0], "message": codes[0][1]}}
            schema = {"type": "object", "required": ["ok", "error"], "properties": {"ok": {"const": False}, "error": schema}}
        answer = {"description": "\n".join(f"- `{code}`: {when}" for code, when, _ in codes), "headers": self.headers_of(route, int(status), names),
                  "content": {"application/json": {"schema": schema, "example": example}}}
        if any(is_own for _, _, is_own in codes):
            return answer
        name = ("V1" if first else "") + "Or".join("".join(word.capitalize() for word in code.split("_")) for code in names)
        self.shared.setdefault(name, answer)
        return {"$ref": f"#/components/responses/{name}"}


def text_of(document):
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} FILE\n\nWrites the OpenAPI document of the API.")
    pathlib.Path(sys.argv[1]).write_text(text_of(Builder().document))


if __name__ == "__main__":
    main()
