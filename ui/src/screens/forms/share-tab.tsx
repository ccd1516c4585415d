// The address of the form, its HTML for other pages, and what a site that has it may do.
import { Anchor, Button, Code, Group, SegmentedControl, Stack, Switch, Text, Textarea } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { MultiSelect } from '../../parts/form/multi-select.tsx';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { ListForm, SettingsForm } from './list-form.ts';

type Folding = { showsCode: boolean; onShowCode(shows: boolean): void };
type Props = Folding & { id: string; form: SettingsForm; saved: ListForm };

export default function ShareTab({ id, form, saved, ...code }: Props) {
  const t = useText('forms');
  return (
    <>
      <Switch label={t('enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
      <Section title={t('address')} description={saved.settings.enabled ? undefined : t('shareOff')}>
        <Group gap="xs" wrap="nowrap">
          <Anchor href={saved.url} target="_blank" rel="noopener" style={{ overflowWrap: 'anywhere' }}>
            {saved.url} <IconExternalLink size={14} aria-hidden />
          </Anchor>
          <Copy value={saved.url} label={t('address')} />
        </Group>
      </Section>
      <Embed saved={saved} {...code} />
      <Sites id={id} form={form} />
    </>
  );
}

/** One kind of code at a time, folded: it is copied more often than read. */
function Embed({ saved: { url, html, inline_html: inline }, showsCode, onShowCode }: Folding & { saved: ListForm }) {
  const t = useText('forms');
  const [kind, setKind] = useState<'script' | 'plain'>('script');
  const code = kind === 'script' ? inline : html;
  const label = t(kind === 'script' ? 'inlineHtml' : 'html');
  return (
    <Section title={t('embed')}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t('embed')}
          w="fit-content"
          data={[
            { value: 'script', label: t('withScript') },
            { value: 'plain', label: t('withoutScript') },
          ]}
          value={kind}
          onChange={setKind}
        />
        <Text size="sm" c="dimmed">
          {kind === 'script' ? t('inlineAbout', { origin: new URL(url).origin }) : t('embedAbout')}
        </Text>
        <Group gap="sm">
          <Copy value={code} label={t('copyWhat', { what: label })} wide />
          <Button variant="subtle" color="gray" aria-expanded={showsCode} onClick={() => onShowCode(!showsCode)}>
            {t(showsCode ? 'hideCode' : 'showCode')}
          </Button>
        </Group>
        {showsCode && (
          // Scrollable content must be reachable by keyboard.
          <Code block mah={320} tabIndex={0} role="region" aria-label={label}>
            {code}
          </Code>
        )}
      </Stack>
    </Section>
  );
}

function Sites({ id, form }: { id: string; form: SettingsForm }) {
  const t = useText('forms');
  const fields = useMethod('listMergeVars', { id });
  const closed = (fields.data ?? [])
    .filter((field) => !field.show && field.tag !== 'EMAIL')
    .map((field) => ({ value: field.tag, label: `${field.name} (${field.tag})` }));
  return (
    <>
      <Textarea
        label={t('origins')}
        description={t('originsAbout')}
        placeholder="https://www.example.com"
        autosize
        maxRows={8}
        {...form.getInputProps('origins')}
        value={form.values.origins.join('\n')}
        onChange={({ currentTarget }) => form.setFieldValue('origins', currentTarget.value.split('\n'))}
      />
      {closed.length > 0 && (
        <MultiSelect
          label={t('hiddenFields')}
          description={t('hiddenFieldsAbout')}
          data={closed}
          searchable
          {...form.getInputProps('hidden_fields')}
        />
      )}
    </>
  );
}
