// What the words of other providers' exports say about a subscription. Words that mean in any way that a contact left come
// to unsubscribed or bounced: a contact must not get email because a word is new. Pure.
import type { ImportStatusWord } from '../plan.ts';
import { foldText } from './fold.ts';
import { noWords, statusSpellings, yesWords } from './status-spellings.ts';

/** The status that words mean; undefined for '' and for words that say nothing about it. Of several, that which allows least counts. */
export function statusOf(text: string): ImportStatusWord | undefined {
  const plain = plainWord(text);
  return plain === '' ? undefined : (exactStatus(plain) ?? statusOfParts(plain) ?? statusByStem(plain));
}

/** "Active (subscribed)": each part is a word of status. */
function statusOfParts(plain: string): ImportStatusWord | undefined {
  const parts = plain.split(/[()[\]/:;,|–—]+/).map((part) => part.trim());
  const words = parts.filter((part) => part !== '');
  const found = words.map(statusOfWord);
  if (found.length < 2 || found.includes(undefined)) return undefined;
  // "bounced: mailbox removed": the reason of a bounce is no word of the contact.
  const exact = words.map(exactStatus);
  if (exact.includes('bounced') && !exact.includes('unsubscribed')) return 'bounced';
  return strictness.findLast((status) => found.includes(status));
}

/** From what allows most to what allows least. */
export const strictness: readonly ImportStatusWord[] = ['subscribed', 'pending', 'bounced', 'unsubscribed'];

const statusOfWord = (plain: string) => exactStatus(plain) ?? statusByStem(plain);

function exactStatus(plain: string): ImportStatusWord | undefined {
  const known = statuses.get(plain) ?? otherWords.get(plain);
  if (known) return known;
  if (yes.has(plain)) return 'subscribed';
  return no.has(plain) ? 'unsubscribed' : undefined;
}

function statusByStem(plain: string): ImportStatusWord | undefined {
  if (bouncedStems.test(plain)) return 'bounced';
  if (pendingStems.test(plain)) return 'pending';
  return leftStems.test(plain) || negation.test(plain) ? 'unsubscribed' : undefined;
}

/**
 * Whether a cell marks its contact, in a column that exists for that ("Unsubscribed from all email"): a time, a yes or a
 * reason does; nothing, a no and the status of a subscriber do not.
 */
