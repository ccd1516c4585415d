// The texts of account notices.
import { defineMessages } from '../define.ts';

export const accountNotices = defineMessages({
  'list_notice.one.subscribe': { en: '{email} subscribed to {list}', de: '{email} hat {list} abonniert' },
  'list_notice.one.unsubscribe': {
    en: '{email} unsubscribed from {list}',
    de: '{email} hat sich von {list} abgemeldet',
  },
  'list_notice.counts': {
    en: '{list}: {subscribe} subscribed, {unsubscribe} unsubscribed',
    de: '{list}: {subscribe} angemeldet, {unsubscribe} abgemeldet',
  },
  'list_notice.heading.subscribe': { en: 'Subscribed to {list}: {count}', de: 'Bei {list} angemeldet: {count}' },
  'list_notice.heading.unsubscribe': { en: 'Unsubscribed from {list}: {count}', de: 'Von {list} abgemeldet: {count}' },
  'list_notice.more': { en: 'and {count} more', de: 'und {count} weitere' },
  'list_notice.about': {
    en: 'This notice is sent at most once an hour. Turn it off in the settings of the list.',
    de: 'Diese Nachricht kommt höchstens einmal in der Stunde. Sie lässt sich in den Einstellungen der Liste ausschalten.',
  },
  'account_notice.campaign_paused': {
    en: 'The campaign "{title}" was paused',
    de: 'Die Kampagne „{title}“ wurde angehalten',
  },
  'account_notice.campaign_paused_text': {
    en: 'The campaign "{title}" ({id}) was paused by the program.',
    de: 'Die Kampagne „{title}“ ({id}) wurde vom Programm angehalten.',
  },
  'account_notice.reason': {
    en: 'Reason: {reason}',
    de: 'Grund: {reason}',
  },
  'account_notice.campaign_paused_next': {
    en: 'The remaining recipients stay queued and get it when the campaign is resumed. Fix the cause first, then press Resume on the page of the campaign or call campaignResume.',
    de: 'Die übrigen Empfänger bleiben in der Warteschlange und bekommen sie, wenn die Kampagne fortgesetzt wird. Beheben Sie zuerst die Ursache, und setzen Sie die Kampagne dann auf ihrer Seite oder mit campaignResume fort.',
  },
  'account_notice.quota_near': {
    en: '{name} has used {percent} % of its monthly quota',
    de: '{name} hat {percent} % des Monatskontingents verbraucht',
  },
  'account_notice.quota_near_text': {
    en: 'The account has sent {used} of {quota} emails this month (UTC). When the quota is used up, campaigns wait until {day}, and calls that send single messages are refused. The operator of this installation can raise the quota.',
    de: 'Das Konto hat in diesem Monat (UTC) {used} von {quota} E-Mails gesendet. Ist das Kontingent verbraucht, warten Kampagnen bis zum {day}, und Aufrufe, die einzelne Nachrichten senden, werden abgelehnt. Der Betreiber dieser Installation kann das Kontingent erhöhen.',
  },
  'account_notice.quota_used': {
    en: '{name} has used up its monthly quota',
    de: '{name} hat das Monatskontingent verbraucht',
  },
  'account_notice.quota_used_text': {
    en: 'The account has sent {used} of {quota} emails this month (UTC). Campaigns, autoresponders and automations wait and go on automatically on {day}, or as soon as the operator of this installation raises the quota; nothing is lost. Calls that send single messages are refused until then. Confirmations and other emails of the program are sent as usual.',
    de: 'Das Konto hat in diesem Monat (UTC) {used} von {quota} E-Mails gesendet. Kampagnen, Autoresponder und Automationen warten und gehen am {day} von selbst weiter, oder sobald der Betreiber dieser Installation das Kontingent erhöht; nichts geht verloren. Aufrufe, die einzelne Nachrichten senden, werden bis dahin abgelehnt. Bestätigungen und andere E-Mails des Programms werden wie gewohnt gesendet.',
  },
  'account_notice.held': {
    en: 'The campaign "{title}" waits for your decision',
    de: 'Die Kampagne „{title}“ wartet auf Ihre Entscheidung',
  },
  'account_notice.held_text': {
    en: 'The campaign "{title}" ({id}) is not finished.',
    de: 'Die Kampagne „{title}“ ({id}) ist nicht abgeschlossen.',
  },
  'account_notice.held_next': {
    en: 'Your account does not send a second copy when a delivery cannot be confirmed. Decide in the report of the campaign, or with the method campaignResolve: send these recipients a copy, which is marked as one, or count them as not delivered. Without a decision they count as not delivered {hours} hours after they became unclear.',
    de: 'Ihr Konto sendet keine zweite Kopie, wenn sich eine Zustellung nicht bestätigen lässt. Entscheiden Sie im Bericht der Kampagne oder mit der Methode campaignResolve: Senden Sie diesen Empfängern eine Kopie, die als solche gekennzeichnet ist, oder zählen Sie sie als nicht zugestellt. Ohne Entscheidung gelten sie {hours} Stunden, nachdem sie unklar wurden, als nicht zugestellt.',
  },
  'account_notice.complaints': {
    en: 'Too many recipients report your emails as spam',
    de: 'Zu viele Empfänger melden Ihre E-Mails als Spam',
  },
  'account_notice.complaints_text': {
    en: 'In the last {days} days at least one in 1,000 delivered emails was reported as spam:',
    de: 'In den letzten {days} Tagen wurde mindestens eine von 1.000 zugestellten E-Mails als Spam gemeldet:',
  },
  'account_notice.complaints_next': {
    en: 'Mailbox providers deliver such a sender to the spam folder, and refuse it above 3 in 1,000. Look at where these addresses come from, whether people expect your emails, and whether the unsubscribe link is easy to find. The figures are in Settings, Suppression. You are not warned of the same again until its rate has fallen.',
    de: 'Postfachanbieter legen E-Mails solcher Absender in den Spam-Ordner und lehnen sie über 3 von 1.000 ab. Prüfen Sie, woher diese Adressen kommen, ob die Personen Ihre E-Mails erwarten und ob der Abmeldelink leicht zu finden ist. Die Zahlen stehen in den Einstellungen unter Sperrliste. Vor demselben werden Sie erst wieder gewarnt, wenn der Anteil gesunken war.',
  },
  'account_notice.refused': {
    en: 'The relay refuses your single messages',
    de: 'Das Relay lehnt Ihre einzelnen Nachrichten ab',
  },
  'account_notice.refused_text': {
    en: 'The relay refuses the single messages of your account, the last one with this reply:',
    de: 'Das Relay lehnt die einzelnen Nachrichten Ihres Kontos ab, die letzte mit dieser Antwort:',
  },
  'account_notice.refused_next': {
    en: 'This is most likely about your account with the relay, its plan, or the sender, not about the recipients. The messages wait and are tried again; no address was suppressed. Check your account with the relay and the sender of the messages.',
    de: 'Das liegt höchstwahrscheinlich an Ihrem Zugang beim Relay, seinem Tarif oder am Absender, nicht an den Empfängern. Die Nachrichten warten und werden erneut versucht; keine Adresse wurde gesperrt. Prüfen Sie Ihren Zugang beim Relay und den Absender der Nachrichten.',
  },
  'account_notice.issue_waits': {
    en: '"{title}" waits for your approval',
    de: '„{title}“ wartet auf Ihre Freigabe',
  },
  'account_notice.issue_waits_text': {
    en: 'A new issue of the recurring campaign "{title}" is ready:',
    de: 'Eine neue Ausgabe der wiederkehrenden Kampagne „{title}“ ist fertig:',
  },
  'account_notice.issue_unsent': {
    en: 'Why it was not sent: {reason}',
    de: 'Warum sie nicht gesendet wurde: {reason}',
  },
  'account_notice.issue_waits_next': {
    en: 'It is sent when you approve it. If the next issue is due before that, it stays a draft.',
    de: 'Sie wird gesendet, wenn Sie sie freigeben. Ist vorher die nächste Ausgabe fällig, bleibt sie ein Entwurf.',
  },
  'account_notice.issue_waits_links': {
    en: 'Approve or skip it: {url}\nLook at it: {campaign}',
    de: 'Freigeben oder überspringen: {url}\nAnsehen: {campaign}',
  },
  'account_notice.issue_failed': {
    en: 'An issue of "{title}" could not be sent',
    de: 'Eine Ausgabe von „{title}“ konnte nicht gesendet werden',
  },
  'account_notice.issue_failed_text': {
    en: 'The latest issue of the recurring campaign "{title}" could not be sent.',
    de: 'Die letzte Ausgabe der wiederkehrenden Kampagne „{title}“ konnte nicht gesendet werden.',
  },
  'account_notice.issue_failed_reason': {
    en: 'Reason: {reason}\nSource: {source}',
    de: 'Grund: {reason}\nQuelle: {source}',
  },
  'account_notice.issue_given_up': {
    en: 'New items will be in the next issue.',
    de: 'Was neu ist, steht in der nächsten Ausgabe.',
  },
  'account_notice.issue_again': {
    en: 'It is tried again until the next issue is due.',
    de: 'Es wird weiter versucht, bis die nächste Ausgabe fällig ist.',
  },
  'account_notice.issue_no_original': {
    en: 'Choose another campaign as the original, or delete the recurring campaign.',
    de: 'Wählen Sie eine andere Kampagne als Vorlage, oder löschen Sie die wiederkehrende Kampagne.',
  },
  'account_notice.issue_kept': {
    en: 'It is kept as a draft. Fix the cause, then approve it.',
    de: 'Sie bleibt als Entwurf erhalten. Beheben Sie die Ursache, und geben Sie sie dann frei.',
  },
  'account_notice.dkim_lost': {
    en: '{domain} is no longer signed',
    de: '{domain} signiert keine E-Mails mehr',
  },
  'account_notice.dkim_lost_text': {
    en: 'The DKIM record of {domain} is no longer correct, so messages from this domain are sent without a signature, and campaigns with authenticate pause until it is right again.',
    de: 'Der DKIM-Eintrag von {domain} stimmt nicht mehr. Nachrichten von dieser Domain gehen deshalb ohne Signatur hinaus, und Kampagnen mit authenticate halten an, bis er wieder stimmt.',
  },
  'account_notice.dkim_lost_record': {
    en: '{record}\nexpected: {expected}\nfound: {found}',
    de: '{record}\nerwartet: {expected}\ngefunden: {found}',
  },
  'account_notice.tracking_lost': {
    en: 'The links of {domain} no longer work',
    de: 'Die Links von {domain} führen nicht mehr hierher',
  },
  'account_notice.tracking_lost_text': {
    en: 'The host {host} no longer leads to this installation, or its certificate is not valid. Links in emails already sent, and in campaigns that are being sent, use it: correct the record or the certificate. New campaigns use {url} until it is right again.',
    de: 'Der Host {host} führt nicht mehr zu dieser Installation, oder sein Zertifikat ist ungültig. Links in schon gesendeten E-Mails und in Kampagnen, die gerade gesendet werden, verwenden ihn: Berichtigen Sie den Eintrag oder das Zertifikat. Neue Kampagnen verwenden {url}, bis es wieder stimmt.',
  },
  'account_notice.automation_paused': {
    en: 'The automation "{title}" was paused',
    de: 'Die Automation „{title}“ wurde angehalten',
  },
  'account_notice.automation_paused_text': {
    en: 'The automation "{title}" ({id}) was paused by the program.',
    de: 'Die Automation „{title}“ ({id}) wurde vom Programm angehalten.',
  },
  'account_notice.automation_paused_next': {
    en: 'Its contacts stay on their steps. Fix the cause, then start the automation again.',
    de: 'Ihre Kontakte bleiben auf ihren Schritten. Beheben Sie die Ursache, und starten Sie die Automation dann wieder.',
  },
});
