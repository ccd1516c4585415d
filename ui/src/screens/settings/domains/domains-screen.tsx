// The sender domains: which are signed with DKIM, and adding one.

import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconPlus, IconWorldCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { pastedDomain, shownDomains } from '../../../parts/domain-name.ts';
import { Empty } from '../../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';

export type SenderDomain = ResultOf<'senderDomains'>[number];

const tones: Record<SenderDomain['status'], Tone> = { pending: 'waiting', active: 'good', broken: 'bad' };

export function DomainsScreen() {
  const t = useText('settings');
  const { may } = useSession();
  const answer = useMethod('senderDomains');
  const [adding, setAdding] = useState(false);
  const add = may('sending:write') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('domainAdd')}
    </Button>
  );
  const columns: Column<SenderDomain>[] = [
    {
      name: 'domain',
      title: t('domain'),
      cell: ({ domain, status }) => (
        <>
          <LinkAnchor to="/settings/domains/$domain" params={{ domain }} fw={500} c="inherit">
            {shownDomains(domain)}
          </LinkAnchor>
          <Text size="xs" c="dimmed">
            {t(`domainNext.${status}`)}
          </Text>
        </>
      ),
    },
    { name: 'state', title: t('state'), width: '180px', cell: (domain) => <DomainStatus domain={domain} /> },
    {
      name: 'checked',
      title: t('checked'),
      width: '160px',
      cell: ({ checked_at }) => <Time at={checked_at} never={t('notChecked')} />,
    },
  ];
  return (
    <SettingsFrame section="domains" description={t('domainsAbout')} actions={add}>
      <Rows
        label={t('section.domains')}
        compact
        columns={columns}
        rows={answer.data}
        keyOf={({ domain }) => domain}
        nameOf={({ domain }) => domain}
        query={answer}
        empty={<Empty icon={IconWorldCheck} title={t('domainsEmptyTitle')} text={t('domainsEmptyText')} action={add} />}
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('domainAdd')}>
        <Add />
      </Modal>
    </SettingsFrame>
  );
}

export function DomainStatus({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  return <Status tone={tones[domain.status]}>{t(`domainState.${domain.status}`)}</Status>;
}

function Add() {
  const t = useText('settings');
  const navigate = useNavigate();
  const add = useMutate('senderDomainCreate');
  const form = useMethodForm({
    initialValues: { domain: '' },
    send: ({ domain }) => add.mutateAsync({ domain: pastedDomain(domain) }),
    done: ({ domain }) => navigate({ to: '/settings/domains/$domain', params: { domain } }),
  });
  return (
    <MethodForm form={form}>
      <TextInput
        label={t('domain')}
        description={t('domainHint')}
        placeholder="news.example.com"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('domain')}
      />
      <Text c="dimmed">{t('domainAddText')}</Text>
      <Group justify="flex-end">
        <Submit form={form}>{t('domainAddConfirm')}</Submit>
      </Group>
    </MethodForm>
  );
}
