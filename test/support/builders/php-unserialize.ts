// Reads PHP's serialize() format, as a PHP client would. Strict, without objects and references.

/** Reads serialize() output. Arrays with the keys 0..n-1 in order are lists, others maps without prototype. */
export function phpUnserialize(serialized: Uint8Array | string): unknown {
  const bytes = typeof serialized === 'string' ? Buffer.from(serialized) : Buffer.from(serialized);
  const reader = new Reader(bytes);
  const value = reader.value();
  if (reader.at !== bytes.length) throw reader.error('text after the value');
  return value;
}

class Reader {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  value(): unknown {
    const kind = this.take(2);
    switch (kind) {
      case 'N;':
        return null;
      case 'b:': {
        const digit = this.upTo(';');
        if (digit !== '0' && digit !== '1') throw this.error(`boolean ${digit}`);
        return digit === '1';
      }
      case 'i:':
        return this.integer(';');
      case 'd:':
        return this.double();
      case 's:':
        return this.string();
      case 'a:':
        return this.array();
      default:
        throw this.error(`unknown kind ${JSON.stringify(kind)}`);
    }
  }

  error(why: string): SyntaxError {
    return new SyntaxError(`PHP serialized value: ${why} at byte ${this.at}`);
  }

  private take(count: number): string {
    if (this.at + count > this.bytes.length) throw this.error('unexpected end');
    this.at += count;
    return this.bytes.toString('latin1', this.at - count, this.at);
  }

  private expect(text: string): void {
    if (this.take(text.length) !== text) throw this.error(`${text} missing`);
  }

  private upTo(end: string): string {
    const at = this.bytes.indexOf(end, this.at);
    if (at === -1 || at > this.at + 400) throw this.error(`${end} missing`);
    const text = this.take(at - this.at);
    this.at++;
    return text;
  }

  private integer(end: string): number {
    const text = this.upTo(end);
    const number = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(number)) throw this.error(`integer ${text}`);
    return number;
  }

  private double(): number {
    const text = this.upTo(';');
    if (text === 'NAN') return Number.NaN;
    if (text === 'INF' || text === '-INF') return text === 'INF' ? Infinity : -Infinity;
    if (!/^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) throw this.error(`double ${text}`);
    return Number(text);
  }

  private string(): string {
    const length = this.integer(':');
    this.expect('"');
    if (length < 0 || this.at + length > this.bytes.length) throw this.error(`string length ${length}`);
    const text = this.bytes.toString('utf8', this.at, this.at + length);
    this.at += length;
    this.expect('";');
    return text;
  }

  private array(): unknown {
    const count = this.integer(':');
    if (count < 0) throw this.error(`array of ${count}`);
    this.expect('{');
    const map = Object.create(null) as { [key: string]: unknown };
    const list: unknown[] = [];
    for (let i = 0; i < count; i++) {
      const key = this.value();
      if (typeof key !== 'string' && typeof key !== 'number') throw this.error('a key that is no string or integer');
      if (String(key) in map) throw this.error(`key ${key} twice`);
      const item = this.value();
      map[key] = item;
      if (key === i) list.push(item);
    }
    this.expect('}');
    return list.length === count ? list : map;
  }
}
