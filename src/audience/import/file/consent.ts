// Which columns of a file look as if they say who agreed to receive email, or who has left: by their heading in the languages of
// the public pages, or by their values. Such a column must not be left out without a decision of a person, because its
// contacts would be subscribed. Errs on the side of asking. Pure.
import ipaddr from 'ipaddr.js';
import { isNoDate } from './dates.ts';
import { foldText } from './fold.ts';
import { plainHeading } from './headings.ts';
import { isMark, isStatusWord, isYesOrNoWord, namesConsent, statusOf } from './status-words.ts';

/** Takes the cells of a column one after the other, so that a file of any size can be read. */
export type Look = { add(cell: string): void; readonly looks: boolean };

/** What other columns of the file give each contact: its status, or only a mark of who left, or of who bounced. */
export type Stated = { status: boolean; left: boolean; bounced: boolean };

/** Whether one column looks like consent. */
export class ConsentLook implements Look {
  readonly #kind: HeadingKind;
  readonly #isStated: boolean;
  readonly #isDetail: boolean;
  #filled = 0;
  #blank = 0;
  #yesNo = 0;
  #zeros = 0;
  #ones = 0;
  #marks = 0;
  #codes = 0;
  #words = 0;
  #times = 0;
  #plainMatter = 0;
  #namesConsent = false;
  #tellsLeft = false;

  constructor(heading: string, stated: Stated) {
    const kind = kindOf(plainHeading(heading));
    this.#kind = kind;
    this.#isStated = stated.status || stated.left || stated.bounced;
    // Why or how often is only there for who left, so that it says who did when nothing else does.
    const isToldElsewhere = kind.isBounceDetail ? this.#isStated : stated.status || stated.left;
    this.#isDetail = kind.isDetail && (isToldElsewhere || !(kind.isLeavingDetail || kind.isBounceDetail));
  }

