// What the words of other providers' exports say about a subscription. Words that mean in any way that a contact left come
// to unsubscribed or bounced: a contact must not get email because a word is new. Pure.
import type { ImportStatusWord } from '../plan.ts';

/** The status that a word means; undefined for '' and for words that say nothing about it. */
export function statusOf(text: string): ImportStatusWord | undefined {
  const plain = plainWord(text);
  if (plain === '') return undefined;
  const known = statuses.get(plain) ?? otherWords.get(plain);
  if (known) return known;
  if (yes.has(plain)) return 'subscribed';
  if (no.has(plain)) return 'unsubscribed';
  if (bouncedStems.test(plain)) return 'bounced';
  if (pendingStems.test(plain)) return 'pending';
  return leftStems.test(plain) ? 'unsubscribed' : undefined;
}

/**
 * Whether a cell marks its contact, in a column that exists for that ("Unsubscribed from all email"): a time, a yes or a
 * reason does; nothing, a no and the status of a subscriber do not.
 */
export function isMark(text: string): boolean {
  const plain = plainWord(text);
  if (plain === '' || no.has(plain) || nothing.has(plain) || /^(0{4}.00.00|00.00.0{4})/.test(text.trim())) return false;
  const status = statuses.get(plain);
  return status !== 'subscribed' && status !== 'pending';
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
  text
    .slice(0, 200)
    .replace(/(\p{Ll})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\s_-]+/g, ' ')
    .trim();

/** Words of status, as other programs and the languages of the public pages have them. */
const statusSpellings: Record<ImportStatusWord, string> = {
  subscribed: [
    'subscribed,resubscribed,re-subscribed,active,confirmed,enabled,opted in,opt-in,optin,opted-in,subscriber,verified,approved',
    'regular,premium,gifted,trialed,explicit,implied,express,implicit,granted,accepted,agreed,allowed,consented,given,double opt-in',
    'single opt-in,confirmed opt-in,subscribed weekly,subscribed monthly,abonniert,angemeldet,aktiv,bestätigt,eingewilligt,zugestimmt,abonné,abonnée,inscrit,inscrite,actif',
    'active,accepté,suscrito,suscrita,suscripto,activo,activa,aceptado,iscritto,iscritta,attivo,attiva,accettato,inscrito,inscrita,ativo',
    'ativa,assinante,aceito,ingeschreven,actief,tilmeldt,abonnerer,bekræftet,påmeldt,bekreftet,prenumererar,prenumerant,anmäld,bekräftad',
    'tilaaja,tilannut,tilattu,aktiivinen,vahvistettu,tellija,tellinud,aktiivne,kinnitatud,abonents,abonēts,aktīvs,apstiprināts',
    'prenumeratorius,užsiprenumeravo,užsiprenumeravęs,aktyvus,patvirtintas,zapisany,zapisana,subskrybent,aktywny,aktywna,potwierdzony',
    'подписан,подписана,подписчик,активен,активна,активный,подтвержден,подтверждён,согласен,согласна,已订阅,订阅,已訂閱,已激活,激活,有效,已确认',
    '購読中,購読,購読者,登録済み,配信中,有効,確認済み',
  ].join(),
  unsubscribed: [
    'unsubscribed,un-subscribed,in active,nicht aktiv,nicht abonniert,kündigung,pas abonné,pas abonnée,no activo,no activa,no suscrito,baja voluntaria,non iscritto,non iscritta,não inscrito,nieaktywny,nieaktywna,not granted,opted out,opt-out,optout,opted-out,removed,suppressed,blocked,complained,complaint,spam complaint,spam,rejected,denied',
    'declined,refused,withdrawn,excluded,temp hold,on hold,held,not set,no permission,no consent,not allowed,not sending,stale,archived,spammy,churned,left,expired,abgemeldet,ausgetragen',
    'widerrufen,abgelehnt,beschwerde,désabonné,désabonnée,désinscrit,désinscrite,résilié,refusé,plainte,baja,dado de baja,dada de baja',
    'cancelado,cancelada,rechazado,anulado,queja,disiscritto,disiscritta,cancellato,annullato,rifiutato,reclamo,descadastrado,descadastrada',
    'recusado,reclamação,removido,uitgeschreven,wypisany,wypisana,zrezygnował,zrezygnowała,odrzucony,skarga,afmeldt,frameldt,afvist,blokeret',
    'avmeldt,avregistrert,avvist,blokkert,avregistrerad,avslutad,avanmäld,avprenumererad,nekad,blockerad,peruutettu,peruttu,peruuttanut',
    'poistunut,estetty,kieltäytynyt,loobunud,tühistatud,lahkunud,blokeeritud,keeldunud,atteicies,atteicās,atrakstījies,noraidīts,bloķēts',
    'neaktīvs,atsisakė,atsisakęs,atsisakiusi,atmestas,užblokuotas,neaktyvus,отписан,отписана,отписался,отписалась,отказ,отказался,жалоба',
    'не согласен,已退订,退订,取消订阅,已取消订阅,已退訂,拒收,黑名单,拒绝,未订阅,購読解除,解除,解除済み,退会,退会済み,配信停止,停止,拒否,未購読',
  ].join(),
  pending: [
    'pending,unconfirmed,waiting,not confirmed,awaiting confirmation,pending confirmation,awaiting,validating,unactivated,not activated',
    'unapproved,not approved,unverified,not verified,invitable,new,ausstehend,unbestätigt,wartend,offen,en attente,non confirmé,non confirmée',
    'pendiente,sin confirmar,in attesa,non confermato,pendente,não confirmado,in afwachting,oczekuje,oczekujący,oczekująca,niepotwierdzony',
    'afventer,ubekræftet,ikke bekræftet,venter,avventer,ubekreftet,ikke bekreftet,väntar,väntande,obekräftad,ej bekräftad,odottaa,odottava',
    'vahvistamaton,ootel,kinnitamata,gaida,neapstiprināts,laukia,laukiama,nepatvirtintas,ожидает,ожидание,не подтвержден,не подтверждён',
    'неподтвержден,неподтверждён,待确认,未确认,待定,待审核,確認待ち,未確認,仮登録,保留中',
  ].join(),
  bounced: [
    'bounced,cleaned,hard bounce,hardbounce,undeliverable,unreachable,undelivered,unzustellbar,gebounced,gebounct,nicht zustellbar',
    'rebond,rebondi,non distribuable,injoignable,rebotado,rebote,devuelto,rimbalzato,respinto,non recapitabile,devolvido,rejeitado',
    'ikke leveret,kan ikke leveres,returneret,returnert,studsad,studsat,returnerad,palautunut,palautettu,tagastatud,põrkunud,kohaletoimetamatu,atgriezts',
    'atlēcis,nepiegādāts,grąžintas,atšokęs,nepristatytas,odbity,odbita,zwrócony,niedostarczony,недоставлен,недоставлено,возврат,退信,退回,弹回',
    '无法投递,不達,バウンス,配信エラー,エラー,宛先不明',
  ].join(),
};
const statuses = new Map(
  Object.entries(statusSpellings).flatMap(([status, spellings]) =>
    spellings.split(',').map((spelling) => [plainWord(spelling), status as ImportStatusWord]),
  ),
);

