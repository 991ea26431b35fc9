"""Makes requests meet what is stored.

Left alone, nearly every request ends at an unknown id or an old version. Half of them get the id, the key and the
version of something that is there, so that the rules behind those checks are reached too.
"""

import os
import random

import requests
import schemathesis

# Asks for something stored at most this often; in between, what was found stays good enough.
LOOKS_EVERY = 20

_found = {}


def _stored(case, path):
    """What is stored at a path of the project, as a list; remembered for a while."""
    seen, left = _found.get(path, ([], 0))
    if left > 0:
        _found[path] = (seen, left - 1)
        return seen
    base = case.operation.base_url.rstrip("/")
    project, token = os.environ["KONTOR_FUZZED_PROJECT"], os.environ["KONTOR_FUZZED_TOKEN"]
    answer = requests.get(
        f"{base}/{project}{path}?limit=100&withTotal=false",
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    )
    results = answer.json().get("results", [answer.json()]) if answer.status_code == 200 else []
    _found[path] = (results, LOOKS_EVERY)
    return results


def _paths_by_type(schema):
    """`typeId` to path, for the kinds that are queried."""
    paths = {}
    for path, item in schema.raw_schema["paths"].items():
        if path.count("/") == 2 and "get" in item and "post" in item and path.startswith("/{projectKey}/"):
            name = item["get"]["tags"][0]
            reference = schema.raw_schema["components"]["schemas"].get(f"{name}ResourceIdentifier")
            if reference:
                paths[reference["properties"]["typeId"]["const"]] = path.removeprefix("/{projectKey}")
    return paths


def _point_at_stored(value, look, paths):
    """Lets identifiers in a body point at something that is there."""
    if isinstance(value, list):
        for item in value:
            _point_at_stored(item, look, paths)
    elif isinstance(value, dict):
        type_id = value.get("typeId")
        if isinstance(type_id, str) and type_id in paths and ("id" in value or "key" in value):
            stored = look(paths[type_id])
            if stored:
                value.pop("key", None)
                value["id"] = random.choice(stored)["id"]
        for item in value.values():
            _point_at_stored(item, look, paths)


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    if not path.startswith("/{projectKey}") or random.random() < 0.5:
        return

    def look(at):
        return _stored(case, at)

    below = path.removeprefix("/{projectKey}")
    if isinstance(case.body, (dict, list)):
        _point_at_stored(case.body, look, _paths_by_type(case.operation.schema))
    kind, _, last = below.rpartition("/")
    if below and "{" not in last:
        return
    candidates = look(kind if below else "")
    if last == "key={key}":
        candidates = [one for one in candidates if "key" in one]
    if not candidates:
        return
    target = random.choice(candidates)
    if last == "{ID}":
        case.path_parameters["ID"] = target["id"]
    elif last == "key={key}":
        case.path_parameters["key"] = target["key"]
    if isinstance(case.body, dict) and "version" in case.body:
        case.body["version"] = target["version"]
        _found.pop(kind if below else "", None)
    if isinstance(case.query, dict) and "version" in case.query and "version" in target:
        case.query["version"] = target["version"]
        _found.pop(kind, None)
