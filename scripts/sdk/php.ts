// The generated parts of the PHP SDK: functions, types for static analysis, composer.json.
import { version } from '../../src/base/version.ts';
import { isStruct, type Method, nameOf, notice, type Schema, type Shapes, variantsOf } from './description.ts';

export function phpFiles(methods: readonly Method[], shapes: Shapes): [name: string, text: string][] {
  return [
    ['php/src/Methods.php', methodsOf(methods, shapes)],
    ['php/src/Types.php', typesOf(shapes)],
    ['php/composer.json', composerJson()],
  ];
}

function methodsOf(methods: readonly Method[], shapes: Shapes): string {
  const used = new Set(methods.flatMap(({ params, returns }) => refsIn([params, returns])));
  const imports = [...used].sort().map((name) => ` * @phpstan-import-type ${typeName(name)} from Types\n`);
  const facts = methods.map(({ name, reads, idempotent, pages, params }) => {
    const structs = structPaths(params, shapes);
    const members = [
      reads && "'reads' => true",
      idempotent && "'idempotent' => true",
      pages && `'pages' => '${pages}'`,
      structs.length > 0 && `'structs' => [${structs.map((path) => `'${path}'`).join(', ')}]`,
    ].filter(Boolean);
    return `        '${name}' => [${members.join(', ')}],\n`;
  });
  return `<?php

// ${notice}

declare(strict_types=1);

namespace Postrider;

/**
 * One function for each method of the API. A parameter that is null is not sent.
 *
${imports.join('')} */
abstract class Methods
{
    /**
     * By method: whether it changes nothing, whether it takes an idempotency_key, how its result is divided into pages, and the
     * places of structs among its parameters.
     */
    protected const METHODS = [
${facts.join('')}    ];

    /**
     * Calls any method by name.
     *
     * @param array<string, mixed> $params
     * @throws PostriderError
     */
    abstract public function call(string $method, array $params = []): mixed;

    /**
     * @param array<string, mixed> $params
     * @return array<string, mixed>
     */
    private static function given(array $params): array
    {
        return array_filter($params, fn (mixed $value): bool => $value !== null);
    }

${methods.map((method) => functionOf(method, shapes)).join('\n')}}
`;
}

