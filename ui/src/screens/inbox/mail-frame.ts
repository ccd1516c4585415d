// The HTML document of the frame that shows a message. The frame runs no scripts (sandbox); a policy before the
// message's content blocks remote images unless the reader allows them. Pure.

/** @param home the URL of the installation, whose stored images are always shown: loading them reveals nothing to others */
export function frameOf(html: string, { remote, home }: { remote: boolean; home: string }): string {
  const pictures = remote ? `data: http: https:` : `data: ${home}/asset/`;
  const policy = `default-src 'none'; img-src ${pictures}; style-src 'unsafe-inline'; form-action 'none'`;
  // A policy applies to what follows it, and the message can only narrow it (CSP 3, 3.3).
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer"><base target="_blank">${remote ? html : withoutRemote(html, home)}`;
}

/** Takes from the tags what the policy would block, as a browser writes each of these to its console. The policy is what blocks. */
function withoutRemote(html: string, home: string): string {
  const isBlocked = (address: string) =>
    /^\s*(?:https?:)?\/\//i.test(address) && !address.trim().startsWith(`${home}/asset/`);
  return html
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(
        /(\s)(src|srcset|background|poster)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/gi,
        (whole, space: string, name: string, equals: string, value: string) =>
          isBlocked(value.replace(/^["']/, '')) ? `${space}data-blocked-${name}${equals}${value}` : whole,
      ),
    )
    .replace(/url\(\s*(["']?)([^)"']*)\1\s*\)/gi, (whole, _quote: string, address: string) =>
      isBlocked(address) ? 'none' : whole,
    );
}

/** Whether a message loads anything remote, so that the reader can be offered it. */
export function asksForRemote(html: string): boolean {
  return /\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    html,
  );
}

/** The headers of a raw message in order, unfolded (RFC 5322 2.2.3). */
export function headersOf(source: string): { name: string; value: string }[] {
  const [head = ''] = source.split(/\r?\n\r?\n/, 1);
  return head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .map((line) => ({ line, colon: line.indexOf(':') }))
    .filter(({ colon }) => colon > 0)
    .map(({ line, colon }) => ({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() }));
}
