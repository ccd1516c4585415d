// The next issue as it would be now, and which items of the feed are in it.
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { homeUrl } from '../../api/base-path.ts';
import { useMethod } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { useTagsMarked } from '../../parts/tagged/mail-tags.ts';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import { frameOf } from '../inbox/mail-frame.ts';
import { Items } from './items.tsx';
import classes from './recurring.module.css';
import type { Info } from './types.ts';

export default function PreviewTab({ info }: { info: Info }) {
  const t = useText('recurring');
  const [part, setPart] = useState('html');
  const query = useMethod('recurringPreview', { id: info.id });
  const reload = (
    <Button
      variant="default"
      loading={query.isFetching}
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={() => query.refetch()}
    >
      {t('reload')}
    </Button>
  );
  return (
    <Stack pt="md" gap="lg">
      <Loaded query={query}>
        {({ ok, reason, subject, html, plain, items }) =>
          ok ? (
            <>
              <Group justify="space-between">
                <SegmentedControl
                  aria-label={t('part')}
                  data={[
                    { value: 'html', label: t('part.html') },
                    { value: 'plain', label: t('part.plain') },
                  ]}
                  value={part}
                  onChange={setPart}
                />
                {reload}
              </Group>
              {reason !== '' && (
                <Alert color="orange" variant="outline" icon={<IconAlertCircle aria-hidden />} role="status">
                  <Text size="sm">{t('wouldWait', { reason })}</Text>
                </Alert>
              )}
              <Facts label={t('preview')} facts={[[t('subject'), <Tagged key="subject">{subject}</Tagged>]]} />
              {part === 'html' ? (
                <Frame html={html} />
              ) : (
                <Text component="pre" size="sm" className={classes.feed} style={{ whiteSpace: 'pre-wrap' }}>
                  <Tagged>{plain}</Tagged>
                </Text>
              )}
              {info.source === 'feed' && (
                <Section
                  title={t('itemsNow')}
                  description={t(items.some(({ state }) => state === 'next') ? 'itemsNew' : 'itemsNone')}
                >
                  <Items items={items} label={t('itemsNow')} />
                </Section>
              )}
            </>
          ) : (
            <Group>
              <Text role="status">{t('feedNotRead', { reason })}</Text>
              {reload}
            </Group>
          )
        }
      </Loaded>
    </Stack>
  );
}

/** The email of the issue; what is filled in for each reader is marked in words. */
function Frame({ html }: { html: string }) {
  const t = useText('recurring');
  const marked = useTagsMarked(html);
  return (
    <iframe
      title={t('preview')}
      className={classes.frame}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcDoc={frameOf(marked, { remote: true, home: homeUrl() })}
    />
  );
}
