// Reads a mailbox by IMAP: messages after the last one that was read, and those before it that could not be read. Only messages that
// were taken are deleted; on a server that cannot delete single messages (UIDPLUS, RFC 4315) they are only marked as deleted.
import { openConnection } from './connection.ts';
import { ImapSession } from './imap-session.ts';
import { type Mailbox, MailboxProblem, type Missed, type Position, type Read, type Server } from './protocol.ts';
import { joined, Reading } from './reading.ts';
import { refused } from './refusal.ts';

const maxUid = 0xffff_ffff;

export const readImap: Read = async (server, mailbox, take, max, limits) => {
  const connection = await openConnection(server, mailbox.security === 'tls', limits);
  try {
    const session = new ImapSession(connection);
    await signIn(session, server, mailbox);
    const folder = await select(session, mailbox.folder);
    const { validity } = folder;
    // Some servers wait for the end of a session before they allow the next one.
    if (max === 0) {
      await session.command('LOGOUT').catch(() => {});
      return { position: mailbox.position, more: false, problem: '' };
    }
    connection.opened();
    const isSame = mailbox.position.validity === validity;
    const isRestored = isSame && (mailbox.position.uid ?? 0) >= folder.nextUid;
    const position = isSame && !isRestored ? mailbox.position : { validity };
    const reading = new Reading(position.missed ?? [], take, limits);
    const done = await readFrom(session, position, reading, max, folder).catch((error: unknown) => {
      if (error instanceof MailboxProblem && error.readBefore === 0)
        error.position = { validity, uid: position.uid ?? 0, ...missedOf(reading.missed) };
      throw error;
    });
    const problem = joined([
      isRestored ? restored : '',
      done.beyond === 0 ? '' : `the search of the server names messages that it does not have (${done.beyond})`,
      reading.problem('UID'),
      await remove(session, reading.taken),
    ]);
    await session.command('LOGOUT').catch(() => {});
    return { position: { validity, uid: done.last, ...missedOf(reading.missed) }, more: done.more, problem };
  } finally {
    connection.close();
  }
};

const restored = 'the server has set the mailbox back to an earlier state; all of its messages are read again';

/** @property nextUid every message has a lower UID; infinite when the server does not say */
type Folder = { validity: string; exists: number; nextUid: number };

async function readFrom(session: ImapSession, position: Position, reading: Reading, max: number, folder: Folder) {
  const { exists, nextUid } = folder;
  const lastRead = position.uid ?? 0;
  const there = (await present(session, reading)).filter((uid) => uid < nextUid);
  const again = there.filter((uid) => reading.isDue(String(uid)));
  // "n:*" always contains the last message, even if its UID is below n.
  let hasNew = false;
  const found = lastRead < maxUid ? await search(session, `${lastRead + 1}:*`, () => (hasNew = true)) : [];
  // A message that has just arrived is read the next time.
  const beyond = hasNew ? 0 : found.filter((uid) => uid >= nextUid).length;
  if (found.length === 0 && lastRead === 0 && exists > 0)
    throw new MailboxProblem(`the search of the server found none of ${exists} messages`, true);
  const fresh = found.filter((uid) => uid > lastRead && uid < nextUid && !reading.isMissed(String(uid)));
  const readOne = async (uid: number) => reading.read(String(uid), () => session.fetch(String(uid)));
  // One by one: some servers return nothing after the first message when only a part of each is fetched.
  for (const uid of again.slice(0, max)) await readOne(uid);
  let last = lastRead;
  let left = fresh.length;
  for (const uid of fresh.slice(0, Math.max(0, max - again.length))) {
    if (reading.isOver) break;
    const outcome = await readOne(uid);
    // A message that the server only names may not exist: those that come later would be taken for read.
    if (outcome !== 'missed' || nextUid !== Number.POSITIVE_INFINITY) last = uid;
    left -= 1;
  }
  // Another client may have deleted a message since the search.
  if (reading.missed.length > 0) await present(session, reading);
  const isFailing = reading.isOver && reading.taken.length + reading.stayed.length === 0;
  // Messages that could not be read come before the last one; those that follow them are read.
  return { last, more: left > 0 && !isFailing, beyond };
}

/** Those of the messages that could not be read that are still in the mailbox. */
async function present(session: ImapSession, reading: Reading): Promise<number[]> {
  const ids = reading.missed.map(({ id }) => id);
  if (ids.length === 0) return [];
  const there = (await search(session, ids.join(','))).filter((uid) => ids.includes(String(uid)));
  reading.keepOnly((id) => there.includes(Number(id)));
  return there;
}

