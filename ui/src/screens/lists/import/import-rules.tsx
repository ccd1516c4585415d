// How the file of an import is read, and what happens to new and existing contacts.
import { Checkbox, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { type MethodFormState, Submit } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Section } from '../../../parts/page.tsx';
import { useText } from '../../../text/use-text.tsx';

type Preview = ResultOf<'importPreview'>;
export type ImportValues = Preview['options'] & { targets: Record<string, string> };
export type FormatValues = { encoding: string; delimiter: string; header: string };

const encodings = [
  ...['utf-8', 'utf-16le', 'windows-1252', 'iso-8859-1', 'windows-1250', 'windows-1251', 'koi8-r', 'windows-1253'],
  ...['macintosh', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'],
];
/** How the file is read: encoding, delimiter and header. */
export function FormatFields({ form, format }: { form: MethodFormState<FormatValues>; format: Preview['format'] }) {
  const t = useText('lists');
  return (
    <Section title={t('fileFormat')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Select
            label={t('encoding')}
            data={[...new Set([...encodings, format.encoding])]}
            allowDeselect={false}
            {...form.getInputProps('encoding')}
          />
          <Select
            label={t('delimiter')}
            data={[
              ...new Map([
                [',', t('delimiter.comma')],
                [';', t('delimiter.semicolon')],
                ['\t', t('delimiter.tab')],
                ['|', '|'],
                ...(['', ',', ';', '\t', '|'].includes(format.delimiter)
                  ? []
                  : [[format.delimiter, format.delimiter] as [string, string]]),
              ]),
            ].map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('delimiter')}
          />
          <Select
            label={t('header')}
            data={[
              { value: 'yes', label: t('header.yes') },
              { value: 'no', label: t('header.no') },
            ]}
            allowDeselect={false}
            {...form.getInputProps('header')}
          />
        </SimpleGrid>
        {form.isDirty() && (
          <Group>
            <Submit form={form} variant="default">
              {t('readAgain')}
            </Submit>
          </Group>
        )}
      </Stack>
    </Section>
  );
}

/** What happens to new and existing contacts. */
export function ContactRules({ form }: { form: MethodFormState<ImportValues> }) {
  const t = useText('lists');
  return (
    <Section title={t('rules')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t('update')}
            data={(['add_update', 'add', 'update'] as const).map((value) => ({
              value,
              label: t(`update.${value}`),
            }))}
            allowDeselect={false}
            {...form.getInputProps('update')}
          />
          <Select
            label={t('newStatus')}
            data={[
              { value: '', label: t('subscribeNew') },
              ...(['subscribed', 'unsubscribed', 'pending', 'bounced'] as const).map((value) => ({
                value,
                label: t(`state.${value}`),
              })),
            ]}
            allowDeselect={false}
            {...form.getInputProps('status')}
          />
          <Select
            label={t('emptyCells')}
            data={[
              { value: 'keep', label: t('empty.keep') },
              { value: 'clear', label: t('empty.clear') },
            ]}
            allowDeselect={false}
            {...form.getInputProps('empty')}
          />
        </SimpleGrid>
        <Checkbox
          label={t('importOptin')}
          description={t('importOptinHint')}
          {...form.getInputProps('double_optin', { type: 'checkbox' })}
        />
        <TextInput
          label={t('resubscribe')}
          description={t('resubscribeHint')}
          maxLength={1000}
          {...form.getInputProps('resubscribe')}
        />
      </Stack>
    </Section>
  );
}
