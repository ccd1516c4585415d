// How many emails were sent, by month and kind, with a file to download; for the operator also of all accounts.
import { Button, Group } from '@mantine/core';
import { IconDownload, IconMailForward } from '@tabler/icons-react';
import { publicPath } from '../../api/base-path.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Section } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

type Usage = ResultOf<'usage'>[number];

export function UsageSection() {
  const t = useText('settings');
  const { month, number } = useFormats();
  const { operator } = useSession();
  const answer = useMethod('usage', {});
  const figure = (name: 'campaigns' | 'automations' | 'messages' | 'program' | 'tests' | 'total', title: string) => ({
    name,
    title,
    figure: true,
    cell: (row: Usage) => number(row[name]),
  });
  const columns: Column<Usage>[] = [
    { name: 'month', title: t('usageMonth'), cell: (row) => month(row.month) },
    figure('campaigns', t('usageCampaigns')),
    figure('automations', t('usageAutomations')),
    figure('messages', t('usageMessages')),
    figure('program', t('usageProgram')),
    figure('tests', t('usageTests')),
    figure('total', t('usageTotal')),
  ];
  return (
    <Section title={t('usage')} description={t('usageAbout')}>
      <Rows
        label={t('usage')}
        columns={columns}
        rows={answer.data}
        keyOf={(row) => row.month}
        nameOf={(row) => row.month}
        query={answer}
        empty={<Empty icon={IconMailForward} title={t('usageEmptyTitle')} text={t('usageEmptyText')} />}
      />
      <Group mt="md">
        <Download href={publicPath('/export/usage.csv')} label={t('usageSave')} />
        {operator && <Download href={publicPath('/export/usage.csv?all=1')} label={t('usageSaveAll')} />}
      </Group>
    </Section>
  );
}

const Download = ({ href, label }: { href: string; label: string }) => (
  <Button component="a" href={href} download variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
    {label}
  </Button>
);
