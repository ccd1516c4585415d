// Classifies a refusal by its status code and text: hard, soft, blocked, temporary or generic.
// An address is hard only when a server states that it does not exist or never accepts mail again.
// The rules for replies in the conversation come first; the phrases here add what notices say in other languages.
// Leaves what follows from a class (suppression, counting) to its callers.
import { wordsOf } from '../../delivery/outcomes/unanswered.ts';
import type { BounceClass, Judgement } from '../../relays/verdict/rules.ts';
import { judgeCode, judgeText } from '../../relays/verdict/verdict.ts';

export interface BouncedRecipient {
  /** The address that failed, which may be another than the one written to (forwarding); '' when not named. */
  finalRecipient: string;
  /** The original recipient, when the notice names it separately. */
  originalRecipient: string;
  /** RFC 3464 2.3.3 */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** An enhanced status code such as `5.1.1`, or ''. */
  status: string;
  /** The reply of the refusing server, at most 500 characters. */
  diagnostic: string;
  /** Null when the mail was not refused but delivered or passed on. */
  class: BounceClass | null;
}

/**
 * The class of a refusal. `status` is an enhanced code such as `5.1.1`, or '' when only the words are known. The stage
 * is mail when the server refused the sender: then no recipient is at fault.
 */
export function bounceClass(status: string, words: string, stage: 'mail' | 'rcpt' = 'rcpt'): BounceClass {
  // Names of mailboxes and hosts are no words: antispam@example.com is not blocked.
  const text = wordsOf(words.slice(0, 8_000));
  const enhanced = exactStatus(status, words);
  const [, digit, subject, detail] = /^([245])\.(\d{1,3})\.(\d{1,3})$/.exec(enhanced) ?? [];
  if (digit === '4') return means('full', text) || `${subject}.${detail}` === '2.2' ? 'soft' : 'temporary';
  if (digit !== '5') return byWords(text) ?? 'generic';
  const reply = { stage, code: replyCode(text) ?? 550, enhanced, text };
  const found = permanent(reply);
  // A recipient that only got a 4yz is not gone, whatever the notice makes of it.
  return found === 'hard' && reply.code < 500 ? 'temporary' : found;
}

/**
 * The refusal that counts for a message to one address. A notice about several addresses comes from forwarding: if the
 * address itself is among them, the others are ignored, and if any of them got the message, no address is dead.
 */
export function refusalOf(
  recipients: readonly BouncedRecipient[],
  email: string,
): (BouncedRecipient & { class: BounceClass }) | undefined {
  const named = (recipient: BouncedRecipient) =>
    [recipient.finalRecipient, recipient.originalRecipient].some(
      (address) => address.toLowerCase() === email.toLowerCase(),
    );
  const own = recipients.filter(named);
  const considered = own.length > 0 ? own : recipients;
  if (considered.some((recipient) => ['delivered', 'relayed', 'expanded'].includes(recipient.action))) return undefined;
  // A notice of a delay is followed by another one when it comes to an end.
  return considered.find(
    (recipient): recipient is BouncedRecipient & { class: BounceClass } =>
      recipient.class !== null && recipient.action === 'failed',
  );
}

/** The SMTP reply code that a notice quotes; 0 without one. */
export function replyCodeOf(diagnostic: string): number {
  return Number(/(?<!\S)[45]\d\d(?!\S|\.)/.exec(diagnostic)?.[0] ?? 0);
}

/** The code in the server's reply if it is more exact than the one that the notice states: gateways write 5.1.1 for all. */
export function exactStatus(status: string, words: string): string {
  const inWords = statusIn(words);
  if (status === '') return inWords;
  return inWords[0] === status[0] && !inWords.endsWith('.0.0') ? inWords : status;
}

/** The command that was refused, where a notice names it: MAIL FROM and those before it are about the sender. */
export function stageIn(words: string): 'mail' | 'rcpt' {
  return senderRefused.test(words) ? 'mail' : 'rcpt';
}

const senderRefused =
  /\b(?:in reply to|in response to|after) (?:an? |the )?(?:end of )?(?:pipelined |initial )?(?:mail from|ehlo|helo|connection)\b|refused to talk to me|>>> mail from:[^\n]{0,500}\n<<< [45]/i;

