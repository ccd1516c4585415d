// The comments on the block that is selected in the visual editor of a campaign.
import { Title } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { Comments } from './comments.tsx';

export function BlockComments({ words }: { words: string }) {
  const t = useText('approval');
  if (words.trim() === '') return null;
  return (
    <section aria-label={t('blockComments')}>
      <Title order={4} mb="xs">
        {t('comments')}
      </Title>
      <Comments about={words} />
    </section>
  );
}
