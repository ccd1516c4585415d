// List growth: members at the end of each month, and how many joined and left.
import { Stack } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { BarPlot, LinePlot } from '../../parts/plot/plot.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useText } from '../../text/use-text.tsx';
import { chartedMonths, type GrowthMonth, growthMonths, presentMonth } from './growth-months.ts';

type Month = GrowthMonth & { x: string };

export function Growth({ list }: { list: string }) {
  const t = useText('lists');
  const { number, month: monthName } = useFormats();
  const growth = useMethod('listGrowthHistory', { id: list });
  const columns: Column<Month>[] = [
    { name: 'month', title: t('month'), width: '25%', cell: ({ x }) => x },
    { name: 'joined', title: t('joined'), figure: true, width: '25%', cell: ({ joined }) => number(joined) },
    { name: 'left', title: t('left'), figure: true, width: '25%', cell: ({ left }) => number(left) },
    {
      name: 'members',
      title: t('membersAtMonthEnd'),
      figure: true,
      width: '25%',
      cell: ({ members }) => number(members),
    },
  ];
  return (
    <Loaded query={growth}>
      {(months) => {
        const all = growthMonths(months, presentMonth()).map(
          (month): Month => ({ ...month, x: monthName(month.month) }),
        );
        const rows = all.slice(-chartedMonths);
        if (rows.length === 0)
          return <Empty icon={IconChartLine} title={t('noGrowthTitle')} text={t('noGrowthText')} />;
        return (
          <Stack gap="xl">
            {rows.length > 1 && (
              <Section title={t('membersOverTime')} description={t('membersOverTimeAbout')}>
                <LinePlot
                  title={t('membersOverTime')}
                  rows={rows}
                  series={[{ name: 'members', label: t('membersAtMonthEnd') }]}
                />
              </Section>
            )}
            <Section title={t('joinedAndLeft')}>
              <BarPlot
                title={t('joinedAndLeft')}
                rows={rows}
                series={[
                  { name: 'joined', label: t('joined') },
                  { name: 'left', label: t('left'), color: 'gray.6' },
                ]}
              />
            </Section>
            <Rows
              label={t('joinedAndLeft')}
              compact
              columns={columns}
              rows={all.filter(({ joined, left }) => joined + left > 0).toReversed()}
              keyOf={({ x }) => x}
              nameOf={({ x }) => x}
              empty={null}
            />
          </Stack>
        );
      }}
    </Loaded>
  );
}
