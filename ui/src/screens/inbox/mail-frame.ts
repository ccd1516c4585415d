// The document of the frame that a mail is shown in. The frame runs no script (sandbox); this adds a policy before all
// that the mail says, so that nothing is loaded from elsewhere unless the reader wants it. Pure.

/** @param origin our own address, whose stored pictures are shown in any case: nobody hears of it */
export function frameOf(html: string, { remote, origin }: { remote: boolean; origin: string }): string {
  const pictures = remote ? `data: http: https:` : `data: ${origin}/asset/`;
  const policy = `default-src 'none'; img-src ${pictures}; style-src 'unsafe-inline'; form-action 'none'`;
  // A policy holds for what follows it, and what the mail adds can only narrow it (CSP 3, 3.3).
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer"><base target="_blank">${html}`;
}

/** Whether a mail asks for anything from elsewhere, so that the reader can be offered it. */
export function asksForRemote(html: string): boolean {
  return /\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    html,
  );
}

/** The headers of a raw message, unfolded (RFC 5322 2.2.3), in their order. */
export function headersOf(source: string): { name: string; value: string }[] {
  const [head = ''] = source.split(/\r?\n\r?\n/, 1);
  return head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .map((line) => ({ line, colon: line.indexOf(':') }))
    .filter(({ colon }) => colon > 0)
    .map(({ line, colon }) => ({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() }));
}
