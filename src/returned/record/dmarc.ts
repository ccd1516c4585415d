// DMARC aggregate reports sent to dmarc@BOUNCE_DOMAIN: finds the attachments, reads them, and stores them for the domains they are
// about. The limits are those of accounts/domains/dmarc. A refusal makes a reporter stop, so only what is no report is refused.

import type { App } from '../../base/context.ts';
import { allParts, attachedMessage, bytesOf, type Part, readMail } from '../../delivery/message/mime-tree.ts';
import { readReport } from '../../senders/domains/dmarc/read-report.ts';
import { type Stored, storeReport } from '../../senders/domains/dmarc/reports.ts';
import { documentsOf, isReportFile, UnreadableReport } from '../../senders/domains/dmarc/unpack.ts';
import type { Taken } from './taken.ts';

/** Messages in messages. */
const maxForwards = 3;

const outcomes: Record<Stored, Taken> = {
  stored: { kind: 'report' },
  'stored before': { kind: 'nothing', why: 'the report was counted before' },
  full: { kind: 'nothing', why: 'the domain has as many reports as are kept' },
  unreadable: { kind: 'nothing', why: 'no record of the report can be read' },
  'no domain': { kind: 'refused', why: 'the report is not about a sender domain of this installation' },
  'wrong date': { kind: 'refused', why: 'the report is not about the last 90 days' },
};
/** The first of these that happened to a report of the mail is what became of the mail. */
const byWeight: readonly Stored[] = ['stored', 'stored before', 'full', 'unreadable', 'wrong date', 'no domain'];

export async function takeDmarcReport(app: App, raw: Buffer): Promise<Taken> {
  const happened = new Set<Stored>();
  let refusal = 'it has no DMARC report attached';
  for (const file of filesOf(readMail(raw))) {
    try {
      for await (const document of documentsOf(file)) happened.add(await storeReport(app, await readReport(document)));
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      refusal = error.message;
    }
  }
  const outcome = byWeight.find((candidate) => happened.has(candidate));
  return outcome ? outcomes[outcome] : { kind: 'refused', why: refusal };
}

/**
 * All parts that can be a report: attached to a text, in a message that was forwarded, or the whole message (RFC 7489
 * 7.2.1.1). By their contents, since types are often missing or wrong.
 */
function* filesOf(mail: Part, forwards = 0): Generator<Buffer> {
  for (const part of allParts(mail)) {
    if (part.parts.length > 0) continue;
    if (part.type === 'message/rfc822' && forwards < maxForwards) {
      yield* filesOf(attachedMessage(part), forwards + 1);
      continue;
    }
    const bytes = [bytesOf(part), unlabelledBase64(part)].find(isReportFile);
    if (bytes) yield bytes;
  }
}

/** The content of a part whose fields do not name the encoding, because they are misspelt or missing. */
const unlabelledBase64 = ({ body }: Part): Buffer =>
  /^[A-Za-z0-9+/=\s]{40,}$/.test(body) ? Buffer.from(body, 'base64') : Buffer.alloc(0);