/** Words that are a status only in a column of a status: elsewhere they may be about anything. */
const otherWords = new Map<string, ImportStatusWord>([
  ['engaged', 'subscribed'],
  ['normal', 'subscribed'],
  ['error', 'bounced'],
]);

const yesWords =
  'yes,y,true,t,on,x,ja,oui,vrai,sí,si,sì,verdadero,vero,sim,verdadeiro,tak,prawda,kyllä,kyl,tosi,jah,tõene,jā,patiess,taip,tiesa,wahr,sand,sant,да,истина,はい,是,真'.split(
    ',',
  );
const noWords =
  'no,n,false,f,off,nein,falsch,non,faux,falso,não,nao,nee,nie,fałsz,nej,falsk,falskt,nei,usant,ei,epätosi,väär,nē,aplams,ne,netiesa,нет,ложь,いいえ,否,假'.split(
    ',',
  );
const yes = new Set(['1', '1.0', '1,0', '✓', '✔', '☑', ...yesWords]);
const no = new Set(['0', '0.0', '0,0', '✗', '✘', '☐', 'none', 'null', 'nil', 'never', '[]', '{}', ...noWords]);
/** Words that are not used of anything but a yes and a no, with a letter that marks. */
const onlyYesOrNo = new Set([...yesWords, ...noWords].filter((word) => word !== 'x'));
/** What programs write where there is nothing. */
const nothing = new Set('-,–,—,--,n/a,na,unknown,unspecified,undefined,(none),\\n'.split(','));
no.add('');

const bouncedStems = /bounc|cleaned|undeliver|unzustell|invalid|ungültig|nicht zustell/;
const pendingStems = /unconfirm|\bnot (yet )?(confirmed|activated|verified|approved)|awaiting|\bpending\b/;
const leftStems = new RegExp(
  [
    'unsub|opt(ed)? ?out|cancel|remov|block|black|spam|junk|abuse|complain|delet|inactiv|disabl|suppress|archiv|revok|withdr',
    '\\bnever\\b|\\b(not|non) ?(subscri|opted|active|consent)|nonsubscri|do ?not|\\bdnc\\b|transactional|\\bleft\\b',
    'deaktiv|inaktiv|gesperrt|gelöscht|widerruf|abgemeld|ausgetragen|gekündigt|désabonn|désinscri|désactiv|supprim|bloqu',
    'desuscri|desactiv|inativ|eliminad|borrad|descadastr|disattiv|disiscritt|bloccat|afgemeld|uitgeschr|verwijder',
    'reject|refus|declin|denied|exclud|\\bhold\\b|afmeld|frameld|avmeld|avregistr|avprenum|avanmäl|peruut|peruttu|estett|loobu|tühist|blokeer',
    'atteic|atrakst|bloķēt|neaktīv|atsisak|užblok|neaktyv|拒收|取消|停止|退会',
    'wypisan|usunięt|nieaktywn|отпис|заблок|удал|неактив|退订|解除',
  ].join('|'),
);
const consentStems = new RegExp(
  [
    'subscri|\\bopt(ed)?[ -]?(in|out)\\b|\\bbounced?\\b|hard ?bounce|soft ?bounce|complain|spam|undeliverable|blocklist|blacklist|do ?not ?(e?mail|contact)',
    'unconfirmed|cleaned|abonniert|abgemeld|ausgetragen|unzustellbar|abonné|désabonn|désinscri|suscrit|disiscritt|\\biscritt|descadastr',
    'tilmeldt|afmeldt|frameldt|påmeldt|avmeldt|avregistr|prenumer|avanmäl|tilaaja|tilannut|tellija|abonē|atrakstī|wypisan|subskry|подписан|отписа',
    '订阅|退订|訂閱|退訂|拒收|購読|配信停止|退会|メルマガ',
  ].join('|'),
);
