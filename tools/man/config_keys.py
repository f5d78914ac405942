"""The keys of the configuration in Markdown, from what `cnsched config --schema` prints."""

import json
import re


def keys(schema):
    """Of each key a heading and the text. The keys of the file are at the second level, others below."""
    for name, key in schema["properties"].items():
        yield f"## {name}\n"
        yield from key_text(name, key, "none")
        yield from keys_in(name, key, "###")


def keys_in(path, schema, heading):
    """The keys of the records that a value is or contains."""
    required = schema.get("required", [])
    for name, key in schema.get("properties", {}).items():
        inner = f"{path}.{name}"
        is_fact = path == "cluster" and not is_list(key)
        default = "none, the key is required" if name in required else "unknown" if is_fact else "none"
        yield f"{heading} {inner}\n"
        yield from key_text(name, key, default)
        yield from keys_in(inner, key, heading)
    for part in schema.get("anyOf", []):
        yield from keys_in(path, part, heading)
    if "items" in schema:
        yield from keys_in(f"{path}[]", schema["items"], "####")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from keys_in(f"{path}.*", schema["additionalProperties"], "####")


def key_text(name, key, default):
    yield f"**Type:** {type_of(key)}. **Default:** {default}.\n"
    yield key["description"] + "\n"
    names = key.get("propertyNames", {}).get("enum", [])
    if 0 < len(names) <= 40:  # the ids of rules have a table of their own
        yield "Its keys are " + ", ".join(f"`{each}`" for each in names) + ".\n"
    for example in key.get("examples", []):
        yield "\n".join(["```yaml", *yaml_of({name: example}), "```\n"])


def yaml_of(value):
    """The value as lines of YAML, in block style."""
    if isinstance(value, dict):
        for key, each in value.items():
            first, *rest = yaml_of(each)
            if isinstance(each, (dict, list)):
                yield f"{scalar(key)}:"
                yield from (f"  {line}" for line in [first, *rest])
            else:
                yield f"{scalar(key)}: {first}"
    elif isinstance(value, list):
        for each in value:
            first, *rest = yaml_of(each)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield scalar(value)


def scalar(value):
    if value is False:
        return "off"
    is_plain = (isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w./*=\[\]' -]*", value)
                and value not in ("on", "off", "yes", "no", "true", "false", "null"))
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def is_list(schema):
    return "array" in types_of(schema)


def types_of(schema):
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def type_of(schema):
    if "anyOf" in schema:
        return ", or ".join(dict.fromkeys(type_of(part) for part in schema["anyOf"] if types_of(part) != ["null"]))
    if "enum" in schema:
        if True in schema["enum"]:
            return "`true` or `false`"
        return "one of " + ", ".join(f"`{word}`" for word in schema["enum"] if isinstance(word, str))
    if is_list(schema):
        return "list of mappings" if "object" in types_of(schema["items"]) else "list of texts"
    if "object" in types_of(schema):
        values = schema.get("additionalProperties")
        return f"mapping of names to values; each value is {type_of(values)}" if isinstance(values, dict) else "mapping"
    names = {"string": "text", "number": "number", "integer": "whole number"}
    return " or ".join(names[each] for each in types_of(schema) if each != "null")
