// The template gallery: thumbnails, filter by purpose; create one from a blank layout or a campaign.

import { Button, Group, Menu, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconTemplate } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { pathOf } from '../../api/base-path.ts';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { useShortcut } from '../../parts/keys.ts';
import { useArrangeItems } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { FilterBar } from '../../parts/table/filter-bar.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useNameOf } from '../../parts/tagged/tagged.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Layout, layouts, startingPage } from './layouts.ts';
import { type Purpose, purposeOf, purposes } from './purpose.ts';
import classes from './templates.module.css';
import { useTemplateActions } from './use-template.ts';

const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));

export type Template = ResultOf<'campaignTemplates'>[number];

export function TemplatesScreen() {
  const t = useText('templates');
  const mayWrite = useSession().mayAll('campaigns:write');
  const search = useTableSearch();
  const answer = useMethod('campaignTemplates');
  const [making, setMaking] = useState<'plain' | 'campaign'>();
  const create = mayWrite && <CreateMenu onChoose={setMaking} />;
  const inLabels = useText('labels');
  /** The purposes, where there are several, and the hidden ones, where there are any. */
  const chipsOf = (templates: readonly Template[]) => {
    const shown = templates.filter(({ hidden }) => !hidden);
    const count = (name: Purpose) => shown.filter((template) => purposeOf(template) === name).length;
    const there = purposes.filter((name) => count(name) > 0);
    const hidden = templates.length - shown.length;
    return [
      ...(there.length < 2 ? [] : there.map((name) => ({ name, label: t(`purpose.${name}`), count: count(name) }))),
      ...(hidden > 0 || search.state === 'hidden'
        ? [{ name: 'hidden', label: inLabels('hidden'), count: hidden }]
        : []),
    ];
  };
  return (
    <Page>
      <PageHeader title={t('title')} description={t('about')} actions={create} />
      <Loaded query={answer}>
        {(all) => {
          if (all.length === 0)
            return <Empty icon={IconTemplate} title={t('emptyTitle')} text={t('emptyText')} action={create} />;
          const labelled = all.filter(
            ({ labels }) => search.label === undefined || labels.some(({ id }) => id === search.label),
          );
          const isShown = (template: Template) => search.state === undefined || search.state === purposeOf(template);
          const shown = labelled.filter((template) =>
            search.state === 'hidden' ? template.hidden : !template.hidden && isShown(template),
          );
          return (
            <>
              <FilterBar
                search={search}
                chips={chipsOf(labelled)}
                tools={
                  <Suspense>
                    <LabelFilter search={search} />
                  </Suspense>
                }
              />
              {shown.length === 0 && <Text c="dimmed">{t('noneFound')}</Text>}
              <ul className={classes.gallery}>
                {shown.map((template) => (
                  <Card key={template.id} template={template} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      <Modal opened={making === 'plain'} onClose={() => setMaking(undefined)} title={t('newTitle')}>
        <NewPlain />
      </Modal>
      <Modal opened={making === 'campaign'} onClose={() => setMaking(undefined)} title={t('fromCampaign')}>
        <NewFromCampaign />
      </Modal>
    </Page>
  );
}

function CreateMenu({ onChoose }: { onChoose(kind: 'plain' | 'campaign'): void }) {
  const t = useText('templates');
  useShortcut('c', t('create'), () => onChoose('plain'));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={16} aria-hidden />}>{t('create')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('plain')}>{t('blankLayout')}</Menu.Item>
        <Menu.Item onClick={() => onChoose('campaign')}>{t('fromCampaign')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Card({ template }: { template: Template }) {
  const t = useText('templates');
  const mayWrite = useSession().mayAll('campaigns:write');
  const { begin, busy } = useTemplateActions();
  const arrange = useArrangeItems('template');
  return (
    <li className={classes.card}>
      <Link to="/templates/$id" params={{ id: template.id }} className={classes.picture} tabIndex={-1} aria-hidden>
        <img src={pathOf(template.preview_image)} alt="" loading="lazy" />
      </Link>
      <Stack gap={4} p="md">
        <Group gap="sm" wrap="nowrap" justify="space-between" align="flex-start">
          <LinkAnchor to="/templates/$id" params={{ id: template.id }} fw={500} c="inherit">
            {template.name}
          </LinkAnchor>
          {mayWrite && <ObjectMenu inRow of={template.name} items={arrange.items(template)} />}
        </Group>
        {arrange.dialog}
        <Group justify="space-between" gap="sm">
          <Text size="xs" c="dimmed">
            {t(`purpose.${purposeOf(template)}`)}
          </Text>
          {mayWrite && (
            <Button
              variant="default"
              size="xs"
              loading={busy}
              onClick={() => begin(template)}
              aria-label={t('useOf', { name: template.name })}
            >
              {t('use')}
            </Button>
          )}
        </Group>
        <LabelChips labels={template.labels} />
      </Stack>
    </li>
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
