// The HTML document of the frame that shows a message. The frame runs no scripts (sandbox); a policy before the
// message's content blocks remote images unless the reader allows them. Pure.
import { shownMail } from '../../parts/mail-page.ts';

/** @param home the URL of the installation, whose stored images are always shown: loading them reveals nothing to others */
export function frameOf(html: string, { remote, home }: { remote: boolean; home: string }): string {
  const pictures = remote ? `data: http: https:` : `data: ${home}/asset/`;
  const isShown = (address: string) =>
    /^data:/i.test(address) || (remote ? /^https?:/i.test(address) : address.startsWith(`${home}/asset/`));
  const policy = `default-src 'none'; img-src ${pictures}; style-src 'unsafe-inline'; form-action 'none'`;
  // A policy applies to what follows it, and the message can only narrow it (CSP 3, 3.3).
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer"><base target="_blank">${shownMail(html, isShown)}`;
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