const missedOf = (missed: Missed[]): Pick<Position, 'missed'> => (missed.length > 0 ? { missed } : {});

async function signIn(session: ImapSession, server: Server, mailbox: Mailbox): Promise<void> {
  await session.greet();
  if (mailbox.security === 'starttls') await session.secure(server);
  if (mailbox.auth === 'oauth') await session.signInWithToken(mailbox.user, mailbox.token ?? '');
  else await session.signIn(mailbox.user, mailbox.password);
}

/** Refusals that say nothing about the folder (RFC 5530). */
const passing = /^\[(UNAVAILABLE|INUSE|SERVERBUG|LIMIT|ALERT|CONTACTADMIN|OVERQUOTA)\b|temporar|try again/i;
const missing = /^\[(NONEXISTENT|TRYCREATE)\b|n[o']t exist|nonexist|not found|no such|unknown|invalid mailbox/i;

async function select(session: ImapSession, folder: string): Promise<Folder> {
  let validity = '';
  let exists = 0;
  let nextUid = Number.POSITIVE_INFINITY;
  const open = (name: string) =>
    session.command(`SELECT ${/^inbox$/i.test(name) ? 'INBOX' : ImapSession.quoted(encoded(name))}`, {
      untagged: ([head]) => {
        validity = /^OK \[UIDVALIDITY (\d{1,20})\]/i.exec(head as string)?.[1] ?? validity;
        nextUid = Number(/^OK \[UIDNEXT ([1-9]\d{0,9})\]/i.exec(head as string)?.[1] ?? nextUid);
        exists = Number(/^(\d{1,10}) EXISTS/i.exec(head as string)?.[1] ?? exists);
      },
    });
  let { status, words } = await open(folder);
  if (status !== 'OK' && !passing.test(words)) {
    const prefix = await prefixOf(session);
    if (prefix !== '' && !folder.startsWith(prefix)) ({ status, words } = await open(prefix + folder));
  }
  if (status === 'OK') return { validity, exists, nextUid };
  if (passing.test(words)) throw refused(words);
  if (missing.test(words) || words === '') throw new MailboxProblem('the folder does not exist');
  throw new MailboxProblem(`the folder cannot be opened; the server replied: ${words}`);
}

/** Before the names of folders, such as "INBOX." (RFC 2342). */
async function prefixOf(session: ImapSession): Promise<string> {
  let prefix = '';
  if (!session.has('NAMESPACE')) return prefix;
  await session.command('NAMESPACE', {
    untagged: ([head]) => {
      prefix = /^NAMESPACE \(\("([^"\\]{0,100})"/i.exec(head as string)?.[1] ?? prefix;
    },
  });
  return prefix;
}

/** The name of a folder in modified UTF-7 (RFC 3501 5.1.3). */
function encoded(name: string): string {
  return name.replaceAll(/&|[^ -~]+/g, (part) => {
    if (part === '&') return '&-';
    const bytes = Buffer.from(part, 'utf16le').swap16();
    return `&${bytes.toString('base64').replaceAll('/', ',').replaceAll('=', '')}-`;
  });
}

/** @param arrived called when the server says that a message has arrived meanwhile */
async function search(session: ImapSession, set: string, arrived: () => void = () => {}): Promise<number[]> {
  const found = new Set<number>();
  await session.need(`UID SEARCH UID ${set}`, {
    untagged: ([head]) => {
      if (/^\d+ EXISTS/i.test(head as string)) arrived();
      const [, list] = /^SEARCH\b(.*)$/is.exec(head as string) ?? [];
      for (const [word] of (list ?? '').matchAll(/(?<= )\d{1,10}(?![^ ])/g)) {
        const uid = Number(word);
        if (uid > 0 && uid <= maxUid) found.add(uid);
      }
    },
  });
  return [...found].sort((left, right) => left - right);
}

/** @returns what did not work */
async function remove(session: ImapSession, uids: readonly string[]): Promise<string> {
  if (uids.length === 0) return '';
  const set = uids.join(',');
  const marked = await session.command(`UID STORE ${set} +FLAGS.SILENT (\\Deleted)`);
  const deleted =
    marked.status === 'OK' && session.has('UIDPLUS') ? await session.command(`UID EXPUNGE ${set}`) : marked;
  return deleted.status === 'OK' ? '' : `the notices cannot be deleted; ${refused(deleted.words).message}`;
}
