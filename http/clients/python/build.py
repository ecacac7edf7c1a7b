"""Makes a wheel of the client with the standard library alone: `python3 build.py [DIRECTORY]`. pip does the same for `pip install .` (PEP 517).

What is made of the API's reference is calls.py, a method for each call. Calls of version 1 and pages for browsers are left out.
"""

import base64
import hashlib
import json
import keyword
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NAME = "credence_client"
BEGIN = '''"""The calls of the API, made of its reference."""

from __future__ import annotations

from typing import Any, NamedTuple


class How(NamedTuple):
    """How a call is sent."""

    verb: str
    path: str
    once: bool  # takes an Idempotency-Key
    asks: bool  # who calls must be known
    joined: tuple[str, ...]  # lists that travel as one text


class Calls:
    """A method for each call; its parameters are called as in the reference."""

    def _send(self, how: How, parameters: dict[str, Any], body: Any, idempotency_key: str | None) -> Any:
        raise NotImplementedError
'''
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list[Any]"}


def reference():
    """The document as the server has it."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "openapi.json"
        subprocess.run([sys.executable, ROOT / "ops/reference.py", file], check=True)
        return json.loads(file.read_text())


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])|([A-Z])(?=[a-z])", lambda found: "_" + found.group().lower(), name).lstrip("_").lower()


def told(text):
    return " ".join(str(text).split()).replace("\\", "\\\\").replace('"""', "'''")


def method_of(verb, path, call, shared):
    seen = [shared[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each for each in call["parameters"]]
    taken = [each for each in seen if each["in"] in ("path", "query")]
    body = call.get("requestBody")
    once = any(each["name"] == "Idempotency-Key" for each in seen)
    asks = call["x-access"] != "open" and any("accessToken" in each for each in call["security"])
    joined = tuple(each["name"] for each in taken if each["in"] == "query" and each.get("explode") is False)
    needed = [f"{each['name']}: {TYPES.get(each['schema'].get('type'), 'Any')}" for each in taken if each.get("required")]
    needed += ["body: Any"] if body and body.get("required") else []
    free = [f"{each['name']}: {TYPES.get(each['schema'].get('type'), 'Any')} | None = None" for each in taken if not each.get("required")]
    free += ["body: Any = None"] if body and not body.get("required") else []
    free += ["idempotency_key: str | None = None"] if once else []
    names = [each["name"] for each in taken]
    wrong = [name for name in names if keyword.iskeyword(name) or not name.isidentifier() or name in ("self", "body", "idempotency_key")]
    if wrong or len(set(names)) != len(names):
        raise ValueError(f"{call['operationId']}: no names of parameters in Python, or twice the same: {wrong or names}")
    words = ", ".join(needed + free)
    lines = [f'    def {snake(call["operationId"])}(self{", *, " if words else ""}{words}) -> Any:', f'        """{told(call["summary"])}.']
    if "description" in call:
        lines += ["", f'        {told(call["description"])}']
    if taken:
        lines += ["", *(f'        {each["name"]}: {told(each["description"])}' for each in taken)]
    lines[-1:] = [lines[-1] + '"""'] if len(lines) == 2 else [lines[-1], '        """']
    given = ", ".join(f'"{name}": {name}' for name in names)
    how = f"How({json.dumps(verb.upper())}, {json.dumps(path)}, {once}, {asks}, {joined!r})"
    lines.append(f'        return self._send({how}, {{{given}}}, {"body" if body else None}, {"idempotency_key" if once else None})')
    return "\n".join(lines)


def calls_of(document):
    """The text of calls.py."""
    methods = [method_of(verb, path, call, document["components"]["parameters"]) for path, item in document["paths"].items() for verb, call in item.items()
               if not call.get("deprecated") and "application/json" in call["responses"].get("200", {}).get("content", {})]
    return "\n\n".join([BEGIN.rstrip(), *methods]) + "\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The name of the wheel that it puts there. Equal sources give equal bytes."""
    document = reference()
    version = document["info"]["version"]
    (HERE / NAME / "calls.py").write_text(calls_of(document))
    readme = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", (ROOT / "docs/guides/clients.md").read_text())  # without links to pages that are not in the package
    about = f"{NAME}-{version}.dist-info"
    head = {"Metadata-Version": "2.1", "Name": NAME.replace("_", "-"), "Version": version, "Summary": "Client of the Credence API, made of its reference.",
            "License": "Apache-2.0", "Requires-Python": ">=3.9", "Description-Content-Type": "text/markdown"}
    files = {f"{NAME}/{file.name}": file.read_text() for file in sorted((HERE / NAME).glob("*.py"))}
    files[f"{NAME}/py.typed"] = ""
    files[f"{about}/METADATA"] = "".join(f"{name}: {value}\n" for name, value in head.items()) + "\n" + readme
    files[f"{about}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: build.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    digest = {name: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode() for name, text in files.items()}
    files[f"{about}/RECORD"] = "".join(f"{name},sha256={digest[name]},{len(text.encode())}\n" for name, text in files.items()) + f"{about}/RECORD,,\n"
    wheel = f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as to:
        for name, text in files.items():
            to.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(f"usage: {sys.argv[0]} [DIRECTORY]\n\n{__doc__}")
    print(build_wheel(sys.argv[1] if len(sys.argv) == 2 else "."))
