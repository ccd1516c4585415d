// The tags of merge fields: which texts can be one, and which are reserved.
import { fault } from '../../base/faults.ts';
import { builtInField } from './segment.ts';

const reservedTags =
  /^(EMAIL|EMAIL_TYPE|UNSUB|UPDATE_PROFILE|ARCHIVE|DATE|LIST|CAMPAIGN|STATUS|UNSUBSCRIBED|UNSUBSCRIBE_TIME|UNSUBSCRIBE_REASON|BOUNCED|OPTINIP|OPTINTIME|CONFIRM_IP|LANGUAGE|TIMEZONE|TAGS|MERGE\d*)$/;

/** Whether a tag already means something in messages, segments or imports, so that no field may use it. */
export const isReservedTag = (tag: string) => reservedTags.test(tag) || builtInField(tag) !== undefined;

/** Whether a field can have the name as its tag. */
export const canBeTag = (name: string): boolean => hasTagForm(name.toUpperCase()) && !isReservedTag(name.toUpperCase());

/** The tag of a new field, in upper case. @throws Fault FIELD_INVALID */
export function needNewTag(tag: string): string {
  const upper = tag.trim().toUpperCase();
  if (!hasTagForm(upper)) throw fault('FIELD_INVALID', 'field.tag_format', { member: 'tag', value: tag.slice(0, 40) });
  if (isReservedTag(upper)) throw fault('FIELD_INVALID', 'field.tag_reserved', { member: 'tag', tag: upper });
  return upper;
}

const hasTagForm = (upper: string) => /^[A-Z][A-Z0-9_]{0,49}$/.test(upper);
