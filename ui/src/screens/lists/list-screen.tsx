// A list: members, growth, segments, fields, imports and settings. Users without write access do not see what changes
// it.
import { Group, Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconForms } from '@tabler/icons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiFault } from '../../api/call.ts';
import { faultCodes } from '../../api/fault-codes.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { DropAnywhere, holdFile } from '../../parts/form/drop-anywhere.tsx';
import { Marks, useArrangeItems } from '../../parts/labels/arranging.tsx';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { AddMember } from './add-member.tsx';
import { ExportButton, useExport } from './export-button.tsx';
import { Members } from './members-tab.tsx';

// The tabs beside the first one.
const Growth = lazy(async () => ({ default: (await import('./growth-tab.tsx')).Growth }));
const Segments = lazy(async () => ({ default: (await import('./segments/segments-tab.tsx')).Segments }));
const Fields = lazy(async () => ({ default: (await import('./fields/fields-tab.tsx')).Fields }));
const Imports = lazy(async () => ({ default: (await import('./import/imports-tab.tsx')).Imports }));
const Settings = lazy(async () => ({ default: (await import('./settings-tab.tsx')).Settings }));

/** The tabs that require write access. */
const forWriters: readonly Tab<'list'>[] = ['import', 'settings'];

export function ListScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { tab = 'members' } = useSearch({ strict: false }) as { tab?: Tab<'list'> };
  const t = useText('lists');
  const mayWrite = useSession().may('contacts:write');
  const isNarrow = useMediaQuery('(max-width: 30em)', undefined, { getInitialValueInEffect: false });
  const { data: list, error, refetch } = useMethod('listGet', { id });
  const back = { to: '/lists', label: t('title') } as const;
  if (error instanceof ApiFault && error.code === faultCodes.LIST_UNKNOWN) return <NotFound />;
  if (list === undefined) return <LoadingPage title={t('list')} back={back} query={{ error, refetch }} />;
  const shown = tabs.list.filter((name) => mayWrite || !forWriters.includes(name));
  const chosen = shown.includes(tab) ? tab : 'members';
  return (
    <Page>
      <PageHeader
        title={list.title}
        status={<Marks of={list} />}
        description={
          <>
            {t('memberCount', { count: list.member_count })}
            <IgnoredNote list={id} />
          </>
        }
        back={back}
        actions={
          <Group gap="sm">
            {mayWrite && !isNarrow && (
              <LinkButton
                to="/lists/$id/form"
                params={{ id }}
                variant="default"
                leftSection={<IconForms size={16} aria-hidden />}
              >
                {t('form')}
              </LinkButton>
            )}
            {!(mayWrite && isNarrow) && <ExportButton list={list} />}
            {mayWrite && <AddMember list={id} />}
            {mayWrite && <More list={list} withButtons={isNarrow} />}
          </Group>
        }
      />
      {mayWrite && chosen !== 'import' && <ImportByDrop list={id} />}
      <UrlTabs tabs={shown} open={chosen} labelOf={(name) => t(`tab.${name}`)}>
        <Suspense fallback={<Lines />}>
          <Tabs.Panel value="members">
            <Members list={id} />
          </Tabs.Panel>
          <Tabs.Panel value="growth">
            <Growth list={id} />
          </Tabs.Panel>
          <Tabs.Panel value="segments">
            <Segments list={id} />
          </Tabs.Panel>
          <Tabs.Panel value="fields">
            <Fields list={id} />
          </Tabs.Panel>
          <Tabs.Panel value="import">
            <Imports list={id} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <Settings list={list} />
          </Tabs.Panel>
        </Suspense>
      </UrlTabs>
    </Page>
  );
}

type Info = ResultOf<'listGet'>;

/** @param withButtons the buttons that have no room beside it too */
function More({ list, withButtons }: { list: Info; withButtons: boolean }) {
  const t = useText('lists');
  const navigate = useNavigate();
  const { may } = useSession();
  const { items, dialog } = useArrangeItems('list');
  const exporting = useExport({ list });
  return (
    <>
      <ObjectMenu
        items={[
          withButtons && {
            label: t('form'),
            icon: IconForms,
            act: () => void navigate({ to: '/lists/$id/form', params: { id: list.id } }),
          },
          withButtons && may('contacts:export') && { label: t('export'), icon: IconDownload, act: exporting.open },
          ...items({ ...list, name: list.title }),
        ]}
      />
      {dialog}
      {exporting.dialog}
    </>
  );
}

/** How many names programs send that are no field, with the way to them. */
function IgnoredNote({ list }: { list: string }) {
  const t = useText('lists');
  const count = useMethod('listIgnoredNames', { id: list }).data?.length ?? 0;
  if (count === 0) return null;
  return (
    <>
      {' · '}
      <LinkAnchor to="/lists/$id" params={{ id: list }} search={{ tab: 'fields' }} inherit>
        {t('ignoredNamesCount', { count })}
      </LinkAnchor>
    </>
  );
}

/** A file dropped on any tab is imported. */
function ImportByDrop({ list }: { list: string }) {
  const t = useText('lists');
  const navigate = useNavigate();
  return (
    <DropAnywhere
      text={t('dropAnywhere')}
      onDrop={(file) => {
        holdFile(file);
        void navigate({ to: '/lists/$id', params: { id: list }, search: { tab: 'import' } });
      }}
    />
  );
}
