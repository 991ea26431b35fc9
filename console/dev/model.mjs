// Makes model.json from model/*.graphql, for development against a server that does not serve it yet.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'graphql';

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'imports' ? [] : files(path);
    return path.endsWith('.graphql') ? [path] : [];
  });

const literal = (node) => {
  switch (node.kind) {
    case 'ListValue': return node.values.map(literal);
    case 'IntValue': case 'FloatValue': return Number(node.value);
    case 'ObjectValue': return Object.fromEntries(node.fields.map((f) => [f.name.value, literal(f.value)]));
    default: return node.value;
  }
};
const directive = (node, name) => {
  const found = node.directives?.find((d) => d.name.value === name);
  return found && Object.fromEntries(found.arguments.map((a) => [a.name.value, literal(a.value)]));
};
const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

export function makeModel(folder) {
  const nodes = new Map();
  for (const file of files(folder)) {
    for (const node of parse(readFileSync(file, 'utf8')).definitions) nodes.set(node.name?.value, node);
  }
  const kindOf = new Map();
  for (const [name, node] of nodes) {
    const resource = directive(node, 'resource') ?? directive(node, 'later');
    if (resource) kindOf.set(name, resource.typeId);
  }
  const describe = (node) => node.description?.value;
  const stringLimits = (name) => {
    const node = nodes.get(name);
    return node?.kind === 'ScalarTypeDefinition' ? directive(node, 'string') : undefined;
  };

  function field(node, inDraft) {
    let type = node.type;
    const required = type.kind === 'NonNullType';
    let depth = 0;
    while (type.kind !== 'NamedType') {
      if (type.kind === 'ListType') depth += 1;
      type = type.type;
    }
    const name = type.name.value;
    const out = { name: node.name.value, type: name, list: depth, required };
    if (describe(node)) out.description = describe(node);
    const identifier = name.match(/^(.*)(ResourceIdentifier|KeyReference)$/);
    const target = nodes.get(name);
    if (kindOf.has(name)) {
      out.type = directive(node, 'keyReference') ? 'KeyReference' : 'Reference';
      out.references = [kindOf.get(name)];
    } else if (identifier && kindOf.has(identifier[1])) {
      out.type = identifier[2];
      out.references = [kindOf.get(identifier[1])];
    } else if (name === 'Reference' || name === 'ResourceIdentifier') {
      out.references = [];
    } else if (target?.kind === 'UnionTypeDefinition' && !directive(target, 'union')) {
      out.type = inDraft ? 'ResourceIdentifier' : 'Reference';
      out.references = target.types.map((t) => kindOf.get(t.name.value));
    }
    if (out.type === 'KeyReference') out.keyReference = true;
    const limits = { ...stringLimits(name), ...directive(node, 'limits') };
    delete limits.overflow;
    delete limits.strictPattern;
    if (Object.keys(limits).length) out.limits = limits;
    if (stringLimits(name)) out.type = 'String';
    if (directive(node, 'derived') || directive(node, 'spliced') || directive(node, 'generated')) out.readOnly = true;
    for (const flag of ['beta', 'deprecated', 'secret', 'unique', 'map']) if (directive(node, flag)) out[flag] = true;
    if (directive(node, 'index') || out.unique || out.references) out.indexed = true;
    if (node.defaultValue) out.default = literal(node.defaultValue);
    return out;
  }

  function effect(node) {
    const element = directive(node, 'element');
    const to = {};
    for (const argument of node.arguments ?? []) {
      const path = directive(argument, 'to')?.path;
      if (path) to[argument.name.value] = path;
    }
    const verbs = [
      ['set', (d) => ({ path: d.in })], ['append', (d) => ({ path: d.to })], ['remove', (d) => ({ path: d.from, by: d.by })],
      ['arrange', (d) => ({ path: d.list, by: list(d.by) })], ['customType', (d) => ({ path: d.in })], ['customField', (d) => ({ path: d.in })],
    ];
    for (const [verb, more] of verbs) {
      const found = directive(node, verb);
      if (!found) continue;
      const out = { verb, ...more(found) };
      if (element) out.element = { path: element.of, by: list(element.by) };
      if (Object.keys(to).length) out.to = to;
      return JSON.parse(JSON.stringify(out));
    }
    return undefined;
  }

  const model = { version: 'dev', kinds: [], types: {}, enums: {}, scopes: [] };
  const resourceFields = nodes.get('Resource').fields;
  for (const [name, node] of nodes) {
    if (!name || directive(node, 'actions') || directive(node, 'message') || directive(node, 'me')) continue;
    if (node.kind === 'EnumTypeDefinition') {
      model.enums[name] = node.values.map((v) => directive(v, 'value')?.is ?? v.name.value);
    } else if (node.kind === 'UnionTypeDefinition') {
      const union = directive(node, 'union');
      if (!union) continue;
      const options = {};
      for (const member of node.types) {
        const is = directive(nodes.get(member.name.value) ?? {}, 'value')?.is ?? member.name.value;
        options[is] = member.name.value;
      }
      model.types[name] = { description: describe(node), discriminator: union.by, options, default: union.default };
    } else if (node.fields) {
      const resource = directive(node, 'resource');
      const inherited = resource ? resourceFields.filter((f) => !resource.inherits || resource.inherits.includes(f.name.value)) : [];
      const own = node.fields.map((f) => field(f, node.kind.startsWith('Input')));
      const names = new Set(own.map((f) => f.name));
      model.types[name] = {
        description: describe(node),
        fields: [...inherited.map((f) => ({ ...field(f), readOnly: true })).filter((f) => !names.has(f.name)), ...own],
      };
    }
  }
  const scopes = new Set();
  for (const [name, node] of nodes) {
    const resource = directive(node, 'resource');
    if (!resource) continue;
    const below = directive(node, 'below');
    const associate = directive(node, 'asAssociate');
    const operations = (resource.operations ?? ['GET', 'HEAD', 'QUERY', 'CREATE', 'UPDATE', 'DELETE'])
      .map((o) => o.toLowerCase()).filter((o) => o !== 'head');
    [...list(resource.view), ...list(resource.manage)].forEach((s) => scopes.add(s));
    const search = directive(node, 'search');
    const types = model.types[name].fields;
    const naming = ['name', 'orderNumber', 'email', 'sku', 'code', 'slug', 'key'];
    const nested = name === 'Product' ? ['masterData.current.name', 'masterData.current.slug', 'key'] : undefined;
    const actions = [...nodes.values()].filter((n) => directive(n, 'actions')?.of === name && !n.name.value.startsWith('Staged'))
      .flatMap((n) => n.fields).map((action) => ({
        name: action.name.value, description: describe(action), effect: effect(action), fields: action.arguments.map((a) => field(a, true)),
      }));
    model.kinds.push({
      name, typeId: resource.typeId, path: resource.path ?? '', description: describe(node),
      view: [...list(resource.view), ...list(resource.query)], manage: list(resource.manage),
      keyed: types.some((f) => f.name === 'key' && f.unique), inStore: !!directive(node, 'inStore'), singleton: resource.path === '',
      operations, type: name, draft: nodes.has(`${name}Draft`) ? `${name}Draft` : undefined,
      service: resource.service, address: resource.address, keyField: resource.keyField,
      hidden: resource.path === undefined || !!below || !!associate?.only || !operations.includes('query') && resource.path !== '' || undefined,
      search: search ? { path: `${resource.path}/search`, kind: resource.path } : null,
      display: nested ?? naming.filter((n) => types.some((f) => f.name === n && f.list === 0)), actions,
    });
  }
  model.kinds.sort((a, b) => a.name.localeCompare(b.name));
  model.scopes = ['manage_project', ...[...scopes].sort()];
  return JSON.parse(JSON.stringify(model));
}