export function isMark(text: string): boolean {
  const plain = plainWord(text);
  if (no.has(plain) || nothing.has(plain) || isNoTime(text.trim())) return false;
  if (yes.has(plain)) return true;
  // Brackets and quotation marks around nothing, and "not blocked".
  if (/^[\s"'()[\]{}.,:;–—-]*$/.test(plain) || isNotLeft(plain)) return false;
  const status = statuses.get(plain);
  return status !== 'subscribed' && status !== 'pending';
}

/** Where programs have no date, they write zeros or the first day that they know. */
const isNoTime = (text: string) =>
  /^(0000|0001|1900|1970)[-/.](00|01)[-/.](00|01)(?!\d)|^(00|01)[-/.](00|01)[-/.](0000|0001|1900|1970)(?!\d)/.test(
    text,
  );

function isNotLeft(plain: string): boolean {
  const rest = negation.exec(plain)?.[0];
  if (rest === undefined) return false;
  const denied = plain.slice(rest.length).trim();
  return denied === 'yet' || leftStems.test(denied) || bouncedStems.test(denied);
}

/** Whether a cell is a yes or a mark. */
export const isYes = (text: string): boolean => yes.has(plainWord(text));

/** Whether a cell is a yes or a no. */
export function isYesOrNo(text: string): boolean {
  const plain = plainWord(text);
  return yes.has(plain) || no.has(plain);
}

/** Whether a cell is a yes or a no in letters: in numbers it may be a count. */
export const isYesOrNoWord = (text: string) => onlyYesOrNo.has(plainWord(text));

/**
 * What the letters of a column mean that has only the first ones of yes and no in a language, such as S and N; undefined if
 * it has others, or one of them alone.
 */
export function lettersOf(cells: readonly string[]): Record<string, ImportStatusWord> | undefined {
  const found = new Set(cells.map((cell) => cell.trim().toLowerCase()).filter((cell) => cell !== ''));
  const pair = letterPairs.find(([yes, no]) => found.size === 2 && found.has(yes) && found.has(no));
  return pair && { [pair[0]]: 'subscribed', [pair[1]]: 'unsubscribed' };
}

/** Sí, sim, oui, tak, ano; kyllä and ei, evet and hayır. */
const letterPairs = [
  ['s', 'n'],
  ['o', 'n'],
  ['t', 'n'],
  ['a', 'n'],
  ['k', 'e'],
  ['e', 'h'],
] as const;

/** Whether a cell is a word of status, apart from yes and no. */
export function isStatusWord(text: string): boolean {
  const plain = plainWord(text);
  if (plain.length > 40 || yes.has(plain) || no.has(plain)) return false;
  return statuses.has(plain) || bouncedStems.test(plain) || namesConsent(text);
}

/** Whether a word of status is used of subscriptions only: an order can be active or cancelled, but not unsubscribed. */
export function namesConsent(text: string): boolean {
  const plain = plainWord(text);
  return plain.length <= 40 && consentStems.test(plain);
}

/** Words that are written together (NotConfirmed) come apart. */
const plainWord = (text: string) =>
  foldText(text.slice(0, 200).replace(/(\p{Ll})(?=\p{Lu}\p{Ll})/gu, '$1 '))
    // -1 is not 1.
    .replace(/^[\s_]*-(?=\d)/, '−')
    .replace(/[\s_-]+/g, ' ')
    .trim();

/** An expression for what plainWord returns. */
const stems = (...sources: string[]) => new RegExp(foldText(sources.join('|')));

const statuses = new Map(
  Object.entries(statusSpellings).flatMap(([status, spellings]) =>
    spellings.split(',').map((spelling) => [plainWord(spelling), status as ImportStatusWord]),
  ),
);

/** Words that are a status only in a column of a status: elsewhere they may be about anything. */
const otherWords = new Map<string, ImportStatusWord>([
  ['engaged', 'subscribed'],
  ['normal', 'subscribed'],
  ['valid', 'subscribed'],
  ['deliverable', 'subscribed'],
  ['ok', 'subscribed'],
  ['live', 'subscribed'],
  ['current', 'subscribed'],
  ['member', 'subscribed'],
  ['error', 'bounced'],
]);

const yes = new Set(['1', '1.0', '1,0', '✓', '✔', '☑', '✅', '👍', ...yesWords.map(plainWord)]);
const no = new Set([
  '0',
  '0.0',
  '0,0',
  '✗',
  '✘',
  '☐',
  '❌',
  '👎',
  'none',
  'null',
  'nil',
  'never',
  '[]',
  '{}',
  ...noWords.map(plainWord),
]);
/** Words that are not used of anything but a yes and a no, with a letter that marks. */
const onlyYesOrNo = new Set([...yesWords, ...noWords].map(plainWord).filter((word) => word !== 'x'));
/** What programs write where there is nothing. */
const nothing = new Set('-,–,—,--,n/a,na,unknown,unspecified,undefined,(none),\\n'.split(','));
no.add('');

const bouncedStems = stems(
  'bounc|cleaned|undeliver|unzustell|invalid|ungültig|nicht zustell|doručiteľn|doručiteln|kézbesíthetetlen|반송',
);
const pendingStems = stems(
  'unconfirm|\\bnot (yet )?(confirmed|activated|verified|approved)|awaiting|\\bpending\\b|nepotvr|непідтвердж|непотвърд|neconfirmat|미확인',
);
const leftStems = stems(
  'unsub|opt(ed)? ?out|cancel|remov|block|black|spam|junk|abuse|complain|delet|inactiv|disabl|suppress|archiv|revok|withdr',
  '\\bnever\\b|\\b(not|non) ?(subscri|opted|active|consent)|nonsubscri|do ?not|\\bdnc\\b|transactional|\\bleft\\b',
  'deactiv|suspend|banned|expel|resign|paus|snooz|muted|\\bquit|\\bgone\\b|\\bdead\\b|deceas|ceased|terminat|closed|\\bended\\b|dropped|\\bstop',
  'no longer|\\bex |\\bformer|lapsed|verstorben|kein interesse',
  'deaktiv|inaktiv|gesperrt|gelöscht|widerruf|abgemeld|ausgetragen|gekündigt|désabonn|désinscri|désactiv|supprim|bloqu',
  'desuscri|desactiv|inativ|eliminad|borrad|descadastr|disattiv|disiscritt|bloccat|afgemeld|uitgeschr|verwijder',
  'reject|refus|declin|denied|exclud|\\bhold\\b|afmeld|frameld|avmeld|avregistr|avprenum|avanmäl|peruut|peruttu|estett|loobu|tühist|blokeer',
  'atteic|atrakst|bloķēt|neaktīv|atsisak|užblok|neaktyv|拒收|取消|停止|退会',
  'wypisan|usunięt|nieaktywn|отпис|заблок|удал|неактив|退订|解除',
  'abonelikten|engellen|odhláš|odhlás|zablok|leiratkoz|letilt|διαγρ|απεγγ|ανενεργ|відпис|видален|dezabon|dezînscri|odjav|одјав|neaktiv|blokir',
  'hủy|huỷ|chặn|berhenti|nonaktif|batal|취소|해지|거부|탈퇴|차단|비활성|إلغاء|ألغى|محظور|הוסר|בוטל|חסומ?|ยกเลิก',
);
/** How a phrase begins that denies what follows. */
const negation = stems(
  '^(not|no|non|never|no longer|isnt|kein(e|en|er)?|nicht|nie|niemals|pas|jamais|nunca|ya no|não|niet|geen|nooit|ikke|ingen',
  'inte|ej|aldri|aldrig|ei|nav|brak|nincs|není|nem|ne|не|нет|ні|немає|нема|няма|δεν|μη|όχι|tidak|bukan|không|chưa|לא|غير|لا) |^[未不미비]',
);
const consentStems = stems(
  'subscri|\\bopt(ed)?[ -]?(in|out)\\b|\\bbounced?\\b|hard ?bounce|soft ?bounce|complain|spam|undeliverable|blocklist|blacklist|do ?not ?(e ?mail|contact|mail)',
  'unconfirmed|cleaned|abonniert|abgemeld|ausgetragen|unzustellbar|abonné|désabonn|désinscri|suscrit|disiscritt|\\biscritt|descadastr',
  'tilmeldt|afmeldt|frameldt|påmeldt|avmeldt|avregistr|prenumer|avanmäl|tilaaja|tilannut|tellija|abonē|atrakstī|wypisan|subskry|подписан|отписа',
  '订阅|退订|訂閱|退訂|拒收|購読|配信停止|退会|メルマガ',
  'abonelik|odhlášen|odhlásen|odebír|odber|leiratkoz|feliratkoz|απεγγ|εγγεγρ|підписан|відпис|abonat|абонира|odjavljen|pretpla|претпла|naročen|đăng ký|berlangganan',
  '구독|수신 ?거부|수신 ?동의|اشتراك|مشترك|מנוי|สมัคร',
);
