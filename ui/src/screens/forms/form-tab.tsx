// What visitors see and fill in.
import { Switch } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { MultiSelect } from '../../parts/form/multi-select.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { useText } from '../../text/use-text.tsx';
import type { usePictureDialog } from '../composer/pictures/picture-dialog.tsx';
import { HostedPage } from './hosted-page.tsx';
import type { SettingsForm } from './list-form.ts';
import { TextField } from './text-field.tsx';

type Props = { id: string; form: SettingsForm; ask: ReturnType<typeof usePictureDialog>['ask'] };

export function FormTab({ id, form, ask }: Props) {
  const t = useText('forms');
  const fields = useMethod('listMergeVars', { id });
  const offered = (fields.data ?? [])
    .filter((field) => field.show && field.tag !== 'EMAIL')
    .map((field) => ({ value: field.tag, label: field.name }));
  const lists = useMethod('lists', { limit: 1_000 });
  // What is chosen has its names, and the choice of further lists its room.
  if (fields.isPending || lists.isPending) return <Lines count={8} height={36} />;
  return (
    <>
      <TextField name="form.title" label={t('formTitle')} page="form" />
      <TextField name="form.intro" label={t('intro')} page="form" />
      <MultiSelect
        label={t('fields')}
        description={t('fieldsAbout')}
        data={offered}
        {...form.getInputProps('fields')}
        value={form.values.fields.filter((tag) => tag !== 'EMAIL')}
      />
      <Switch label={t('askConsent')} {...form.getInputProps('ask_consent', { type: 'checkbox' })} />
      {form.values.ask_consent && (
        <TextField name="form.consent" label={t('consent')} description={t('consentAbout')} page="form" links />
      )}
      <TextField name="form.button" label={t('button')} page="form" />
      <FurtherLists id={id} form={form} />
      <HostedPage form={form} ask={ask} />
      <Switch
        label={t('checkDomain')}
        description={t('checkDomainAbout')}
        {...form.getInputProps('check_domain', { type: 'checkbox' })}
      />
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
