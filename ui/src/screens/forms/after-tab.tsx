// What visitors see once they have signed up, confirmed, or left.
import { TextInput } from '@mantine/core';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { SettingsForm } from './list-form.ts';
import { TextField } from './text-field.tsx';

export function AfterTab({ form }: { form: SettingsForm }) {
  const t = useText('forms');
  return (
    <>
      <Section title={t('page.thanks')}>
        <TextField name="form.thanks" label={t('thanks')} page="thanks" />
        <TextInput
          label={t('redirect')}
          description={t('redirectAbout')}
          placeholder="https://"
          {...form.getInputProps('redirect_url')}
        />
      </Section>
      <Section title={t('page.confirm')} description={t('confirmPageAbout')}>
        <TextField name="confirm.title" label={t('formTitle')} page="confirm" />
        <TextField name="confirm.ask" label={t('question')} page="confirm" />
        <TextField name="confirm.button" label={t('button')} page="confirm" />
      </Section>
      <Section title={t('page.confirmed')}>
        <TextField name="confirm.done" label={t('pageWords')} page="confirmed" />
      </Section>
      <Section title={t('page.unsubscribed')}>
        <TextField name="unsubscribe.done" label={t('pageWords')} page="unsubscribed" />
      </Section>
    </>
  );
}
