// A closer look at a list, in the panel at the side: its members by status, its growth, and its segments.
import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { useText } from '../../text/use-text.tsx';
import { memberStates } from './states.ts';

type List = ResultOf<'lists'>[number];

export default function ListPeek({ list }: { list: List }) {
  const t = useText('lists');
  const { number } = useFormats();
  const members = useMethod('memberSearch', { list: list.id, limit: 1 });
  const growth = useMethod('listGrowthHistory', { id: list.id }).data ?? [];
  const course = growth.slice(-12).map(({ existing, optins, unsubscribes }) => existing + optins - unsubscribes);
  const last = growth.at(-1);
  return (
    <Stack gap="md">
      <Stats>
        <Stat label={t('subscribed')} value={number(list.member_count)} course={course} />
        <Stat label={t('joinedThisMonth')} value={number(last?.optins ?? 0)} />
        <Stat label={t('leftThisMonth')} value={number(last?.unsubscribes ?? 0)} />
      </Stats>
      <Loaded query={members}>
        {({ counts }) => (
          <Stats>
            {memberStates
              .filter((state) => state !== 'subscribed' && counts[state] > 0)
              .map((state) => (
                <Stat
                  key={state}
                  label={t(`state.${state}`)}
                  value={number(counts[state])}
                  to={{ to: `/lists/${list.id}`, search: { tab: 'members', state } as never }}
                />
              ))}
          </Stats>
        )}
      </Loaded>
      <Button component={Link} to={`/lists/${list.id}`} variant="default">
        {t('openList')}
      </Button>
    </Stack>
  );
}
