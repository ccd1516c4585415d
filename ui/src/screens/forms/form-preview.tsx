// What visitors will see, beside what is being changed: the form, the pages after it, and the emails, with what is not saved yet.
import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { besideField } from '../../parts/form/fault-field.ts';
import { Select } from '../../parts/form/select.tsx';
import { useText } from '../../text/use-text.tsx';
import { MailFrame } from '../composer/preview/mail-frame.tsx';
import classes from './forms.module.css';
import type { FormOptions, PreviewPage } from './list-form.ts';

type Props = {
  id: string;
  language: string;
  /** Not saved yet. */
  options: FormOptions;
  /** What can be seen here, and what is. */
  pages: readonly PreviewPage[];
  page: PreviewPage;
  onPage(page: PreviewPage): void;
};

export function FormPreview({ id, language, options, pages, page, onPage }: Props) {
  const t = useText('forms');
  const words = useFaultText();
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  // Not while each letter is typed.
  const [asked] = useDebouncedValue(JSON.stringify({ id, language, options: shownOf(options) }), 300);
  const answer = useMethod('listFormPreview', { ...JSON.parse(asked), page }, { keep: true });
  const { error } = answer;
  // While a text is refused, the last one that was not.
  const last = useRef(answer.data);
  if (answer.data) last.current = answer.data;
  const data = last.current;
  const isEmail = page.endsWith('_email');
  return (
    <aside className={classes.preview} aria-label={t('preview')}>
      <Group gap="xs" mb="xs" justify="space-between">
        {pages.length > 1 ? (
          <Select
            aria-label={t('previewOf')}
            size="xs"
            w={200}
            allowDeselect={false}
            data={pages.map((value) => ({ value, label: t(`page.${value}`) }))}
            value={page}
            onChange={(next) => next && onPage(next as PreviewPage)}
          />
        ) : (
          <Text size="xs" c="dimmed">
            {t('preview')}
          </Text>
        )}
        {isEmail && (
          <SegmentedControl
            size="xs"
            aria-label={t('previewScheme')}
            data={[
              { value: 'light', label: t('light') },
              { value: 'dark', label: t('dark') },
            ]}
            value={scheme}
            onChange={setScheme}
          />
        )}
      </Group>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb="xs">
          {besideField(words(error), error.member)}
        </Text>
      )}
      {data === undefined ? (
        !error && <Skeleton height={480} />
      ) : isEmail ? (
        <>
          <Text fw={600} mb="xs" style={{ overflowWrap: 'anywhere' }}>
            {data.subject}
          </Text>
          <MailFrame
            html={data.html}
            title={t('preview')}
            dark={scheme === 'dark'}
            height="min(620px, calc(100dvh - 200px))"
          />
        </>
      ) : (
        <iframe className={classes.frame} title={t('preview')} sandbox="" srcDoc={data.html} />
      )}
    </aside>
  );
}

/** What a preview shows: an address that is being typed is no reason to show none. */
function shownOf({ redirect_url: _, origins: _1, hidden_fields: _2, ...options }: FormOptions): FormOptions {
  return options;
}
