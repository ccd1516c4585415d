// The foot of every table with pages: where one is, and the buttons to the pages beside it.
import { Button, Group, Text } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';

type Props = {
  /** How many rows there are, or which page is shown; empty while that is counted. */
  words: string;
  /** Undefined where there is no page before, or after. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  /** Back to the first page, where the page before is not known. */
  first?: (() => void) | undefined;
};

export function Pager({ words, previous, next, first }: Props) {
  const t = useText('parts');
  const go = (show: (() => void) | undefined) => () => {
    show?.();
    window.scrollTo({ top: 0 });
  };
  return (
    <Group justify="space-between" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {words}
      </Text>
      {(previous || next || first) && (
        <Group gap="sm" component="nav" aria-label={t('pages')}>
          {first && (
            <Button variant="default" size="xs" onClick={go(first)}>
              {t('firstPage')}
            </Button>
          )}
          <Button variant="default" size="xs" disabled={!previous} onClick={go(previous)}>
            {t('previous')}
          </Button>
          <Button variant="default" size="xs" disabled={!next} onClick={go(next)}>
            {t('next')}
          </Button>
        </Group>
      )}
    </Group>
  );
}
