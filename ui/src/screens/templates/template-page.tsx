// The design of a template in four tabs: visual editor, HTML source, preview on desktop or phone, and earlier versions. Uses the
// editors of the composer.
import { Group, Stack, Tabs, VisuallyHidden } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Lines } from '../../parts/loaded.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { TagLists } from '../composer/content/merge-tags.tsx';
import { SourceEditor } from '../composer/content/source-editor.tsx';
import { MailFrame } from '../composer/preview/mail-frame.tsx';
import { usePreviewControls } from '../composer/preview/preview-controls.tsx';

const VisualEditor = lazy(() => import('../composer/visual/visual-editor.tsx'));

/** A template belongs to no list, so the fields of the first lists are offered; usually that is all of them. */
const listsOffered = 10;

type Props = { name: string; source: string; onSource(source: string): void; fixed: boolean; history: ReactNode };

/** @param fixed read-only */
export function TemplatePage({ name, source, onSource, fixed, history }: Props) {
  const t = useText('templates');
  const lists = useMethod('lists', { limit: listsOffered });
  const body = { html: source, onHtml: onSource, fixed };
  return (
    <TagLists value={(lists.data ?? []).map(({ id }) => id)}>
      <VisuallyHidden component="h2">{t('design')}</VisuallyHidden>
      <Tabs defaultValue={fixed ? 'preview' : 'visual'} keepMounted={false}>
        <Tabs.List mb="md">
          {!fixed && <Tabs.Tab value="visual">{t('visual')}</Tabs.Tab>}
          <Tabs.Tab value="source">{t('source')}</Tabs.Tab>
          <Tabs.Tab value="preview">{t('preview')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('history')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="visual">
          <Suspense fallback={<Lines count={6} height={40} />}>
            <VisualEditor {...body} rewrites={t('visualRewrites')} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <SourceEditor {...body} />
        </Tabs.Panel>
        <Tabs.Panel value="preview">
          <Preview html={source} title={t('previewOf', { name })} />
        </Tabs.Panel>
        <Tabs.Panel value="history">{history}</Tabs.Panel>
      </Tabs>
    </TagLists>
  );
}

function Preview({ html, title }: { html: string; title: string }) {
  const { look, switches } = usePreviewControls();
  const page = useWithSender(html);
  return (
    <Stack gap="sm">
      <Group gap="md">{switches}</Group>
      <MailFrame html={page} title={title} {...look} height={640} />
    </Stack>
  );
}

/** The page with the name and address of the account where its emails have those of the list, as on the picture of the template. */
function useWithSender(html: string): string {
  const { account } = useSession();
  const name = account.company || account.name;
  const address = account.postal_address.trim().replaceAll(/\s*\n\s*/g, ', ');
  return useMemo(() => {
    const values: Record<string, string> = { NAME: name, COMPANY: name, ADDRESS: address };
    return html.replace(/\*\|LIST:(NAME|COMPANY|ADDRESS)\|\*/g, (tag, of: string) => escaped(values[of] || tag));
  }, [html, name, address]);
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);
