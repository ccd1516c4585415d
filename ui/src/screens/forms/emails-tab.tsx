// Which emails follow a sign-up, and what they say, in the dress of the brand or in a design of their own.
import { Anchor, Button, Group, Switch, Text } from '@mantine/core';
import { IconBrush } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Select } from '../../parts/form/select.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { SettingsForm } from './list-form.ts';
import { TextField, useListText } from './text-field.tsx';

const EmailDesign = lazy(() => import('./email-design.tsx'));

type Kind = 'confirm' | 'welcome' | 'goodbye';
type Props = {
  id: string;
  form: SettingsForm;
  /** The HTML of an email as it would be sent, with its merge tags. */
  sourceOf(page: `${Kind}_email`): Promise<string>;
};

export function EmailsTab({ id, form, sourceOf }: Props) {
  const t = useText('forms');
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('emailsAbout')}{' '}
        <LinkAnchor to="/settings/brand" underline="always">
          {t('toBrand')}
        </LinkAnchor>
      </Text>
      <Section title={t('page.confirm_email')} description={t('confirmEmailAbout')}>
        <Email id={id} kind="confirm" sourceOf={sourceOf} />
        <Reminder form={form} />
      </Section>
      <Section title={t('page.welcome_email')}>
        <Switch label={t('sendWelcome')} {...form.getInputProps('send_welcome', { type: 'checkbox' })} />
        {form.values.send_welcome && <Email id={id} kind="welcome" sourceOf={sourceOf} />}
      </Section>
      <Section title={t('page.goodbye_email')}>
        <Switch label={t('sendGoodbye')} {...form.getInputProps('send_goodbye', { type: 'checkbox' })} />
        {form.values.send_goodbye && <Email id={id} kind="goodbye" sourceOf={sourceOf} />}
      </Section>
    </>
  );
}

function Email({ id, kind, sourceOf }: { id: string; kind: Kind; sourceOf: Props['sourceOf'] }) {
  const t = useText('forms');
  const html = useListText(`${kind}.html`);
  const [source, setSource] = useState<string>();
  const page = `${kind}_email` as const;
  const isOwn = html !== undefined && (html.isChanged ? html.value !== html.default : html.edited);
  const begin = async () => setSource(await sourceOf(page));
  return (
    <>
      <TextField name={`${kind}.subject`} label={t('subject')} page={page} tags />
      <TextField name={`${kind}.text`} label={t(isOwn ? 'plainText' : 'emailText')} page={page} rows={5} tags />
      {html?.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {html.error}
        </Text>
      )}
      <Group gap="sm">
        <Button variant="default" size="xs" leftSection={<IconBrush size={14} aria-hidden />} onClick={begin}>
          {t(isOwn ? 'editDesign' : 'ownDesign')}
        </Button>
        {isOwn && (
          <Anchor component="button" type="button" size="sm" onClick={() => html.change(html.default)}>
            {t('dropDesign')}
          </Anchor>
        )}
      </Group>
      {source !== undefined && (
        <Suspense>
          <EmailDesign
            list={id}
            title={t(`page.${page}`)}
            source={source}
            onUse={(changed) => {
              html?.change(changed);
              html?.show(page);
              setSource(undefined);
            }}
            onClose={() => setSource(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

const reminderDays = [0, 1, 2, 3, 5, 7, 14];

function Reminder({ form }: { form: SettingsForm }) {
  const t = useText('forms');
  return (
    <Select
      label={t('remind')}
      description={t('remindAbout')}
      maw={320}
      allowDeselect={false}
      data={[...new Set([...reminderDays, form.values.remind_after_days])]
        .sort((a, b) => a - b)
        .map((days) => ({
          value: String(days),
          label: days === 0 ? t('remindNever') : t('remindAfter', { count: days }),
        }))}
      value={String(form.values.remind_after_days)}
      onChange={(days) => form.setFieldValue('remind_after_days', Number(days ?? 0))}
    />
  );
}
