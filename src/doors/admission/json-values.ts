// Reads JSON from callers, after its values were counted in the bytes: parsing thirty megabytes of `[],` takes seconds in which
// the process does nothing else, counting them some milliseconds.
import { fault } from '../../base/faults.ts';
import { MAX_DEPTH, MAX_VALUES } from '../../method/wire.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Fault NOT_WELL_FORMED, NOT_A_CALL */
export function readJson(body: Uint8Array): unknown {
  checkJson(body);
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    // The words of V8 would repeat a piece of the body.
    throw fault('NOT_WELL_FORMED', 'call.not_json');
  }
}

const char = (text: string) => text.charCodeAt(0);
const [quote, backslash, comma] = [char('"'), char('\\'), char(',')];
const isOpening = (byte: number) => byte === char('[') || byte === char('{');
const isClosing = (byte: number) => byte === char(']') || byte === char('}');
const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Refuses JSON with too many values or levels, as far as it is JSON: one value, one for each comma, and one for each array or object
 * that is not empty.
 * @throws Fault NOT_A_CALL
 */
export function checkJson(body: Uint8Array): void {
  let values = 1;
  let depth = 0;
  let hasJustOpened = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (isBlank(byte)) continue;
    if (byte === comma || (hasJustOpened && !isClosing(byte))) values += 1;
    if (values > MAX_VALUES) throw fault('NOT_A_CALL', 'call.too_many_values', { count: MAX_VALUES });
    hasJustOpened = isOpening(byte);
    if (hasJustOpened) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    else if (byte === quote) at = endOfString(body, at);
    if (depth > MAX_DEPTH) throw fault('NOT_A_CALL', 'call.too_deep', { count: MAX_DEPTH });
  }
}

/** The place of the quotation mark that ends a string, or the end of the body. */
function endOfString(body: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}
