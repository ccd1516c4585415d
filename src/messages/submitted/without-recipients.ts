// The head of a message without recipients who were erased: their names and addresses leave To and Cc. Pure.
import { addressParser } from 'postal-mime';

/** A field with its folded lines. */
const field = /^(to|cc)[ \t]*:((?:[^\r]|\r\n[ \t])*)/gim;
/** Commas between mailboxes, and none of a quoted name. */
const mailbox = /(?:"(?:[^"\\]|\\[\s\S])*"|[^,"])+/g;

/** @param addresses in lower case. `shift` is by how much the body has moved. */
export function withoutRecipients(content: Buffer, addresses: readonly string[]): { content: Buffer; shift: number } {
  const end = content.indexOf('\r\n\r\n');
  if (end < 0) return { content, shift: 0 };
  const head = content.toString('latin1', 0, end).replace(field, (whole, name: string, text: string) => {
    const all = text.match(mailbox) ?? [];
    const left = all.filter((one) => !addressesOf(one).some((address) => addresses.includes(address)));
    if (left.length === all.length) return whole;
    return `${name}: ${left.length === 0 ? 'undisclosed-recipients:;' : left.map((one) => one.trim()).join(',\r\n ')}`;
  });
  return { content: Buffer.concat([Buffer.from(head, 'latin1'), content.subarray(end)]), shift: head.length - end };
}

const addressesOf = (text: string): string[] =>
  addressParser(text.trim(), { flatten: true }).map(({ address }) => (address ?? '').toLowerCase());
