// Maps the columns of a file to targets: proposes a mapping from headings in many languages, and reads an explicit
// mapping. Pure.
import { type Message, message } from '../../../base/messages.ts';
import { parseMailbox } from '../../address.ts';
import { timeOf } from '../../contacts/special-vars.ts';
import { type Field, fieldTypes, findField } from '../../fields/field.ts';
import { isReservedTag } from '../../fields/tag.ts';
import { type BuiltInTarget, builtInTargets, type Column, leavingTargets } from '../plan.ts';
import { isYesOrNo, statusOf } from './status-words.ts';

/** Headings by target, in the form that `plainHeading` returns. */
const headingsByTarget: Record<BuiltInTarget | 'FNAME' | 'LNAME', string[]> = {
  EMAIL: [
    ...['email', 'mail', 'emailaddress', 'mailaddress', 'emailadresse', 'mailadresse', 'emailadres', 'epost'],
    ...[
      'epostadresse',
      'epostadress',
      'epostaadress',
      'courriel',
      'adressemail',
      'adresseemail',
      'adresseelectronique',
    ],
    ...['correo', 'correoelectronico', 'direcciondecorreo', 'indirizzoemail', 'posta', 'postaelettronica'],
    ...[
      'enderecodeemail',
      'correioeletronico',
      'adresemail',
      'adrese-mail',
      'poczta',
      'sahkoposti',
      'sahkopostiosoite',
    ],
    ...['elpastas', 'epasts', 'epastaadrese', 'почта', 'электроннаяпочта', 'адресэлектроннойпочты', 'емейл', 'имейл'],
    ...[
      '邮箱',
      '电子邮件',
      '电子邮箱',
      '邮件地址',
      'メール',
      'メールアドレス',
      '電子メール',
      'eメール',
      'subscriber',
      'emailid',
    ],
  ],
  EMAIL_TYPE: ['emailtype', 'emailformat', 'mailformat', 'format', 'preferredformat', 'htmlemail', 'sendhtmlemail'],
  STATUS: [
    ...['status', 'state', 'memberstatus', 'subscriptionstatus', 'subscriberstatus', 'optinstatus', 'statut', 'estado'],
    ...[
      'stato',
      'zustand',
      'anmeldestatus',
      'situacao',
      'статус',
      '状态',
      'ステータス',
      'tila',
      'olek',
      'statuss',
      'statusas',
    ],
    ...['emailmarketingconsent', 'emailmarketingstatus', 'emailmarketing', 'emailconsent', 'marketingconsent'],
    ...['acceptsmarketing', 'acceptsemailmarketing', 'emailsubscriptionstatus', 'emailstatus', 'issubscribed'],
    ...['confirmed', 'optin', 'optedin', 'subscriberstate', 'contactstatus', 'emailoptin'],
  ],
  UNSUBSCRIBED: [
    ...['unsubtime', 'unsubdate', 'unsubscribed', 'unsubscribedat', 'unsubscribedon', 'unsubscribedate'],
    ...[
      'unsubscribetime',
      'unsubscribeddate',
      'unsubscribedfromallemail',
      'unsubscribedfromemail',
      'unsubscribedfromall',
    ],
    ...['optout', 'optedout', 'optoutdate', 'optouttime', 'optoutat', 'optedoutat', 'emailoptout', 'emailoptedout'],
    ...['hasoptedoutofemail', 'optedoutofemail', 'blacklisted', 'blacklist', 'blocklisted', 'blocklist'],
    ...['emailblacklisted', 'emailblacklist', 'emailblocklisted', 'isblacklisted', 'isblocklisted'],
    ...['donotcontact', 'donotemail', 'donotmail', 'dnc', 'dncemail', 'deactivated', 'deactivatedat'],
    ...['emailsuppressions', 'emailsuppression', 'suppressed', 'suppressedat', 'complained', 'complaint'],
    ...['complaintdate', 'complainedat', 'spamcomplaint', 'markedasspam', 'cancelled', 'cancelledat', 'canceledat'],
    ...['deaktiviert', 'deaktiviertam', 'abgemeldet', 'abgemeldetam', 'abmeldedatum', 'ausgetragen', 'ausgetragenam'],
    ...['desinscrit', 'desabonne', 'datededesinscription', 'desinscritle', 'baja', 'fechadebaja', 'dadodebaja'],
    ...['disiscritto', 'datadisiscrizione', 'descadastrado', 'uitgeschreven', 'wypisany', 'отписан', '已退订'],
  ],
  BOUNCED: [
    ...['cleantime', 'cleandate', 'cleaned', 'cleanedat', 'bounced', 'bouncedat', 'bouncedate', 'bouncetime'],
    ...['hardbounced', 'hardbounce', 'hardbouncedat', 'hardbounces', 'emailhardbouncereason', 'hardbouncereason'],
    ...['invalidemailaddress', 'invalidemail', 'undeliverable', 'unzustellbar', 'gebounced'],
  ],
  OPTINTIME: [
    ...['optintime', 'optindate', 'confirmtime', 'confirmdate', 'optinat', 'subscribedat', 'subscribed', 'signupdate'],
    ...['datejoined', 'subscriptiondate', 'anmeldedatum', 'angemeldetam', 'dateinscription', 'fechadealta'],
    ...['datadiiscrizione', 'datadeinscricao', 'consentdate', 'einwilligungam', 'датаподписки'],
  ],
  OPTINIP: ['optinip', 'confirmip', 'signupip', 'ip', 'ipaddress', 'ipadresse', 'adresseip', 'direccionip'],
  LANGUAGE: [
    ...['language', 'lang', 'locale', 'sprache', 'langue', 'idioma', 'lingua', 'taal', 'sprak', 'sprog', 'jezyk'],
    ...['kieli', 'keel', 'valoda', 'kalba', 'язык', '语言', '言語', 'cclanguage'],
  ],
  TIMEZONE: [
    'timezone',
    'zone',
    'tz',
    'zeitzone',
    'fuseauhoraire',
    'zonahoraria',
    'fusoorario',
    'fusohorario',
    'часовойпояс',
    '时区',
  ],
  TAGS: [
    ...['tags', 'tag', 'labels', 'label', 'contacttags', 'schlagworte', 'schlagworter', 'schlagwort', 'etiquettes'],
    ...['etiquetas', 'etichette', 'tunnisteet', 'теги', 'метки', '标签', 'タグ'],
  ],
  FNAME: [
    ...['fname', 'firstname', 'givenname', 'forename', 'vorname', 'prenom', 'nombre', 'nome', 'imie', 'etunimi'],
    ...['fornavn', 'fornamn', 'voornaam', 'eesnimi', 'vardas', 'vards', 'имя', '名', '名字'],
  ],
  LNAME: [
    ...['lname', 'lastname', 'surname', 'familyname', 'nachname', 'familienname', 'nom', 'nomdefamille', 'apellido'],
    ...['apellidos', 'cognome', 'sobrenome', 'apelido', 'nazwisko', 'sukunimi', 'etternavn', 'efternavn', 'efternamn'],
    ...['achternaam', 'perekonnanimi', 'pavarde', 'uzvards', 'фамилия', '姓', '姓氏'],
  ],
};

