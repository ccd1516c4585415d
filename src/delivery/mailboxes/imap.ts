// Reads a mailbox by IMAP: messages after the last one that was read. Only messages that were taken are deleted; on a server that
// cannot delete single messages (UIDPLUS, RFC 4315) they are only marked as deleted.
import type { ImapFlow } from 'imapflow';
import { keptBytes, MailboxProblem, type Read, timeoutMs } from './protocol.ts';

export const readImap: Read = async (server, mailbox, take, max) => {
  // Loaded on first use: few installations read a mailbox.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host: server.address,
    port: server.port,
    ...(server.servername === undefined ? {} : { servername: server.servername }),
    secure: mailbox.security === 'tls',
    doSTARTTLS: mailbox.security === 'starttls',
    auth: { user: mailbox.user, pass: mailbox.password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxLiteralSize: 2 * keptBytes,
    maxLineLength: keptBytes,
    maxResponseSize: 8 * keptBytes,
  });
  // An error also rejects the command in progress; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const lock = await client.getMailboxLock(mailbox.folder);
    try {
      const { uidValidity } = client.mailbox || {};
      const validity = String(uidValidity ?? '');
      const lastRead = mailbox.position.validity === validity ? (mailbox.position.uid ?? 0) : 0;
      const found = (await client.search({ uid: `${lastRead + 1}:*` }, { uid: true })) || [];
      // "n:*" always contains the last message, even if its UID is below n.
      const fresh = found.filter((uid) => uid > lastRead).sort((left, right) => left - right);
      const taken: number[] = [];
      const portion = fresh.slice(0, max);
      // One by one: some servers return nothing after the first message when only a part of each is fetched.
      for (const uid of portion) {
        const message = await client.fetchOne(String(uid), { source: { maxLength: keptBytes } }, { uid: true });
        const source = message ? message.source : undefined;
        if (source && (await take(source))) taken.push(uid);
      }
      if (taken.length > 0) await remove(client, taken);
      const last = portion.at(-1) ?? lastRead;
      return { position: { validity, uid: last }, more: fresh.length > max };
    } finally {
      lock.release();
    }
  } catch (error) {
    throw problemOf(error);
  } finally {
    await client.logout().catch(() => client.close());
  }
};

async function remove(client: ImapFlow, uids: readonly number[]): Promise<void> {
  const range = uids.join(',');
  if (client.capabilities.has('UIDPLUS')) await client.messageDelete(range, { uid: true });
  else await client.messageFlagsAdd(range, ['\\Deleted'], { uid: true });
}

function problemOf(error: unknown): Error {
  const { authenticationFailed, responseText, code, mailboxMissing, message } = error as {
    authenticationFailed?: boolean;
    responseText?: string;
    code?: string;
    mailboxMissing?: boolean;
    message?: string;
  };
  if (authenticationFailed) return new MailboxProblem('the user name or the password is wrong');
  if (mailboxMissing) return new MailboxProblem('the folder does not exist');
  if (responseText) return new MailboxProblem(`the server replied: ${responseText.slice(0, 200)}`);
  return new MailboxProblem(`no connection: ${code ?? message ?? 'unknown error'}`.slice(0, 200), true);
}
