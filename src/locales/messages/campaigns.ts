// Messages about campaigns, templates, pictures and reports.
import { defineMessages } from './define.ts';

export const campaigns = defineMessages({
  'ab_test.none': { en: 'The campaign has no A/B test', de: 'Die Kampagne hat keinen A/B-Test' },
  'ab_test.not_launched': {
    en: 'The A/B test has not begun: the campaign has not been sent yet',
    de: 'Der A/B-Test hat noch nicht begonnen: Die Kampagne wurde noch nicht gesendet',
  },
  'ab_test.decided': {
    en: 'The A/B test has ended; its winner cannot be changed',
    de: 'Der A/B-Test ist beendet; der Gewinner lässt sich nicht mehr ändern',
  },
  'ab_test.variant_unknown': {
    en: '{member}: the campaign has no variant {variant}',
    de: '{member}: Die Kampagne hat keine Variante {variant}',
  },
  'ab_test.not_for_auto': {
    en: '{member}: an autoresponder cannot have an A/B test, because its recipients come one by one',
    de: '{member}: Ein Autoresponder kann keinen A/B-Test haben, denn seine Empfänger kommen einzeln',
  },
  'ab_test.not_with_time_match': {
    en: '{member}: time_match and an A/B test cannot be combined: the winner would come too late for the first time zones',
    de: '{member}: time_match und ein A/B-Test schließen sich aus: Für die ersten Zeitzonen käme der Gewinner zu spät',
  },
  'ab_test.not_with_best_hour': {
    en: '{member}: best_hour and an A/B test cannot be combined: the winner would be known before many have got their variant',
    de: '{member}: best_hour und ein A/B-Test schließen sich aus: Der Gewinner stünde fest, bevor viele ihre Variante haben',
  },
  'archive.language': {
    en: '{member} must be one of {choices}',
    de: '{member} muss eines von {choices} sein',
  },
  'archive.slug': {
    en: '{member} must have 3 to 60 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen',
    de: '{member} muss aus 3 bis 60 Kleinbuchstaben, Ziffern und Bindestrichen bestehen und darf nicht mit einem Bindestrich beginnen oder enden',
  },
  'archive.slug_taken': {
    en: '{member}: this address is taken; choose another one',
    de: '{member}: Diese Adresse ist vergeben; wählen Sie eine andere',
  },
  'campaign.best_hour_and_time_match': {
    en: '{member}: best_hour and time_match cannot be combined',
    de: '{member}: best_hour und time_match schließen sich aus',
  },
  'ab_test.not_with_languages': {
    en: '{member}: language versions and an A/B test cannot be combined',
    de: '{member}: Sprachfassungen und ein A/B-Test schließen sich aus',
  },
  'language.invalid': {
    en: '{member} is not a language tag such as de or pt-br',
    de: '{member} ist kein Sprachkürzel wie de oder pt-br',
  },
  'language.unknown': {
    en: '{member}: the campaign has no version for "{language}"',
    de: '{member}: Die Kampagne hat keine Fassung für „{language}“',
  },
  'language.no_subject': {
    en: '{member}: a language version needs a subject',
    de: '{member}: Eine Sprachfassung braucht einen Betreff',
  },
  'language.no_content': {
    en: '{member}: a language version needs content',
    de: '{member}: Eine Sprachfassung braucht einen Inhalt',
  },
  'language.too_many': {
    en: '{member}: a campaign has at most {count} language versions',
    de: '{member}: Eine Kampagne hat höchstens {count} Sprachfassungen',
  },
  'ab_test.no_variant': {
    en: '{member}: a test needs at least one variant besides the campaign itself',
    de: '{member}: Ein Test braucht mindestens eine Variante neben der Kampagne selbst',
  },
  'ab_test.same': {
    en: '{member}: this variant does not differ from the campaign or from a variant before it',
    de: '{member}: Diese Variante unterscheidet sich nicht von der Kampagne oder einer Variante davor',
  },
  'ab_test.plain_only': {
    en: '{member}: a plain-text campaign has no HTML',
    de: '{member}: Eine Nur-Text-Kampagne hat kein HTML',
  },
  'ab_test.clicks_not_tracked': {
    en: '{member}: clicks are not counted in this campaign (tracking.html_clicks, tracking.text_clicks)',
    de: '{member}: In dieser Kampagne werden Klicks nicht gezählt (tracking.html_clicks, tracking.text_clicks)',
  },
  'ab_test.opens_not_tracked': {
    en: '{member}: opens are not counted in this campaign (tracking.opens)',
    de: '{member}: In dieser Kampagne werden Öffnungen nicht gezählt (tracking.opens)',
  },
  'ab_test.summary.none': {
    en: 'No one has opened or clicked yet.',
    de: 'Noch hat niemand geöffnet oder geklickt.',
  },
  'ab_test.summary.better': {
    en: 'Variant {name} is better with {confidence} % confidence.',
    de: 'Variante {name} ist mit {confidence} % Sicherheit besser.',
  },
  'ab_test.summary.chance': {
    en: 'Variant {name} is ahead, but the difference may be chance.',
    de: 'Variante {name} liegt vorn, der Unterschied kann aber Zufall sein.',
  },
  'ab_test.summary.equal': {
    en: 'There is no difference between the variants.',
    de: 'Zwischen den Varianten gibt es keinen Unterschied.',
  },
  'follow_up.auto': {
    en: '{member}: an autoresponder has no follow-up, because it is never finished',
    de: '{member}: Bei einem Autoresponder lässt sich nicht nachfassen, denn er endet nie',
  },
  'follow_up.no_opens': {
    en: '{member}: opens were not counted in this campaign',
    de: '{member}: In dieser Kampagne wurden Öffnungen nicht gezählt',
  },
  'follow_up.no_clicks': {
    en: '{member}: clicks were not counted in this campaign',
    de: '{member}: In dieser Kampagne wurden Klicks nicht gezählt',
  },
  'follow_up.title.not_opened': { en: '{title} (again, not opened)', de: '{title} (noch einmal, nicht geöffnet)' },
  'follow_up.title.not_clicked': { en: '{title} (again, not clicked)', de: '{title} (noch einmal, nicht geklickt)' },
  'follow_up.title.failed': { en: '{title} (again, failed)', de: '{title} (noch einmal, fehlgeschlagen)' },
  'follow_up.segment.not_opened': { en: 'Did not open: {title}', de: 'Nicht geöffnet: {title}' },
  'follow_up.segment.not_clicked': { en: 'Did not click: {title}', de: 'Nicht geklickt: {title}' },
  'follow_up.segment.failed': { en: 'Failed: {title}', de: 'Fehlgeschlagen: {title}' },
  'block.too_many': {
    en: 'There can be at most {count} saved blocks; delete one first',
    de: 'Es kann höchstens {count} gespeicherte Blöcke geben; löschen Sie zuerst einen',
  },
  'brand.not_a_colour': {
    en: '{member} must be a colour such as #1f5fbf',
    de: '{member} muss eine Farbe wie #1f5fbf sein',
  },
  'campaign.unknown': {
    en: '{member}: the campaign "{id}" does not exist',
    de: '{member}: Die Kampagne „{id}“ gibt es nicht',
  },
  'campaign.wrong_state': { en: 'The campaign {state}; {rule}', de: 'Die Kampagne ist {state}; {rule}' },
  'campaign.state.draft': { en: 'is a draft', de: 'ein Entwurf' },
  'campaign.state.scheduled': { en: 'is scheduled', de: 'eingeplant' },
  'campaign.state.launching': {
    en: 'is already being sent (launching)',
    de: 'schon im Versand (wird vorbereitet)',
  },
  'campaign.state.sending': { en: 'is already being sent', de: 'schon im Versand' },
  'campaign.state.paused': { en: 'is paused', de: 'pausiert' },
  'campaign.state.sent': { en: 'has already been sent', de: 'schon gesendet' },
  'campaign.rule.change_unsent': {
    en: 'a campaign can be changed until it is being sent, or while it is paused and no one has received it; after that its text can be corrected (campaignRevisionCreate)',
    de: 'eine Kampagne lässt sich ändern, bis sie gesendet wird, oder solange sie pausiert ist und niemand sie bekommen hat; danach lässt sich ihr Text korrigieren (campaignRevisionCreate)',
  },
  'campaign.rule.publish': {
    en: 'a correction can be published while an autoresponder or an email of an automation is being sent; campaignResume publishes that of a paused campaign',
    de: 'eine Korrektur lässt sich veröffentlichen, solange ein Autoresponder oder die E-Mail einer Automation gesendet wird; die einer pausierten Kampagne veröffentlicht campaignResume',
  },
  'campaign.drafts_only': {
    en: '{member}: only drafts can be changed without the permission "campaigns:send"',
    de: '{member}: Ohne die Berechtigung „campaigns:send“ lassen sich nur Entwürfe ändern',
  },
  'template.sent_by_alias': {
    en: '{member}: programs send by the alias of a template; to give one, or to change such a template, needs the permission "campaigns:send" or "messages:send"',
    de: '{member}: Programme senden mit dem Alias einer Vorlage; einen zu vergeben oder eine solche Vorlage zu ändern braucht die Berechtigung „campaigns:send“ oder „messages:send“',
  },
  'campaign.test_people_only': {
    en: '{email} is not an address of a person of the account; tests to others need the permission "campaigns:send"',
    de: '{email} gehört keiner Person des Kontos; Tests an andere brauchen die Berechtigung „campaigns:send“',
  },
  'campaign.only_texts': {
    en: 'Some have received the campaign, so only its texts can be corrected, not {name}; these can be changed: {choices}',
    de: 'Einige haben die Kampagne schon bekommen; jetzt lassen sich nur ihre Texte korrigieren, nicht {name}. Ändern lassen sich: {choices}',
  },
  'campaign.correct_not_with_test': {
    en: 'A campaign with an A/B test cannot be corrected after some have received it: its variants could no longer be compared',
    de: 'Eine Kampagne mit einem A/B-Test lässt sich nicht mehr korrigieren, wenn einige sie bekommen haben: Ihre Varianten wären nicht mehr vergleichbar',
  },
  'campaign.no_new_language': {
    en: 'Some have received the campaign, so the text of a language version can be corrected, but none can be added or removed',
    de: 'Einige haben die Kampagne schon bekommen; der Text einer Sprachfassung lässt sich korrigieren, aber keine hinzufügen oder entfernen',
  },
  'campaign.link_not_web': {
    en: '{member} must be a complete web address that can be tracked: it begins with http:// or https://, its host has no merge tags, and its merge tags are fields of the lists, of EVENT, or within a loop of ITEM; only a link that was a merge tag as a whole from the beginning may be one',
    de: '{member} muss eine vollständige Webadresse sein, die sich zählen lässt: Sie beginnt mit http:// oder https://, ihr Host hat keine Platzhalter, und ihre Platzhalter sind Felder der Listen, von EVENT oder in einer Schleife von ITEM; nur ein Link, der von Anfang an als Ganzes ein Platzhalter war, darf einer sein',
  },
  'campaign.nothing_to_publish': {
    en: 'The text has not been changed since it was published',
    de: 'Der Text wurde seit der letzten Veröffentlichung nicht geändert',
  },
  'campaign.too_many_revisions': {
    en: 'A campaign can have at most {count} revisions; make a copy of it',
    de: 'Eine Kampagne kann höchstens {count} Revisionen haben; kopieren Sie sie',
  },
  'campaign.rule.send': {
    en: 'only a draft or a scheduled campaign can be sent',
    de: 'nur ein Entwurf oder eine eingeplante Kampagne lässt sich senden',
  },
  'campaign.rule.schedule': {
    en: 'only a draft or a scheduled campaign can be scheduled',
    de: 'nur ein Entwurf oder eine eingeplante Kampagne lässt sich einplanen',
  },
  'campaign.rule.unschedule': {
    en: 'only a scheduled campaign, or one within its time to undo, can be unscheduled',
    de: 'nur eine eingeplante Kampagne, oder eine in der Zeit zum Rückgängigmachen, lässt sich zurücknehmen',
  },
  'campaign.rule.follow_up': {
    en: 'a follow-up can be made once the campaign has been sent',
    de: 'nachfassen lässt sich erst, wenn die Kampagne gesendet ist',
  },
  'campaign.rule.test_unsent': {
    en: 'test messages can only be sent of a campaign that is a draft, scheduled or paused, and of an autoresponder or an email of an automation that is running',
    de: 'Test-E-Mails lassen sich nur von einer Kampagne senden, die ein Entwurf, eingeplant oder pausiert ist, und von einem Autoresponder oder einer E-Mail einer Automation, die läuft',
  },
  'campaign.rule.hide': {
    en: 'only a draft or a sent campaign can be hidden',
    de: 'nur ein Entwurf oder eine gesendete Kampagne lässt sich ausblenden',
  },
  'campaign.email_of_automation': {
    en: 'It is the email of an automation, which sends it when contacts reach its step',
    de: 'Sie ist die E-Mail einer Automation, die sie sendet, wenn Kontakte ihren Schritt erreichen',
  },
  'campaign.sending_not_allowed': { en: 'This account may not send', de: 'Dieses Konto darf nicht senden' },
  'campaign.no_list': {
    en: 'The campaign goes to no list (its lists were deleted); set list_id first',
    de: 'Die Kampagne geht an keine Liste (ihre Listen wurden gelöscht); wählen Sie eine Liste',
  },
  'campaign.no_html': { en: 'The campaign has no HTML', de: 'Die Kampagne hat kein HTML' },
  'campaign.no_plain': { en: 'The campaign has no plain text', de: 'Die Kampagne hat keinen Nur-Text' },
  'campaign.plain_missing': {
    en: 'The campaign has no plain text; set plain or generate_text',
    de: 'Die Kampagne hat keinen Nur-Text; schreiben Sie ihn, oder lassen Sie ihn erzeugen',
  },
  'campaign.no_type_opts': {
    en: 'The autoresponder has no settings; set type_opts',
    de: 'Der Autoresponder hat keine Einstellungen; legen Sie sie zuerst fest',
  },
  'campaign.too_many_test_addresses': {
    en: '{member} has {length} addresses, more than {count}',
    de: '{member} hat {length} Adressen, mehr als {count}',
  },
  'campaign.no_test_address': { en: '{member} names no address', de: '{member} nennt keine Adresse' },
  'campaign.too_many_tests': {
    en: 'More than {count} test messages an hour; try again in {minutes} minutes',
    de: 'Mehr als {count} Test-E-Mails in einer Stunde; versuchen Sie es in {minutes} Minuten wieder',
  },

  'campaign.no_list_named': { en: '{member} names no list', de: '{member} nennt keine Liste' },
  'campaign.list_unknown': {
    en: '{member}: the list "{id}" does not exist',
    de: '{member}: Die Liste „{id}“ gibt es nicht',
  },
  'campaign.segment_unknown': {
    en: '{member}: the segment "{id}" does not exist',
    de: '{member}: Das Segment „{id}“ gibt es nicht',
  },
  'campaign.segment_of_other_list': {
    en: '{member}: segment "{id}" is not built on a list of this campaign',
    de: '{member}: Das Segment „{id}“ gehört zu keiner Liste dieser Kampagne',
  },
  'campaign.option_unknown': {
    en: '{member}: the option "{name}" does not exist; the options are {choices}',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt {choices}',
  },
  'campaign.changed_by': {
    en: '{member}: {who} changed {part} at {at} (UTC); it is at version {version} now',
    de: '{member}: {who} hat {part} um {at} (UTC) geändert; die Version ist jetzt {version}',
  },
  'campaign.changed_by_you': {
    en: '{member}: you ({who}) changed {part} in another window at {at} (UTC); it is at version {version} now',
    de: '{member}: Sie ({who}) haben {part} um {at} (UTC) in einem anderen Fenster geändert; die Version ist jetzt {version}',
  },
  'campaign.changed': {
    en: '{member}: {part} has another version now: {version}, since {at} (UTC)',
    de: '{member}: {part} hat jetzt eine andere Version: {version}, seit {at} (UTC)',
  },
  'campaign.version_unknown': {
    en: '{member}: the campaign has no version {version}',
    de: '{member}: Die Kampagne hat keine Version {version}',
  },
  'campaign.variant_gone': {
    en: '{member}: the campaign has no variant {name} any more',
    de: '{member}: Die Kampagne hat keine Variante {name} mehr',
  },
  'campaign.contact_unknown': {
    en: '{member}: the contact "{email}" does not exist',
    de: '{member}: Den Kontakt „{email}“ gibt es nicht',
  },
  'campaign.link_unknown': {
    en: '{member}: the campaign has no link "{id}"',
    de: '{member}: Die Kampagne hat keinen Link „{id}“',
  },

  'campaign.address_invalid': {
    en: '{member}: "{email}" is not an email address',
    de: '{member}: „{email}“ ist keine E-Mail-Adresse',
  },
  'campaign.address_not_ascii': {
    en: '{member}: "{email}" has non-ASCII characters before the @, which many servers reject in a sender',
    de: '{member}: „{email}“ hat vor dem @ andere Zeichen als ASCII, was viele Server bei einem Absender ablehnen',
  },
  'campaign.pro_only': { en: '{member} is for PRO accounts only', de: '{member} gibt es nur für PRO-Konten' },
  'campaign.inline_addon': {
    en: '{member} needs the add-on inline_img',
    de: '{member} braucht die Erweiterung für eingebettete Bilder',
  },
  'campaign.foreign_domain': {
    en: '{member}: another account of this installation has proven that {domain} is its domain; prove it in this account, too, to send from it',
    de: '{member}: Ein anderes Konto dieser Installation hat nachgewiesen, dass {domain} seine Domain ist; weisen Sie es auch in diesem Konto nach, um von dort zu senden',
  },
  'campaign.domain_not_authenticated': {
    en: '{member}: {domain} is not an authenticated and activated domain of this account',
    de: '{member}: {domain} ist keine bestätigte und eingeschaltete Domain dieses Kontos',
  },

  'campaign.date_format': {
    en: '{member} must have the form YYYY-MM-DD HH:MM:SS, optionally followed by a zone such as +0100',
    de: '{member} muss die Form JJJJ-MM-TT HH:MM:SS haben, auf Wunsch gefolgt von einer Zone wie +0100',
  },
  'campaign.date_month': { en: '{member} has a month that is not 01 to 12', de: '{member}: Monate sind 01 bis 12' },
  'campaign.date_day': {
    en: '{member} has a day that does not exist in its month',
    de: '{member}: Diesen Tag gibt es in dem Monat nicht',
  },
  'campaign.date_hour': { en: '{member} has an hour that is not 00 to 23', de: '{member}: Stunden sind 00 bis 23' },
  'campaign.date_minute': {
    en: '{member} has a minute that is not 00 to 59',
    de: '{member}: Minuten sind 00 bis 59',
  },
  'campaign.date_second': {
    en: '{member} has a second that is not 00 to 59',
    de: '{member}: Sekunden sind 00 bis 59',
  },
  'campaign.date_offset': {
    en: '{member} has a zone that is not between -1200 and +1400',
    de: '{member}: Zonen liegen zwischen -1200 und +1400',
  },
  'campaign.date_range': {
    en: '{member} is before 1970 or after 9999',
    de: '{member} liegt vor 1970 oder nach 9999',
  },
  'campaign.date_past': { en: '{member} is in the past', de: '{member} liegt in der Vergangenheit' },

  'campaign.type_opts_required': {
    en: '{member} is required for a campaign of type auto',
    de: '{member} wird für eine Kampagne der Art auto gebraucht',
  },
  'campaign.type_opts_for_auto': {
    en: '{member} is for campaigns of type auto only',
    de: '{member} gilt nur für Kampagnen der Art auto',
  },
  'campaign.type_opts_first': {
    en: '{member}: set type_opts before the type is changed to auto',
    de: '{member}: Legen Sie type_opts fest, bevor die Art zu auto wechselt',
  },
  'campaign.date_field_required': {
    en: '{member} is required when event is {event}',
    de: '{member} wird gebraucht, wenn event {event} ist',
  },
  'campaign.date_field_unknown': {
    en: '{member}: the list "{list}" has no field {tag}, which the autoresponder counts from',
    de: '{member}: Die Liste „{list}“ hat kein Feld {tag}, von dem der Autoresponder ausgeht',
  },
  'campaign.date_field_type': {
    en: '{member}: the field {tag} of the list "{list}" is of type {type}, not date',
    de: '{member}: Das Feld {tag} der Liste „{list}“ ist von der Art {type}, nicht date',
  },
  'campaign.before_signup': {
    en: '{member}: nothing can be sent before a sign-up, because the contact is not known until then; use after, or the event date or annual',
    de: '{member}: Vor einer Anmeldung kann nichts gesendet werden, weil der Kontakt erst durch sie bekannt wird; wählen Sie after, oder das Ereignis date oder annual',
  },

  'content.no_plain': {
    en: '{member} has no plain text: give plain',
    de: '{member} hat keinen Nur-Text: geben Sie plain an',
  },
  'content.no_html': {
    en: '{member} has no HTML: give html, url, archive or template_id',
    de: '{member} hat kein HTML: geben Sie html, url, archive oder template_id an',
  },
  'content.plain_missing': {
    en: '{member} is missing: give it, or set options.generate_text to true',
    de: '{member} fehlt: schreiben Sie den Nur-Text, oder lassen Sie ihn erzeugen',
  },
  'content.import_failed': { en: '{member}: {reason}', de: '{member}: {reason}' },
  'content.template_unknown': {
    en: '{member}: the template "{id}" does not exist',
    de: '{member}: Die Vorlage „{id}“ gibt es nicht',
  },
  'content.too_large': {
    en: '{member} has {length} characters, more than {count}',
    de: '{member} hat {length} Zeichen, mehr als {count}',
  },
  'content.too_complex': {
    en: 'The content cannot be read within {seconds} s; simplify its HTML',
    de: 'Der Inhalt lässt sich nicht innerhalb von {seconds} s lesen; vereinfachen Sie das HTML',
  },
  'content.busy': {
    en: 'Too many large pages are being read at once; try again in a few seconds',
    de: 'Es werden gerade zu viele große Seiten gelesen; versuchen Sie es in einigen Sekunden wieder',
  },
  'content.html_empty': { en: '{member}: the HTML is empty', de: '{member}: Das HTML ist leer' },
  'content.campaign_without_html': {
    en: '{member}: the campaign has no HTML',
    de: '{member}: Die Kampagne hat kein HTML',
  },
  'content.campaign_without_plain': {
    en: '{member}: the campaign has no plain text',
    de: '{member}: Die Kampagne hat keinen Nur-Text',
  },
  'content.plain_empty': {
    en: '{member}: the plain text is empty; give it, or set generate_text to true',
    de: '{member}: Der Nur-Text ist leer; schreiben Sie ihn, oder lassen Sie ihn erzeugen',
  },
  'template.name_length': {
    en: '{member}: a name has 1 to 200 characters',
    de: '{member}: Ein Name hat 1 bis 200 Zeichen',
  },
  'template.option_unknown': {
    en: '{member}: the option "{name}" does not exist; the options are name, layout, source, alias, subject',
    de: '{member}: Die Option „{name}“ gibt es nicht; es gibt name, layout, source, alias, subject',
  },
  'template.alias_form': {
    en: '{member}: an alias has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit',
    de: '{member}: Ein Alias hat 1 bis 64 Buchstaben, Ziffern, Punkte, Binde- und Unterstriche und beginnt mit Buchstabe oder Ziffer',
  },
  'template.alias_taken': {
    en: '{member}: the template "{name}" has the alias {alias}',
    de: '{member}: Die Vorlage „{name}“ hat den Alias {alias}',
  },
  'template.subject_length': {
    en: '{member}: a subject has at most {count} characters',
    de: '{member}: Ein Betreff hat höchstens {count} Zeichen',
  },
  'template.version_unknown': {
    en: '{member}: the template has no version {version}',
    de: '{member}: Die Vorlage hat keine Version {version}',
  },
  'template.empty': {
    en: '{member} is empty (at most {count} characters)',
    de: '{member} ist leer (höchstens {count} Zeichen)',
  },

  'picture.unknown': { en: '{member}: the image does not exist', de: '{member}: Dieses Bild gibt es nicht' },
  'picture.svg': {
    en: '{member} is an SVG, which email clients do not show',
    de: '{member} ist ein SVG, das E-Mail-Programme nicht zeigen',
  },
  'picture.not_a_picture': {
    en: '{member} is not a PNG, JPEG, GIF or WebP image',
    de: '{member} ist kein Bild in PNG, JPEG, GIF oder WebP',
  },
  'picture.size_unreadable': {
    en: '{member} is damaged: its size cannot be read',
    de: '{member} ist beschädigt: Die Größe ist nicht lesbar',
  },
  'picture.parts_unreadable': {
    en: '{member} is damaged: its parts cannot be read',
    de: '{member} ist beschädigt: Die Teile sind nicht lesbar',
  },
  'picture.too_many_pixels': {
    en: '{member} has {width} × {height} pixels; at most {count} per side are allowed',
    de: '{member} hat {width} × {height} Pixel; erlaubt sind höchstens {count} je Seite',
  },
  'picture.storage_full': {
    en: '{member} does not fit: the images of the account take 1 GiB; delete some first',
    de: '{member} passt nicht: Die Bilder des Kontos belegen 1 GiB; löschen Sie zuerst einige',
  },
  'picture.not_base64': { en: '{member} is not encoded with Base64', de: '{member} ist nicht mit Base64 kodiert' },
  'picture.too_large': { en: '{member} is larger than {count} MiB', de: '{member} ist größer als {count} MiB' },
  'campaign.not_ready': { en: '{problems}', de: '{problems}' },
});
