// Designs an email of a list over the whole screen: in the visual editor, or as HTML. Nothing is saved here.
import { Button, Group, Modal, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { TagLists } from '../composer/content/merge-tags.tsx';
import { SourceEditor } from '../composer/content/source-editor.tsx';
import VisualEditor from '../composer/visual/visual-editor.tsx';

type Props = { list: string; title: string; source: string; onUse(html: string): void; onClose(): void };

export default function EmailDesign({ list, title, source, onUse, onClose }: Props) {
  const t = useText('forms');
  const [html, setHtml] = useState(source);
  const [tab, setTab] = useState<string | null>('visual');
  const body = { html, onHtml: setHtml, fixed: false };
  return (
    <Modal
      opened
      fullScreen
      title={title}
      onClose={onClose}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <TagLists value={[list]}>
        <Tabs value={tab} onChange={setTab} keepMounted={false}>
          <Group justify="space-between" mb="md" gap="sm">
            <Tabs.List>
              <Tabs.Tab value="visual">{t('visual')}</Tabs.Tab>
              <Tabs.Tab value="source">{t('htmlCode')}</Tabs.Tab>
            </Tabs.List>
            <Group gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('cancel')}
              </Button>
              <Button onClick={() => onUse(html)}>{t('useDesign')}</Button>
            </Group>
          </Group>
          <Tabs.Panel value="visual">
            <VisualEditor {...body} rewrites={t('visualRewrites')} onSource={() => setTab('source')} />
          </Tabs.Panel>
          <Tabs.Panel value="source">
            <SourceEditor {...body} />
          </Tabs.Panel>
        </Tabs>
      </TagLists>
    </Modal>
  );
}