/** Proposes a target for each heading; '' for columns whose meaning is unclear. */
export function proposeColumns(
  headings: readonly string[],
  fields: readonly Field[],
  samples: readonly (readonly string[])[] = [],
): Column[] {
  const taken = new Set<string>();
  // In an export of ours, contacts that subscribed again keep the time at which they left.
  const isOurs = headings.some((heading) => heading.trim() === 'STATUS');
  const meanings = [
    // Before the fields of the list: who left must not be lost in a field of the same name.
    ({ heading }: Column) => leavingTarget(heading),
    // Exact names of the list take precedence over words in any language.
    ({ heading }: Column) => fields.find((field) => field.tag === heading.trim().toUpperCase())?.tag,
    ({ heading }: Column) => builtInTargets.find((target) => target === heading.trim().toUpperCase()),
    ({ heading }: Column) => fields.find((field) => `MERGE${field.mergeNo}` === heading.trim().toUpperCase())?.tag,
    ({ heading }: Column) =>
      fields.find((field) => field.tag !== 'EMAIL' && plainHeading(field.name) === plainHeading(heading))?.tag,
    ({ heading, no }: Column) => {
      const plain = plainHeading(heading);
      const cells = samples.map((row) => row[no] ?? '').filter((cell) => cell.trim() !== '');
      const target = targetByCells(plain, targetByHeading(plain), cells);
      return (builtInTargets as readonly string[]).includes(target ?? '')
        ? target
        : fields.find((field) => field.tag === target)?.tag;
    },
  ];
  const columns: Column[] = headings.map((heading, no) => ({ no, heading, target: '' }));
  for (const meaning of meanings) {
    for (const column of columns) {
      if (column.target !== '' || (isOurs && column.heading.trim() === 'UNSUBSCRIBE_TIME')) continue;
      const target = meaning(column);
      if (target === undefined || (taken.has(target) && !leavingTargets.includes(target))) continue;
      column.target = target;
      taken.add(target);
    }
  }
  if (!taken.has('EMAIL')) {
    const column = columns.find(
      (candidate) =>
        candidate.target === '' &&
        samples.length > 0 &&
        samples.filter((cells) => parseMailbox(cells[candidate.no] ?? '').ok).length * 2 > samples.length,
    );
    if (column) column.target = 'EMAIL';
  }
  return columns;
}

