// The last request of an incoming webhook, or a sample: its entries, each of which can be chosen for something, and what the mapping
// makes of it.
import { Button, Code, Group, Stack, Text, Textarea, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { LateItems } from '../../parts/button-menu.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Incoming, LastRequest } from './incoming-screen.tsx';
import type { FormOf, Mapping } from './incoming-values.ts';
import { useShown } from './mapping-rows.tsx';
import { isObject, type Member, membersOf, readRequest } from './members.ts';
import classes from './webhooks.module.css';

type Props = {
  hook: Incoming;
  form: FormOf;
  body: string;
  onBody(body: string): void;
  /** A field was filled by a click. */
  onUse(field: string): void;
  mapping(): Mapping;
  refresh(): void;
};

export function Sample({ hook, form, body, onBody, onUse, mapping, refresh }: Props) {
  const t = useText('webhooks');
  const request = readRequest(body);
  const [isEditing, setEditing] = useState(false);
  // Without a request that can be read, there is nothing to click.
  const edits = isEditing || !isObject(request);
  return (
    <Section title={t('lastRequest')}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <LastRequest hook={hook} />
          <Button variant="default" size="xs" flex="none" onClick={refresh}>
            {t('incomingRefresh')}
          </Button>
        </Group>
        {hook.last_body === '' && (
          <Text size="sm" c="dimmed">
            {t('incomingWaits')}
          </Text>
        )}
        {isObject(request) && <Entries form={form} hook={hook} request={request} onUse={onUse} />}
        {!edits && (
          <Group>
            <Button variant="subtle" size="xs" px={0} onClick={() => setEditing(true)}>
              {t('incomingSample')}
            </Button>
          </Group>
        )}
        {edits && (
          <Textarea
            label={t('incomingBody')}
            description={t('incomingBodyHint')}
            value={body}
            onChange={(event) => onBody(event.currentTarget.value)}
            autosize
            minRows={6}
            maxRows={18}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          />
        )}
        <Try hook={hook} body={body} mapping={mapping} />
      </Stack>
    </Section>
  );
}

type EntriesProps = Pick<Props, 'form' | 'hook' | 'onUse'> & { request: unknown };

/** All entries with their values. A click asks what the entry is for. */
function Entries({ form, hook, request, onUse }: EntriesProps) {
  const t = useText('webhooks');
  const shown = useShown();
  const single = [
    'email',
    ...(hook.service === 'custom' ? (['event_member'] as const) : []),
    'value',
    'currency',
    'time',
    'id',
    ...(form.values.list === '' ? [] : (['consent'] as const)),
  ] as const;
  const usesOf = (path: string) => [
    ...single.filter((name) => form.values[name].split(',').some((one) => one.trim() === path)),
    ...(form.values.data.some(({ member }) => member === path) ? (['data'] as const) : []),
  ];
  const keep = (path: string) => {
    const name = path.slice(path.lastIndexOf('.') + 1);
    form.setFieldValue('data', [...form.values.data, { name, member: path, items: [] }]);
    onUse('data');
  };
  const use = (name: (typeof single)[number], path: string) => {
    form.setFieldValue(name, path);
    onUse(name);
  };
  const items = ({ path, value }: Member) => [
    ...(Array.isArray(value) ? [] : single).map((name) => ({
      label: t(`mapping.${name}`),
      act: () => use(name, path),
    })),
    { label: t('mapping.data'), startsGroup: !Array.isArray(value), act: () => keep(path) },
  ];
  const members = membersOf(request).filter(({ value }) => Array.isArray(value) || !isObject(value));
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {t('incomingEntriesHint')}
      </Text>
      <ul className={classes.entries} aria-label={t('incomingEntries')}>
        {members.map((member) => (
          <li key={member.path}>
            <LateItems
              title={t('incomingUseAs', { path: member.path })}
              items={items(member)}
              position="bottom-start"
              target={(events) => (
                <UnstyledButton className={classes.entry} {...events}>
                  <span>{member.path}</span>
                  <span className={classes.value}>{shown(member.value)}</span>
                  <span className={classes.uses}>
                    {usesOf(member.path).map((use) => (
                      <Tag key={use}>{t(`mapping.${use}`)}</Tag>
                    ))}
                  </span>
                </UnstyledButton>
              )}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

/** What the mapping makes of the request. */
function Try({ hook, body, mapping }: Pick<Props, 'hook' | 'body' | 'mapping'>) {
  const t = useText('webhooks');
  const [made, setMade] = useState<ResultOf<'incomingWebhookTry'>>();
  const [fault, setFault] = useState<unknown>();
  const onTry = async () => {
    try {
      const given = mapping();
      // As the service called the last one; before the first, one that is mapped, unless the body says it.
      const called = hook.last_called || (given.event_member ? '' : (given.names?.[0]?.from ?? ''));
      setMade(await call('incomingWebhookTry', { body, mapping: given, called }));
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <>
      <Group>
        <Button variant="default" size="xs" disabled={body.trim() === ''} onClick={onTry}>
          {t('incomingTry')}
        </Button>
      </Group>
      {fault !== undefined && <FaultNote error={fault} />}
      {made && (
        <div role="status">
          <Text size="sm" fw={500}>
            {t('incomingMakes')}
          </Text>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {JSON.stringify(made, null, 2)}
          </Code>
        </div>
      )}
    </>
  );
}