/** The first enhanced status code in a text or, failing that, what its SMTP reply code comes to; '' without either. */
export function statusIn(text: string): string {
  const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]|-\d)/.exec(text);
  if (enhanced) return `${enhanced[1]}.${enhanced[2]}.${enhanced[3]}`;
  const code = replyCode(text);
  return code ? `${String(code)[0]}.0.0` : '';
}

/** The first SMTP reply code in a text. */
function replyCode(text: string): number | undefined {
  const found = /(?<![\d.#=\w-])([45][0-5]\d)(?=[ \t]{0,9}[- ](?:[^\d]|[245]\.\d)|[ \t]{0,9}$)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** A refusal of class 5, by the rules for replies in the conversation (verdict/rules.ts) and by the words of notices. */
function permanent(reply: { stage: 'mail' | 'rcpt'; code: number; enhanced: string; text: string }): BounceClass {
  const fromText = judgeText(reply);
  if (fromText) return certain(fromText);
  const coded = judgeCode({ ...reply, code: Math.max(reply.code, 500) });
  if (reply.stage === 'mail') return coded.bounce;
  const fromCode = certain(coded);
  const fromWords = byWords(reply.text);
  if (fromCode === 'hard') return certainly(['blocked', 'full', 'unknown', 'temporary'], reply.text) ?? 'hard';
  // Policy replies often hide that the mailbox does not exist.
  if (fromCode === 'blocked') return fromWords === 'hard' ? 'hard' : 'blocked';
  if (fromCode !== 'generic') return fromCode;
  if (fromWords === 'temporary') return reply.enhanced.startsWith('5.4.') ? 'temporary' : 'generic';
  return fromWords ?? 'generic';
}

/** Hard without `suppress` is not certain enough for a notice, which suppresses every address that is hard. */
function certain({ bounce, suppress }: Judgement): BounceClass {
  return bounce === 'hard' && !suppress ? 'generic' : bounce;
}

/** In order of certainty: a refusal of the sender often contains "mailbox unavailable" as well. */
function byWords(text: string): BounceClass | null {
  return certainly(['blocked', 'full', 'unknown', 'temporary', 'refused'], text);
}

function certainly(meanings: (keyof typeof phrases)[], text: string): BounceClass | null {
  const found = meanings.find((meaning) => means(meaning, text));
  return found ? classOf[found] : null;
}

const classOf: Record<keyof typeof phrases, BounceClass> = {
  blocked: 'blocked',
  full: 'soft',
  unknown: 'hard',
  temporary: 'temporary',
  refused: 'blocked',
};

function means(meaning: keyof typeof phrases, text: string): boolean {
  return phrases[meaning].some((phrase) => phrase.test(text));
}

// In lower case. `.{0,40}` stands for the words, quotes and placeholders that servers put in between.
const phrases = {
  /** The sender or the content is not wanted: sure signs. */
  blocked: [
    /\bspam|\bunsolicited|black ?list|block ?list|block list|\bblocked\b|\bbanned\b|\bdnsbl\b|\brbl\b|spamhaus|barracuda/,
    /\breputation\b|\bvirus\b|\bmalware\b|\bphishing\b|\bdmarc\b|\bspf\b|\bdkim\b|sender (verify|policy)|unauthenticated/,
    /(content|message|mail).{0,30}(rejected|refused).{0,30}(content|policy|filter)|policy (violation|reasons?|restrictions?)/,
    /relay(ing)? (access )?(is )?(denied|not permitted|not allowed|prohibited)|(not|cannot|unable to|won't) relay/,
    /permission to (post|send)|not (be )?open to posting/,
    /authentication (is )?required|poor (sender|ip)|not in (the )?allowed senders|werbung|unerwünschte|indésirable|no deseado/,
  ],
  /** The mailbox exists but is full. */
  full: [
    /(mail ?box|inbox|account|user|recipient|storage|quota|folder).{0,40}\b(is full|full\b|over ?quota|over (its|the) (quota|limit)|exceed|out of (space|storage))/,
    /over ?quota|quota (is )?exceed|exceed.{0,30}(quota|storage|limit|size)|insufficient (disk|system|mailbox)? ?(storage|space|quota)/,
    /message (size|is too (large|big)|too (large|big))|too (large|big) for|maximum (message )?size|size limit/,
    /(postfach|mailbox|quota).{0,30}(voll|überschritten|erschöpft)|speicherplatz/,
    /bo[iî]te.{0,40}pleine|quota.{0,20}d[ée]pass|espace.{0,30}insuffisant/,
    /buz[oó]n.{0,30}lleno|cuota.{0,30}excedid|caixa.{0,40}cheia|casella.{0,30}piena|postvak.{0,20}vol\b/,
    /skrzynka.{0,30}(pełna|przepełniona)|ящик.{0,30}переполнен|квот|いっぱい|容量.{0,20}超|邮箱.{0,10}满|超出.{0,10}(容量|配额)/,
  ],
  /** The mailbox or its domain does not exist. */
  unknown: [
    /(user|account|mail ?box|recipient|address|mail address|person|addressee|alias|destination).{0,40}\b(unknown|not found|not known|not exist|doesn'?t exist|not listed|not a valid|is invalid|invalid\b|couldn'?t be found|could not be found|not here|not local|not recognized)/,
    /\b(unknown|invalid|no such|non-?existent|bad destination|not a valid|not a known|no valid)\b.{0,20}\b(user|account|mail ?box|recipient|address|person|addressee|alias|destination|domain|host)/,
    /(mail ?box|account|user|address|recipient).{0,40}\b(disabled|inactive|deactivated|suspended|closed|expired|no longer|not active|has been deleted|terminated|discontinued)/,
    /no (mail ?box|user|account|one) (here )?(by|with) that name|no mailbox here|doesn'?t have an? .{0,30}account|does not have an? .{0,30}account/,
    /recipnotfound|recipientnotfound|recipient address rejected: access denied|not our customer|user doesn'?t|has moved|no longer (valid|available|works|employed|with)/,
    /(host|domain|dns|server).{0,40}(unknown|not found|not exist|doesn'?t exist|lookup fail|cannot be found|couldn'?t be found)|no such (host|domain)|nxdomain|unrouteable|null mx|name or service not known|couldn'?t find any host/,
    /(benutzer|empfänger|adresse|postfach|konto).{0,40}(unbekannt|existiert nicht|nicht gefunden|nicht vorhanden|ungültig)/,
    /(benutzer|user|empfänger).{0,40}nicht im .{0,30}(verzeichnis|directory|adressbuch)/,
    /(utilisateur|destinataire|adresse|bo[iî]te|compte).{0,40}(inconnu|n'existe pas|introuvable|invalide|inexistant)/,
    /(usuario|usuário|destinatario|destinatário|direcci[oó]n|endereço|cuenta|conta|buz[oó]n|caixa).{0,40}(no existe|não existe|desconocid|desconhecid|inexistente|no encontrad|não encontrad)/,
    /(utente|destinatario|indirizzo|casella).{0,40}(sconosciut|inesistente|non esiste|non trovat)|(gebruiker|adres|postbus).{0,40}(onbekend|bestaat niet)/,
    /(użytkownik|adres|konto|skrzynka).{0,40}(nie istnieje|nieznan)|(пользовател|адрес|ящик|получател).{0,40}(не существует|не найден|неизвест)/,
    /(ユーザ|宛先|アドレス|メールボックス|受信者).{0,30}(存在し|見つかり|不明)|宛先不明|(用户|邮箱|地址|收件人).{0,20}(不存在|未找到|无效)/,
  ],
  /** To be tried again. */
  temporary: [
    /gr[ae]y ?list|try (again )?later|try again|temporar|transient|rate.?limit|too (fast|quickly)|too many (connections|messages|recipients|requests|errors|sessions|concurrent)|throttl|\bdeferred\b/,
    /timed? ?out|time-?out|connection (refused|reset|closed|dropped)|unreachable|\bbusy\b|overload|not (yet )?available at this time/,
    // Not "Giving up on 192.0.2.9", which qmail writes after every refusal.
    /\b(giving|gave) up\b(?! on)|multiple retries|failed \d{1,3} attempts/,
    /will (be )?retr|still trying|(has|have) been delayed|\bdelayed\b|expired|retry time|queue.{0,30}too long|(vorübergehend|später|temporairement|temporalmente)/,
  ],
  /** Refused without a sure sign for what. */
  refused: [
    /\b(e-?mail|message|connection|delivery|transaction) (has been |was |is )?rejected|\b5\d\d[ -](\d\.\d\.\d )?rejected/,
    /\bdenied\b|not permitted|not allowed|prohibited|not accepted|\bpolicy\b|administrative|unacceptable|verweigert|refus[ée]/,
  ],
} satisfies Record<string, RegExp[]>;
