// What the form shows and asks, and which emails follow. Only changed settings are sent.
import { Group, MultiSelect, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { usePictureDialog } from '../composer/pictures/picture-dialog.tsx';
import type { Tab } from '../tabs.ts';
import { HostedPage } from './hosted-page.tsx';
import type { ListForm, SettingsForm } from './list-form.ts';

type Values = ListForm['settings'];

const reminderDays = [0, 1, 2, 3, 5, 7, 14];

const hasSettings = (tab: Tab<'form'>) => tab !== 'blocked';

/** @param part the settings of which tab are shown; the others keep what was changed */
export function FormSettings({ id, before, part }: { id: string; before: Values; part: Tab<'form'> }) {
  const t = useText('forms');
  const update = useMutate('listFormUpdate');
  const { ask, dialog } = usePictureDialog();
  const form = useMethodForm<Values, boolean>({
    initialValues: before,
    send: (values) =>
      update.mutateAsync({
        id,
        options: Object.fromEntries(
          Object.entries({ ...values, origins: values.origins.map((line) => line.trim()).filter(Boolean) }).filter(
            ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
          ),
        ),
      }),
    done: () => toast.done(t('saved')),
    fields: Object.fromEntries(Object.keys(before).map((name) => [`options.${name}`, name])),
  });
  return (
    <>
      <MethodForm form={form} guard="page">
        <Stack gap="md" maw={720}>
          {part === 'form' && <FormPart id={id} form={form} ask={ask} />}
          {part === 'after' && <AfterPart form={form} />}
          {part === 'emails' && <EmailsPart form={form} />}
          {part === 'share' && <SharePart id={id} form={form} />}
          {(hasSettings(part) || form.isDirty()) && (
            <Group>
              <Submit form={form} disabled={!form.isDirty()}>
                {t('save')}
              </Submit>
            </Group>
          )}
        </Stack>
      </MethodForm>
      {dialog}
    </>
  );
}

type Ask = ReturnType<typeof usePictureDialog>['ask'];

/** What visitors see and fill in. */
function FormPart({ id, form, ask }: { id: string; form: SettingsForm; ask: Ask }) {
  const t = useText('forms');
  const fields = useMethod('listMergeVars', { id });
  const offered = (fields.data ?? [])
    .filter((field) => field.show && field.tag !== 'EMAIL')
    .map((field) => ({ value: field.tag, label: field.name }));
  return (
    <>
      <TextInput label={t('formTitle')} {...form.getInputProps('title')} />
      <Textarea label={t('intro')} autosize minRows={2} {...form.getInputProps('intro')} />
      <MultiSelect
        label={t('fields')}
        description={t('fieldsAbout')}
        data={offered}
        {...form.getInputProps('fields')}
        value={form.values.fields.filter((tag) => tag !== 'EMAIL')}
      />
      <TextInput label={t('button')} {...form.getInputProps('button')} />
      <Switch label={t('askConsent')} {...form.getInputProps('ask_consent', { type: 'checkbox' })} />
      {form.values.ask_consent && (
        <Textarea
          label={t('consent')}
          description={t('consentAbout')}
          autosize
          minRows={2}
          {...form.getInputProps('consent')}
        />
      )}
      <FurtherLists id={id} form={form} />
      <HostedPage form={form} ask={ask} />
      <Switch
        label={t('checkDomain')}
        description={t('checkDomainAbout')}
        {...form.getInputProps('check_domain', { type: 'checkbox' })}
      />
      <Switch label={t('enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}

/** What visitors see once they have signed up. */
function AfterPart({ form }: { form: SettingsForm }) {
  const t = useText('forms');
  return (
    <>
      <Textarea label={t('thanks')} autosize minRows={2} {...form.getInputProps('thanks')} />
      <TextInput
        label={t('redirect')}
        description={t('redirectAbout')}
        placeholder="https://"
        {...form.getInputProps('redirect_url')}
      />
    </>
  );
}

/** Which emails are sent, besides the one that asks to confirm. */
function EmailsPart({ form }: { form: SettingsForm }) {
  const t = useText('forms');
  return (
    <>
      <Switch label={t('sendWelcome')} {...form.getInputProps('send_welcome', { type: 'checkbox' })} />
      <Switch label={t('sendGoodbye')} {...form.getInputProps('send_goodbye', { type: 'checkbox' })} />
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
    </>
  );
}

/** What a site that has the form may do. */
function SharePart({ id, form }: { id: string; form: SettingsForm }) {
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

/** Other lists that the form leads to, and whether visitors choose among them. */
function FurtherLists({ id, form }: { id: string; form: SettingsForm }) {
  const t = useText('forms');
  const lists = useMethod('lists', { limit: 1_000 });
  const others = (lists.data ?? [])
    .filter((list) => list.id !== id)
    .map(({ id, name }) => ({ value: id, label: name }));
  if (others.length === 0) return null;
  return (
    <>
      <MultiSelect
        label={t('furtherLists')}
        description={t('furtherListsAbout')}
        data={others}
        maxValues={15}
        searchable
        {...form.getInputProps('further_lists')}
      />
      {form.values.further_lists.length > 0 && (
        <Switch
          label={t('listChoice')}
          description={t('listChoiceAbout')}
          checked={form.values.list_choice === 'choose'}
          onChange={({ currentTarget }) => form.setFieldValue('list_choice', currentTarget.checked ? 'choose' : 'all')}
        />
      )}
    </>
  );
}
