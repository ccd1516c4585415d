// The template gallery: thumbnails, filter by purpose; create one from a blank layout or a campaign.

import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconTemplate } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { ButtonMenu } from '../../parts/button-menu.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useShortcut } from '../../parts/keys.ts';
import { useArrangeItems } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { FilterBar } from '../../parts/table/filter-bar.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Purpose, purposeOf, purposes, starterOf } from './purpose.ts';
import { TemplatePicture } from './template-picture.tsx';
import classes from './templates.module.css';
import { useTemplateActions } from './use-template.ts';

const NewTemplate = lazy(() => import('./new-template.tsx'));
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
                chipsLabel={t('purposes')}
                tools={
                  <Suspense fallback={<Box w={110} h={36} />}>
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
      <Suspense>{making && <NewTemplate from={making} onClose={() => setMaking(undefined)} />}</Suspense>
    </Page>
  );
}

function CreateMenu({ onChoose }: { onChoose(kind: 'plain' | 'campaign'): void }) {
  const t = useText('templates');
  useShortcut('c', t('create'), () => onChoose('plain'));
  return (
    <ButtonMenu
      rightSection={<IconChevronDown size={16} aria-hidden />}
      items={[
        { label: t('blankLayout'), act: () => onChoose('plain') },
        { label: t('fromCampaign'), act: () => onChoose('campaign') },
      ]}
    >
      {t('create')}
    </ButtonMenu>
  );
}

function Card({ template }: { template: Template }) {
  const t = useText('templates');
  const mayWrite = useSession().mayAll('campaigns:write');
  const { begin, busy } = useTemplateActions();
  const arrange = useArrangeItems('template');
  const starter = starterOf(template);
  return (
    <li className={classes.card}>
      <Link to="/templates/$id" params={{ id: template.id }} className={classes.picture} tabIndex={-1} aria-hidden>
        <TemplatePicture address={template.preview_image} />
      </Link>
      <Stack gap={6} p="md" className={classes.about}>
        <Group gap="sm" wrap="nowrap" justify="space-between" align="flex-start">
          <LinkAnchor to="/templates/$id" params={{ id: template.id }} fw={500} c="inherit">
            {template.name}
          </LinkAnchor>
          {mayWrite && <ObjectMenu inRow of={template.name} items={arrange.items(template)} />}
        </Group>
        {arrange.dialog}
        {starter && (
          <Text size="sm" c="dimmed">
            {t(`about.${starter}`)}
          </Text>
        )}
        <Group justify="space-between" gap="sm" mt="auto" pt={4}>
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
