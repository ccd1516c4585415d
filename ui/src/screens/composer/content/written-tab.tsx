// The email as Markdown or MJML, next to the email that it makes. It is converted when it is saved; until then, and while it has a
// mistake, the preview is the last one.
import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { lazy, Suspense, useRef } from 'react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import { useInsertPicture } from '../pictures/insert-picture.tsx';
import { MailFrame } from '../preview/mail-frame.tsx';
import type { HtmlEditorHandle } from './html-editor.tsx';
import { SourceTools } from './source-tools.tsx';
import { asHtml, starters, type WrittenFormat } from './written.ts';

const HtmlEditor = lazy(() => import('./html-editor.tsx'));

export function WrittenTab({ format }: { format: WrittenFormat }) {
  const { values } = useDraft();
  return values.written.format === format ? <Editor format={format} /> : <Start format={format} />;
}

function Editor({ format }: { format: WrittenFormat }) {
  const t = useText('composer');
  const { values, change, fault, fixed, saving } = useDraft();
  const editor = useRef<HtmlEditorHandle>(null);
  const picture = useInsertPicture(editor, fixed, format);
  const { source } = values.written;
  const problem = fault('written');
  return (
    <Stack gap="sm" className={classes.container}>
      <Group justify="space-between">
        <SourceTools editor={editor} disabled={fixed} picture={picture.button} />
        <Text size="xs" c="dimmed" role="status">
          {problem
            ? t('writtenLastGood')
            : saving === 'saving'
              ? t('writtenConverting')
              : t('characters', { count: source.length })}
        </Text>
      </Group>
      {problem && (
        <Text c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      <div className={classes.sideBySide}>
        <div {...picture.target}>
          <Suspense fallback={<Skeleton height={560} aria-busy />}>
            <HtmlEditor
              label={t(`tab.${format}`)}
              value={source}
              onText={(text) => change({ written: { format, source: text } })}
              readOnly={fixed}
              language={format === 'mjml' ? 'html' : 'text'}
              handle={editor}
            />
          </Suspense>
        </div>
        <MailFrame html={values.html} title={t('livePreview')} />
      </div>
      {picture.dialog}
    </Stack>
  );
}

/** Says what becomes of the email as it is, before another format replaces it. */
function Start({ format }: { format: WrittenFormat }) {
  const t = useText('composer');
  const { values, change, fixed } = useDraft();
  const name = t(`tab.${format}`);
  const isEmpty = values.html.trim() === '';
  return (
    <Alert variant="default" icon={<IconInfoCircle aria-hidden />} title={t('writtenTitle', { name })}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t(`writtenAbout.${format}`)}</Text>
        {!isEmpty && <Text size="sm">{t('writtenReplaces')}</Text>}
        <Button
          variant="default"
          disabled={fixed}
          onClick={() => change({ written: { format, source: starters[format] } })}
        >
          {t(isEmpty ? 'writtenStart' : 'writtenReplace', { name })}
        </Button>
      </Stack>
    </Alert>
  );
}

/** Above the HTML and the visual editor of an email that is Markdown or MJML: both are read-only until it is HTML. */
export function WrittenNote({ onSource }: { onSource(format: WrittenFormat): void }) {
  const t = useText('composer');
  const { values, change, fixed } = useDraft();
  const { format } = values.written;
  if (format === 'html') return null;
  const name = t(`tab.${format}`);
  return (
    <Alert variant="default" icon={<IconInfoCircle aria-hidden />} mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t('writtenIn', { name })}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => onSource(format)}>
            {t('writtenEdit', { name })}
          </Button>
          {!fixed && (
            <Button size="xs" variant="default" onClick={() => change({ written: asHtml, html: values.html })}>
              {t('writtenToHtml')}
            </Button>
          )}
        </Group>
      </Group>
    </Alert>
  );
}
