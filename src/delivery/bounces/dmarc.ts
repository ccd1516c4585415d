// DMARC aggregate reports sent to dmarc@BOUNCE_DOMAIN: finds the attachment, reads it, and stores it for the domains it is
// about. The limits are those of accounts/domains/dmarc.
import { readReport } from '../../accounts/domains/dmarc/read-report.ts';
import { type Stored, storeReport } from '../../accounts/domains/dmarc/reports.ts';
import { documentOf, isReportFile, UnreadableReport } from '../../accounts/domains/dmarc/unpack.ts';
import type { App } from '../../base/context.ts';
import { allParts, bytesOf, readMail } from '../message/mime-tree.ts';
import type { Taken } from './taken.ts';

const outcomes: Record<Stored, Taken> = {
  stored: { kind: 'report' },
  'stored before': { kind: 'nothing', why: 'the report was counted before' },
  full: { kind: 'nothing', why: 'the domain has as many reports as are kept' },
  'no domain': { kind: 'refused', why: 'the report is not about a sender domain of this installation' },
  'wrong date': { kind: 'refused', why: 'the report is not about the last 90 days' },
};

export async function takeDmarcReport(app: App, raw: Buffer): Promise<Taken> {
  const file = attachment(raw);
  if (!file) return { kind: 'refused', why: 'it has no DMARC report attached' };
  try {
    return outcomes[await storeReport(app, await readReport(documentOf(file)))];
  } catch (error) {
    if (error instanceof UnreadableReport) return { kind: 'refused', why: error.message };
    throw error;
  }
}

/** The report is attached to a text, or it is the whole message. RFC 7489 7.2.1.1 */
function attachment(raw: Buffer): Buffer | undefined {
  for (const part of allParts(readMail(raw))) {
    if (part.parts.length > 0 || /^(text\/(plain|html)|multipart\/|message\/)/.test(part.type)) continue;
    const bytes = bytesOf(part);
    if (isReportFile(bytes)) return bytes;
  }
  return undefined;
}
