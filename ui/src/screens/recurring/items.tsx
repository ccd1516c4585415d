// Items of a feed: title, date, author and the beginning of the text. Their images are not loaded from other sites.
import { Anchor, Group, Text } from '@mantine/core';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Tag } from '../../parts/status/tag.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './recurring.module.css';
import type { Item } from './types.ts';

export function Items({ items, label }: { items: readonly (Item & { state?: string })[]; label: string }) {
  const t = useText('recurring');
  const { date } = useFormats();
  return (
    <ul className={classes.items} aria-label={label}>
      {items.map((item, i) => {
        const at = parseTime(item.date);
        return (
          // Two items may have the same title and no address.
          // biome-ignore lint/suspicious/noArrayIndexKey: the order does not change
          <li key={i} className={classes.item}>
            <div className={classes.text}>
              <Group gap="xs">
                {item.url === '' ? (
                  <Text size="sm" fw={500}>
                    {item.title}
                  </Text>
                ) : (
                  <Anchor size="sm" fw={500} c="inherit" href={item.url} target="_blank" rel="noreferrer">
                    {item.title}
                  </Anchor>
                )}
                {item.state && <Tag>{t.of('item', item.state)}</Tag>}
              </Group>
              <Text size="xs" c="dimmed">
                {[at ? date(at) : t('noDate'), item.author].filter(Boolean).join(' · ')}
              </Text>
              <Text size="sm" lineClamp={2}>
                {item.summary}
              </Text>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
