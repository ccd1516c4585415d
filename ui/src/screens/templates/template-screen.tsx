// One template: its name, layout and source, with what the source looks like beside it while it is written.
import { Button, Group, Menu, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCopy, IconDots, IconTrash } from '@tabler/icons-react';
import { getRouteApi, useBlocker, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { toast } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import type { HtmlEditorHandle } from '../composer/html-editor.tsx';
import { usePictureSource } from '../composer/pictures/picture-source.tsx';
import { isLayout, layouts } from './layouts.ts';
import classes from './templates.module.css';
import type { Template } from './templates-screen.tsx';
import { useTemplateActions } from './use-template.ts';

const HtmlEditor = lazy(() => import('../composer/html-editor.tsx'));

export function TemplateScreen() {
  const { id } = getRouteApi('/shell/templates/$id').useParams();
  const t = useText('templates');
  const answer = useMethod('campaignTemplates');
  if (answer.data === undefined)
    return (
      <Page>
        <PageHeader title={t('template')} back={{ to: '/templates', label: t('title') }} />
        {answer.error ? <FaultNote error={answer.error} onRetry={() => answer.refetch()} /> : <Lines />}
      </Page>
    );
  const template = answer.data.find((one) => one.id === id);
  return template ? <Shown key={id} template={template} /> : <NotFound />;
}

function Shown({ template }: { template: Template }) {
  const t = useText('templates');
  const mayWrite = useSession().may('write');
  const { begin, busy } = useTemplateActions();
  const update = useMutate('templateUpdate', ['campaign']);
  const [name, setName] = useState(template.name);
  const [layout, setLayout] = useState(template.layout);
  const [source, setSource] = useState(template.source);
  const [shown] = useDebouncedValue(source, 300);
  const [fault, setFault] = useState<unknown>();
  const editor = useRef<HtmlEditorHandle>(null);
  const picture = usePictureSource(editor, !mayWrite);
  const now = { name, layout, source };
  const changed = (['name', 'layout', 'source'] as const).filter((member) => now[member] !== template[member]);
  useBlocker({
    shouldBlockFn: () => changed.length > 0 && !window.confirm(t('leaveUnsaved')),
    enableBeforeUnload: () => changed.length > 0,
  });
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
      <div className={classes.editor}>
        <Stack>
          <TextInput
            label={t('name')}
            value={name}
            readOnly={!mayWrite}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('layout')}
            data={layouts.map((one) => ({ value: one, label: t(`layout.${one}`) }))}
            value={isLayout(layout) ? layout : 'basic'}
            onChange={(next) => next && setLayout(next)}
            allowDeselect={false}
            readOnly={!mayWrite}
          />
          <div {...picture.target}>
            <Group justify="space-between" mb={4}>
              <Text fw={500} size="sm">
                {t('source')}
              </Text>
              {mayWrite && picture.button}
            </Group>
            {picture.dialog}
            <Suspense fallback={<Lines />}>
              <HtmlEditor
                label={t('source')}
                value={template.source}
                onText={setSource}
                readOnly={!mayWrite}
                handle={editor}
              />
            </Suspense>
          </div>
        </Stack>
        <div>
          <Text fw={500} size="sm" mb={4}>
            {t('looks')}
          </Text>
          <iframe
            className={classes.frame}
            sandbox=""
            referrerPolicy="no-referrer"
            srcDoc={shown}
            title={t('looksOf', { name: template.name })}
          />
        </div>
      </div>
    </Page>
  );
}

function More({ template }: { template: Template }) {
  const t = useText('templates');
  const navigate = useNavigate();
  const create = useMutate('templateCreate', ['campaign']);
  const destroy = useMutate('templateDelete', ['campaign']);
  const copy = async () => {
    try {
      const id = await create.mutateAsync({
        name: t('copyName', { name: template.name }).slice(0, 200),
        source: template.source,
        layout: isLayout(template.layout) ? template.layout : 'basic',
      });
      await navigate({ to: `/templates/${id}` as string });
    } catch (error) {
      toast.failed(error);
    }
  };
  const remove = async () => {
    const yes = await confirm({
      title: t('deleteTitle', { name: template.name }),
      text: t('deleteText'),
      action: t('delete'),
      danger: true,
    });
    if (!yes) return;
    try {
      await navigate({ to: '/templates' as string });
      await destroy.mutateAsync({ template_id: template.id });
      toast.done(t('deleted'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" px="sm" aria-label={t('more')}>
          <IconDots size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
          {t('copy')}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={remove}>
          {t('delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
