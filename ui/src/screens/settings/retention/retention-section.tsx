// Data retention: how long individual opens and clicks, captured messages, webhook attempts and the audit log are
// kept.
import { Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type RetentionSetting, retentionDays } from '../../../../../src/accounts/account/retention-days.ts';
import { invalidate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { saveChanges } from '../save-changes.ts';
import { dayChoices, keptThings } from './retention.ts';

export function RetentionSection() {
  const t = useText('settings');
  const client = useQueryClient();
  const { account, may } = useSession();
  const mayChange = may('account:write');
  const before = Object.fromEntries(
    keptThings.map((name) => [name, String(account.settings[name] ?? retentionDays[name])]),
  ) as Record<RetentionSetting, string>;
  const form = useMethodForm({
    initialValues: before,
    send: async (values) => {
      const shorter = keptThings.filter((name) => isShorter(values[name], before[name]));
      const agreed =
        shorter.length === 0 ||
        (await confirm({
          title: t('keepTitle'),
          text: `${t('keepText')} ${shorter.map((name) => `${t(`${name}`)}: ${daysOf(values[name])}.`).join(' ')}`,
          action: t('keepAction'),
          danger: true,
        }));
      if (!agreed) return false;
      await saveChanges(before, values);
      await invalidate(client, ['session']);
      return true;
    },
    done: (saved) => saved && toast.done(t('saved')),
  });
  const daysOf = (days: string) => (days === '0' ? t('keepForever') : t('keepDays', { count: Number(days) }));
  const changed = keptThings.some((name) => form.values[name] !== before[name]);
  return (
    <Section title={t('keep')} description={t('keepAbout')}>
      <MethodForm form={form} guard={mayChange}>
        <Stack gap="md">
          {keptThings.map((name) => (
            <Select
              key={name}
              label={t(name)}
              description={t(`${name}.about`)}
              data={dayChoices(before[name]).map((days) => ({ value: days, label: daysOf(days) }))}
              allowDeselect={false}
              disabled={!mayChange}
              maw={560}
              comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
              {...form.getInputProps(name)}
            />
          ))}
        </Stack>
        <Text c="dimmed">{t('keepStays')}</Text>
        {mayChange && (
          <Group>
            <Submit form={form} disabled={!changed}>
              {t('save')}
            </Submit>
          </Group>
        )}
      </MethodForm>
    </Section>
  );
}

/** Whether a period gets shorter; 0 keeps data permanently. */
const isShorter = (after: string, before: string) =>
  after !== '0' && (before === '0' || Number(after) < Number(before));
