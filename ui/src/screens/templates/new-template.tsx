// The dialog that creates a template, from a blank layout or a campaign. Loaded when it opens.
import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Modal } from '../../parts/modal.tsx';
import { useNameOf } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Layout, layouts, startingPage } from './layouts.ts';

export default function NewTemplate({ from, onClose }: { from: 'plain' | 'campaign'; onClose(): void }) {
  const t = useText('templates');
  return (
    <Modal opened onClose={onClose} title={t(from === 'plain' ? 'newTitle' : 'fromCampaign')}>
      {from === 'plain' ? <NewPlain /> : <NewFromCampaign />}
    </Modal>
  );
}

function NewPlain() {
  const t = useText('templates');
  const navigate = useNavigate();
  const create = useMutate('templateCreate', ['campaign']);
  const form = useMethodForm({
    initialValues: { name: '', layout: 'basic' },
    fields: { name: 'name', layout: 'layout' },
    send: ({ name, layout }) =>
      create.mutateAsync({
        name,
        layout: layout as Layout,
        source: startingPage(layout as Layout, {
          heading: t('sampleHeading'),
          text: t('sampleText'),
          leave: t('sampleUnsubscribe'),
        }),
      }),
    done: (id) => navigate({ to: '/templates/$id', params: { id } }),
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('name')} data-autofocus {...form.getInputProps('name')} />
      <Select
        label={t('layout')}
        data={layouts.map((layout) => ({ value: layout, label: t(`layout.${layout}`) }))}
        allowDeselect={false}
        {...form.getInputProps('layout')}
      />
      <Submit form={form}>{t('createConfirm')}</Submit>
    </MethodForm>
  );
}

function NewFromCampaign() {
  const t = useText('templates');
  const navigate = useNavigate();
  const nameOf = useNameOf();
  const campaigns = useMethod('campaigns', { filters: { hidden: false }, limit: 100 });
  const create = useMutate('templateCreate', ['campaign']);
  const form = useMethodForm({
    initialValues: { cid: '', name: '' },
    fields: { name: 'name', cid: 'cid', source: 'cid' },
    validate: { cid: (cid) => (cid === '' ? t('chooseCampaign') : null) },
    send: async ({ cid, name }) => create.mutateAsync({ name, source: (await call('campaignContent', { cid })).html }),
    done: (id) => navigate({ to: '/templates/$id', params: { id } }),
  });
  const written = (campaigns.data ?? []).filter(({ type }) => type !== 'plain text');
  return (
    <MethodForm form={form}>
      <Select
        label={t('campaign')}
        placeholder={t('chooseCampaign')}
        searchable
        data={written.map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }))}
        {...form.getInputProps('cid')}
        onChange={(cid) => {
          const chosen = written.find(({ id }) => id === cid);
          form.setValues({ cid: cid ?? '', name: form.values.name || (chosen ? nameOf(chosen) : '') });
        }}
      />
      <TextInput label={t('name')} {...form.getInputProps('name')} />
      <Submit form={form}>{t('createConfirm')}</Submit>
    </MethodForm>
  );
}
