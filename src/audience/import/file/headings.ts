// The headings that files give to their columns, in the languages of the public pages and as other programs write them. Pure.
import type { BuiltInTarget } from '../plan.ts';

const written: Partial<Record<BuiltInTarget | 'FNAME' | 'LNAME', string[]>> = {
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
    ...['globalstatus', 'liststatus', 'emailpermissionstatus', 'permissionstatus', 'subscriptionstate', 'optinstatus'],
    ...[
      'subscribedtoemails',
      'emailallowed',
      'allowemail',
      'emailenabled',
      'subscribedtonewsletter',
      'emailsubscribed',
    ],
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
    ...['emaildisabled', 'unsubscriptiondate', 'euconsent', 'deletedat', 'isunsubscribed', 'excludedfromcampaigns'],
    ...['isexcludedfromcampaigns', 'isspamcomplaining', 'confirmedoptoutdate', 'dateunsubscribed', 'geloscht'],
    ...[
      'complaintdate',
      'complainedat',
      'spamcomplaint',
      'markedasspam',
      'markedemailasspam',
      'cancelled',
      'cancelledat',
      'canceledat',
    ],
    ...['deaktiviert', 'deaktiviertam', 'abgemeldet', 'abgemeldetam', 'abmeldedatum', 'ausgetragen', 'ausgetragenam'],
    ...['desinscrit', 'desabonne', 'datededesinscription', 'desinscritle', 'baja', 'fechadebaja', 'dadodebaja'],
    ...['disiscritto', 'datadisiscrizione', 'descadastrado', 'uitgeschreven', 'wypisany', 'отписан', '已退订'],
  ],
  BOUNCED: [
    ...['cleantime', 'cleandate', 'cleaned', 'cleanedat', 'bounced', 'bouncedat', 'bouncedate', 'bouncetime'],
    ...['hardbounced', 'hardbounce', 'hardbouncedat', 'hardbounces', 'emailhardbouncereason', 'hardbouncereason'],
    ...['hashardbounced', 'emailbounced', 'emailbouncedreason', 'emailbounceddate', 'emailbouncedat'],
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

/** Headings by target, in the form that `plainHeading` returns. */
export const headingsByTarget = Object.fromEntries(
  Object.entries(written).map(([target, headings]) => [target, headings.map(plainHeading)]),
) as typeof written;

/** Lower case, without accents, spaces and punctuation. */
export function plainHeading(heading: string): string {
  return heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
