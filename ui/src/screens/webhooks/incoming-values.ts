// The form of an incoming webhook: what it begins with, and the mapping that is made of it. Pure.
import type { ParamsOf } from '../../api/types.ts';
import type { useMethodForm } from '../../parts/form/form.tsx';
import type { Incoming } from './incoming-screen.tsx';

export type Mapping = NonNullable<ParamsOf<'incomingWebhookUpdate'>['mapping']>;

export function valuesOf({ title, list, confirms, mapping }: Incoming) {
  return { title, list, confirms, secret: '', ...mapping };
}
export type Values = ReturnType<typeof valuesOf>;

/** Rows without anything are left out. */
export function mappingOf({ title: _, list: _l, confirms: _c, secret: _s, ...mapping }: Values): Mapping {
  const { names, data, fields } = mapping;
  return {
    ...mapping,
    names: names.filter(({ from, to }) => from + to !== ''),
    data: data
      .filter(({ name, member }) => name + member !== '')
      .map((row) => ({ ...row, items: row.items.filter(({ name, member }) => name + member !== '') })),
    fields: fields.filter(({ tag, member }) => tag + member !== ''),
  };
}

/** Both halves of a row are needed, unless it is empty. */
export function halvesOf({ names, data, fields }: Values, words: string): Record<string, string> {
  const errors: Record<string, string> = {};
  const check = (at: string, row: Record<string, unknown>) => {
    const given = Object.entries(row).filter(([, value]) => typeof value === 'string') as [string, string][];
    const empty = given.filter(([, value]) => value.trim() === '');
    if (empty.length === 1) errors[`${at}.${empty[0]![0]}`] = words;
  };
  for (const [n, row] of names.entries()) check(`names.${n}`, row);
  for (const [n, row] of fields.entries()) check(`fields.${n}`, row);
  for (const [n, row] of data.entries()) {
    check(`data.${n}`, row);
    for (const [i, item] of row.items.entries()) check(`data.${n}.items.${i}`, item);
  }
  return errors;
}

export type FormOf = ReturnType<typeof useMethodForm<Values, boolean>>;
