// The headings that files give to their columns, in the languages of the public pages and further ones, and as other programs
// write them. Pure.
import type { BuiltInTarget } from '../plan.ts';
import { foldText } from './fold.ts';

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
    ...'eposta,epostaadresi,emailovaadresa,emailcim,ηλεκτρονικηδιευθυνση,διευθυνσηemail,ηλεκτρονικοταχυδρομειο,електроннапошта,електроннаадреса,пошта,імейл,имейладрес,емейл,имејл,епошта,adresadeemail,adresaemail,emailadresa,adresaeposte,enaslov,epostninaslov,elektronskinaslov,diachiemail,thudientu,alamatemail,surel,이메일,이메일주소,메일,메일주소,전자우편,البريدالإلكتروني,البريدالالكتروني,بريدإلكتروني,الإيميل,אימייל,דואראלקטרוני,מייל,דואל,כתובתאימייל,כתובתמייל,כתובתדואל,อีเมล,ที่อยู่อีเมล'.split(
      ',',
    ),
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
    ...'durum,stav,stare,statusz,allapot,κατασταση,стан,състояние,stanje,trangthai,상태,구독상태,الحالة,حالة,סטטוס,מצב,สถานะ'.split(
      ',',
    ),
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
    ...'dil,jazyk,nyelv,γλωσσα,мова,limba,език,jezik,ngonngu,bahasa,언어,اللغة,שפה,ภาษา'.split(','),
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
    ...'etiketler,stitky,cimkek,ετικετες,oznake,태그,الوسوم,תגיות,แท็ก'.split(','),
  ],
  FNAME: [
    ...['fname', 'firstname', 'givenname', 'forename', 'vorname', 'prenom', 'nombre', 'nome', 'imie', 'etunimi'],
    ...['fornavn', 'fornamn', 'voornaam', 'eesnimi', 'vardas', 'vards', 'имя', '名', '名字'],
    ...'adi,isim,jmeno,krestnijmeno,meno,krstnemeno,keresztnev,utonev,ονομα,імя,prenume,собственоиме,ime,namadepan,이름,الاسمالأول,שםפרטי,ชื่อ'.split(
      ',',
    ),
  ],
  LNAME: [
    ...['lname', 'lastname', 'surname', 'familyname', 'nachname', 'familienname', 'nom', 'nomdefamille', 'apellido'],
    ...['apellidos', 'cognome', 'sobrenome', 'apelido', 'nazwisko', 'sukunimi', 'etternavn', 'efternavn', 'efternamn'],
    ...['achternaam', 'perekonnanimi', 'pavarde', 'uzvards', 'фамилия', '姓', '姓氏'],
    ...'soyad,soyadi,soyisim,prijmeni,priezvisko,vezeteknev,csaladnev,επωνυμο,прізвище,numedefamilie,фамилноиме,prezime,priimek,namabelakang,성,اسمالعائلة,שםמשפחה,นามสกุล'.split(
      ',',
    ),
  ],
};

/** Headings by target, in the form that `plainHeading` returns. */
export const headingsByTarget = Object.fromEntries(
  Object.entries(written).map(([target, headings]) => [target, headings.map(plainHeading)]),
) as typeof written;

/** Without spaces and punctuation, too. */
export function plainHeading(heading: string): string {
  return foldText(heading).replace(/[^\p{L}\p{N}]/gu, '');
}
