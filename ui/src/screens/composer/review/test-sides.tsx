// The sides of an A/B test beside each other: who gets which, what differs, and how the winner is found.
import { Text } from '@mantine/core';
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import { divided } from '../ab-test/test-values.ts';
import { useDraft } from '../draft.tsx';
import { useAudience } from '../to-section.tsx';
import classes from './review.module.css';

export function TestSides() {
  const t = useText('composer');
  const { test, subject, from_name, preview_text } = useDraft().values;
  const recipients = useAudience().data?.recipients ?? 0;
  const { winner, wait_minutes, variants } = test;
  const { each, rest } = divided(recipients, test);
  const hours = Math.round(wait_minutes / 6) / 10;
  const differs = {
    sender: variants.some((variant) => variant.from_name !== ''),
    preview: variants.some((variant) => variant.preview_text !== ''),
    content: variants.some(({ html, plain }) => html !== '' || plain !== ''),
  };
  const sides = [{ subject: '', from_name: '', preview_text: '', html: '', plain: '' }, ...variants];
  return (
    <>
      <ul className={classes.sides} aria-label={t('variants')}>
        {sides.map((side, at) => (
          // Variants have no name but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: they are not moved here
          <li key={at} className={classes.side}>
            <Text size="sm" c="dimmed">
              <b>{variantName(at)}</b>
              {recipients > 0 && ` · ${t('sideGet', { count: each })}`}
            </Text>
            <Text fw={500}>
              <Tagged>{side.subject || subject}</Tagged>
            </Text>
            {differs.preview && (
              <Text size="sm" c="dimmed">
                <Tagged>{side.preview_text || preview_text}</Tagged>
              </Text>
            )}
            {differs.sender && (
              <Text size="sm">
                {t('fromName')}: <Tagged>{side.from_name || from_name}</Tagged>
              </Text>
            )}
            {differs.content && (
              <Text size="sm">
                {t(side.html !== '' || side.plain !== '' ? 'variantOwnContent' : 'variantSameContent')}
              </Text>
            )}
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {rest === 0 && recipients > 0 ? t('reviewAll') : t(`reviewWinner.${winner}`, { count: rest, hours })}
      </Text>
    </>
  );
}
