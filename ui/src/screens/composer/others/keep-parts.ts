// Keeps in the history the texts of language versions and of A/B variants that the decision of a conflict replaces. The server keeps
// that of the email itself.
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { call } from '../../../api/call.ts';
import type { DraftValues } from '../draft.tsx';
import type { LanguageSaver } from '../languages/language-values.ts';
import type { Conflict } from './others.ts';
import { readDraft } from './read-draft.ts';

type Options = {
  cid: string;
  conflicts: readonly Conflict[];
  languages: LanguageSaver;
  /** What was typed in this window. */
  mine: DraftValues;
  /** Whose texts are not chosen. */
  kept: 'mine' | 'theirs';
};

type Texts = { name: string; subject: string; preview_text: string; from_name: string; html: string; plain: string };

export async function keepParts({ cid, conflicts, languages, mine, kept }: Options): Promise<void> {
  const has = (name: string) => conflicts.some((conflict) => conflict.name === name);
  if (!has('languages') && !has('test')) return;
  const { values: theirs } = await readDraft(cid);
  const [lost, chosen] = kept === 'mine' ? [mine, theirs] : [theirs, mine];
  const author = kept === 'mine' ? 'caller' : 'last_editor';
  const keep = async (part: 'languages' | 'test', texts: readonly Texts[], others: readonly Texts[]) => {
    for (const { plain, ...text } of texts) {
      const other = others.find(({ name }) => name === text.name);
      if (other && sameTexts({ plain, ...text }, other)) continue;
      // The plain text of HTML is made from it.
      await call('campaignVersionKeep', { cid, part, author, ...text, plain: text.html === '' ? plain : '' });
    }
  };
  if (has('languages')) {
    // Only these are replaced: a language that was not changed here stays as it is there.
    const changed = new Set(languages.unsaved(mine.languages).map(({ language }) => language));
    const removed = (language: string) => !mine.languages.some((version) => version.language === language);
    const concerned = (language: string) =>
      kept === 'mine' ? changed.has(language) : changed.has(language) || removed(language);
    await keep(
      'languages',
      languageTexts(lost.languages).filter(({ name }) => concerned(name)),
      languageTexts(chosen.languages),
    );
  }
  if (has('test')) await keep('test', variantTexts(lost), variantTexts(chosen));
}

const languageTexts = (versions: DraftValues['languages']): Texts[] =>
  versions.map(({ language, ...texts }) => ({ name: language, ...texts }));

/** A is the email itself. */
const variantTexts = ({ test }: DraftValues): Texts[] =>
  test.on ? test.variants.map((texts, at) => ({ name: variantName(at + 1), ...texts })) : [];

const sameTexts = (a: Texts, b: Texts) =>
  (['subject', 'preview_text', 'from_name'] as const).every((name) => a[name] === b[name]) &&
  (a.html === '' ? a.plain === b.plain : a.html === b.html);
