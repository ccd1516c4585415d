// A clean-up rule in words.
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { useText } from '../../../text/use-text.tsx';

export type Rule = ResultOf<'cleanUpRules'>[number];

/** Title of a rule; then its list, the other conditions and what happens. */
export function useRuleWords(): (rule: Rule) => { title: string; details: string[] } {
  const t = useText('clean-up');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  return ({ kind, days, campaigns, list_id, action, tag }) => {
    const isInactive = kind === 'inactive';
    const list = list_id === '' ? t('allLists') : (lists.find(({ id }) => id === list_id)?.name ?? list_id);
    return {
      title: isInactive ? t('title.inactive', { count: campaigns }) : t('title.unconfirmed', { count: days }),
      details: [
        list,
        ...(isInactive ? [t('since', { count: days })] : []),
        action === 'tag' ? t('tagged', { tag }) : t.of('action', action),
      ],
    };
  };
}