function targetByHeading(plain: string): string | undefined {
  return Object.entries(headingsByTarget).find(([, list]) => list.includes(plain))?.[0];
}

function leavingTarget(heading: string): string | undefined {
  const plain = plainHeading(heading);
  // One column for each kind of email.
  if (plain.startsWith('optedoutofemail')) return 'UNSUBSCRIBED';
  return leavingTargets.find((target) => headingsByTarget[target as BuiltInTarget].includes(plain));
}

/** Headings that mean one thing here and another there: the cells decide. */
function targetByCells(plain: string, target: string | undefined, cells: readonly string[]): string | undefined {
  if (cells.length === 0) return target;
  // "Subscribed" is a time, or yes and no.
  if (target === 'OPTINTIME' && cells.every(isYesOrNo)) return plain === 'subscribed' ? 'STATUS' : undefined;
  if (['confirmed', 'optin', 'optedin', 'emailoptin'].includes(plain) && !cells.some((cell) => statusOf(cell)))
    return cells.every((cell) => timeOf(cell.trim()) !== undefined) ? 'OPTINTIME' : undefined;
  // A state is also a part of a country.
  if (['state', 'estado', 'stato', 'tila', 'olek'].includes(plain) && !cells.some((cell) => statusOf(cell)))
    return undefined;
  return target;
}

export type MappingReading = { ok: true; columns: Column[] } | { ok: false; problem: Message };

/**
 * Reads an explicit mapping: heading or number (from 1) → tag, built-in target, '' to leave out, or new:TAG[:type] for
 * a new field. Columns that are not named keep the proposed target, unless another column takes it.
 */
export function readMapping(
  proposed: readonly Column[],
  given: Readonly<Record<string, string>>,
  fields: readonly Field[],
  member = 'mapping',
): MappingReading {
  const columns = proposed.map((column) => ({ ...column }));
  const named = new Set<number>();
  for (const [name, target] of Object.entries(given)) {
    const column =
      columns.find((candidate) => candidate.heading === name) ??
      columns.find((candidate) => candidate.heading.trim().toLowerCase() === name.trim().toLowerCase()) ??
      (/^\d{1,4}$/.test(name) ? columns[Number(name) - 1] : undefined);
    if (!column) return refuse(message('mapping.no_column', { member, name: name.slice(0, 60) }));
    const reading = readTarget(target, column.heading, fields);
    if ('key' in reading)
      return refuse(message('mapping.column', { member, name: name.slice(0, 60), problem: reading }));
    named.add(column.no);
    column.target = reading.target;
    delete column.newField;
    if (reading.newField) column.newField = reading.newField;
    for (const other of columns)
      if (!named.has(other.no) && other.target === reading.target && !leavingTargets.includes(reading.target)) {
        other.target = '';
        delete other.newField;
      }
  }
  const targets = columns.map((column) => column.target).filter((target) => target && !leavingTargets.includes(target));
  const twice = targets.find((target, i) => targets.indexOf(target) !== i);
  if (twice) return refuse(message('mapping.twice', { member, target: twice }));
  return { ok: true, columns };
}

function readTarget(
  text: string,
  heading: string,
  fields: readonly Field[],
): { target: string; newField?: { name: string; type: string } } | Message {
  const target = text.trim();
  if (target === '' || target === '-') return { target: '' };
  const fresh = /^new:([A-Za-z][A-Za-z0-9_]{0,49})(?::([a-z]+))?$/i.exec(target);
  if (fresh) {
    const tag = fresh[1]!.toUpperCase();
    const type = (fresh[2] ?? 'text').toLowerCase();
    if (type === 'dropdown' || !(fieldTypes as readonly string[]).includes(type))
      return message('mapping.field_type', { type: type.slice(0, 20) });
    const known = fields.find((field) => field.tag === tag);
    if (known && fresh[2] !== undefined && known.type !== type)
      return message('mapping.field_of_other_type', { tag, type: known.type, wanted: type });
    if (known) return { target: tag };
    if ((builtInTargets as readonly string[]).includes(tag) || isReservedTag(tag))
      return message('mapping.field_reserved', { tag });
    return { target: tag, newField: { name: heading.trim().slice(0, 100) || tag, type } };
  }
  const wanted = target.toUpperCase();
  const field = findField(fields, wanted);
  if (field) return { target: field.tag };
  const builtIn = builtInTargets.find((name) => name === wanted);
  if (builtIn) return { target: builtIn };
  return message('mapping.target_unknown', {
    target: target.slice(0, 40),
    tags: fields.map((field) => field.tag).join(', '),
    choices: builtInTargets.join(', '),
  });
}

/** Lower case, without accents, spaces and punctuation. */
function plainHeading(heading: string): string {
  return heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const refuse = (problem: Message): MappingReading => ({ ok: false, problem });
