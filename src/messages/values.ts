// The values of a single message: texts by name, and objects and lists, whose members and items have tags of their own.
import { fault } from '../base/faults.ts';
import type { Fill } from '../campaigns/compile/fill.ts';
import type { Compiled } from '../campaigns/markup/compiled.ts';
import { allBlocks } from '../campaigns/markup/conditions.ts';
import { type Json, maxItems, pathText, valueAt } from '../campaigns/markup/data.ts';
import { asText } from '../method/params.ts';
import { WireNumber } from '../method/wire.ts';
import type { GivenMessage } from './params.ts';

/** Lists and objects within each other, at most. */
const maxDepth = 20;

export type Values = { values: Record<string, string>; data: Record<string, Json> };

/** @throws Fault that names the member */
export function valuesOf(given: GivenMessage['values'], path: string): Values {
  const values: Record<string, string> = {};
  const data: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const member = `${path}values.${name.slice(0, 80)}`;
    if (!/^[A-Za-z]\w{0,63}$/.test(name)) throw fault('INVALID_PARAMETER', 'message.value_name', { member });
    if (typeof value === 'string') values[name.toUpperCase()] = value;
    else data[name.toUpperCase()] = needJson(value, member);
  }
  return { values, data };
}

/** XML-RPC has types that JSON has not: its numbers and its base64 of a text become JSON's, and a date is a text already. */
function needJson(given: unknown, member: string, depth = 1): Json {
  const value = given instanceof WireNumber ? given.toJSON() : given instanceof Uint8Array ? asText(given) : given;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (depth > maxDepth) throw fault('INVALID_PARAMETER', 'message.value_deep', { member, count: maxDepth });
  if (Array.isArray(value)) return value.map((item, no) => needJson(item, `${member}.${no}`, depth + 1));
  if (typeof value !== 'object' || ![Object.prototype, null].includes(Object.getPrototypeOf(value)))
    throw fault('INVALID_PARAMETER', 'message.value_kind', { member });
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, needJson(inner, `${member}.${name.slice(0, 80)}`, depth + 1)]),
  );
}

/** A program can react to what a loop would leave out. @throws Fault TOO_LARGE */
export function needFewItems({ html, plain, subject, fromName }: Compiled, { recipient }: Fill, path: string): void {
  for (const block of allBlocks([...(html ?? []), ...(plain ?? []), ...subject, ...fromName])) {
    if (block.slot !== 'each') continue;
    const list = valueAt(recipient?.data?.[block.of], block.path);
    if (!Array.isArray(list) || list.length <= maxItems) continue;
    const member = `${path}values.${pathText(block).replace(':', '.')}`;
    throw fault('TOO_LARGE', 'message.too_many_items', { member, count: list.length, max: maxItems });
  }
}
