// Messages about contacts and their addresses, lists, members, merge fields, segments, suppression and the sign-up form.
import { defineMessages } from './define.ts';

export const audience = defineMessages({
  'contact.unknown': {
    en: '{member}: "{value}" is not a contact of this account',
    de: '{member}: „{value}“ ist kein Kontakt dieses Kontos',
  },
  'event.not_a_time': {
    en: '{member}: "{value}" is not a time such as 2027-03-01T12:00:00Z or 1803902400',
    de: '{member}: „{value}“ ist kein Zeitpunkt wie 2027-03-01T12:00:00Z oder 1803902400',
  },
  'event.time_future': {
    en: '{member} is more than {count} minutes in the future',
    de: '{member} liegt mehr als {count} Minuten in der Zukunft',
  },
  'event.time_past': {
    en: '{member} is more than {count} days ago, longer than the account keeps events',
    de: '{member} liegt mehr als {count} Tage zurück, länger als das Konto Ereignisse aufbewahrt',
  },
  'event.batch_too_large': {
    en: '{member} has {length} events, more than {count}',
    de: '{member} hat {length} Ereignisse, mehr als {count}',
  },
  'contact.tag_invalid': {
    en: '{member}: "{value}" is not a tag of 1 to {count} characters without commas and semicolons',
    de: '{member}: „{value}“ ist kein Tag aus 1 bis {count} Zeichen ohne Kommas und Semikolons',
  },
  'contact.too_many_tags': {
    en: '{member}: a contact would have more than {count} tags',
    de: '{member}: Ein Kontakt hätte mehr als {count} Tags',
  },
  'cleanup.unknown': {
    en: '{member}: the clean-up rule "{id}" does not exist',
    de: '{member}: Die Aufräumregel „{id}“ gibt es nicht',
  },
  'cleanup.not_for_kind': {
    en: '{member} does not fit a rule of this kind',
    de: '{member} passt nicht zu einer Regel dieser Art',
  },
  'cleanup.campaigns_missing': {
    en: '{member} is needed for a rule about inactive contacts: 1 to {max}',
    de: '{member} fehlt: Eine Regel über inaktive Kontakte braucht eine Zahl von 1 bis {max}',
  },
  'cleanup.too_many': {
    en: '{member}: an account has at most {count} clean-up rules',
    de: '{member}: Ein Konto hat höchstens {count} Aufräumregeln',
  },
  'cleanup.preview_old': {
    en: '{member}: the rule now applies to {count} subscriptions, more than the preview showed; look at the preview again',
    de: '{member}: Die Regel trifft jetzt {count} Anmeldungen, mehr als die Vorschau zeigte; sehen Sie sich die Vorschau noch einmal an',
  },
  'contact.until_past': { en: '{member} is in the past', de: '{member}: Das Ende liegt in der Vergangenheit' },
  'contact.cursor': {
    en: '{member} is not a cursor of this method and sort order',
    de: '{member} ist kein Cursor dieser Methode und Sortierung',
  },
  'contact.on_other_lists': {
    en: '{member}: this changes the contact on all lists, and it is on lists that you do not have; someone with all lists can do it',
    de: '{member}: Das ändert den Kontakt auf allen Listen, und er ist auf Listen, die Sie nicht haben; jemand mit allen Listen kann es tun',
  },
  'field.of_all_lists': {
    en: '{member}: {tag} is a field of the account, the same on all lists; someone with all lists can change it',
    de: '{member}: {tag} ist ein Feld des Kontos, auf allen Listen gleich; jemand mit allen Listen kann es ändern',
  },
  'field.of_other_lists': {
    en: '{member}: {tag} is a field of the account on lists that you do not have; someone with all lists can add it',
    de: '{member}: {tag} ist ein Feld des Kontos auf Listen, die Sie nicht haben; jemand mit allen Listen kann es hinzufügen',
  },
  'list.used_elsewhere': {
    en: '{member}: something that you do not see uses this; someone with all lists can change it',
    de: '{member}: Etwas, das Sie nicht sehen, verwendet dies; jemand mit allen Listen kann es ändern',
  },
  'list.unknown': { en: '{member}: the list "{id}" does not exist', de: '{member}: Die Liste „{id}“ gibt es nicht' },
  'list.option_unknown': {
    en: '{member}: the option "{name}" does not exist; the options are {choices}',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt {choices}',
  },
  'list.notify_to': {
    en: '{member} may have at most {count} addresses',
    de: '{member} darf höchstens {count} Adressen haben',
  },
  'list.time_zone': {
    en: '{member}: "{value}" is not a time zone such as Europe/Berlin',
    de: '{member}: „{value}“ ist keine Zeitzone wie Europe/Berlin',
  },
  'list.being_sent_to': {
    en: '{member}: campaign {campaign} is being sent to this list; pause or delete it first',
    de: '{member}: Die Kampagne {campaign} geht gerade an diese Liste; pausieren oder löschen Sie sie zuerst',
  },
  'list.scheduled_for': {
    en: '{member}: campaign {campaign} is scheduled for this list; unschedule or change it first',
    de: '{member}: Die Kampagne {campaign} ist für diese Liste eingeplant; nehmen Sie die Planung zurück, oder ändern Sie sie zuerst',
  },
  'list.of_automation': {
    en: '{member}: automation {automations} of this list is active; pause or delete it first',
    de: '{member}: Die Automation {automations} dieser Liste läuft; pausieren oder löschen Sie sie zuerst',
  },
  'list.left_out_by': {
    en: '{member}: campaign {campaigns} leaves out this list or a segment of it; change or delete it first',
    de: '{member}: Die Kampagne {campaigns} lässt diese Liste oder ein Segment von ihr aus; ändern oder löschen Sie sie zuerst',
  },
  'list.used_by_segment': {
    en: '{member}: segment {segments} of another list refers to this list; change or delete it first',
    de: '{member}: Das Segment {segments} einer anderen Liste bezieht sich auf diese Liste; ändern oder löschen Sie es zuerst',
  },

  'member.not_on_list': {
    en: '{member}: "{value}" is not on this list',
    de: '{member}: „{value}“ steht nicht auf dieser Liste',
  },
  'member.subscribed_already': {
    en: '{email} is already subscribed to this list',
    de: '{email} ist auf dieser Liste schon angemeldet',
  },
  'member.unsubscribed_already': { en: '{email} is already unsubscribed', de: '{email} ist schon abgemeldet' },
  'member.not_subscribed': {
    en: '{email} is not subscribed but {status}',
    de: '{email} ist nicht angemeldet, sondern {status}',
  },
  'member.status.subscribed': { en: 'subscribed', de: 'angemeldet' },
  'member.status.unsubscribed': { en: 'unsubscribed', de: 'abgemeldet' },
  'member.status.pending': { en: 'pending', de: 'noch nicht bestätigt' },
  'member.status.bounced': { en: 'bounced', de: 'unzustellbar' },
  'member.status.inactive': { en: 'inactive', de: 'inaktiv' },
  'list.growth_day': {
    en: '{member} must be a day in the form YYYY-MM-DD',
    de: '{member} muss ein Tag der Form JJJJ-MM-TT sein',
  },
  'list.growth_order': { en: '{member} is before {start}', de: '{member} liegt vor {start}' },
  'member.ip_signup': {
    en: '{member} is not an IP address',
    de: '{member} ist keine IP-Adresse',
  },
  'member.email_type': {
    en: '{member}: "{value}" is neither html nor text',
    de: '{member}: „{value}“ ist weder html noch text',
  },
  'member.address_taken': {
    en: '{member}: {email} belongs to another contact',
    de: '{member}: {email} gehört einem anderen Kontakt',
  },
  'member.batch_too_large': {
    en: '{member} has {length} items, more than {count}',
    de: '{member} hat {length} Einträge, mehr als {count}',
  },

  'field.exists': {
    en: '{member}: the list already has a field {tag}',
    de: '{member}: Die Liste hat schon ein Feld {tag}',
  },
  'field.of_account_type': {
    en: '{member}: {tag} is a field of the account with the type {type}; a list can have it only with this type',
    de: '{member}: {tag} ist ein Feld des Kontos mit der Art {type}; eine Liste kann es nur mit dieser Art haben',
  },
  'field.of_account_tag': {
    en: '{member}: {tag} is a field of the account; add it to the list instead',
    de: '{member}: {tag} ist ein Feld des Kontos; fügen Sie es stattdessen der Liste hinzu',
  },
  'field.of_account_already': {
    en: '{member}: {tag} is a field of the account already',
    de: '{member}: {tag} ist schon ein Feld des Kontos',
  },
  'field.not_of_account': {
    en: '{member}: {tag} is no field of the account',
    de: '{member}: {tag} ist kein Feld des Kontos',
  },
  'field.on_lists': {
    en: '{member}: these lists have a field {tag} already: {lists}; join it instead',
    de: '{member}: Diese Listen haben schon ein Feld {tag}: {lists}; führen Sie es stattdessen zusammen',
  },
  'field.on_no_list': {
    en: '{member}: no list has a field "{tag}"',
    de: '{member}: Keine Liste hat ein Feld „{tag}“',
  },
  'field.no_lists': {
    en: '{member}: the account has no list that could have the field',
    de: '{member}: Das Konto hat keine Liste, die das Feld haben könnte',
  },
  'field.types_differ': {
    en: '{member}: {tag} has the type {type}, but another one on {lists}; change it there first',
    de: '{member}: {tag} hat die Art {type}, aber eine andere auf {lists}; ändern Sie sie dort zuerst',
  },
  'field.choices_differ': {
    en: '{member}: the choices of {tag} differ between {lists}; give it the same ones in the same order there first',
    de: '{member}: Die Auswahl von {tag} ist auf {lists} verschieden; geben Sie dort zuerst dieselbe in derselben Reihenfolge an',
  },
  'field.list_without': {
    en: '{member}: this list has no field {tag}; {lists} have it',
    de: '{member}: Diese Liste hat kein Feld {tag}; {lists} haben es',
  },
  'field.email_joined': {
    en: '{member}: the address is the contact’s on every list already',
    de: '{member}: Die Adresse gilt schon für den Kontakt auf jeder Liste',
  },
  'field.joining': {
    en: '{member}: the values of {tag} are still being joined; wait until that is done',
    de: '{member}: Die Werte von {tag} werden noch zusammengeführt; warten Sie, bis das fertig ist',
  },
  'field.exists_elsewhere': {
    en: '{member}: list {list} already has a field {tag}',
    de: '{member}: Die Liste {list} hat schon ein Feld {tag}',
  },
  'field.preview_old': {
    en: '{member}: {count} contacts have different values now, not {before}; look at the preview again',
    de: '{member}: Jetzt haben {count} Kontakte verschiedene Werte, nicht {before}; sehen Sie sich die Vorschau noch einmal an',
  },
  'field.unknown': {
    en: '{member}: the list has no field "{tag}"; it has {choices}',
    de: '{member}: Die Liste hat kein Feld „{tag}“; sie hat {choices}',
  },
  'field.not_of_list': {
    en: '{member} is not a field of this list; it has {choices}',
    de: '{member} ist kein Feld dieser Liste; sie hat {choices}',
  },
  'field.not_on_list': { en: '{member} is not a field of this list', de: '{member} ist kein Feld dieser Liste' },
  'field.none_named': { en: '{member} names no field', de: '{member} nennt kein Feld' },
  'field.too_many': {
    en: 'The list has {count} fields, the maximum',
    de: 'Die Liste hat {count} Felder; mehr gehen nicht',
  },
  'field.email_removed': {
    en: '{member}: the email field cannot be removed',
    de: '{member}: Das Feld der E-Mail-Adresse lässt sich nicht entfernen',
  },
  'field.email_fixed': {
    en: '{member}: EMAIL keeps its tag and type, and is always required',
    de: '{member}: EMAIL behält Kürzel und Art und wird immer gebraucht',
  },
  'field.no_choices': {
    en: '{member}: a dropdown needs at least one choice',
    de: '{member}: Eine Auswahl braucht mindestens einen Eintrag',
  },
  'field.none_to_choose': {
    en: '{member}: a multiple choice needs at least one choice',
    de: '{member}: Eine Mehrfachauswahl braucht mindestens einen Eintrag',
  },
  'field.choices_too_long': {
    en: '{member}: the choices have together more than {count} characters',
    de: '{member}: Die Einträge haben zusammen mehr als {count} Zeichen',
  },
  'field.choice_unknown': {
    en: '{member}: the field has no choice "{value}"',
    de: '{member}: Das Feld hat keinen Eintrag „{value}“',
  },
  'field.choice_taken': {
    en: '{member}: the field already has a choice "{value}"',
    de: '{member}: Das Feld hat schon einen Eintrag „{value}“',
  },
  'field.choice_in_use': {
    en: '{member}: {count} members have chosen "{value}"; with drop_values it is taken from them',
    de: '{member}: {count} Mitglieder haben „{value}“ gewählt; mit drop_values wird es ihnen genommen',
  },
  'field.choice_in_segment': {
    en: '{member}: segment {segments} asks for "{value}"; change or delete it first',
    de: '{member}: Das Segment {segments} fragt nach „{value}“; ändern oder löschen Sie es zuerst',
  },
  'field.import_running': {
    en: '{member}: import {import} into this list is in progress; wait until it is done, or stop it',
    de: '{member}: Der Import {import} in diese Liste läuft; warten Sie sein Ende ab, oder halten Sie ihn an',
  },
  'field.values_misfit': {
    en: '{member}: {count} members have a value in {tag} that does not fit the type {type}, such as "{example}"; change these values first',
    de: '{member}: {count} Mitglieder haben in {tag} einen Wert, der nicht zur Art {type} passt, etwa „{example}“; ändern Sie diese Werte zuerst',
  },
  'field.used_by_automation': {
    en: '{member}: automation {automations} uses {tag}; change it and move its contacts, or delete it first',
    de: '{member}: Die Automation {automations} verwendet {tag}; ändern Sie sie und verschieben Sie ihre Kontakte, oder löschen Sie sie zuerst',
  },
  'field.used_by_segment': {
    en: '{member}: segment {segments} uses {tag}; change or delete it first',
    de: '{member}: Das Segment {segments} fragt nach {tag}; ändern oder löschen Sie es zuerst',
  },
  'field.used_by_autoresponder': {
    en: '{member}: autoresponder {autoresponders} uses the dates in {tag}; stop or delete it first',
    de: '{member}: Der Autoresponder {autoresponders} richtet sich nach den Daten in {tag}; beenden oder löschen Sie ihn zuerst',
  },
  'field.shared_by_autoresponder': {
    en: '{member}: autoresponder {autoresponders} uses the dates in {tag} of this list and of another list; change or delete it first',
    de: '{member}: Der Autoresponder {autoresponders} richtet sich nach den Daten in {tag} dieser und einer anderen Liste; ändern oder löschen Sie ihn zuerst',
  },
  'field.used_by_campaign': {
    en: '{member}: campaign {campaigns} is being sent with *|{tag}|* in its messages; wait until it has been sent, or stop or delete it first',
    de: '{member}: Die Kampagne {campaigns} wird gerade mit *|{tag}|* in ihren E-Mails versendet; warten Sie ihr Ende ab, oder beenden oder löschen Sie sie zuerst',
  },
  'field.compared_by_campaign': {
    en: '{member}: campaign {campaigns} is being sent with a condition on {tag}; wait until it has been sent, or stop or delete it first',
    de: '{member}: Die Kampagne {campaigns} wird gerade mit einer Bedingung zu {tag} versendet; warten Sie ihr Ende ab, oder beenden oder löschen Sie sie zuerst',
  },
  'field.tag_format': {
    en: '{member}: "{value}" is not 1 to 50 letters, digits and underscores that begin with a letter',
    de: '{member}: „{value}“ besteht nicht aus 1 bis 50 Buchstaben, Ziffern und Unterstrichen mit einem Buchstaben am Anfang',
  },
  'field.tag_reserved': { en: '{member}: {tag} is reserved', de: '{member}: {tag} ist reserviert' },
  'field.required': { en: '{member} is required ("{name}")', de: '{member} wird gebraucht („{name}“)' },
  'field.value_invalid': { en: '{member}: {problem}', de: '{member}: {problem}' },
  'field.address_part': {
    en: '{member} is not a part of an address ({choices})',
    de: '{member} ist kein Teil einer Adresse ({choices})',
  },

  'value.too_long': {
    en: 'the value is longer than {count} characters',
    de: 'der Wert ist länger als {count} Zeichen',
  },
  'value.nul': { en: 'the value contains a NUL character', de: 'der Wert enthält ein NUL-Zeichen' },
  'value.control_characters': {
    en: 'the value contains control characters',
    de: 'der Wert enthält Steuerzeichen',
  },
  'value.not_a_number': { en: '"{value}" is not a number', de: '„{value}“ ist keine Zahl' },
  'value.not_an_address': { en: '"{value}" is not an email address', de: '„{value}“ ist keine E-Mail-Adresse' },
  'value.not_a_date': { en: '"{value}" is not a date (YYYY-MM-DD)', de: '„{value}“ ist kein Datum (JJJJ-MM-TT)' },
  'value.not_a_date_day_first': {
    en: '"{value}" is not a date (YYYY-MM-DD, or day first: DD/MM/YYYY)',
    de: '„{value}“ ist kein Datum (JJJJ-MM-TT oder Tag zuerst: TT/MM/JJJJ)',
  },
  'value.not_a_url': {
    en: '"{value}" is not a URL that begins with http:// or https://',
    de: '„{value}“ ist keine Adresse, die mit http:// oder https:// anfängt',
  },
  'value.not_one_of': { en: '"{value}" is not one of {choices}', de: '„{value}“ ist keines von: {choices}' },
  'value.not_yes_or_no': {
    en: '"{value}" is neither yes nor no',
    de: '„{value}“ ist weder ja noch nein',
  },
  'value.not_a_time_zone': {
    en: '"{value}" is not a time zone such as Europe/Berlin',
    de: '„{value}“ ist keine Zeitzone wie Europe/Berlin',
  },
  'value.not_an_ip': { en: '"{value}" is not an IP address', de: '„{value}“ ist keine IP-Adresse' },
  'value.not_a_language': {
    en: '"{value}" is not a language code such as en or pt-BR',
    de: '„{value}“ ist kein Sprachcode wie en oder pt-BR',
  },
  'value.not_a_time': {
    en: '"{value}" is not a date and time such as 2026-05-31 12:00:00',
    de: '„{value}“ ist kein Zeitpunkt wie 2026-05-31 12:00:00',
  },
  'value.in_future': { en: '"{value}" is in the future', de: '„{value}“ liegt in der Zukunft' },

  'suppression.address': {
    en: '{member}: {email} is on the suppression list ({reason}); remove it there first',
    de: '{member}: {email} steht auf der Sperrliste ({reason}); nehmen Sie die Adresse zuerst dort heraus',
  },
  'suppression.domain': {
    en: '{member}: the domain of {email} is on the suppression list ({reason}); remove the domain there first',
    de: '{member}: Die Domain von {email} steht auf der Sperrliste ({reason}); nehmen Sie die Domain zuerst dort heraus',
  },
  'suppression.erased': {
    en: '{member}: {email} was erased and must not get any more messages; remove it from the suppression list first',
    de: '{member}: {email} wurde gelöscht und soll nichts mehr bekommen; nehmen Sie die Adresse zuerst aus der Sperrliste',
  },
  'suppression.exists': {
    en: '{member}: {value} is already on the suppression list',
    de: '{member}: {value} steht schon auf der Sperrliste',
  },
  'suppression.missing': {
    en: '{member}: {value} is not on the suppression list',
    de: '{member}: {value} ist nicht gesperrt',
  },
  'suppression.reason.manual': { en: 'manual', de: 'von Hand' },
  'suppression.reason.api': { en: 'api', de: 'über die API' },
  'suppression.reason.bounce': { en: 'bounce', de: 'unzustellbar' },
  'suppression.reason.complaint': { en: 'complaint', de: 'Beschwerde' },
  'suppression.reason.unsubscribe': { en: 'unsubscribe', de: 'abgemeldet' },
  'suppression.reason.erased': { en: 'erased', de: 'gelöscht' },

  'form.field_not_public': { en: '{member}: {tag} is not public', de: '{member}: {tag} ist nicht öffentlich' },
  'form.cap_reached': {
    en: 'Too many sign-ups through the form of {list}',
    de: 'Zu viele Anmeldungen über das Formular von {list}',
  },
  'form.cap_about': {
    en: 'The form has sent {count} confirmation emails within an hour. It accepts no more sign-ups until the hour is over. If you did not expect this many, a bot may be entering other people’s addresses: turn the form off for a while, or show it on fewer pages.',
    de: 'Das Formular hat in einer Stunde {count} Bestätigungs-E-Mails gesendet. Bis die Stunde vorbei ist, nimmt es keine Anmeldungen mehr an. Wenn Sie nicht so viele erwartet haben, trägt vielleicht ein Programm fremde Adressen ein: Schalten Sie das Formular eine Weile ab, oder zeigen Sie es auf weniger Seiten.',
  },
  'form.not_an_origin': {
    en: '{member}: "{value}" is not an origin such as https://www.example.com',
    de: '{member}: „{value}“ ist keine Herkunft wie https://www.example.com',
  },
  'form.not_a_picture': {
    en: '{member}: "{value}" is not the URL of a stored image of the account',
    de: '{member}: „{value}“ ist nicht die Adresse eines gespeicherten Bildes des Kontos',
  },
  'form.not_https': {
    en: '{member}: "{value}" is not a URL that begins with https://',
    de: '{member}: „{value}“ ist keine Adresse, die mit https:// anfängt',
  },
  'list_text.unknown': {
    en: '{member}: the text "{name}" does not exist; the texts are {choices}',
    de: '{member}: Den Text „{name}“ gibt es nicht; es gibt {choices}',
  },
  'list_text.language': {
    en: '{member}: there are no texts in "{language}"; the languages are {choices}',
    de: '{member}: Es gibt keine Texte in „{language}“; es gibt {choices}',
  },
  'list_text.line_break': { en: '{member} contains a line break', de: '{member} enthält einen Zeilenumbruch' },
  'list_text.tag_unknown': {
    en: '{member} contains {tag}; allowed are {choices}',
    de: '{member} enthält {tag}; erlaubt sind {choices}',
  },
  'list_text.confirm_missing': {
    en: '{member} does not contain *|CONFIRM|*, the address of the page where the contact confirms',
    de: '{member} enthält *|CONFIRM|* nicht, die Adresse der Seite, auf der der Kontakt bestätigt',
  },

  'address.not_an_address': {
    en: '{member}: "{value}" is not an email address',
    de: '{member}: „{value}“ ist keine E-Mail-Adresse',
  },
  'address.on_no_list': { en: '{member}: {email} is on no list', de: '{member}: {email} ist auf keiner Liste' },
  'address.invalid': {
    en: '{member}: "{value}" is not an email address: it {problem}',
    de: '{member}: „{value}“ ist keine E-Mail-Adresse: Sie {problem}',
  },

  'address.problem.empty': { en: 'is empty', de: 'ist leer' },
  'address.problem.no-at': { en: 'has no @', de: 'hat kein @' },
  'address.problem.several-ats': { en: 'has more than one @', de: 'hat mehr als ein @' },
  'address.problem.control-character': {
    en: 'contains a line break or another control character',
    de: 'enthält einen Zeilenumbruch oder ein anderes Steuerzeichen',
  },
  'address.problem.space': {
    en: 'contains a space or an invisible character',
    de: 'enthält ein Leerzeichen oder ein unsichtbares Zeichen',
  },
  'address.problem.quoted': {
    en: 'has a part in quotation marks, which is not supported',
    de: 'hat einen Teil in Anführungszeichen, was nicht geht',
  },
  'address.problem.comment': { en: 'contains parentheses', de: 'enthält Klammern' },
  'address.problem.route': {
    en: 'contains one of < > , ; : which is not allowed in an address',
    de: 'enthält eines von < > , ; : was in einer Adresse nicht erlaubt ist',
  },
  'address.problem.local-missing': { en: 'has nothing before the @', de: 'hat nichts vor dem @' },
  'address.problem.local-character': {
    en: 'has a character before the @ that is not allowed there',
    de: 'hat vor dem @ ein Zeichen, das dort nicht erlaubt ist',
  },
  'address.problem.local-dots': {
    en: 'has a dot at the beginning or end of the part before the @, or two in a row',
    de: 'hat vor dem @ einen Punkt am Anfang oder Ende oder zwei hintereinander',
  },
  'address.problem.local-too-long': {
    en: 'has more than 64 bytes before the @',
    de: 'hat mehr als 64 Bytes vor dem @',
  },
  'address.problem.domain-missing': { en: 'has nothing after the @', de: 'hat nichts nach dem @' },
  'address.problem.domain-literal': {
    en: 'has a numeric address instead of a domain',
    de: 'hat eine Nummer statt einer Domain',
  },
  'address.problem.domain-character': {
    en: 'has a character in its domain that is not allowed there',
    de: 'hat in der Domain ein Zeichen, das dort nicht erlaubt ist',
  },
  'address.problem.domain-dots': {
    en: 'has a dot at the beginning or end of its domain, or two in a row',
    de: 'hat in der Domain einen Punkt am Anfang oder Ende oder zwei hintereinander',
  },
  'address.problem.domain-no-dot': { en: 'has a domain without a dot', de: 'hat eine Domain ohne Punkt' },
  'address.problem.domain-label': {
    en: 'has a part of its domain that is longer than 63 characters or begins or ends with a hyphen',
    de: 'hat in der Domain einen Teil, der länger als 63 Zeichen ist oder mit einem Bindestrich anfängt oder endet',
  },
  'address.problem.domain-top': {
    en: 'ends in something that is not a top-level domain',
    de: 'endet auf etwas, das keine Top-Level-Domain ist',
  },
  'address.problem.too-long': { en: 'has more than 254 bytes', de: 'hat mehr als 254 Bytes' },
});
