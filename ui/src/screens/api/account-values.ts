// The placeholders of examples, such as {{list}}, filled with ids of this account, so that a sample runs as it is shown.
import { useMemo } from 'react';
import { useMethod } from '../../api/use-method.ts';

type Params = Record<string, unknown>;

/** @returns undefined while the ids are read; a placeholder that this account has nothing for stays */
export function useFilled(method: string, example: Params): Params | undefined {
  const wanted = useMemo(() => (isFinal(method) ? [] : placeholdersOf(example)), [method, example]);
  const lists = useMethod('lists', { limit: 1 }, { enabled: wanted.includes('list') });
  const campaigns = useMethod('campaigns', { limit: 1 }, { enabled: wanted.includes('campaign') });
  const hooks = useMethod('webhooks', {}, { enabled: wanted.includes('webhook') });
  const templates = useMethod('campaignTemplates', {}, { enabled: wanted.includes('template') });
  const domains = useMethod('senderDomains', {}, { enabled: wanted.includes('domain') });
  const asked = [lists, campaigns, hooks, templates, domains];
  const ready = asked.every(({ isLoading }) => !isLoading);
  const values = {
    list: lists.data?.[0]?.id,
    campaign: campaigns.data?.[0]?.id,
    webhook: hooks.data?.[0]?.id,
    template: templates.data?.[0]?.id,
    domain: domains.data?.[0]?.domain,
  };
  return ready ? fill(example, wanted.length > 0 ? values : {}) : undefined;
}

/** Calls that end something: they keep their placeholders, so that no one loses a campaign by trying one. */
export const isFinal = (method: string) =>
  /delete|remove|erase|expire|stop|sendnow|undo|unsubscribe|suppress/i.test(method);

/** The names of the placeholders in the values of an example. */
export function placeholdersOf(example: Params): string[] {
  return [...JSON.stringify(example).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
}

export function fill(example: Params, values: Record<string, string | undefined>): Params {
  const filled = JSON.stringify(example).replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    // Within a JSON text; without the quotes around it.
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1);
  });
  return JSON.parse(filled) as Params;
}
