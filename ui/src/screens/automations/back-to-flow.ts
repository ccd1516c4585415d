// The way back from an email to the step that it was opened from; elsewhere, to the campaigns.
import { useSearch } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import type { Target } from '../../parts/link.tsx';
import { useText } from '../../text/use-text.tsx';
import type { FlowSearch } from './flow-search.ts';

export function useBackToFlow(): (Target & { label: string }) | undefined {
  const t = useText('parts');
  const { automation, step } = useSearch({ strict: false }) as FlowSearch;
  const { data } = useMethod('automationGet', { id: automation ?? '' }, { enabled: automation !== undefined });
  if (automation === undefined) return undefined;
  return {
    to: '/automations/$id',
    params: { id: automation },
    search: { step },
    label: data ? t('backToFlow', { title: data.title }) : t('backToAutomation'),
  };
}
