// A closer look at a list, in the panel at the side: its members by status, its growth, and its segments.
import { Stack } from '@mantine/core';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { growthMonths, presentMonth } from './growth-months.ts';
import { memberStates } from './states.ts';

type List = ResultOf<'lists'>[number];
type Fact = [name: string, value: React.ReactNode];

export default function ListPeek({ list }: { list: List }) {
  const t = useText('lists');
  const { number } = useFormats();
  const members = useMethod('memberSearch', { list: list.id, limit: 1 });
  const growth = growthMonths(useMethod('listGrowthHistory', { id: list.id }).data ?? [], presentMonth());
  const course = growth.slice(-12).map(({ members }) => members);
  const last = growth.at(-1);
  return (
    <Stack gap="md">
      <Stats>
        <Stat label={t('subscribed')} value={number(list.member_count)} course={course} />
        <Stat label={t('joinedThisMonth')} value={number(last?.joined ?? 0)} />
        <Stat label={t('leftThisMonth')} value={number(last?.left ?? 0)} />
      </Stats>
      <Loaded query={members}>
        {({ counts }) => (
          <Facts
            label={list.name}
            facts={[
              ...memberStates
                .filter((state) => state !== 'subscribed' && counts[state] > 0)
                .map(
                  (state): Fact => [
                    t(`state.${state}`),
                    <LinkAnchor
                      key={state}
                      to="/lists/$id"
                      params={{ id: list.id }}
                      search={{ tab: 'members', state }}
                      inherit
                      aria-label={`${t(`state.${state}`)}: ${number(counts[state])}`}
                    >
                      {number(counts[state])}
                    </LinkAnchor>,
                  ],
                ),
              ...(list.default_from_email === '' ? [] : [[t('fromEmail'), list.default_from_email] satisfies Fact]),
              [t('created'), <Time key="created" at={list.date_created} />],
            ]}
          />
        )}
      </Loaded>
      <LinkButton to="/lists/$id" params={{ id: list.id }} variant="default">
        {t('openList')}
      </LinkButton>
    </Stack>
  );
}
