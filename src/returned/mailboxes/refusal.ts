// What a mail server means by a refusal, as far as its words say it: a wrong password, or anything else. Knows the response codes of
// RFC 5530 (IMAP), RFC 2449 and RFC 3206 (POP3), and the usual words of servers without them.
import { MailboxProblem } from './protocol.ts';

/** The words of the server, in one line of at most 200 characters that can be stored. */
export function wordsOf(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8');
  const line = text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .toWellFormed();
  return [...line].slice(0, 200).join('');
}

/** A refusal of something other than the login. It may pass, whatever the server says. */
export const refused = (words: string): MailboxProblem =>
  new MailboxProblem(words === '' ? 'the server refused' : `the server replied: ${words}`, true);

/** A refusal of the user name and the password. Only wrong ones are the fault of the settings. */
export function refusedLogin(words: string): MailboxProblem {
  if (!isWrongPassword(words)) return refused(words);
  const wrong = 'the user name or the password is wrong';
  return new MailboxProblem(words === '' ? wrong : `${wrong}; the server replied: ${words}`);
}

/** A refusal of an access token: a new one may be taken. */
export function refusedToken(words: string): MailboxProblem {
  const refusedIt = 'the server refuses the access token';
  const problem = new MailboxProblem(words === '' ? refusedIt : `${refusedIt}; it replied: ${words}`, true);
  problem.isRefusedToken = true;
  return problem;
}

export const noTokens = 'the server offers no sign-in with access tokens (XOAUTH2 or OAUTHBEARER)';

function isWrongPassword(words: string): boolean {
  const [, code = ''] = /^\[([A-Za-z/-]+)/.exec(words) ?? [];
  if (/^(AUTHENTICATIONFAILED|AUTH)$/i.test(code)) return true;
  if (code !== '' && !/^(ALERT|CAPABILITY)$/i.test(code)) return false;
  return !otherCauses.test(words) && (code !== 'ALERT' || wrongPassword.test(words));
}

const wrongPassword =
  /(invalid|incorrect|wrong|bad) (user ?name|user|login|password|credentials)|(password|credentials) (is |are )?(invalid|incorrect|wrong)/i;

/** Servers without a code say "login failed" in many words, and these where the password is not the cause. */
const otherCauses = new RegExp(
  [
    /\bnot (been )?(enabled|allowed|permitted|activated|available|supported)\b/,
    /\b(disabled|deactivated|suspended|blocked|locked|expired|busy|overload|maintenance|forbidden|denied by)/,
    /\bin use\b|another (pop|session|client)|too (many|fast|often|frequent)|\b(rate|connection|session)s? limit|limit exceeded/,
    /temporar|unavailable|try (again )?later|again later|\btime-?out|timed out|internal (server )?error|system (error|problem)/,
    /application[- ]specific|app password|web (browser|login)|\b(tls|ssl|starttls|stls|encrypt\w*|plaintext|cleartext)\b/,
    /\b(sign|log) ?in first|not connected|quota|https?:/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
