// Which columns of a file look as if they say who agreed to receive email, or who has left: by their heading in the languages of
// the public pages, or by their values. Such a column must not be left out without a decision of a person, because its
// contacts would be subscribed. Errs on the side of asking. Pure.
import ipaddr from 'ipaddr.js';
import { plainHeading } from './headings.ts';
import { isMark, isStatusWord, isYesOrNoWord, namesConsent, statusOf } from './status-words.ts';

/** Whether one column looks like consent; takes its cells one after the other, so that a file of any size can be read. */
export class ConsentLook {
  readonly #heading: boolean;
  readonly #isOther: boolean;
  readonly #isDetail: boolean;
  readonly #isStated: boolean;
  readonly #isDeparture: boolean;
  #filled = 0;
  #yesNo = 0;
  #zeros = 0;
  #ones = 0;
  #words = 0;
  #plainMatter = 0;
  #namesConsent = false;

  /** @param isStated whether another column of the file already gives each contact its status */
  constructor(heading: string, isStated: boolean) {
    const plain = plainHeading(heading);
    this.#isOther = isOtherMatter(plain);
    this.#isDetail = details.test(plain);
    this.#heading = isConsentHeading(plain);
    this.#isStated = isStated;
    this.#isDeparture = departing.test(plain) && !details.test(plain) && !otherEnds.test(plain);
  }

