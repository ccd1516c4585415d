// What the issues are made from: a feed or a page, and what the feed contains now.
import { Anchor, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMethod } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { useText } from '../../text/use-text.tsx';
import { Items } from './items.tsx';
import classes from './recurring.module.css';
import { type Fields, withScheme } from './types.ts';

/** After the last key, before a feed is fetched. */
const typingMs = 700;

export function SourceFields({ form }: { form: Fields }) {
  const t = useText('recurring');
  const { source, source_url } = form.getValues();
  return (
    <Stack gap="md">
      <Radio.Group label={t('source')} {...form.getInputProps('source')}>
        <Stack gap="xs" mt="xs">
          <Radio value="feed" label={t('sourceFeed')} description={t('sourceFeedAbout')} />
          <Radio value="page" label={t('sourcePage')} description={t('sourcePageAbout')} />
        </Stack>
      </Radio.Group>
      <TextInput
        label={t(source === 'feed' ? 'feedAddress' : 'pageAddress')}
        description={t(source === 'feed' ? 'feedAddressAbout' : 'pageAddressAbout')}
        placeholder="https://blog.example.com"
        inputMode="url"
        autoComplete="url"
        maxLength={2_000}
        required
        {...form.getInputProps('source_url')}
      />
      {source === 'feed' && <Found address={source_url} onFound={(url) => form.setFieldValue('source_url', url)} />}
      {source === 'feed' && (
        <NumberField
          label={t('maxItems')}
          description={t('maxItemsAbout')}
          min={1}
          max={50}
          maw={240}
          {...form.getInputProps('max_items')}
        />
      )}
    </Stack>
  );
}

/** The latest items of the feed, once its address is complete. */
function Found({ address, onFound }: { address: string; onFound(url: string): void }) {
  const t = useText('recurring');
  const [settled] = useDebouncedValue(withScheme(address), typingMs);
  const isAddress = /^https?:\/\/[^\s/]+\.[^\s]+|^https?:\/\/[^\s/]+:\d+/i.test(settled);
  const feed = useMethod('recurringFeed', { url: settled, limit: 3 }, { enabled: isAddress });
  if (!isAddress) return null;
  if (feed.error) return <FaultNote error={feed.error} onRetry={() => feed.refetch()} />;
  if (!feed.data) return <Lines count={3} />;
  const { ok, reason, url, title, total, items } = feed.data;
  if (!ok)
    return (
      <Text size="sm" role="status">
        {t('feedNotRead', { reason })}
      </Text>
    );
  return (
    <section className={classes.feed} aria-label={t('feedFound')}>
      <Text size="sm" fw={600} role="status">
        {t('feedSummary', { title: title || url, count: total })}
      </Text>
      {url !== settled && (
        <Text size="sm">
          {t('feedNamed')}{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => onFound(url)}>
            {url}
          </Anchor>
        </Text>
      )}
      <Items items={items} label={t('feedItems')} />
    </section>
  );
}
