// When a campaign is sent, as chosen in the review: now, at a time, or in the best hour of each recipient.
import { useState } from 'react';
import { parseTime } from '../../../parts/formats.ts';
import { useDraft } from '../draft.tsx';
import { useAccountZone } from './saving.ts';
import { fieldTime } from './zone-time.ts';

export type When = 'now' | 'later' | 'best';

export type TimingChoice = {
  when: When;
  setWhen(when: When): void;
  /** As in a datetime-local field, in the time zone of the account. */
  time: string;
  setTime(time: string): void;
  /** The time for which it is scheduled now, if it is. */
  scheduled: string | undefined;
};

/** @param scheduledFor the time of a scheduled campaign in GMT, "" for a draft */
export function useTimingChoice(scheduledFor: string): TimingChoice {
  const { values, change } = useDraft();
  const zone = useAccountZone();
  const scheduledAt = parseTime(scheduledFor);
  const scheduled = scheduledAt && fieldTime(scheduledAt, zone);
  const [isLater, setLater] = useState(scheduled !== undefined);
  const [time, setTime] = useState(scheduled ?? '');
  return {
    when: isLater ? 'later' : values.best_hour ? 'best' : 'now',
    setWhen: (when) => {
      setLater(when === 'later');
      if (when === 'best') change({ best_hour: true, time_match: false });
      // At a time, both are a choice of their own.
      if (when === 'now') change({ best_hour: false });
    },
    time,
    setTime,
    scheduled,
  };
}
