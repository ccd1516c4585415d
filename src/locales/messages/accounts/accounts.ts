// Messages about signing in, users, keys, sender domains and the account.
import { defineMessages } from '../define.ts';

export const accounts = defineMessages({
  'label.unknown': { en: '{member}: the label "{id}" does not exist', de: '{member}: Das Label „{id}“ gibt es nicht' },
  'label.name_taken': {
    en: '{member}: there is already a label "{name}"',
    de: '{member}: Es gibt schon ein Label „{name}“',
  },
  'label.too_many': {
    en: 'There can be at most {count} labels; delete one first',
    de: 'Es kann höchstens {count} Labels geben; löschen Sie zuerst eines',
  },
  'label.too_many_of_object': {
    en: '{member}: it can have at most {count} labels',
    de: '{member}: Mehr als {count} Labels sind nicht möglich',
  },
  'account.unknown_option': {
    en: '{member}: the option "{name}" does not exist; the options are {choices}',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt {choices}',
  },
  'setup.set_by_operator': {
    en: 'The operator has set BASE_URL to {url}; it can only be changed there',
    de: 'Der Betreiber hat BASE_URL auf {url} gesetzt; ändern lässt sich das nur dort',
  },
  'setup.not_a_url': {
    en: '{member} must be a URL such as https://mail.example.com or https://www.example.com/mail, without user, query or fragment; its path must not begin with an address of the program, such as /app or /api',
    de: '{member} muss eine Adresse wie https://mail.example.com oder https://www.example.com/mail sein, ohne Benutzer, Abfrage oder Fragment; der Pfad darf nicht mit einer Adresse des Programms wie /app oder /api anfangen',
  },
  'copy.no_such_account': {
    en: '{member} must be another account that you belong to',
    de: '{member} muss ein anderes Konto nennen, zu dem Sie gehören',
  },
  'copy.set_of_lists': {
    en: '{member}: you see some lists of this account only, so nothing can be copied out of it',
    de: '{member}: Sie sehen nur einige Listen dieses Kontos, deshalb lässt sich nichts hinaus kopieren',
  },
  'copy.may_not_write': {
    en: '{member}: you may not change anything in {name}',
    de: '{member}: In {name} dürfen Sie nichts ändern',
  },
  'copy.segment_needs': {
    en: '{member}: the list does not have what the conditions ask for: {names}. Nothing was copied',
    de: '{member}: Die Liste hat nicht, wonach die Bedingungen fragen: {names}. Nichts wurde kopiert',
  },
  'copy.alias': { en: 'The alias {alias}', de: 'Der Alias {alias}' },
  'copy.field': {
    en: 'The field {name}, which the list does not have',
    de: 'Das Feld {name}, das die Liste nicht hat',
  },
  'copy.condition': {
    en: 'Conditions on {name}, which the list does not have',
    de: 'Bedingungen an {name}, das die Liste nicht hat',
  },
  'copy.segment': { en: 'The segment that contacts enter by', de: 'Das Segment, mit dem Kontakte eintreten' },
  'copy.campaign': {
    en: 'The campaign whose click lets contacts enter',
    de: 'Die Kampagne, deren Klick Kontakte eintreten lässt',
  },
  'copy.list': { en: 'The list {name} of a step', de: 'Die Liste {name} eines Schritts' },
  'copy.sender': {
    en: 'The sender of “{title}”: it has that of the list',
    de: 'Der Absender von „{title}“: Es gilt der der Liste',
  },
  'copy.versions': { en: 'Language versions of “{title}”', de: 'Sprachfassungen von „{title}“' },
  'copy.attachments': { en: 'Attachments of “{title}”', de: 'Anhänge von „{title}“' },
  'operator.account_unknown': {
    en: '{member}: there is no account "{id}"',
    de: '{member}: Es gibt kein Konto „{id}“',
  },
  'operator.own_account': {
    en: '{member} is the account of the operator, which stays in use',
    de: '{member} ist das Konto des Betreibers, das in Benutzung bleibt',
  },
  'operator.test_account': {
    en: '{member} is a test account; it goes with the account that it belongs to',
    de: '{member} ist ein Testkonto; es richtet sich nach dem Konto, zu dem es gehört',
  },
  'operator.restore_first': {
    en: '{member} is to be deleted; take that back first (accountRestore)',
    de: '{member}: Das Konto soll gelöscht werden; nehmen Sie das zuerst zurück (accountRestore)',
  },
  'operator.suspended': {
    en: '{member} is suspended; reactivate the account first (accountLimitsUpdate)',
    de: '{member}: Das Konto ist gesperrt; geben Sie es zuerst wieder frei (accountLimitsUpdate)',
  },
  'operator.is_deleted': {
    en: '{member}: the account is to be erased; take the deletion back first (accountRestore)',
    de: '{member}: Das Konto wird gelöscht; nehmen Sie zuerst die Löschung zurück (accountRestore)',
  },
  'operator.being_erased': {
    en: '{member}: its time is over, and the account is being erased',
    de: '{member}: Die Frist ist vorbei, das Konto wird gerade gelöscht',
  },
  'operator.not_deleted': { en: '{member} is not to be erased', de: '{member} soll nicht gelöscht werden' },
  'operator.relay_unknown': {
    en: '{member}: there is no relay "{id}" that was set up in the application',
    de: '{member}: Es gibt kein Relay „{id}“, das in der Anwendung eingerichtet wurde',
  },
  'operator.relay_of_all': {
    en: '{member}: the relay "{name}" is for all accounts, and would be for this one alone; limit it to accounts first (relayUpdate)',
    de: '{member}: Das Relay „{name}“ ist für alle Konten und wäre dann nur noch für dieses; beschränken Sie es zuerst auf Konten (relayUpdate)',
  },
  'operator.relay_of_none': {
    en: '{member}: the relay "{name}" is for this account alone, and would be for all; limit it to others first (relayUpdate), or delete it',
    de: '{member}: Das Relay „{name}“ ist nur für dieses Konto und wäre dann für alle; beschränken Sie es zuerst auf andere (relayUpdate) oder löschen Sie es',
  },
  'quota.used': {
    en: 'The account may send {quota} emails a month; {left} are left, and this would be {count}. Nothing was taken. The next month begins on {day} (UTC); the operator can raise the quota',
    de: 'Das Konto darf im Monat {quota} E-Mails senden; {left} sind übrig, und das wären {count}. Nichts wurde angenommen. Der nächste Monat beginnt am {day} (UTC); der Betreiber kann das Kontingent erhöhen',
  },
  'key.too_many': {
    en: 'The account has {count} valid API keys, which is the maximum; revoke one first',
    de: 'Das Konto hat {count} gültige API-Schlüssel, mehr sind nicht erlaubt; widerrufen Sie zuerst einen',
  },
  'key.too_many_an_hour': {
    en: 'The account has created {count} API keys in an hour; try again later',
    de: 'Das Konto hat in einer Stunde {count} API-Schlüssel erzeugt; versuchen Sie es später wieder',
  },
  'key.unknown': {
    en: '{member} is not a valid key of this account',
    de: '{member} nennt keinen gültigen Schlüssel dieses Kontos',
  },
  'key.expires_past': { en: '{member} is in the past', de: '{member} liegt in der Vergangenheit' },
  'key.no_permission': {
    en: '{member} must contain at least one permission',
    de: '{member} muss mindestens eine Berechtigung enthalten',
  },
  'key.too_many_calls': {
    en: '{member} is at most {count}, which is what this installation allows each key',
    de: '{member} ist höchstens {count}; so viel erlaubt diese Installation jedem Schlüssel',
  },
  'key.not_a_network': {
    en: '{member} must be an IP address or a network such as 192.0.2.0/24, not "{value}"',
    de: '{member} muss eine IP-Adresse oder ein Netz wie 192.0.2.0/24 sein, nicht „{value}“',
  },
  'user.not_an_address': { en: '{member} is not an email address', de: '{member} ist keine E-Mail-Adresse' },
  'user.is_member': {
    en: '{member} already belongs to a user of this account',
    de: '{member} gehört schon zu einer Person in diesem Konto',
  },
  'invitation.unknown': {
    en: '{member}: the invitation does not exist, has expired or has already been answered',
    de: '{member}: Diese Einladung gibt es nicht, sie ist abgelaufen oder schon beantwortet',
  },
  'invitation.sign_in': {
    en: '{email} already has a password here. Sign in with it to accept the invitation',
    de: '{email} hat hier schon ein Passwort. Melden Sie sich damit an, um die Einladung anzunehmen',
  },
  'invitation.address_not_proven': {
    en: '{email} belongs to a user who has not proven that the address is theirs. The link for a lost password proves it, or the operator gives the user a new password',
    de: '{email} gehört zu einer Person, die noch nicht nachgewiesen hat, dass die Adresse ihr gehört. Das tut der Link für ein vergessenes Passwort, oder der Betreiber gibt der Person ein neues Passwort',
  },
  'user.address_taken': {
    en: '{member} already belongs to another user',
    de: '{member} gehört schon zu einer anderen Person',
  },
  'user.unknown': {
    en: '{member}: the user does not exist in this account',
    de: '{member}: In diesem Konto gibt es diese Person nicht',
  },
  'user.more_than_own': {
    en: '{member}: no one can give, change or remove more rights than they have, and you lack "{permission}"',
    de: '{member}: Mehr Rechte, als man selbst hat, kann niemand vergeben, ändern oder entziehen; Ihnen fehlt „{permission}“',
  },
  'user.permissions_of_role': {
    en: '{member} belongs to the role custom; the role {role} has its own',
    de: '{member} gehört zur Rolle custom; die Rolle {role} hat ihre eigenen',
  },
  'user.no_permission': {
    en: '{member} must have at least one permission',
    de: '{member} muss mindestens eine Berechtigung enthalten',
  },
  'user.last_owner': {
    en: '{member} is the only owner of the account; make another user an owner first',
    de: '{member}: Das Konto hätte keinen Inhaber mehr; machen Sie zuerst eine andere Person dazu',
  },
  'sign_in.too_many_attempts': {
    en: 'Too many attempts; try again in {minutes} minutes',
    de: 'Zu viele Versuche; versuchen Sie es in {minutes} Minuten wieder',
  },
  'sign_in.login_failed': {
    en: 'username or password is wrong, or a second-factor code is missing',
    de: 'Name oder Passwort ist falsch, oder der Code des zweiten Faktors fehlt',
  },
  'sign_in.link_expired': {
    en: 'This link has been used or has expired; ask for a new one',
    de: 'Dieser Link wurde schon benutzt oder ist abgelaufen; fordern Sie einen neuen an',
  },
  'sign_in.first_run_expired': {
    en: 'This link was already used or has expired; restart Postrider to get a new one',
    de: 'Dieser Link wurde schon benutzt oder ist abgelaufen; starten Sie Postrider neu, um einen neuen zu erhalten',
  },
  'sign_in.passwords_off': {
    en: 'Passwords cannot be used here; sign in by an identity provider',
    de: 'Mit Passwörtern kann man sich hier nicht anmelden; melden Sie sich über einen Anmeldedienst an',
  },
  'sign_in.link_over': {
    en: 'This link has been used or has expired; the operator can print a new one',
    de: 'Dieser Link wurde schon benutzt oder ist abgelaufen; der Betreiber kann einen neuen ausgeben',
  },
  'oidc.unknown_provider': {
    en: '{member}: this identity provider is not set up; sign in another way, or ask your administrator',
    de: '{member}: Dieser Anmeldedienst ist nicht eingerichtet; melden Sie sich anders an oder fragen Sie Ihre Administration',
  },
  'oidc.return_path': {
    en: '{member} is not a page of this application',
    de: '{member} nennt keine Seite dieser Anwendung',
  },
  'oidc.attempt_over': {
    en: 'This sign-in took too long, has already been used or was begun in another browser. Begin again',
    de: 'Diese Anmeldung hat zu lange gedauert, wurde schon benutzt oder in einem anderen Browser begonnen. Beginnen Sie noch einmal',
  },
  'oidc.unreachable': {
    en: '{provider} does not answer as it should. Try again later; the operator finds the reason in the log',
    de: '{provider} antwortet nicht wie erwartet. Versuchen Sie es später wieder; den Grund findet der Betreiber im Protokoll',
  },
  'oidc.denied': {
    en: '{provider} did not sign you in',
    de: '{provider} hat Sie nicht angemeldet',
  },
  'oidc.invalid': {
    en: 'The answer of {provider} is not valid, so you are not signed in. Begin again; the operator finds the reason in the log',
    de: 'Die Antwort von {provider} ist nicht gültig, deshalb sind Sie nicht angemeldet. Beginnen Sie noch einmal; den Grund findet der Betreiber im Protokoll',
  },
  'oidc.groups': {
    en: '{provider} did not send a readable list of your groups; the operator has to change its settings',
    de: '{provider} hat keine lesbare Liste Ihrer Gruppen geschickt; der Betreiber muss die Einstellungen ändern',
  },
  'oidc.too_many_groups': {
    en: 'You are in so many groups that {provider} did not send their list; the operator can limit it there to groups of this application',
    de: 'Sie sind in so vielen Gruppen, dass {provider} ihre Liste nicht geschickt hat; der Betreiber kann sie dort auf Gruppen dieser Anwendung beschränken',
  },
  'oidc.address_not_verified': {
    en: '{provider} has not verified your email address. Confirm it there, then sign in again',
    de: '{provider} hat Ihre E-Mail-Adresse nicht geprüft. Bestätigen Sie sie dort und melden Sie sich dann wieder an',
  },
  'oidc.no_address': {
    en: '{provider} did not send an email address, so you cannot be found here',
    de: '{provider} hat keine E-Mail-Adresse geschickt, deshalb sind Sie hier nicht zu finden',
  },
  'oidc.address_unusable': {
    en: 'The email address that {provider} sent has characters that are not allowed here',
    de: 'Die E-Mail-Adresse von {provider} hat Zeichen, die hier nicht erlaubt sind',
  },
  'oidc.other_identity': {
    en: 'The user with your email address is connected to another person at {provider}. That person can disconnect under "Profile and security"',
    de: 'Zu Ihrer E-Mail-Adresse gehört hier eine andere Person bei {provider}. Diese Person kann die Verbindung unter „Profil und Sicherheit“ trennen',
  },
  'oidc.taken': {
    en: 'This person at {provider} is connected to another user, or you are connected to another person there',
    de: 'Diese Person bei {provider} ist schon mit jemand anderem verbunden, oder Sie sind dort mit einer anderen Person verbunden',
  },
  'oidc.not_yours': {
    en: 'You signed in to {provider} as another person',
    de: 'Sie haben sich bei {provider} als eine andere Person angemeldet',
  },
  'oidc.no_account': {
    en: 'You do not belong to an account here. Ask an owner to invite you',
    de: 'Sie gehören hier zu keinem Konto. Lassen Sie sich einladen',
  },
  'oidc.account_off': {
    en: 'Your account is suspended',
    de: 'Ihr Konto ist gesperrt',
  },
  'oidc.no_group': {
    en: 'None of your groups at {provider} gives access. Ask the operator',
    de: 'Keine Ihrer Gruppen bei {provider} gibt Zugang. Fragen Sie den Betreiber',
  },
  'oidc.unknown_person': {
    en: 'There is no user with your email address. Ask an owner to invite you',
    de: 'Zu Ihrer E-Mail-Adresse gibt es hier niemanden. Lassen Sie sich einladen',
  },
  'oidc.password_wrong': {
    en: 'The password is wrong',
    de: 'Das Passwort ist falsch',
  },
  'identity.unknown': {
    en: '{member}: you are not connected to this provider',
    de: '{member}: Sie sind mit diesem Dienst nicht verbunden',
  },
  'identity.needed': {
    en: '{member}: without this provider you could no longer sign in',
    de: '{member}: Ohne diesen Dienst könnten Sie sich nicht mehr anmelden',
  },
  'passkey.unavailable': {
    en: 'Passkeys cannot be used here: the base URL needs a host name under https, and passwords must be switched on',
    de: 'Passkeys sind hier nicht möglich: Die Basis-URL braucht einen Namen mit https, und Passwörter müssen erlaubt sein',
  },
  'passkey.refused': {
    en: 'This passkey cannot be used here',
    de: 'Dieser Passkey lässt sich hier nicht verwenden',
  },
  'passkey.challenge_over': {
    en: 'This took too long, or was begun in another browser. Try again',
    de: 'Das hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es noch einmal',
  },
  'passkey.not_added': {
    en: '{member}: the passkey was not added. Begin again',
    de: '{member}: Der Passkey wurde nicht hinzugefügt. Beginnen Sie noch einmal',
  },
  'passkey.too_many': {
    en: 'You have {count} passkeys. Remove one first',
    de: 'Sie haben {count} Passkeys. Entfernen Sie zuerst einen',
  },
  'passkey.unknown': { en: '{member}: the passkey does not exist', de: '{member}: Diesen Passkey gibt es nicht' },
  'passkey.needed': {
    en: '{member}: without this passkey you could no longer sign in',
    de: '{member}: Ohne diesen Passkey könnten Sie sich nicht mehr anmelden',
  },
  'notice.passkey': {
    en: 'The passkey "{name}" was added to your sign-in.',
    de: 'Zu Ihrer Anmeldung wurde der Passkey „{name}“ hinzugefügt.',
  },
  'notice.passkey_removed': {
    en: 'The passkey "{name}" was removed from your sign-in.',
    de: 'Der Passkey „{name}“ wurde von Ihrer Anmeldung entfernt.',
  },
  'notice.identity': {
    en: 'Your sign-in was connected to {provider}.',
    de: 'Ihre Anmeldung wurde mit {provider} verbunden.',
  },
  'notice.identity_removed': {
    en: 'Your sign-in was disconnected from {provider}.',
    de: 'Die Verbindung Ihrer Anmeldung mit {provider} wurde getrennt.',
  },
  'session.no_such_account': {
    en: '{member}: you are not a member of this account',
    de: '{member}: Sie gehören nicht zu diesem Konto',
  },
  'session.unknown': { en: '{member}: the session does not exist', de: '{member}: Diese Sitzung gibt es nicht' },
  'notice.origin': { en: 'The change was made from {ip}.', de: 'Die Änderung kam von {ip}.' },
  'notice.advice': {
    en: 'If you do not recognise this change, sign in, change your password, and look through the users, API keys and webhooks of the account.',
    de: 'Wenn Sie davon nichts wissen, melden Sie sich an, ändern Sie Ihr Passwort und sehen Sie die Personen, API-Schlüssel und Webhooks des Kontos durch.',
  },
  'notice.password': { en: 'Your password was changed.', de: 'Ihr Passwort wurde geändert.' },
  'notice.factor_set': {
    en: 'A second factor was set up for your sign-in.',
    de: 'Für Ihre Anmeldung wurde ein zweiter Faktor eingerichtet.',
  },
  'notice.factor_removed': {
    en: 'The second factor of your sign-in was removed.',
    de: 'Der zweite Faktor Ihrer Anmeldung wurde entfernt.',
  },
  'notice.key': {
    en: 'The API key "{label}" ({scope}) was created.',
    de: 'Der API-Schlüssel „{label}“ ({scope}) wurde angelegt.',
  },
  'notice.test_key': {
    en: 'The API key "{label}" of the test account was created.',
    de: 'Der API-Schlüssel „{label}“ des Testkontos wurde angelegt.',
  },
  'notice.key_changed': {
    en: 'The API key "{label}" was changed; it may do: {scope}.',
    de: 'Der API-Schlüssel „{label}“ wurde geändert; er darf: {scope}.',
  },
  'role.owner': { en: 'owner', de: 'Inhaber' },
  'role.editor': { en: 'editor', de: 'Bearbeiter' },
  'role.author': { en: 'author', de: 'Autor' },
  'role.viewer': { en: 'viewer', de: 'Betrachter' },
  'role.analyst': { en: 'analyst', de: 'Analyst' },
  'role.custom': { en: 'member with chosen rights', de: 'Mitglied mit ausgewählten Rechten' },
  'key_scope.full': { en: 'full access', de: 'Vollzugriff' },
  'key_scope.write': { en: 'write and send', de: 'Schreiben und senden' },
  'key_scope.read': { en: 'read', de: 'Lesen' },
  'notice.invitation': { en: '{email} was invited as {role}.', de: '{email} wurde als {role} eingeladen.' },
  'notice.user': { en: '{email} joined as {role}.', de: '{email} ist als {role} beigetreten.' },
  'notice.user_removed': {
    en: '{email} was removed from the account.',
    de: '{email} gehört nicht mehr zum Konto.',
  },
  'notice.operator_signed_in': {
    en: 'The operator of this installation has signed in to the account as {email}.',
    de: 'Der Betreiber dieser Installation hat sich als {email} im Konto angemeldet.',
  },
  'notice.role': { en: '{email} is now {role}.', de: '{email} hat jetzt die Rolle {role}.' },
  'notice.role_lists': {
    en: '{email} is now {role}, for {count} of the lists only.',
    de: '{email} hat jetzt die Rolle {role}, nur für {count} der Listen.',
  },
  'lists.all_and_some': {
    en: '{member}: give either lists or all_lists, not both',
    de: '{member}: Geben Sie entweder lists oder all_lists an, nicht beides',
  },
  'lists.none_named': {
    en: '{member}: name the lists, or none with an empty array',
    de: '{member}: Nennen Sie die Listen, oder keine mit einem leeren Array',
  },
  'lists.of_owner': {
    en: '{member}: an owner has all lists',
    de: '{member}: Wer Inhaber ist, hat alle Listen',
  },
  'notice.owner': { en: '{email} was made an owner.', de: '{email} gehört jetzt zu den Inhabern.' },
  'notice.email': { en: 'The main address is now {email}.', de: 'Die Hauptadresse ist jetzt {email}.' },
  'session.confirm': {
    en: 'Enter your password again first ({method})',
    de: 'Geben Sie zuerst Ihr Passwort noch einmal ein ({method})',
  },
  'session.person_only': {
    en: 'This needs a signed-in user',
    de: 'Dafür muss eine Person angemeldet sein',
  },
  'password.wrong': { en: '{member} is not your password', de: '{member} ist nicht Ihr Passwort' },
  'password.too_short': {
    en: '{member} is shorter than {count} characters',
    de: '{member} ist kürzer als {count} Zeichen',
  },
  'password.too_long': {
    en: '{member} is longer than {count} characters',
    de: '{member} ist länger als {count} Zeichen',
  },
  'password.own_name': {
    en: '{member} is your name or email address',
    de: '{member} ist Ihr Name oder Ihre E-Mail-Adresse',
  },
  'password.repeated': {
    en: '{member} is the same few characters repeated',
    de: '{member} wiederholt immer dieselben Zeichen',
  },
  'password.row': {
    en: '{member} is a sequence of neighbouring keys or letters',
    de: '{member} ist eine Reihe benachbarter Tasten oder Buchstaben',
  },
  'password.common': {
    en: '{member} is one of the most common passwords',
    de: '{member} ist eines der häufigsten Passwörter',
  },
  'second_factor.exists': {
    en: 'A second factor is already set up; remove it first',
    de: 'Es gibt schon einen zweiten Faktor; entfernen Sie ihn zuerst',
  },
  'second_factor.not_begun': {
    en: '{member}: no set-up of a second factor is in progress; call totpBegin() first',
    de: '{member}: Es wird gerade kein zweiter Faktor eingerichtet; rufen Sie zuerst totpBegin() auf',
  },
  'second_factor.not_confirmed': {
    en: '{member}: this code is wrong. Check that your phone sets its time automatically, then enter the next code',
    de: '{member}: Dieser Code ist falsch. Prüfen Sie, ob Ihr Telefon die Uhrzeit automatisch einstellt, und geben Sie den nächsten Code ein',
  },
  'second_factor.wrong_code': {
    en: '{member} is wrong or was used before, or no second factor is set up',
    de: '{member} ist falsch oder schon benutzt, oder es gibt keinen zweiten Faktor',
  },
  'domain.invalid': {
    en: '{member}: "{value}" is not a domain such as news.example.com',
    de: '{member}: „{value}“ ist keine Domain wie news.example.com',
  },
  'domain.mailbox_provider': {
    en: '{member}: {name} is a mailbox provider, and only the provider can publish its DNS records. Send from a domain of your own',
    de: '{member}: {name} ist ein E-Mail-Anbieter, und nur er kann dort DNS-Einträge veröffentlichen. Senden Sie von einer eigenen Domain',
  },
  'domain.too_many': {
    en: '{member}: the account already has {count} domains',
    de: '{member}: Das Konto hat schon {count} Domains',
  },
  'domain.exists': {
    en: '{member}: {name} is already a sender domain of the account',
    de: '{member}: {name} ist schon eine Absenderdomain des Kontos',
  },
  'domain.tracking_outside': {
    en: '{member} is not a name within {domain}, such as click.{domain}',
    de: '{member} ist kein Name innerhalb von {domain}, wie click.{domain}',
  },
  'domain.tracking_used': {
    en: '{member}: {name} already has another use in this installation',
    de: '{member}: {name} hat in dieser Installation schon eine andere Aufgabe',
  },
  'domain.unknown': {
    en: '{member}: the sender domain "{value}" does not exist',
    de: '{member}: Die Absenderdomain „{value}“ gibt es nicht',
  },
  'sender.unknown': {
    en: '{member}: the sender "{id}" does not exist',
    de: '{member}: Den Absender „{id}“ gibt es nicht',
  },
  'sender.address': {
    en: '{member}: "{value}" is not an address that messages can be sent from: letters, digits and common signs of ASCII, then @ and a domain',
    de: '{member}: „{value}“ ist keine Adresse, von der E-Mails gesendet werden können: Buchstaben, Ziffern und übliche Zeichen aus ASCII, dann @ und eine Domain',
  },
  'sender.exists': {
    en: '{member}: the account already has the sender {name} <{email}>',
    de: '{member}: Das Konto hat den Absender {name} <{email}> schon',
  },
  'sender.too_many': {
    en: '{member}: the account already has {count} senders',
    de: '{member}: Das Konto hat schon {count} Absender',
  },
  'sender.setting': {
    en: '{member} must be name or email',
    de: '{member} muss name oder email sein',
  },
  'sender.main_address': {
    en: "{member}: without the PRO plan, messages are sent from the account's main address, {email}",
    de: '{member}: Ohne den Tarif PRO werden E-Mails von der Hauptadresse des Kontos gesendet, {email}',
  },
  'sender.in_use': {
    en: '{member}: {email} is in use. Choose another sender there first: {uses}',
    de: '{member}: {email} wird benutzt. Wählen Sie dort zuerst einen anderen Absender: {uses}',
  },
  'sender.use_list': { en: 'list “{name}”', de: 'Liste „{name}“' },
  'sender.use_campaign': { en: 'campaign “{name}”', de: 'Kampagne „{name}“' },
  'sender.use_more': { en: 'and {count} more', de: 'und {count} weitere' },
  'sender.advice_none': {
    en: 'Messages from this address are not signed. Add {domain} as a sender domain and publish its DNS records.',
    de: 'E-Mails von dieser Adresse werden nicht signiert. Fügen Sie {domain} als Absenderdomain hinzu und veröffentlichen Sie ihre DNS-Einträge.',
  },
  'sender.advice_provider': {
    en: 'Only {domain} can sign messages from this address, and receivers reject or filter others. Use an address of a domain of your own.',
    de: 'Nur {domain} kann E-Mails von dieser Adresse signieren; Empfänger lehnen andere ab oder filtern sie. Nehmen Sie eine Adresse einer eigenen Domain.',
  },
  'sender.advice_pending': {
    en: 'Messages from this address are not signed yet. Publish the DNS records of {domain}, then check the domain.',
    de: 'E-Mails von dieser Adresse werden noch nicht signiert. Veröffentlichen Sie die DNS-Einträge von {domain} und prüfen Sie dann die Domain.',
  },
  'sender.advice_broken': {
    en: 'Messages from this address are no longer signed: a DNS record of {domain} is missing or wrong. Open the domain to see which.',
    de: 'E-Mails von dieser Adresse werden nicht mehr signiert: Ein DNS-Eintrag von {domain} fehlt oder ist falsch. Die Domain zeigt, welcher.',
  },
  'account.foreign_domain': {
    en: '{member}: another account of this installation has proven that {domain} is its domain; prove it in this account first',
    de: '{member}: Ein anderes Konto dieser Installation hat nachgewiesen, dass {domain} seine Domain ist; weisen Sie es zuerst in diesem Konto nach',
  },
  'account.website': { en: '{member} is not a web address', de: '{member} ist keine Web-Adresse' },
  'account.rate': {
    en: '{member} is not a number of messages per second',
    de: '{member} ist keine Anzahl E-Mails je Sekunde',
  },
  'account.frequency_cap': {
    en: '{member} must be a number of emails and of 1 to 90 days, such as 3:7',
    de: '{member} muss eine Anzahl E-Mails und 1 bis 90 Tage sein, etwa 3:7',
  },
  'account.send_window': {
    en: '{member} must be weekdays and hours, such as 12345 08:00-20:00',
    de: '{member} muss Wochentage und Uhrzeiten haben, etwa 12345 08:00-20:00',
  },
  'account.analytics_sites': {
    en: '{member} must be host names, such as example.com shop.example.net',
    de: '{member} muss aus Namen von Websites bestehen, etwa example.com shop.example.net',
  },
  'account.conversion_days': { en: '{member} must be 0 to 99 days', de: '{member} muss 0 bis 99 Tage sein' },
  'account.days': { en: '{member} must be 0 to 9999 days', de: '{member} muss 0 bis 9999 Tage sein' },
  'account.ramp_format': {
    en: '{member} is not first:growth:max:date with a growth above 1 and max not below first',
    de: '{member} ist nicht first:growth:max:date mit einem Wachstum über 1 und einem Höchstwert nicht unter dem Anfang',
  },
  'account.ramp_date': {
    en: '{member} begins on {date}, which is not a day of the calendar',
    de: '{member}: Den Tag {date} gibt es nicht',
  },
});
