// Messages about automations.
import { defineMessages } from '../define.ts';

export const automations = defineMessages({
  'automation.unknown': {
    en: '{member}: the automation "{id}" does not exist',
    de: '{member}: Die Automation „{id}“ gibt es nicht',
  },
  'automation.refers_to_unknown': {
    en: 'The automation refers to "{id}", which is no list, segment or campaign that you have',
    de: 'Die Automation verweist auf „{id}“; das ist keine Liste, kein Segment und keine Kampagne, die Sie haben',
  },
  'incoming.unknown': {
    en: '{member}: the incoming webhook "{id}" does not exist',
    de: '{member}: Den eingehenden Webhook „{id}“ gibt es nicht',
  },
  'incoming.too_many': {
    en: 'The account has {count} incoming webhooks, which is the maximum',
    de: 'Das Konto hat {count} eingehende Webhooks, mehr sind nicht erlaubt',
  },
  'incoming.no_event': {
    en: '{member}: no event is named, so that every request would be ignored; set event or event_member',
    de: '{member}: Kein Ereignis ist genannt, sodass jede Anfrage ignoriert würde; setzen Sie event oder event_member',
  },
  'incoming.not_json': {
    en: '{member} is neither JSON nor a form',
    de: '{member} ist weder JSON noch ein Formular',
  },
  'automation.too_deep': {
    en: '{member}: conditions are nested deeper than {count} levels',
    de: '{member}: Bedingungen sind tiefer als {count} Ebenen verschachtelt',
  },
  'automation.too_many_steps': {
    en: '{member}: an automation has at most {count} steps',
    de: '{member}: Eine Automation hat höchstens {count} Schritte',
  },
  'automation.step_key': {
    en: '{member}: "{key}" is used twice, or is not made of letters, digits and underscores',
    de: '{member}: „{key}“ kommt zweimal vor oder besteht nicht aus Buchstaben, Ziffern und Unterstrichen',
  },
  'automation.member_of_other_type': {
    en: '{member} does not belong to the type {type}, which has: {choices}',
    de: '{member} gehört nicht zur Art {type}; die hat: {choices}',
  },
  'automation.changes_contacts': {
    en: '{member}: the step {type} changes contacts, so starting it needs the permission "contacts:write"',
    de: '{member}: Der Schritt {type} ändert Kontakte; ihn zu starten braucht die Berechtigung „contacts:write“',
  },
  'automation.incomplete': {
    en: 'The automation cannot start: {problems}',
    de: 'Die Automation kann nicht starten: {problems}',
  },
  'automation.at_step': { en: 'step {step}: {problem}', de: 'Schritt {step}: {problem}' },
  'automation.active_not_hidden': {
    en: '{member}: the automation is active; pause it before you hide it',
    de: '{member}: Die Automation ist aktiv; pausieren Sie sie, bevor Sie sie ausblenden',
  },
  'automation.not_active': {
    en: 'The automation is not active.',
    de: 'Die Automation ist nicht aktiv.',
  },
  'automation.never_started': {
    en: 'The automation was never started; no contact is in it.',
    de: 'Die Automation wurde nie gestartet; es ist kein Kontakt darin.',
  },
  'automation.contact_not_inside': {
    en: '{member}: {email} is not in the automation now',
    de: '{member}: {email} ist gerade nicht in der Automation',
  },
  'automation.no_trigger': { en: 'choose what starts it', de: 'Wählen Sie, was sie auslöst' },
  'automation.no_steps': { en: 'add a step', de: 'Fügen Sie einen Schritt hinzu' },
  'automation.field_missing': {
    en: 'choose a field of the list',
    de: 'Wählen Sie ein Feld der Liste',
  },
  'automation.field_unknown': {
    en: 'the list has no field "{tag}"',
    de: 'Die Liste hat kein Feld „{tag}“',
  },
  'automation.field_no_date': {
    en: 'the field "{tag}" is not a date',
    de: 'Das Feld „{tag}“ ist kein Datum',
  },
  'automation.field_value': {
    en: 'the value does not fit the field "{tag}"',
    de: 'Der Wert passt nicht zum Feld „{tag}“',
  },
  'automation.segment_missing': {
    en: 'choose a segment of the list',
    de: 'Wählen Sie ein Segment der Liste',
  },
  'automation.campaign_missing': { en: 'choose a campaign', de: 'Wählen Sie eine Kampagne' },
  'automation.event_missing': {
    en: 'enter the name of the event',
    de: 'Geben Sie den Namen des Ereignisses ein',
  },
  'automation.wait_for_missing': {
    en: 'enter the name of an event, or conditions',
    de: 'Geben Sie den Namen eines Ereignisses oder Bedingungen ein',
  },
  'automation.data_path_missing': {
    en: 'enter which member of the data is compared',
    de: 'Geben Sie an, welcher Teil der Daten verglichen wird',
  },
  'automation.data_value_missing': {
    en: 'enter what "{path}" is compared with',
    de: 'Geben Sie an, womit „{path}“ verglichen wird',
  },
  'automation.webhook_missing': {
    en: 'create the URL of the webhook',
    de: 'Erzeugen Sie die URL des Webhooks',
  },
  'automation.email_missing': { en: 'choose or write an email', de: 'Wählen oder schreiben Sie eine E-Mail' },
  'automation.email_plain': {
    en: 'the email "{title}" is plain text only; an email of an automation has HTML',
    de: 'Die E-Mail „{title}“ ist nur Text; die E-Mail einer Automation hat HTML',
  },
  'automation.email_used': {
    en: 'the email "{title}" is sent elsewhere; choose a draft or a copy of it',
    de: 'Die E-Mail „{title}“ wird anderswo versendet; wählen Sie einen Entwurf oder eine Kopie davon',
  },
  'automation.not_rehearsable': {
    en: 'A test run is not possible: {problems}',
    de: 'Ein Testlauf ist nicht möglich: {problems}',
  },
  'automation.no_arms': {
    en: '{member}: there is no step {step} with two arms',
    de: '{member}: Es gibt keinen Schritt {step} mit zwei Zweigen',
  },
  'automation.email_tested': {
    en: 'the email "{title}" has an A/B test, which an email of an automation cannot have',
    de: 'Die E-Mail „{title}“ hat einen A/B-Test, den die E-Mail einer Automation nicht haben kann',
  },
  'automation.email_twice': {
    en: 'the email "{title}" is in another step already; choose a copy of it',
    de: 'Die E-Mail „{title}“ ist schon in einem anderen Schritt; wählen Sie eine Kopie davon',
  },
  'automation.email_empty': {
    en: 'the email "{title}" is not written yet',
    de: 'Die E-Mail „{title}“ ist noch nicht geschrieben',
  },
  'automation.email_language_unwritten': {
    en: 'the version {language} of the email "{title}" is not written yet',
    de: 'Die Fassung {language} der E-Mail „{title}“ ist noch nicht geschrieben',
  },
  'automation.email_sample': {
    en: 'the email "{title}" is still the sample',
    de: 'Die E-Mail „{title}“ ist noch das Muster',
  },
  'automation.email_not_ready': {
    en: 'The email "{title}": {problem}',
    de: 'Die E-Mail „{title}“: {problem}',
  },
  'automation.list_missing': { en: 'choose a list', de: 'Wählen Sie eine Liste' },
  'automation.condition_missing': { en: 'add a condition', de: 'Fügen Sie eine Bedingung hinzu' },
  'automation.name_missing': { en: 'enter a name', de: 'Geben Sie einen Namen ein' },
  'automation.subject_missing': { en: 'enter a subject', de: 'Geben Sie einen Betreff ein' },
  'automation.trigger_gone': {
    en: 'The segment or campaign of the trigger was deleted. Choose another one in the trigger, then resume the automation.',
    de: 'Das Segment oder die Kampagne des Auslösers wurde gelöscht. Wählen Sie im Auslöser etwas anderes und setzen Sie die Automation fort.',
  },
  'automation.condition_gone': {
    en: 'A condition refers to a campaign or list that was deleted. Open the condition, choose another one, then resume the automation.',
    de: 'Eine Bedingung verweist auf eine Kampagne oder Liste, die gelöscht wurde. Öffnen Sie die Bedingung, wählen Sie etwas anderes und setzen Sie die Automation fort.',
  },
  'automation.email_gone': {
    en: 'The email of a step was deleted. Choose or write another one in the step, then resume the automation.',
    de: 'Die E-Mail eines Schritts wurde gelöscht. Wählen oder schreiben Sie im Schritt eine andere und setzen Sie die Automation fort.',
  },
  'automation.email_stopped': {
    en: 'The email "{title}" was stopped, so no step can send it. Choose a copy of it in the step, then resume the automation.',
    de: 'Die E-Mail „{title}“ wurde beendet; kein Schritt kann sie mehr senden. Wählen Sie im Schritt eine Kopie davon und setzen Sie die Automation fort.',
  },
  'automation.field_gone': {
    en: 'The field "{tag}" of a step was deleted. Choose another field in the step, then resume the automation.',
    de: 'Das Feld „{tag}“ eines Schritts wurde gelöscht. Wählen Sie im Schritt ein anderes Feld und setzen Sie die Automation fort.',
  },
  'automation.list_gone': {
    en: 'The list of a step was deleted. Choose another list in the step, then resume the automation.',
    de: 'Die Liste eines Schritts wurde gelöscht. Wählen Sie im Schritt eine andere Liste und setzen Sie die Automation fort.',
  },
});
