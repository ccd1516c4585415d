// What a password must be, decided without a database: long enough, not the user's own name or address, not common.
// Follows NIST SP 800-63B: length counts, rules about kinds of characters do not.
import { type Message, message } from '../../base/messages.ts';
import { passwordLength } from '../../base/password-length.ts';

/** Why a password is too weak; undefined when it is good. @param member the name of the parameter */
export function passwordProblem(
  password: string,
  person: { email: string; name?: string },
  member: string,
): Message | undefined {
  const characters = [...password];
  if (characters.length < passwordLength.min)
    return message('password.too_short', { member, count: passwordLength.min });
  if (characters.length > passwordLength.max)
    return message('password.too_long', { member, count: passwordLength.max });
  const plain = password.normalize('NFKC').toLowerCase();
  const [local = ''] = person.email.toLowerCase().split('@');
  if (isMadeOf(plain, [person.email.toLowerCase().trim(), local, (person.name ?? '').toLowerCase().trim()]))
    return message('password.own_name', { member });
  if (new Set(plain).size < 5 || isRepeated(plain)) return message('password.repeated', { member });
  if (isRow(plain)) return message('password.row', { member });
  if (isMadeOf(plain, commonest)) return message('password.common', { member });
  return undefined;
}

/** True when nothing is left of the password but digits and signs once one of the words is taken out everywhere. */
function isMadeOf(password: string, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word.length >= 3 && password.includes(word) && password.replaceAll(word, '').replace(/[^\p{L}]/gu, '').length < 3,
  );
}

function isRepeated(password: string): boolean {
  return /^(.{1,6})\1+.{0,2}$/u.test(password);
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn',
  '1q2w3e4r5t6y7u8i9o0p',
];

function isRow(password: string): boolean {
  return rows.some((row) => row.includes(password) || [...row].reverse().join('').includes(password));
}

/** Words that the lists of leaked passwords begin with; with digits around them they are no better. */
const commonest = [
  'password',
  'passwort',
  'passw0rd',
  'p@ssw0rd',
  'p@ssword',
  'motdepasse',
  'contraseña',
  'letmein',
  'welcome',
  'willkommen',
  'iloveyou',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'batman',
  'dragon',
  'monkey',
  'master',
  'shadow',
  'michael',
  'jennifer',
  'charlie',
  'qwerty',
  'qwertz',
  'azerty',
  'qwertyuiop',
  'asdfgh',
  'asdfghjkl',
  'zxcvbn',
  'zxcvbnm',
  '1q2w3e4r',
  '1qaz2wsx',
  'q1w2e3r4',
  'abc123',
  '123abc',
  'abcdef',
  'abcdefgh',
  '123456',
  '1234567890',
  '987654321',
  '123123',
  '111111',
  'admin',
  'administrator',
  'root',
  'changeme',
  'default',
  'secret',
  'trustno1',
  'whatever',
  'starwars',
  'pokemon',
  'postrider',
  'newsletter',
  'correcthorsebatterystaple',
  'correct horse battery staple',
];
