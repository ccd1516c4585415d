// PHP's serialize() format, which the form door returns for `output=php`. String lengths are in bytes of UTF-8; lists and
// maps are both `a:`.

/** The value as PHP's unserialize() reads it. Null and undefined are the empty string; undefined members are dropped. */
export function phpSerialize(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return serializedString(value);
    case 'boolean':
      return value ? 'b:1;' : 'b:0;';
    case 'number':
      return serializedNumber(value);
    case 'bigint':
      return serializedString(String(value));
    case 'undefined':
      return 's:0:"";';
    case 'object':
      return serializedObject(value);
    default:
      throw new TypeError(`a ${typeof value} cannot be serialized`);
  }
}

function serializedString(text: string): string {
  return `s:${Buffer.byteLength(text)}:"${text}";`;
}

function serializedNumber(number: number): string {
  if (Number.isSafeInteger(number) && !Object.is(number, -0)) return `i:${number};`;
  if (Number.isNaN(number)) return 'd:NAN;';
  if (!Number.isFinite(number)) return number > 0 ? 'd:INF;' : 'd:-INF;';
  return `d:${Object.is(number, -0) ? '-0' : number};`;
}

function serializedObject(value: object | null): string {
  if (value === null) return 's:0:"";';
  if (value instanceof Uint8Array) return serializedString(Buffer.from(value).toString('base64'));
  if (Array.isArray(value)) {
    let items = '';
    for (let i = 0; i < value.length; i++) items += `i:${i};${phpSerialize(value[i])}`;
    return `a:${value.length}:{${items}}`;
  }
  let count = 0;
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    count++;
    members += serializedString(name) + phpSerialize(member);
  }
  return `a:${count}:{${members}}`;
}
