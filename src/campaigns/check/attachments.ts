// What servers may object to in the files attached to a campaign.
import { message } from '../../base/messages.ts';
import type { AttachmentRecord } from '../content/attachments.ts';
import type { Finding } from './check-mail.ts';

/** Above this, a link costs every recipient less, and filters look closer. */
const largeBytes = 1024 * 1024;

/** Gmail and Outlook reject messages with programs, scripts and disk images, whatever they contain. */
const blockedTypes =
  /\.(ade|adp|apk|appx|bat|cab|chm|cmd|com|cpl|dll|dmg|exe|hta|img|ins|iso|isp|jar|jse?|lnk|mde|msc|msi|msp|mst|nsh|pif|ps1|reg|scr|sct|shb|sys|vb|vbe|vbs|vhdx?|vxd|wsc|wsf|wsh|xll)$/i;

export function attachmentFindings(files: readonly AttachmentRecord[]): Finding[] {
  const findings: Finding[] = [];
  const blocked = files.filter(({ name }) => blockedTypes.test(name.trim())).map(({ name }) => name);
  if (blocked.length > 0)
    findings.push({
      level: 'warning',
      code: 'attachment_blocked',
      message: message('check.attachment_blocked', { name: blocked[0]! }),
      found: blocked,
    });
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > largeBytes)
    findings.push({
      level: 'warning',
      code: 'attachments_large',
      message: message('check.attachments_large', { size: (size / 1024 / 1024).toFixed(1) }),
      found: files.map(({ name }) => name),
    });
  return findings;
}
