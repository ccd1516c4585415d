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
  /** Whether it is scheduled: at a time, or at the best hour of each recipient from a time on. */
  isLater: boolean;
  setLater(isLater: boolean): void;
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
    when: values.best_hour ? 'best' : isLater ? 'later' : 'now',
    setWhen: (when) => {
      setLater(when === 'later');
      change(when === 'best' ? { best_hour: true, time_match: false } : { best_hour: false });
    },
    isLater,
    setLater,
    time,
    setTime,
    scheduled,
  };
}
