// What the words of other providers' exports say about a subscription. Words that mean in any way that a contact left come
// to unsubscribed or bounced: a contact must not get email because a word is new. Pure.
import type { ImportStatusWord } from '../plan.ts';

/** The status that a word means; undefined for '' and for words that say nothing about it. */
export function statusOf(text: string): ImportStatusWord | undefined {
  const plain = plainWord(text);
  if (plain === '') return undefined;
  if (statuses.has(plain)) return statuses.get(plain);
  if (yes.has(plain)) return 'subscribed';
  if (no.has(plain)) return 'unsubscribed';
  if (bouncedStems.test(plain)) return 'bounced';
  return leftStems.test(plain) ? 'unsubscribed' : undefined;
}

/**
 * Whether a cell marks its contact, in a column that exists for that ("Unsubscribed from all email"): a time, a yes or a
 * reason does; nothing, a no and the status of a subscriber do not.
 */
export function isMark(text: string): boolean {
  const plain = plainWord(text);
  if (plain === '' || no.has(plain) || /^0{4}-00-00/.test(text.trim())) return false;
  const status = statuses.get(plain);
  return status !== 'subscribed' && status !== 'pending';
}

/** Whether a cell is a yes or a no. */
export function isYesOrNo(text: string): boolean {
  const plain = plainWord(text);
  return yes.has(plain) || no.has(plain);
}

const plainWord = (text: string) =>
  text
    .slice(0, 200)
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\s_-]+/g, ' ')
    .trim();

const statusSpellings: Record<ImportStatusWord, string> = {
  subscribed:
    'subscribed,active,confirmed,enabled,opted in,opt-in,optin,opted-in,abonniert,angemeldet,aktiv,bestätigt,abonné,inscrit,actif,suscrito,activo,iscritto,attivo,inscrito,ativo,ingeschreven,actief,zapisany,aktywny,prenumererar,tilaaja,подписан,активен,已订阅,購読中',
  unsubscribed:
    'unsubscribed,opted out,opt-out,optout,opted-out,removed,suppressed,blocked,complained,complaint,spam complaint,spam,abgemeldet,désabonné,désinscrit,baja,dado de baja,cancelado,disiscritto,cancellato,descadastrado,uitgeschreven,wypisany,avslutad,peruutettu,отписан,已退订,購読解除',
  pending:
    'pending,unconfirmed,waiting,not confirmed,ausstehend,unbestätigt,en attente,non confirmé,pendiente,sin confirmar,in attesa,pendente,in afwachting,oczekujący,ожидает,待确认,確認待ち',
  bounced: 'bounced,cleaned,hard bounce,hardbounce,undeliverable,unzustellbar,gebounced,rebotado,rimbalzato,devolvido',
};
const statuses = new Map(
  Object.entries(statusSpellings).flatMap(([status, spellings]) =>
    spellings.split(',').map((spelling) => [plainWord(spelling), status as ImportStatusWord]),
  ),
);

const yes = new Set('1,yes,y,true,t,on,x,ja,oui,sí,si,sim,tak,kyllä,да,はい,是'.split(','));
const no = new Set(
  '0,no,n,false,f,off,none,null,nil,never,[],{},nein,non,não,nao,nee,nie,nej,nei,ei,нет,いいえ,否'.split(','),
);
no.add('');

const bouncedStems = /bounc|cleaned|undeliver|unzustell|invalid|ungültig|nicht zustell/;
const leftStems = new RegExp(
  [
    'unsub|opt(ed)? ?out|cancel|remov|block|black|spam|junk|abuse|complain|delet|inactiv|disabl|suppress|archiv|revok|withdr',
    '\\bnever\\b|\\b(not|non) ?(subscri|opted|active|consent)|nonsubscri|do ?not|\\bdnc\\b|transactional|\\bleft\\b',
    'deaktiv|inaktiv|gesperrt|gelöscht|widerruf|abgemeld|ausgetragen|gekündigt|désabonn|désinscri|désactiv|supprim|bloqu',
    'desuscri|desactiv|inativ|eliminad|borrad|descadastr|disattiv|disiscritt|bloccat|afgemeld|uitgeschr|verwijder',
    'wypisan|usunięt|nieaktywn|отпис|заблок|удал|неактив|退订|解除',
  ].join('|'),
);
