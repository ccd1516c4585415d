// A template: its name and design; folded, what programs that send it need.
import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { getRouteApi, useBlocker, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useCopyTo } from '../../parts/copy-to/use-copy-to.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Marks, useArrangeItems } from '../../parts/labels/arranging.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { isLayout } from './layouts.ts';
import { TemplateHistory } from './template-history.tsx';
import { TemplatePage } from './template-page.tsx';
import type { Template } from './templates-screen.tsx';
import { useTemplateActions } from './use-template.ts';

export function TemplateScreen() {
  const { id } = getRouteApi('/shell/templates/$id').useParams();
  const t = useText('templates');
  const answer = useMethod('campaignTemplates');
  if (answer.data === undefined)
    return <LoadingPage title={t('template')} back={{ to: '/templates', label: t('title') }} query={answer} />;
  const template = answer.data.find((candidate) => candidate.id === id);
  return template ? <Shown key={id} template={template} /> : <NotFound />;
}

function Shown({ template }: { template: Template }) {
  const t = useText('templates');
  const mayWrite = useSession().mayAll('campaigns:write');
  const { begin, busy } = useTemplateActions();
  const update = useMutate('templateUpdate', ['campaign']);
  const [name, setName] = useState(template.name);
  const [source, setSource] = useState(template.source);
  const [alias, setAlias] = useState(template.alias);
  const [subject, setSubject] = useState(template.subject);
  const [fault, setFault] = useState<unknown>();
  const now = { name, alias, subject, source };
  const changed = (['name', 'alias', 'subject', 'source'] as const).filter(
    (member) => now[member] !== template[member],
  );
  useBlocker({
    shouldBlockFn: () => changed.length > 0 && !window.confirm(t('leaveUnsaved')),
    enableBeforeUnload: () => changed.length > 0,
  });
  const show = (restored: { source: string; subject: string }) => {
    setSource(restored.source);
    setSubject(restored.subject);
  };
  const save = async () => {
    try {
      for (const member of changed)
        await update.mutateAsync({ template_id: template.id, name: member, value: now[member] });
      setFault(undefined);
      toast.done(t('saved'));
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <Page>
      <PageHeader
        title={template.name}
        status={<Marks of={template} />}
        back={{ to: '/templates', label: t('title') }}
        actions={
          mayWrite && (
            <>
              <Button variant="default" loading={busy} onClick={() => begin(template)}>
                {t('useLong')}
              </Button>
              <Button disabled={changed.length === 0} loading={update.isPending} onClick={save}>
                {t('save')}
              </Button>
              <More template={template} />
            </>
          )
        }
      />
      {fault !== undefined && <FaultNote error={fault} />}
      <TextInput
        label={t('name')}
        value={name}
        maw={480}
        readOnly={!mayWrite}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <details
        open={
          (fault !== undefined && changed.some((member) => member === 'alias' || member === 'subject')) || undefined
        }
      >
        <summary>{t('forPrograms')}</summary>
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
          <TextInput
            label={t('alias')}
            description={t('aliasHint')}
            value={alias}
            maxLength={64}
            readOnly={!mayWrite}
            onChange={(event) => setAlias(event.currentTarget.value)}
          />
          <TextInput
            label={t('subject')}
            description={t('subjectHint')}
            value={subject}
            maxLength={900}
            readOnly={!mayWrite}
            onChange={(event) => setSubject(event.currentTarget.value)}
          />
        </SimpleGrid>
      </details>
      <TemplatePage
        name={template.name}
        source={source}
        onSource={setSource}
        fixed={!mayWrite}
        history={<TemplateHistory id={template.id} fixed={!mayWrite || changed.length > 0} onRestored={show} />}
      />
    </Page>
  );
}

function More({ template }: { template: Template }) {
  const arrange = useArrangeItems('template');
  const t = useText('templates');
  const navigate = useNavigate();
  const create = useMutate('templateCreate', ['campaign']);
  const destroy = useMutate('templateDelete', ['campaign']);
  const copy = async () => {
    try {
      const id = await create.mutateAsync({
        name: t('copyName', { name: template.name }).slice(0, 200),
        source: template.source,
        subject: template.subject,
        layout: isLayout(template.layout) ? template.layout : 'basic',
      });
      await navigate({ to: '/templates/$id', params: { id } });
    } catch (error) {
      toast.failed(error);
    }
  };
  const toAccount = useCopyTo({ kind: 'template', id: template.id, name: template.name });
  return (
    <>
      <ObjectMenu
        items={[{ label: t('copy'), icon: IconCopy, act: copy }, toAccount.item, ...arrange.items(template)]}
        removal={{
          title: t('deleteTitle', { name: template.name }),
          text: t('deleteText'),
          action: t('delete'),
          remove: () => destroy.mutateAsync({ template_id: template.id }),
          done: t('deleted'),
          backTo: '/templates',
        }}
      />
      {toAccount.dialog}
      {arrange.dialog}
    </>
  );
}
