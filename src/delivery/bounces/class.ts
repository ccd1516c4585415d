// Classifies a refusal by its status code and text: hard, soft, blocked, temporary or generic.
// An address is hard only when a server states that it does not exist or never accepts mail again.
// Leaves what follows from a class (suppression, counting) to its callers.

/**
 * hard: the address or its domain does not exist. soft: it exists and took nothing this time (full, too large).
 * blocked: refused for the sender or the content. temporary: was to be tried again. generic: none of these is known.
 */
export type BounceClass = 'hard' | 'soft' | 'blocked' | 'temporary' | 'generic';

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

/** The class of a refusal. `status` is an enhanced code such as `5.1.1`, or '' when only the words are known. */
export function bounceClass(status: string, words: string): BounceClass {
  // Names of mailboxes and hosts are no words: antispam@example.com is not blocked.
  const text = words
    .slice(0, 8_000)
    .toLowerCase()
    .replace(/\S{1,128}@\S{1,253}/g, ' ');
  const code = status || statusIn(words);
  const [, digit, subject, detail] = /^([245])\.(\d{1,3})\.(\d{1,3})$/.exec(code) ?? [];
  if (digit === '5') return permanent(`${subject}.${detail}`, text);
  if (digit === '4') return means('full', text) || `${subject}.${detail}` === '2.2' ? 'soft' : 'temporary';
  return byWords(text) ?? 'generic';
}

/** The first enhanced status code in a text or, failing that, what its SMTP reply code comes to; '' without either. */
export function statusIn(text: string): string {
  const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]|-\d)/.exec(text);
  if (enhanced) return `${enhanced[1]}.${enhanced[2]}.${enhanced[3]}`;
  const reply = /(?<![\d.#=\w-])([45])[0-5]\d(?=[ \t]*[- ][^\d]|[ \t]*$)/m.exec(text);
  return reply ? `${reply[1]}.0.0` : '';
}

/** RFC 3463 and the registry it has founded; by `subject.detail` of a code of class 5. */
function permanent(detail: string, text: string): BounceClass {
  switch (detail) {
    case '1.1': // bad destination mailbox address
    case '1.2': // bad destination system address
    case '1.3': // bad destination mailbox address syntax
    case '1.6': // mailbox has moved, no forwarding address
    case '1.10': // recipient address has null MX
    case '2.1': // mailbox disabled
      return 'hard';
    case '1.7': // bad sender's mailbox address syntax
    case '1.8': // bad sender's system address
    case '1.9': // message relayed to non-compliant mailer
      return 'blocked';
    case '2.2': // mailbox full
    case '2.3': // message length exceeds administrative limit
    case '3.4': // message too big for system
      return 'soft';
    case '4.7': // delivery time expired
      return 'temporary';
  }
  const [subject] = detail.split('.');
  const byText = byWords(text);
  // Policy replies often hide that the mailbox does not exist, and other replies mention spam rules.
  if (subject === '7') return byText === 'hard' ? 'hard' : 'blocked';
  if (byText === 'temporary') return subject === '4' ? 'temporary' : 'generic';
  if (byText !== null) return byText;
  if (detail === '1.0' || detail === '1.4' || detail === '4.4') return 'hard'; // 4.4: unable to route
  if (subject === '2') return 'soft';
  return 'generic';
}

/** In order of certainty: a refusal of the sender often contains "mailbox unavailable" as well. */
function byWords(text: string): BounceClass | null {
  if (means('blocked', text)) return 'blocked';
  if (means('full', text)) return 'soft';
  if (means('unknown', text)) return 'hard';
  if (means('temporary', text)) return 'temporary';
  if (means('refused', text)) return 'blocked';
  return null;
}

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
    /mail ?box (is )?unavailable|no (mail ?box|user|account|one) (here )?(by|with) that name|no mailbox here|doesn'?t have an? .{0,30}account|does not have an? .{0,30}account/,
    /recipnotfound|recipientnotfound|recipient address rejected: access denied|not our customer|user doesn'?t|has moved|no longer (valid|available|works|employed|with)/,
    /(host|domain|dns|server).{0,40}(unknown|not found|not exist|doesn'?t exist|lookup fail|cannot be found|couldn'?t be found)|no such (host|domain)|nxdomain|unrouteable|null mx|name or service not known|couldn'?t find any host/,
    /(benutzer|empfänger|adresse|postfach|konto).{0,40}(unbekannt|existiert nicht|nicht gefunden|nicht vorhanden|ungültig)/,
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
    /will (be )?retr|still trying|(has|have) been delayed|\bdelayed\b|expired|retry time|queue.{0,30}too long|(vorübergehend|später|temporairement|temporalmente)/,
  ],
  /** Refused without a sure sign for what. */
  refused: [
    /\bdenied\b|not permitted|not allowed|prohibited|not accepted|\bpolicy\b|administrative|unacceptable|verweigert|refus[ée]/,
  ],
} satisfies Record<string, RegExp[]>;
