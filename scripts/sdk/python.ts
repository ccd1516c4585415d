// The generated parts of the Python SDK: functions, types, pyproject.toml.
import { version } from '../../src/base/version.ts';
import { isStruct, type Method, nameOf, notice, pascal, type Schema, type Shapes, variantsOf } from './description.ts';

export function pythonFiles(methods: readonly Method[], shapes: Shapes): [name: string, text: string][] {
  return [
    ['python/postrider/methods.py', pythonOf(methods)],
    ['python/postrider/types.py', pythonTypes(methods, shapes)],
    ['python/pyproject.toml', pyproject()],
  ];
}

function pythonOf(methods: readonly Method[]): string {
  const defined = methods.map((method) => {
    const { properties = {}, required = [] } = method.params;
    const names = Object.keys(properties);
    const given = [
      ...names.filter((name) => required.includes(name)),
      ...names.filter((name) => !required.includes(name)),
    ];
    const params = given.map((name) => {
      const type = `"types.${pascal(method.name)}Params_${name}"`;
      return `        ${pythonName(name)}: ${pythonType(properties[name]!, type)}${required.includes(name) ? '' : ' = UNSET'},\n`;
    });
    const sent = given.map((name) => `"${name}": ${pythonName(name)}`).join(', ');
    const signature = params.length === 0 ? 'self' : `\n        self,\n        *,\n${params.join('')}    `;
    return `    def ${snake(method.name)}(${signature}) -> ${pythonType(method.returns, `"types.${pascal(method.name)}Result"`)}:
        """${pythonText(method.summary)}"""
        return self.call("${method.name}", {${sent}})
`;
  });
  const facts = methods.map(
    ({ name, reads, idempotent, pages }) =>
      `    "${name}": Method(${reads ? 'True' : 'False'}, ${idempotent ? 'True' : 'False'}, ${pages ? `"${pages}"` : 'None'}),\n`,
  );
  return `# ${notice}
from __future__ import annotations

from typing import Any, Dict, List, Literal, NamedTuple, Optional, Union

from . import types


class Unset:
    """The value of a parameter that is not sent."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = Unset()


class Method(NamedTuple):
    reads: bool
    idempotent: bool
    pages: Optional[str]


METHODS: Dict[str, Method] = {
${facts.join('')}}


class Methods:
    """One function for each method of the API."""

    def call(self, method: str, params: Optional[Dict[str, Any]] = None) -> Any:
        raise NotImplementedError

${defined.join('\n')}`;
}

/** TypedDicts of the results, and of structs among the parameters. */
function pythonTypes(methods: readonly Method[], shapes: Shapes): string {
  const classes: string[] = [];
  for (const [name, shape] of Object.entries(shapes)) {
    addClasses(shape, name, classes);
    if (!isStruct(shape)) classes.push(`${name} = ${pythonType(shape, `"${name}"`)}\n`);
  }
  for (const method of methods) {
    addClasses(method.returns, `${pascal(method.name)}Result`, classes);
    for (const [name, member] of Object.entries(method.params.properties ?? {}))
      addClasses(member, `${pascal(method.name)}Params_${name}`, classes);
  }
  return `# ${notice}
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${classes.join('\n')}`;
}

/** Adds the class of a struct, after those of the structs in it. */
export function addClasses(schema: Schema, name: string, classes: string[]): void {
  if (schema.type === 'array') {
    addClasses(schema.items ?? {}, name, classes);
    return;
  }
  for (const [i, variant] of (variantsOf(schema) ?? []).entries())
    addClasses(variant, variantName(name, variant, i), classes);
  if (!isStruct(schema) || !schema.properties) return;
  for (const [member, inner] of Object.entries(schema.properties))
    addClasses(inner, `${name}_${word(member)}`, classes);
  const members = Object.entries(schema.properties).map(
    ([member, inner]) => `    "${member}": ${pythonType(inner, `"${name}_${word(member)}"`)},\n`,
  );
  classes.push(`${name} = TypedDict("${name}", {\n${members.join('')}}, total=False)\n`);
}

const word = (name: string) => name.replace(/\W/g, '_');

/** Of one of several structs: by its type, if it has one. */
const variantName = (name: string, { properties }: Schema, i: number) =>
  `${name}_${properties?.['type']?.const ?? i + 1}`;

/** @param name the class of the struct in it, in quotes */
export function pythonType(schema: Schema, name: string): string {
  if (schema.$ref) return name.startsWith('"types.') ? `"types.${nameOf(schema)}"` : `"${nameOf(schema)}"`;
  const variants = variantsOf(schema);
  if (variants) {
    const types = variants.map((one, i) => pythonType(one, `${variantName(name.slice(0, -1), one, i)}"`));
    return types.includes('Any') ? 'Any' : `Union[${[...new Set(types)].join(', ')}]`;
  }
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words) return `Literal[${words.map((one) => JSON.stringify(one)).join(', ')}]`;
  switch (schema.type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'array':
      return `List[${pythonType(schema.items ?? {}, name)}]`;
    case 'object':
      return isStruct(schema) ? name : 'Dict[str, Any]';
    default:
      return 'Any';
  }
}

const snake = (name: string) => name.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
const reserved = new Set(['import', 'from', 'class', 'global', 'in', 'is']);
const pythonName = (name: string) => (reserved.has(name) ? `${name}_` : name);
const pythonText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', "'");

function pyproject(): string {
  return `# ${notice}
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "postrider-client"
version = "${version}"
description = "Typed client for the API of a Postrider installation"
license = { text = "MIT" }
requires-python = ">=3.8"

[tool.setuptools]
packages = ["postrider"]
`;
}
