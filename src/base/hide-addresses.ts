// Replies of servers quote the address that they are about. Who may not see addresses of contacts reads the domain only.

/** Members of answers that quote what servers said. */
const quoting = new Set(['reply', 'reason', 'status_reason', 'detail', 'message']);

export const hideAddresses = (text: string): string => text.replace(/[^\s<>"'(),:;[\]]+(?=@[\w.-])/g, '…');

/** An answer of a method, with the addresses in its quotations hidden. */
export function withoutQuotedAddresses(answer: unknown, name = ''): unknown {
  if (typeof answer === 'string') return quoting.has(name) ? hideAddresses(answer) : answer;
  if (Array.isArray(answer)) return answer.map((item) => withoutQuotedAddresses(item, name));
  if (answer === null || typeof answer !== 'object' || Object.getPrototypeOf(answer) !== Object.prototype)
    return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([member, value]) => [member, withoutQuotedAddresses(value, member)]),
  );
}