function functionOf({ name, summary, params, returns }: Method, shapes: Shapes): string {
  const { properties = {}, required = [] } = params;
  const isRequired = (member: string) => required.includes(member);
  const given = Object.keys(properties).toSorted((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
  const documented = given.map((member) => {
    const schema = properties[member]!;
    const type = `${shown(schema, '     * ')}${isRequired(member) ? '' : '|null'}`;
    return `     * @param ${type.replace('mixed|null', 'mixed')} $${member}${schema.description ? ` ${comment(schema.description)}` : ''}\n`;
  });
  const declared = given.map((member) => {
    const type = nativeType(properties[member]!, shapes);
    return `        ${isRequired(member) ? type : optional(type)} $${member}${isRequired(member) ? '' : ' = null'},\n`;
  });
  return `    /**
     * ${comment(summary)}
     *
${documented.join('')}     * @return ${shown(returns, '     * ')}
     * @throws PostriderError
     */
    public function ${name}(${declared.length === 0 ? '' : `\n${declared.join('')}    `}): ${nativeType(returns, shapes)}${declared.length === 0 ? '\n    ' : ' '}{
        return $this->call('${name}'${given.length === 0 ? '' : ', self::given(get_defined_vars())'});
    }
`;
}

/** Where the parameters have structs: PHP writes an empty one like an empty list. */
function structPaths(schema: Schema, shapes: Shapes, path: readonly string[] = []): string[] {
  if (path.length > maxDepth) return [];
  if (schema.$ref) return structPaths(shapes[nameOf(schema)]!, shapes, path);
  const variants = variantsOf(schema);
  if (variants)
    return variants.some(({ type }) => type === 'array')
      ? []
      : [...new Set(variants.flatMap((one) => structPaths(one, shapes, path)))];
  if (schema.type === 'array') return structPaths(schema.items ?? {}, shapes, [...path, '*']);
  if (schema.type !== 'object') return [];
  const { properties = {}, additionalProperties = false } = schema;
  const inner = Object.entries(properties).flatMap(([name, member]) => structPaths(member, shapes, [...path, name]));
  const others =
    typeof additionalProperties === 'object' ? structPaths(additionalProperties, shapes, [...path, '*']) : [];
  return path.length === 0 ? inner : [path.join('.'), ...inner, ...others];
}

/** No description of a parameter is deeper, but for shapes that contain themselves. */
const maxDepth = 5;

const optional = (type: string) => (type === 'mixed' ? type : type.includes('|') ? `${type}|null` : `?${type}`);

/** The type that PHP itself checks. */
function nativeType(schema: Schema, shapes: Shapes): string {
  if (schema.$ref) return nativeType(shapes[nameOf(schema)]!, shapes);
  const variants = variantsOf(schema);
  if (variants) {
    const types = [...new Set(variants.map((one) => nativeType(one, shapes)))];
    return types.includes('mixed') ? 'mixed' : types.join('|');
  }
  if (schema.enum || schema.const !== undefined) return 'string';
  return native[schema.type ?? ''] ?? 'mixed';
}

const native: Record<string, string> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'array',
  object: 'array',
};

function typesOf(shapes: Shapes): string {
  const circular = new Set(Object.keys(shapes).filter((name) => reaches(name, name, shapes)));
  const named = Object.entries(shapes).map(
    ([name, shape]) => ` * @phpstan-type ${typeName(name)} ${shown(shape, ' * ', circular)}\n`,
  );
  return `<?php

// ${notice}

declare(strict_types=1);

namespace Postrider;

/**
 * What several methods take or return, for PHPStan and Psalm: \`@phpstan-import-type Campaign from \\Postrider\\Types\`.
 *
${named.join('')} */
final class Types
{
}
`;
}

function reaches(from: string, to: string, shapes: Shapes, seen = new Set<string>()): boolean {
  return refsIn(shapes[from]).some((name) => {
    if (name === to) return true;
    if (seen.has(name)) return false;
    return reaches(name, to, shapes, seen.add(name));
  });
}

const refsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);

/**
 * The type in the notation of PHPStan.
 * @param indent what a further line of the comment begins with
 * @param circular shapes that contain themselves, which PHPStan does not allow: they are shown as any struct
 */
export function shown(schema: Schema, indent: string, circular: ReadonlySet<string> = new Set()): string {
  if (schema.$ref) return circular.has(nameOf(schema)) ? anyStruct : typeName(nameOf(schema));
  const variants = variantsOf(schema);
  if (variants) {
    const types = [...new Set(variants.map((one) => shown(one, indent, circular)))];
    return types.includes('mixed') ? 'mixed' : types.join('|');
  }
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words) return words.map(quoted).join('|');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'integer':
      return native[schema.type]!;
    case 'array':
      return `list<${shown(schema.items ?? {}, indent, circular)}>`;
    case 'object':
      return shownStruct(schema, indent, circular);
    default:
      return 'mixed';
  }
}

function shownStruct(schema: Schema, indent: string, circular: ReadonlySet<string>): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isStruct(schema))
    return typeof additionalProperties === 'object'
      ? `array<string, ${shown(additionalProperties, indent, circular)}>`
      : anyStruct;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
    return `${inner}${key}${required.includes(name) ? '' : '?'}: ${shown(member, inner, circular)},\n`;
  });
  return `array{\n${members.join('')}${indent}}`;
}

/** PHPStan takes `List` for its own `list`. */
const typeName = (name: string) => (name === 'List' ? 'ListStruct' : name);
const anyStruct = 'array<string, mixed>';
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const comment = (text: string) => text.replaceAll('*/', '* /').replace(/\s+/g, ' ');

function composerJson(): string {
  return `${JSON.stringify(
    {
      name: 'postrider/client',
      description: 'Typed client for the API of a Postrider installation',
      version,
      type: 'library',
      license: 'MIT',
      require: { php: '>=8.1', 'ext-json': '*' },
      suggest: {
        'ext-curl': 'Sends the requests; without it, streams of PHP do',
        'psr/http-client': 'To send the requests by a client of your own',
      },
      autoload: { 'psr-4': { 'Postrider\\': 'src/' } },
    },
    null,
    2,
  )}\n`;
}
