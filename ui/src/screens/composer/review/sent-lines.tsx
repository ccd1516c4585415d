// What goes out besides the email itself: the variants of an A/B test, languages, attachments, and what is recorded.
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { useTagless } from '../../../parts/tagged/tagged.tsx';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import { sizeText, useAttachedSize } from '../attachments/attached.ts';
import { type DraftValues, useDraft } from '../draft.tsx';
import { type TermLine, TermLines } from './term-lines.tsx';

export function SentLines() {
  const t = useText('composer');
  const { cid, values } = useDraft();
  const { files } = useAttachedSize(cid);
  const languageName = useLanguageNames();
  const { tracking, languages, analytics } = values;
  const recorded = [
    tracking.opens && t('trackOpens'),
    tracking.html_clicks && t('trackHtml'),
    tracking.text_clicks && t('trackText'),
  ].filter((name) => name !== false);
  const tagless = useTagless();
  const lines: TermLine[] = [
    [t('abTest'), useTestLines()],
    [t('languages'), languages.map(({ language, subject }) => `${languageName(language)}: ${tagless(subject)}`)],
    [t('attachments'), files.map(({ name, size }) => `${name} (${sizeText(size)})`)],
    [t('tracking'), [recorded.length > 0 ? recorded.join(', ') : t('nothingTracked')]],
    [t('analytics'), analyticsOf(analytics)],
  ];
  return <TermLines lines={lines} isList />;
}

/** The parameters of web analytics that the campaign sets. */
const analyticsOf = ({ google, source, medium, content, term }: DraftValues['analytics']): string[] => {
  const set = [google, source, medium, content, term].filter(Boolean);
  return set.length > 0 ? [set.join(' · ')] : [];
};

/** Who gets which variant, and how the winner is found. */
function useTestLines(): string[] {
  const t = useText('composer');
  const tagless = useTagless();
  const { test, subject } = useDraft().values;
  if (!test.on) return [];
  const { share, winner, wait_minutes, variants } = test;
  const hours = Math.round(wait_minutes / 6) / 10;
  return [
    `${variantName(0)}: ${tagless(subject)}`,
    ...variants.map((variant, at) => {
      const own = [
        tagless(variant.subject),
        variant.from_name !== '' && t('reviewSender', { name: variant.from_name }),
        (variant.html !== '' || variant.plain !== '') && t('reviewContent'),
      ].filter(Boolean);
      return `${variantName(at + 1)}: ${own.length > 0 ? own.join(' · ') : t('reviewSame')}`;
    }),
    share === 100 ? t('reviewAll') : t(`reviewWinner.${winner}`, { share, hours }),
  ];
}
