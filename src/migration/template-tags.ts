// The placeholders of other programs in templates, as merge tags. Those that have no counterpart stay as they are; the check before
// sending names them.
import type { Source } from './files/item.ts';

const firstName = '*|FNAME|*';
const lastName = '*|LNAME|*';
const name = `${firstName} ${lastName}`;
const email = '*|EMAIL|*';
const unsubscribe = '*|UNSUB|*';

const tables: Record<Source, readonly (readonly [RegExp, string])[]> = {
  // The same merge tags.
  mailchimp: [],
  listmonk: [
    [/\{\{-?\s*\.Subscriber\.FirstName\s*-?\}\}/g, firstName],
    [/\{\{-?\s*\.Subscriber\.LastName\s*-?\}\}/g, lastName],
    [/\{\{-?\s*\.Subscriber\.Name\s*-?\}\}/g, name],
    [/\{\{-?\s*\.Subscriber\.Email\s*-?\}\}/g, email],
    [/\{\{-?\s*UnsubscribeURL\s*\.?\s*-?\}\}/g, unsubscribe],
    [/\{\{-?\s*(?:TrackView|ManageURL|MessageURL)\s*\.?\s*-?\}\}/g, ''],
  ],
  mailtrain: [
    [/\[FIRST_NAME\]/g, firstName],
    [/\[LAST_NAME\]/g, lastName],
    [/\[FULL_NAME\]/g, name],
    [/\[EMAIL\]/g, email],
    [/\[LINK_UNSUBSCRIBE\]/g, unsubscribe],
  ],
  keila: [
    [/\{\{-?\s*contact\.first_name\s*-?\}\}/g, firstName],
    [/\{\{-?\s*contact\.last_name\s*-?\}\}/g, lastName],
    [/\{\{-?\s*contact\.email\s*-?\}\}/g, email],
    [/\{\{-?\s*unsubscribe_link\s*-?\}\}/g, unsubscribe],
  ],
  brevo: [
    [/\{\{\s*contact\.FIRSTNAME\s*\}\}/g, firstName],
    [/\{\{\s*contact\.LASTNAME\s*\}\}/g, lastName],
    [/\{\{\s*contact\.EMAIL\s*\}\}/g, email],
    [/\{\{\s*unsubscribe\s*\}\}/g, unsubscribe],
  ],
};

export const convertTags = (source: Source, html: string): string =>
  tables[source].reduce((text, [placeholder, tag]) => text.replace(placeholder, tag), html);
