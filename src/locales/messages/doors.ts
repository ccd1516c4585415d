// Messages of the doors: sign-in, live events, file transfers and XML-RPC.
import { defineMessages } from './define.ts';

export const doors = defineMessages({
  'door.own_pages_only': {
    en: 'Only the pages of Postrider can use this',
    de: 'Das ist nur den Seiten von Postrider erlaubt',
  },
  'door.user_only': { en: 'This needs a signed-in user', de: 'Dafür muss eine Person angemeldet sein' },
  'door.lists_changed': {
    en: 'The lists that this caller may see have changed',
    de: 'Die Listen, die dieser Zugang sehen darf, haben sich geändert',
  },
  'door.missing_permission': {
    en: 'This needs the permission "{scope}"',
    de: 'Das braucht die Berechtigung „{scope}“',
  },
  'door.export_not_asked': {
    en: 'Call accountExport first: its URL works for an hour, for the caller who asked',
    de: 'Rufen Sie zuerst accountExport auf: Die URL gilt eine Stunde lang, für den, der gefragt hat',
  },
  'door.too_many_streams': { en: 'Too many open event streams', de: 'Zu viele offene Ereignisströme' },
  'door.multipart': {
    en: 'The body is multipart/form-data; send application/x-www-form-urlencoded, in PHP the string that http_build_query returns',
    de: 'Der Inhalt ist multipart/form-data; senden Sie application/x-www-form-urlencoded, in PHP den Text von http_build_query',
  },
  'door.get': {
    en: 'A method is called by POST, not by GET; send the parameters in the body',
    de: 'Eine Methode wird mit POST aufgerufen, nicht mit GET; senden Sie die Parameter im Inhalt',
  },
  'door.not_json': { en: 'The body is not valid JSON', de: 'Der Inhalt ist kein gültiges JSON' },
  'door.body_too_large': { en: 'The body is too large', de: 'Der Inhalt ist zu groß' },
  'door.json_without_key': {
    en: 'Without a valid key in the header Authorization, a JSON body may have at most 1 MiB; send the key there instead of in the body',
    de: 'Ohne gültigen Schlüssel im Header Authorization darf ein JSON-Inhalt höchstens 1 MiB haben; senden Sie den Schlüssel dort statt im Inhalt',
  },
  'door.body_too_slow': {
    en: 'The body arrives too slowly; send it again',
    de: 'Der Inhalt kommt zu langsam an; senden Sie ihn noch einmal',
  },
  'door.encoding': {
    en: 'The Content-Encoding of a request must be one of {encodings}',
    de: 'Das Content-Encoding einer Anfrage muss eines von {encodings} sein',
  },
  'door.not_encoded': {
    en: 'The body is not complete, valid {encoding}, which its Content-Encoding names',
    de: 'Der Inhalt ist kein vollständiges, gültiges {encoding}, das sein Content-Encoding nennt',
  },
  'door.json_only': {
    en: 'The content type must be application/json',
    de: 'Der Inhaltstyp muss application/json sein',
  },
  'door.bad_request': { en: 'The request is invalid', de: 'Die Anfrage ist ungültig' },
  'door.internal': { en: 'Internal error', de: 'Interner Fehler' },
  'door.unknown_tool': { en: 'There is no tool "{name}"', de: 'Ein Werkzeug „{name}“ gibt es nicht' },
  'door.tool_drafts_only': {
    en: 'Assistants may change drafts only; this campaign is {status}',
    de: 'Assistenten dürfen nur Entwürfe ändern; diese Kampagne ist {status}',
  },
  'door.tool_not_recurring': {
    en: '{member}: a recurring campaign sends copies of this one without asking; an assistant may not change it',
    de: '{member}: Eine wiederkehrende Kampagne versendet Kopien von dieser ohne Rückfrage; Assistenten dürfen sie nicht ändern',
  },
  'door.tool_no_fetching': {
    en: '{member}: an assistant may not choose files or addresses that this program reads; a person can, in the application',
    de: '{member}: Assistenten dürfen keine Dateien oder Adressen wählen, die dieses Programm liest; eine Person kann es in der Anwendung',
  },
  'door.tool_people_only': {
    en: '{email} is not an address of a person of the account; assistants may send tests to no one else',
    de: '{email} gehört keiner Person des Kontos; Assistenten dürfen Tests an niemand anderen senden',
  },
  'door.method_missing': { en: '{member} is missing', de: '{member} fehlt' },
  'door.output': { en: '{member} must be json, php or xml', de: '{member} muss json, php oder xml sein' },
  'door.one_struct': {
    en: '{method} takes exactly one parameter, a struct with apikey and the named parameters',
    de: '{method} nimmt genau einen Parameter, ein Struct mit apikey und den benannten Parametern',
  },
  'door.method_name': {
    en: '{method} takes one string, the name of a method',
    de: '{method} nimmt einen Text, den Namen einer Methode',
  },
  'door.multicall': {
    en: 'system.multicall takes one array of structs {calls}',
    de: 'system.multicall nimmt ein Array von Structs {calls}',
  },
  'door.multicall_item': {
    en: 'Each call of system.multicall is a struct {calls}',
    de: 'Jeder Aufruf in system.multicall ist ein Struct {calls}',
  },
  'door.multicall_too_many': {
    en: 'system.multicall takes at most {count} calls',
    de: 'system.multicall nimmt höchstens {count} Aufrufe',
  },
  'door.multicall_nested': {
    en: 'system.multicall cannot be nested',
    de: 'system.multicall kann nicht verschachtelt werden',
  },
  'session.wrong': {
    en: 'The email address, the password or the code is wrong',
    de: 'Die E-Mail-Adresse, das Passwort oder der Code ist falsch',
  },
  'session.code_wrong': {
    en: 'The code is wrong or was used before',
    de: 'Der Code ist falsch oder wurde schon benutzt',
  },
  'session.code_needed': {
    en: 'A second-factor code is required',
    de: 'Ein Code des zweiten Faktors wird gebraucht',
  },
  'upload.offset': {
    en: '{member} must be the number of bytes already uploaded',
    de: '{member} muss die Zahl der schon hochgeladenen Bytes sein',
  },
  'door.import_unknown': { en: 'The import "{id}" does not exist', de: 'Den Import „{id}“ gibt es nicht' },
  'door.transfer_failed': { en: 'The transfer failed', de: 'Die Übertragung ist gescheitert' },
  'fetch.too_large': { en: 'The response is too large.', de: 'Die Antwort ist zu groß.' },
  'fetch.failed': {
    en: 'The address could not be fetched. It must be a public http or https address that answers in time.',
    de: 'Die Adresse ließ sich nicht abrufen. Es muss eine öffentliche Adresse mit http oder https sein, die rechtzeitig antwortet.',
  },
  'fetch.private': {
    en: '{address} is a private address ({use}). Ask the person who runs this server to allow it in {setting}.',
    de: '{address} ist eine private Adresse ({use}). Bitten Sie, wer diesen Server betreibt, sie in {setting} zu erlauben.',
  },
  'fetch.no_page': {
    en: 'The server answered {status} instead of a page.',
    de: 'Der Server antwortete {status} statt mit einer Seite.',
  },
  'fetch.empty': { en: 'The page is empty.', de: 'Die Seite ist leer.' },
  'fetch.not_html': { en: 'The URL does not return a web page.', de: 'Unter der Adresse liegt keine Webseite.' },
  'fetch.not_a_page': {
    en: 'The URL returns {type}, which is not a web page.',
    de: 'Unter der Adresse liegt {type}, und das ist keine Webseite.',
  },
});