  add(cell: string): void {
    const text = cell.trim();
    if (this.#isOther || text === '') return;
    this.#filled++;
    if (text.length > 80) return;
    if (text === '0') this.#zeros++;
    else if (text === '1') this.#ones++;
    else if (isYesOrNoWord(text)) this.#yesNo++;
    else if (isStatusWord(text)) {
      this.#words++;
      if (namesConsent(text)) this.#namesConsent = true;
    } else if (isTime(text) || isAddressOfComputer(text)) this.#plainMatter++;
  }

  get looks(): boolean {
    if (this.#isOther || this.#filled === 0) return false;
    if (this.#isDetail && this.#isStated) return false;
    if (this.#namesConsent) return true;
    // When someone signed up, and from where, is no answer to whether it may get email.
    if (this.#isDeparture) return true;
    if (this.#heading && !this.#isDetail) return this.#plainMatter < this.#filled;
    if (this.#isStated) return false;
    if (this.#words > 0 && this.#words + this.#yesNo === this.#filled) return true;
    const isSwitch = this.#zeros > 0 && this.#ones > 0 && this.#zeros + this.#ones + this.#yesNo === this.#filled;
    return isSwitch || (this.#yesNo > 0 && this.#yesNo + this.#zeros + this.#ones === this.#filled);
  }
}

/** Whether every contact of a column has a status in words, one of which is only used of subscriptions. */
export function statesStatus(heading: string, cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return (
    !isOtherMatter(plainHeading(heading)) &&
    filled.length > 0 &&
    filled.every((cell) => isStatusWord(cell) && statusOf(cell) !== undefined) &&
    filled.some(namesConsent)
  );
}

/** Whether a column marks by a time or a yes who has left, as its heading says in any of the languages. */
export function marksLeavers(heading: string, cells: readonly string[]): boolean {
  const plain = plainHeading(heading);
  if (isOtherMatter(plain) || details.test(plain) || agreeing.test(plain)) return false;
  if (!leaving.test(plain) && !/^(is)?(disabled|deaktiviert|archived|removed)(at|on)?$/.test(plain)) return false;
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return filled.every((cell) => isTime(cell) || isYesOrNoWord(cell) || cell === '0' || cell === '1' || !isMark(cell));
}

/** A channel that is not email, or an address of a person and not of its consent. */
const isOtherMatter = (plain: string) => otherMatter.test(plain) && !/e?mail(?!ing)|почт|邮|メール/.test(plain);

const isConsentHeading = (plain: string) => exactHeadings.has(plain) || stems.test(plain) || leaving.test(plain);

const pattern = (words: string) =>
  new RegExp(
    words
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => `${/^\^/.exec(word) ?? ''}${plainHeading(word)}${/\$$/.exec(word) ?? ''}`)
      .join('|'),
  );

const otherMatter =
  /sms|whatsapp|telegram|viber|webpush|pushnot|^push|phone|telefon|telefoon|puhelin|cookie|totrack|tracking|mailing(street|city|state|zip|country|address)|taxexempt|電話|短信|手机/;

/** What goes with a consent, but does not say whether there is one. */
const details =
  /(reason|reasonother|source|campaigntitle|campaignid|campaign|method|count|score|uid|uuid|key|hash|token|url|link|notes?|ip|ipaddress|type|tier|plan|level|price|amount|motif|grund|motivo|kilde|powod|причина|原因|理由)$/;

/** Words that mean leaving, in parts of a heading. */
const leaving = pattern(`
  unsub optout optedout donotmail donotemail donotcontact donotsend blacklist blocklist suppress spamcompl complain emaildisabled
  excludedfrom
  abgemeld abmeld ausgetragen austrag werbesperr mailsperr widerruf
  désabonn désinscri desuscri fechadebaja dadodebaja darsedebaja disiscri cancellazione descadastr desinscri
  afmeld frameld avmeld avregistr avprenumer avanmäl avslutad peruutt peruttu perunut estolista loobu tellimusetühist
  atteik atrakst atsisak wypis rezygn отпис отказ 退订 退訂 取消订阅 取消訂閱 拒收 黑名单 退会 購読解除 配信停止 解除`);

/** What is ended where a heading is not about a person's consent. */
const otherEnds = /order|payment|invoice|booking|trial|card|commande|pedido|ordine|rechnung|(?<!ab)bestellung/;

/** Words that mean an end, or leaving a club or a service: a date there may be the end of the consent, too. */
const departing = pattern(`
  withdr revok revoc consentexpir permissionexpir optinexpir subscriptionend subscriberend consentend permissionend ^ended ^enddate ^end$
  stopped stopdate cancel removed ^left left$ leftthe hardbounce
  bouncedate bouncedat inactivesince deactivat disabledat abbestell widersp zurückgezog zurückgenomm entzogen
  retiré retrait résili annul retirad anulad ritirat
  wycof cofni odwoł anulow ingetrok opgezeg opzeg stopgezet tilbagekald tilbagetruk trukket återkall återtag lopetet päättyn
  tagasivõ lõpetat atsauk atšauk nutrauk отозв отзыв прекращ отмен 撤回 撤销 撤銷 终止 中止
  resign leftat lefton leftdate dateleft membershipend austritt ausgetreten gekündigt kündigung démission sortie ^baja baja$ dimission
  dimesso saída desligamento udmeldt udmeldelse utmeldt utmelding uttrade utträd eronnut eroamis väljaast lahkumi izstāj išstoj
  wystąpieni ^выход выхода выбыл выбытия 退出 脱退 退会`);

/** How a heading begins that has a word of leaving in it and means its opposite. */
const agreeing = /^(subscribe|optin)/;

/** Words that mean consent, in parts of a heading. */
const stems = pattern(`
  subscri optin optedin consent permission newsletter marketing gdpr ccpa acceptsemail accepts emailallowed allowemail allowcontact
  nieuwsbrief hírlev bülten odběr ενημερωτικ розсилк النشرة ניוזלטר 뉴스레터
  receiveemail wantsemail emailpreference legalbasis contactable emailable mailable globalstatus liststatus emailstate
  emailstatus mailstatus contactstatus memberstatus bounced bouncestatus spam junk agreed agreement privacy
  einwillig zustimm werbung werbeerlaub erlaubnis dsgvo datenschutz abonn anmeld angemeld rundbrief infobrief infomail
  abonné inscri consentement rgpd lettred infolettre accepte recevoir autoris
  suscri consentim acepta permiso boletín publicidad autoriz lopd
  iscri consenso accetta permesso notiziario
  permissão aceita boletim lgpd assinant
  tilmeld samtykke nyhedsbrev tillad reklam påmeld nyhetsbrev tillat prenumer samtycke godkän
  tilaaja uutiskirje suostumus markkinointi ^lupa lupa$ tellija nõusolek uudiskir ^luba
  abonē piekriš piekrīt jaunum atļauj prenumer sutik naujien leidim
  subskry zgoda zgody biuletyn ^rodo zapisan
  подпис соглас рассыл разреш реклам
  订阅 訂閱 同意 许可 許可 通讯 营销 电子报 電子報 接收
  購読 配信 メルマガ ニュースレター 承諾 希望`);

/** Words that say it only when they are the whole heading. */
const exactHeadings = new Set(
  `active isactive inactive enabled isenabled disabled isdisabled confirmed isconfirmed verified isverified deleted isdeleted removed
  blocked isblocked cancelled canceled allowed left status mailinglist emailok mailok ok2mail news mailing mailings emailing emailings
  permitted permit dnc dne stan stav stare durum állapot
  aktiv inaktiv bestätigt gelöscht gesperrt gekündigt actif inactif bloqué supprimé statut résilié activo inactivo bloqueado
  eliminado baja attivo inattivo bloccato cancellato ativo inativo situação aktywny nieaktywny zablokowany usunięty
  aktiivinen estetty aktiivne blokeeritud aktīvs neaktīvs statuss bloķēts aktyvus neaktyvus statusas užblokuotas
  bekreftet bekræftet blokeret blokkert blockerad bekräftad активен заблокирован статус удалён
  状态 狀態 有效 状態 ステータス 有効 登録 停止`
    .split(/\s+/)
    .map(plainHeading),
);

const isTime = (text: string) =>
  /^\d[\d.,:/\s+-]*([TZ][\d:.+Z-]*)?\s*([ap]m|utc|gmt|z)?$/i.test(text) && /\d[./-]\d|年|^\d{9,13}$/.test(text);

const isAddressOfComputer = (text: string) => ipaddr.isValid(text) && /[.:]/.test(text);
