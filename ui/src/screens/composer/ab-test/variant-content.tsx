// The content of a variant, in the editors of the campaign's own. It is saved like every other value of the draft.
import { Button, Group, Modal, Stack, Tabs } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import { TagArea } from '../content/merge-tags.tsx';
import { SourceEditor } from '../content/source-editor.tsx';

const VisualEditor = lazy(() => import('../visual/visual-editor.tsx'));

type Props = {
  name: string;
  text: string;
  onText(text: string): void;
  plainOnly: boolean;
  fixed: boolean;
  onClose(): void;
};

export default function VariantContent({ name, text, onText, plainOnly, fixed, onClose }: Props) {
  const t = useText('composer');
  const [tab, setTab] = useState<string | null>('visual');
  const body = { html: text, onHtml: onText, fixed };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('variantContent', { name })}
      fullScreen
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="md">
        {plainOnly ? (
          <TagArea
            label={t('tab.plain')}
            tagLabel={t('tab.plain')}
            value={text}
            onText={onText}
            disabled={fixed}
            autosize
            minRows={16}
          />
        ) : (
          <Tabs value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="visual">{t('tab.visual')}</Tabs.Tab>
              <Tabs.Tab value="source">{t('tab.source')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="visual">
              <Suspense fallback={<Lines count={6} height={40} />}>
                <VisualEditor {...body} rewrites={t('visualRewrites')} onSource={() => setTab('source')} />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="source">
              <SourceEditor {...body} />
            </Tabs.Panel>
          </Tabs>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('variantDone')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
