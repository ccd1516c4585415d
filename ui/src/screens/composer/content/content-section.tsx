// The content of the message in tabs: visual editor, HTML source, Markdown, MJML, plain text, import or template, and history.
import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import { ForeignTagsNote } from './foreign-tags-note.tsx';
import { ImportTab } from './import-tab.tsx';
import { PlainTab } from './plain-tab.tsx';
import { SourceEditor } from './source-editor.tsx';
import { VersionsTab } from './versions-tab.tsx';
import { WrittenNote, WrittenTab } from './written-tab.tsx';

const VisualEditor = lazy(() => import('../visual/visual-editor.tsx'));

export const contentTabs = ['visual', 'source', 'markdown', 'mjml', 'plain', 'import', 'versions'] as const;
export type ContentTab = (typeof contentTabs)[number];

/** They act on the email in whatever format it is written: apart from the formats, and looking like buttons. */
const actions: ReadonlySet<ContentTab> = new Set(['import', 'versions']);

type Props = {
  tab: ContentTab;
  onTab(tab: ContentTab): void;
  /** What to show in the visual editor or in the source. */
  find: { text: string } | undefined;
  /** The visual editor does not have it. */
  onFindInSource(): void;
};

export function ContentSection({ tab, onTab, find, onFindInSource }: Props) {
  const t = useText('composer');
  const { type, values, change, fault, fixed } = useDraft();
  const offered = contentTabs.filter((name) => type !== 'plain text' || name === 'plain' || name === 'versions');
  const isHtml = values.written.format === 'html';
  const body = { html: values.html, onHtml: (html: string) => change({ html }), fixed: fixed || !isHtml };
  const shown = offered.includes(tab) ? tab : 'plain';
  return (
    <>
      <ForeignTagsNote />
      <Tabs value={shown} onChange={(next) => next && onTab(next as ContentTab)} keepMounted={false}>
        <Tabs.List mb="md">
          {offered.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className={actions.has(name) ? classes.tabAction : undefined}
              ml={name === 'import' || (offered.length === 2 && name === 'versions') ? 'auto' : undefined}
            >
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="visual">
          <WrittenNote onSource={onTab} />
          <Suspense fallback={<Lines count={6} height={40} />}>
            <VisualEditor
              {...body}
              rewrites={t('visualRewrites')}
              onSource={() => onTab('source')}
              find={find}
              onMissing={onFindInSource}
            />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <WrittenNote onSource={onTab} />
          <SourceEditor {...body} fault={fault('html')} find={find} />
        </Tabs.Panel>
        <Tabs.Panel value="markdown">
          <WrittenTab format="markdown" />
        </Tabs.Panel>
        <Tabs.Panel value="mjml">
          <WrittenTab format="mjml" />
        </Tabs.Panel>
        <Tabs.Panel value="plain">
          <PlainTab />
        </Tabs.Panel>
        <Tabs.Panel value="import">
          <ImportTab onImported={() => onTab('visual')} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
