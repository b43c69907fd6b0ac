#!/usr/bin/python3
"""Whether a file is a right OpenAPI 3.1 document: check.py DOCUMENT.json

The published schema first, then what it cannot say: references lead somewhere, operationIds are unique, placeholders
are declared, schemas are schemas, and examples and defaults are what their schemas say. Complaints go to standard
output, one on a line; exit code 1 where there are any.
"""

import json
import pathlib
import re
import sys

from jsonschema import Draft202012Validator, FormatChecker, RefResolver

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def walk(value, place="#"):
    yield place, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from walk(inner, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}")


class Check:
    def __init__(self, document):
        self.document = document
        self.complaints = []
        self.resolver = RefResolver("", document)
        self.counted = {"operations": 0, "schemas": 0, "examples": 0, "references": 0}
        self.seen = set()

    # Headers, parameters and answers are shared by nearly all operations: what was looked at once is right everywhere.
    def is_new(self, *what):
        key = json.dumps(what)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def complain(self, place, text):
        self.complaints.append(f"{place}: {text}")

    def resolved(self, value):
        while isinstance(value, dict) and "$ref" in value:
            value = self.resolver.resolve(value["$ref"])[1]
        return value

    def fits(self, place, value, schema):
        if not self.is_new("fits", value, schema):
            return
        self.counted["examples"] += 1
        validator = Draft202012Validator(schema, resolver=self.resolver, format_checker=FormatChecker())
        try:
            for error in validator.iter_errors(value):
                self.complain(place, f"{error.json_path}: {error.message}")
        except Exception as error:  # of a schema that is none
            self.complain(place, f"no schema: {str(error)[:300]}")

    def against_published_schema(self):
        schema = json.loads((pathlib.Path(__file__).parent / "schema-3.1.json").read_text())
        for error in Draft202012Validator(schema).iter_errors(self.document):
            self.complain("/".join(map(str, error.absolute_path)), error.message[:300])

    def references(self):
        for place, value in walk(self.document):
            if not (isinstance(value, dict) and isinstance(value.get("$ref"), str)):
                continue
            self.counted["references"] += 1
            try:
                self.resolver.resolve(value["$ref"])
            except Exception:
                self.complain(place, f"nothing at {value['$ref']}")

    def schema(self, place, schema):
        if not self.is_new("schema", schema):
            return
        self.counted["schemas"] += 1
        try:
            Draft202012Validator.check_schema(schema)
        except Exception as error:
            self.complain(place, f"no schema: {error}")
            return
        for inner_place, inner in walk(schema, place):
            if not isinstance(inner, dict) or inner_place.endswith(("/properties", "/default", "/const")):
                continue
            if isinstance(inner.get("required"), list) and isinstance(inner.get("properties"), dict):
                for name in set(inner["required"]) - set(inner["properties"]):
                    self.complain(inner_place, f"requires {name}, which it does not describe")
            if "default" in inner:
                self.fits(inner_place + "/default", inner["default"], inner)
            for example in inner.get("examples", []) if {"type", "oneOf"} & inner.keys() else []:
                self.fits(inner_place + "/examples", example, inner)

    # What carries a schema and examples: media types, parameters, headers.
    def carrier(self, place, value):
        value = self.resolved(value)
        schema = value.get("schema")
        if schema is None:
            return
        self.schema(place + "/schema", schema)
        if "example" in value:
            self.fits(place + "/example", value["example"], schema)
        for name, example in value.get("examples", {}).items():
            self.fits(f"{place}/examples/{name}", self.resolved(example)["value"], schema)

    def content(self, place, value):
        for media_type, carrier in self.resolved(value).get("content", {}).items():
            self.carrier(f"{place} {media_type}", carrier)

    def operation(self, place, path, operation):
        self.counted["operations"] += 1
        declared = set()
        for parameter in operation.get("parameters", []):
            parameter = self.resolved(parameter)
            self.carrier(f"{place} {parameter['name']}", parameter)
            if parameter["in"] == "path":
                declared.add(parameter["name"])
                if parameter.get("required") is not True:
                    self.complain(place, f"path parameter {parameter['name']} is not required")
        if declared != set(re.findall(r"\{([^}]+)\}", path)):
            self.complain(place, "placeholders of the path and its parameters differ")
        if "requestBody" in operation:
            self.content(place + " body", operation["requestBody"])
        for status, response in operation["responses"].items():
            self.content(f"{place} {status}", response)
            for name, header in self.resolved(response).get("headers", {}).items():
                self.carrier(f"{place} {status} {name}", header)

    def everything(self):
        self.against_published_schema()
        self.references()
        if self.complaints:
            return
        for name, schema in self.document["components"]["schemas"].items():
            self.schema(f"schema {name}", schema)
        ids = set()
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method not in METHODS:
                    continue
                place = f"{method} {path}"
                if operation["operationId"] in ids:
                    self.complain(place, f"operationId {operation['operationId']} is not unique")
                ids.add(operation["operationId"])
                self.operation(place, path, operation)


def main():
    check = Check(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    check.everything()
    for complaint in check.complaints:
        print(complaint)
    if not check.complaints:
        print("No complaints:", ", ".join(f"{count} {name}" for name, count in check.counted.items()))
    return 1 if check.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
