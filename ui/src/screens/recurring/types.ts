// Recurring campaigns and their issues as the API returns them, and the values of the form.
import type { ParamsOf, ResultOf } from '../../api/types.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';

export type Listed = ResultOf<'recurringCampaigns'>['data'][number];
export type Info = ResultOf<'recurringGet'>;
export type Issue = ResultOf<'recurringIssues'>['data'][number];
export type Item = ResultOf<'recurringFeed'>['items'][number];
export type Schedule = Listed['schedule'];
export type ScheduleType = Schedule['type'];

/** The fields that a new one and its settings share. */
export type Values = {
  title: string;
  source: Info['source'];
  source_url: string;
  type: ScheduleType;
  time: string;
  /** From Monday, 1, to Sunday, 7. */
  weekdays: string[];
  day: string;
  cron: string;
  time_zone: string;
  max_items: number | string;
  approve: boolean;
};

/** What these fields need of the form they are in. */
export type Fields = Pick<MethodFormState<Values>, 'errors' | 'getValues'> & {
  getInputProps(name: keyof Values): ReturnType<MethodFormState<Values>['getInputProps']>;
  setFieldValue(name: 'source_url', value: string): void;
  setFieldValue(name: 'weekdays', value: string[]): void;
  setFieldValue(name: 'approve', value: boolean): void;
};

export const newValues = (zone: string): Values => ({
  title: '',
  source: 'feed',
  source_url: '',
  type: 'weekly',
  time: '09:00',
  weekdays: ['1'],
  day: '1',
  cron: '0 9 * * 1-5',
  time_zone: zone,
  max_items: 10,
  approve: true,
});

export function valuesOf(info: Info): Values {
  const { schedule } = info;
  const fresh = newValues(info.time_zone);
  return {
    title: info.title,
    source: info.source,
    source_url: info.source_url,
    type: schedule.type,
    time: schedule.time || fresh.time,
    weekdays: schedule.weekdays.length > 0 ? schedule.weekdays.map(String) : fresh.weekdays,
    day: String(schedule.day || 1),
    cron: schedule.cron || fresh.cron,
    time_zone: info.time_zone,
    max_items: info.max_items,
    approve: info.approve,
  };
}

/** The form as a schedule. */
export function scheduleOf({ type, time, weekdays, day, cron }: Values): Schedule {
  return {
    type,
    time: type === 'cron' ? '' : time,
    weekdays: type === 'weekly' ? weekdays.map(Number).sort() : [],
    day: type === 'monthly' ? Number(day) : 0,
    cron: type === 'cron' ? cron : '',
  };
}

/** What recurringCreate and recurringUpdate take. */
export function paramsOf(values: Values): Required<Omit<ParamsOf<'recurringUpdate'>, 'id'>> {
  const { title, source, source_url, time_zone, max_items, approve, type, time } = values;
  const { weekdays, day, cron } = scheduleOf(values);
  return {
    title: title.trim(),
    source,
    source_url: withScheme(source_url),
    time_zone,
    max_items: Number(max_items) || 10,
    approve,
    schedule: {
      type,
      ...(type === 'cron' ? { cron } : { time }),
      ...(type === 'weekly' ? { weekdays } : {}),
      ...(type === 'monthly' ? { day } : {}),
    },
  };
}

/** An address as people type it: "blog.example.com". */
export const withScheme = (address: string): string => {
  const trimmed = address.trim();
  return trimmed === '' || /^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
};
