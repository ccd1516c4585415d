// The refused sign-ups of a form: when, why, and from where.
import { Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';

type Refusal = ResultOf<'listFormRefusals'>[number];

export function RefusedSignUps({ id }: { id: string }) {
  const t = useText('forms');
  const answer = useMethod('listFormRefusals', { id, limit: 100 });
  const columns: Column<Refusal>[] = [
    { name: 'at', title: t('refusedAt'), width: '120px', cell: ({ at }) => <Time at={at} /> },
    { name: 'reason', title: t('refusedReason'), cell: ({ reason }) => t.of('reason', reason) },
    { name: 'email', title: t('refusedEmail'), cell: ({ email }) => email },
    { name: 'network', title: t('refusedNetwork'), cell: ({ network }) => network },
    { name: 'origin', title: t('refusedOrigin'), cell: ({ origin }) => origin },
  ];
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('refusedAbout')}</Text>
      <Rows
        label={t('refused')}
        columns={columns}
        rows={answer.data}
        keyOf={(row) => JSON.stringify(row)}
        nameOf={({ email, at }) => email || at}
        query={answer}
        empty={<Empty icon={IconShieldCheck} title={t('refusedEmpty')} text={t('refusedEmptyText')} />}
      />
    </Stack>
  );
}
