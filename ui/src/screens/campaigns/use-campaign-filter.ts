// The filter of the table of campaigns: the list they go to, and the days of sending. Kept in the URL.
import { useSearch } from '@tanstack/react-router';
import { useSearchChange } from '../../parts/table/table-search.ts';
import { useSession } from '../../session/session.ts';
import { momentOf, scheduleTime } from '../composer/send/zone-time.ts';
import type { CampaignSearch } from './campaign-search.ts';

type Given = { list_id?: string; sent_from?: string; sent_to?: string };

/** The filter, as the user chose it and as the method takes it, and a function that changes it. */
export function useCampaignFilter() {
  const { list, from, to } = useSearch({ strict: false }) as CampaignSearch;
  const { account } = useSession();
  const search = useSearchChange();
  const change = (next: CampaignSearch) => void search(next);
  const given: Given = {
    ...(list ? { list_id: list } : {}),
    ...(from ? { sent_from: startOf(from, account.time_zone) } : {}),
    ...(to ? { sent_to: startOf(dayAfter(to), account.time_zone) } : {}),
  };
  return { list, from, to, given, count: [list, from, to].filter(Boolean).length, change };
}

/** The beginning of a day in the account's zone, in GMT. */
const startOf = (day: string, zone: string) => scheduleTime(momentOf(`${day}T00:00`, zone) ?? new Date(day));

function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

export type CampaignFilterState = ReturnType<typeof useCampaignFilter>;
