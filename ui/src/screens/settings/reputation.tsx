// Complaint and hard-bounce rates of the last days: of the account, by list and by mailbox provider.
import { Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './settings.module.css';

type Reputation = ResultOf<'reputationGet'>;
type Row = Pick<Reputation, 'emails' | 'complaints' | 'hard_bounces' | 'complaint_rate' | 'bounce_rate' | 'warned'> & {
  key: string;
  name: string;
};

const isWarned = ({ warned }: { warned: boolean }) => warned;

export function ReputationSection() {
  const t = useText('settings');
  const { number, percent, smallPercent } = useFormats();
  const answer = useMethod('reputationGet', {});
  return (
    <Section title={t('reputation')} description={t('reputationAbout', { days: answer.data?.days ?? 30 })}>
      <Loaded query={answer}>
        {(all) =>
          all.emails === 0 ? (
            <Empty icon={IconGauge} title={t('reputationFewTitle')} text={t('reputationFewText')} />
          ) : (
            <Stack gap="lg">
              <Stats label={t('reputationAll')}>
                <Stat
                  label={t('reputationComplaints')}
                  value={<Share rate={smallPercent(all.complaint_rate)} part={all.complaints} of={all.emails} />}
                  note={all.warned && <Status tone="bad">{t('reputationTooMany')}</Status>}
                />
                <Stat
                  label={t('reputationBounces')}
                  value={<Share rate={percent(all.bounce_rate)} part={all.hard_bounces} of={all.emails} />}
                />
                <Stat label={t('reputationEmails')} value={number(all.emails)} />
              </Stats>
              <details className={classes.fold} open={all.lists.some(isWarned) || all.providers.some(isWarned)}>
                <summary>{t('reputationParts')}</summary>
                <Stack gap="lg" mt="sm">
                  <Rates
                    label={t('reputationLists')}
                    first={t('reputationList')}
                    rows={all.lists.map(({ id, ...row }) => ({ key: id, ...row }))}
                  />
                  <Rates
                    label={t('reputationProviders')}
                    first={t('reputationProvider')}
                    rows={all.providers.map(({ provider, name, ...row }) => ({
                      key: provider,
                      name: name || t('reputationOther'),
                      ...row,
                    }))}
                  />
                </Stack>
              </details>
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

/** A rate and the numbers behind it: "0.2% · 1 of 456". */
function Share({ rate, part, of }: { rate: string; part: number; of: number }) {
  const t = useText('settings');
  const { number } = useFormats();
  return (
    <span>
      {rate}{' '}
      <Text span size="xs" c="dimmed" fw={400}>
        · {t('reputationShare', { part: number(part), of: number(of) })}
      </Text>
    </span>
  );
}

function Rates({ label, first, rows }: { label: string; first: string; rows: Row[] }) {
  const t = useText('settings');
  const { number, percent, smallPercent } = useFormats();
  if (rows.length === 0) return null;
  const columns: Column<Row>[] = [
    {
      name: 'name',
      title: first,
      cell: ({ name, warned }) => (
        <>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {warned && <Status tone="bad">{t('reputationTooMany')}</Status>}
        </>
      ),
    },
    { name: 'emails', title: t('reputationEmails'), figure: true, cell: ({ emails }) => number(emails) },
    {
      name: 'complaints',
      title: t('reputationComplaints'),
      figure: true,
      // None is known, rather than none there.
      cell: ({ key, complaints, complaint_rate }) =>
        key === 'gmail' && complaints === 0 ? '–' : smallPercent(complaint_rate),
    },
    {
      name: 'bounces',
      title: t('reputationBounces'),
      figure: true,
      cell: ({ bounce_rate }) => percent(bounce_rate),
    },
  ];
  return (
    <Rows
      label={label}
      compact
      columns={columns}
      rows={rows}
      keyOf={({ key }) => key}
      nameOf={({ name }) => name}
      empty={null}
    />
  );
}
