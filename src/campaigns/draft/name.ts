// The name that a campaign gets from its subject: the subject as a contact without any values would read it, so that no merge tag
// is left in it. Not what is sent; that is compiled (compile.ts).
import { itemTag, readMember } from '../markup/data.ts';
import { findTags, type Tag } from '../markup/merge-tags.ts';

/** The subject itself, if it consists of tags only. */
export function nameFrom(subject: string): string {
  let name = '';
  let from = 0;
  // For each open condition, the branch that is shown: none yet, this one, or an earlier one.
  const open: ('none' | 'this' | 'earlier')[] = [];
  const isShown = () => open.every((branch) => branch === 'this');
  for (const tag of findTags(subject, 'plain')) {
    if (isShown()) name += subject.slice(from, tag.start);
    from = tag.end;
    const condition = /^(ELSE)?(?:IF(NOT)?)?$/.exec(tag.name);
    if (/^END(?:IF)?$/.test(tag.name)) open.pop();
    else if (tag.name === 'EACH') open.push('none');
    else if (condition && !condition[1]) open.push(condition[2] ? 'this' : 'none');
    else if (condition)
      open.push(open.pop() !== 'none' ? 'earlier' : condition[2] || tag.name === 'ELSE' ? 'this' : 'none');
    else if (isShown() && !isFormat(tag.name)) name += defaultOf(tag);
  }
  if (from === 0) return subject;
  if (isShown()) name += subject.slice(from);
  return tidy(name) || subject;
}

/** What an empty value becomes: the text behind the name, of a member the one behind its path. */
const defaultOf = ({ name, argument }: Tag): string =>
  ((name === 'EVENT' || name === itemTag ? readMember(argument)?.fallback : argument) ?? '').trim();

/** Whether what follows the name is not what an empty value becomes. */
const isFormat = (name: string) => /^(?:DATE|RSS(?:ITEMS?|FEED))$/.test(name);

/** Without the gaps and signs that were around a tag. */
const tidy = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:!?])/g, '')
    .replace(/^[\s,.;:!?–—-]+|[\s,;:–—-]+$/g, '');
