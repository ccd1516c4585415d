// The way back from an email: to the step that it was opened from, to the automations from an autoresponder, else to the campaigns.
import { useSearch } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import type { Target } from '../../parts/link.tsx';
import { usePartOf } from '../../shell/part-of.ts';
import { useText } from '../../text/use-text.tsx';
import type { FlowSearch } from './flow-search.ts';

/** @param type of the campaign; an autoresponder is shown as a part of the automations */
export function useBackToFlow(type: string): (Target & { label: string }) | undefined {
  const t = useText('parts');
  const inShell = useText('shell');
  const { automation, step } = useSearch({ strict: false }) as FlowSearch;
  const { data } = useMethod('automationGet', { id: automation ?? '' }, { enabled: automation !== undefined });
  const isOfAutomations = type === 'auto' || automation !== undefined;
  usePartOf(isOfAutomations ? 'automations' : undefined);
  if (!isOfAutomations) return undefined;
  if (automation === undefined) return { to: '/automations', label: inShell('nav.automations') };
  return {
    to: '/automations/$id',
    params: { id: automation },
    search: { step },
    label: data ? t('backToFlow', { title: data.title }) : t('backToAutomation'),
  };
}