  add(cell: string): void {
    const text = cell.trim();
    if (this.#kind.isOther) return;
    if (text === '' || text === 'NULL') {
      this.#blank++;
      return;
    }
    this.#filled++;
    if (!this.#isStated && text.length > 10 && text.length <= 500 && tellsOfLeaving(text)) this.#tellsLeft = true;
    if (text.length > 80) return;
    if (text === '0') this.#zeros++;
    else if (text === '1') this.#ones++;
    else if (/^[x✓✔☑*+]$/i.test(text)) this.#marks++;
    else if (isYesOrNoWord(text)) this.#yesNo++;
    else if (isStatusWord(text)) {
      this.#words++;
      if (namesConsent(text)) this.#namesConsent = true;
    } else if (isTime(text)) this.#times++;
    else if (isAddressOfComputer(text)) this.#plainMatter++;
    if (/^[\p{L}\d]$/u.test(text)) this.#codes++;
  }

  get looks(): boolean {
    const kind = this.#kind;
    if (this.#filled === 0) return false;
    if (kind.isDetail && this.#isDetail && this.#isStated) return false;
    if (this.#namesConsent || this.#tellsLeft || kind.isDeparture) return true;
    if (kind.isDetail && !this.#isDetail) return this.#filled > this.#zeros;
    // When someone signed up, and from where, is no answer to whether it may get email. A time that some do not have may be.
    const isTimes = this.#times === this.#filled;
    if (kind.isAgreeing && !this.#isStated && isTimes && this.#blank > 0) return true;
    if (kind.isConsent && !this.#isDetail) return this.#plainMatter + this.#times < this.#filled;
    if (this.#isStated) return false;
    if (kind.isVague) return true;
    if (kind.isState && this.#codes === this.#filled) return true;
    if (this.#words + this.#yesNo === this.#filled) return true;
    return this.#isSwitch;
  }

  /** Yes and no, 1 and 0, or a mark and nothing. */
  get #isSwitch(): boolean {
    const [ones, zeros, marks, yesNo] = [this.#ones, this.#zeros, this.#marks, this.#yesNo];
    if (ones + zeros + marks + yesNo !== this.#filled) return false;
    return yesNo > 0 || (ones + marks > 0 && (zeros > 0 || this.#blank > 0));
  }
}

/** Whether some have no time of consent, where others have one. */
export class ConsentTimeLook implements Look {
  readonly #isOfConsent: boolean;
  #times = false;
  #blanks = false;

  constructor(heading: string) {
    this.#isOfConsent = agreesByTime(heading);
  }

  add(cell: string): void {
    const text = cell.trim();
    if (text === '' || isNoDate(text)) this.#blanks = true;
    else if (isTime(text)) this.#times = true;
  }

  get looks(): boolean {
    return this.#isOfConsent && this.#times && this.#blanks;
  }
}

/** Whether the column of addresses says of some that they left: in its heading, in a line between them, or beside one. */
export class AddressLook implements Look {
  looks: boolean;

  /** @param names those of the file and its sheets */
  constructor(heading: string, names: readonly string[]) {
    this.looks = [heading, ...names].some(saysLeft);
  }

  add(cell: string): void {
    if (this.looks || /^[\w.+-]+@[\w.-]+$/.test(cell)) return;
    this.looks = saysLeft(cell.replace(/\S+@[\p{L}\p{N}.-]+/gu, ' ').slice(0, 200));
  }
}

/** Whether words in some cells of a column of other matter say that these contacts left. */
class WordsLook implements Look {
  looks = false;
  readonly #says: (cell: string) => boolean;

  constructor(says: (cell: string) => boolean) {
    this.#says = says;
  }

  add(cell: string): void {
    if (!this.looks && cell !== '' && cell.length <= 10_000) this.looks = this.#says(cell);
  }
}

export const tagsLook = (): Look => new WordsLook((cell) => cell.split(/[,;|]/).some(saysLeft));

export const nameLook = (): Look =>
  new WordsLook((cell) => namesConsent(cell) && ['unsubscribed', 'bounced'].includes(statusOf(cell) ?? ''));

/** Whether a name or a title says of what it stands for that it left. */
export function saysLeft(text: string): boolean {
  const plain = plainHeading(text);
  return plain !== '' && (leaving.test(plain) || leftNames.test(plain)) && !agreeing.test(plain);
}

const leftNames =
  /bounce|cleaned|undeliver|unzustell|deleted|removed|inactive|deactivated|disabled|blocked|exsubscri|formersub/;

const tellsOfLeaving = (text: string) => leftPhrases.test(foldText(text));

const leftPhrases = new RegExp(
  foldText(
    [
      'unsubscri|\\bopt(ed)?[ -]?out|do(es)? ?nt? (want|wish|like|e ?-?mail|contact)|(do|does|did) not (want|wish|like|e-?mail|contact|send|mail)',
      '\\bno (more |further |longer )*(e-?mail|newsletter|mailing|contact)s?\\b|(remov|tak|delet)\\w* .{0,30}\\b(list|newsletter|mailing|distribution)',
      '\\bstop(ped)? (sending|e-?mail|the newsletter)|abgemeldet|abbestellt|\\bkeine? (weiteren |mehr )*(e-?mail|newsletter|mail|werbung|post)|désabonn|désinscri',
      'plus de (mail|courriels?|newsletters?)|darse de baja|dado de baja|no quiere recibir|disiscri|non vuole ricevere|descadastr|afgemeld|uitgeschreven|geen (mail|nieuwsbrief)',
    ].join('|'),
  ),
);

type HeadingKind = ReturnType<typeof kindOf>;

function kindOf(plain: string) {
  const isDetail = details.test(plain);
  const isConsent = exactHeadings.has(plain) || stems.test(plain) || leaving.test(plain);
  const isEnd =
    departing.test(plain) ||
    ((isConsent || /member|mitglied/.test(plain)) &&
      /(until|expires?|expiry|expirydate|expiresat|validto|bis)$/.test(plain));
  return {
    isOther: isOtherMatter(plain),
    isDetail,
    isLeavingDetail: leaving.test(plain) && !agreeing.test(plain),
    isBounceDetail: /bounc/.test(plain),
    isConsent,
    isDeparture: isEnd && !isDetail && !otherEnds.test(plain),
    isAgreeing: agreesByTime(plain),
    isState: states.has(plain),
    isVague: vague.test(plain),
  };
}

/** Whether a time in a column is that of a consent or its confirmation, so that without one there is none. */
export const agreesByTime = (heading: string) => {
  const plain = plainHeading(heading);
  return agreeingTimes.test(plain) && !leaving.test(plain) && !departing.test(plain) && !isOtherMatter(plain);
};

/** Whether a heading is about consent, and not about its reason or the like. */
export function isConsentHeading(heading: string): boolean {
  const { isConsent, isDetail, isOther } = kindOf(plainHeading(heading));
  return isConsent && !isDetail && !isOther;
}

/** Headings that say who gets email only where nothing else does: how often (never), and on which lists (none). */
const vague = /frequen|häufigkeit|haufigkeit|^(e?mail)?digest$|^(email)?lists?$|^mailinglists$|membershipstatus/;

const states = new Set('state estado stato tila olek stan'.split(' '));

/** Whether every contact of a column has a status in words, one of which is only used of subscriptions. */
export function statesStatus(heading: string, cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return (
    !isOtherMatter(plainHeading(heading)) &&
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
  return filled.every((cell) => isTime(cell) || isYesOrNoWord(cell) || cell === '1' || !isMark(cell));
}

/** A channel that is not email, or an address of a person and not of its consent. */
const isOtherMatter = (plain: string) => otherMatter.test(plain) && !/e?mail(?!ing)|почт|邮|メール/.test(plain);

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
  /(reason|reasonother|source|campaigntitle|campaignid|campaign|method|count|bounces|score|uid|uuid|key|hash|token|url|link|notes?|ip|ipaddress|type|tier|plan|level|price|amount|motif|grund|motivo|kilde|powod|причина|原因|理由)$/;

/** Words that mean leaving, in parts of a heading. */
const leaving = pattern(`
  unsub optout optedout donotmail donotemail donotcontact donotsend blacklist blocklist suppress spamcompl complain emaildisabled
  excludedfrom excludefrom nomail noemail nonewsletter nomoremail neveremail nevermail dontemail dontmail dontsend dontcontact
  stopemail stopmail ^stop$ exsubscri formersubscri
  abgemeld abmeld ausgetragen austrag werbesperr mailsperr widerruf
  désabonn désinscri desuscri fechadebaja dadodebaja darsedebaja disiscri cancellazione descadastr desinscri
  afmeld frameld avmeld avregistr avprenumer avanmäl avslutad peruutt peruttu perunut estolista loobu tellimusetühist
  atteik atrakst atsisak wypis rezygn отпис отказ 退订 退訂 取消订阅 取消訂閱 拒收 黑名单 退会 購読解除 配信停止 解除
  aboneliktençık aboneliktenayr odhláš odhlás leiratkoz απεγγραφ διαγραφ відпис dezabon dezînscri odjav одјав hủyđăngký huỷđăngký
  berhentiberlangganan 구독취소 구독해지 수신거부 탈퇴 إلغاءالاشتراك ألغىالاشتراك הסרה הוסר ยกเลิกการสมัคร keinnewsletter keinemail
  keinemail keinewerbung geenmail geenemail geennieuwsbrief ingennyhedsbrev pasdemail pasdenewsletter nodeseamail`);

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
  wystąpieni ^выход выхода выбыл выбытия 退出 脱退 退会 ^deleted ^isdeleted ^erased ^gelöscht ^supprimé ^eliminado ^usunięt ^удален
  ^blocked ^blockedat ^banned ^suspended ^excluded ^exclude$ ^inactive ^disabled ^archived ^invalid$ ^isinvalid$ ^unreachable ^deceased ^died verstorben décédé fallecid zmarł ^gesperrt
  ^bloqué ^bloqueado ukonč zrušen kilép megszűn visszavon töröl ayrıl iptal çıkış вихід скасов відклик припин retras ieșire оттегл напусна
  otkaz istup povuč ispis opozv izstop preklic 철회 해지 취소일 ביטול עזיבה انسحاب ยกเลิก batal αποχώρησ ανάκλησ διακοπ`);

/** How a heading begins that has a word of leaving in it and means its opposite. */
const agreeing = /^(subscribe|optin)/;

/** Headings of a time of consent or of its confirmation. */
const agreeingTimes = pattern(`
  confirm verified verification activat optin optedin consent subscri accepted agreed einwillig bestätig aktivier inscri abonné suscri
  confirmad iscri confermat bekræft bekreft bekräft vahvist kinnit apstipr patvirt potwierdz zapis подтвер подпис 确认 订阅 確認 購読`);

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
  購読 配信 メルマガ ニュースレター 承諾 希望
  bounces validation emailquality deliverab verificationresult verificationstatus ^channels?$ contactby contactvia contactmethod commspref
  communicationpref kontaktweg kontaktart
  ^izin ^rıza ^onay pazarlama ^abone souhlas zpravodaj súhlas odber hozzájárul feliratkoz συγκατάθεσ συναίνεσ εγγραφ згод підпис ^acord consimț
  съгласи абонам бюлетин pristan privol pretplat naroč сагласн претплат đồngý đăngký bảntin persetujuan langganan 동의 구독 수신 마케팅
  اشتراك موافقة הסכמה מנוי דיוור ยินยอม สมัคร จดหมายข่าว`);

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

const isAddressOfComputer = (text: string) =>
  /^[\da-f.:]{3,45}(%\w+)?$/i.test(text) && /[.:]/.test(text) && ipaddr.isValid(text);
