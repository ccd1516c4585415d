// THE field for a day: typed in any usual way, or chosen in a calendar, which is loaded when the field gets the focus. The same
// look in every browser, in light and dark.
import { InputBase, type InputWrapperProps } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useLanguage } from '../../text/use-text.tsx';
import { regional } from '../formats.ts';
import { useLate } from '../use-late.ts';
import { readDay, showDay } from './written-day.ts';

export type DayProps = Pick<InputWrapperProps, 'label' | 'description' | 'error' | 'required'> & {
  'aria-label'?: string;
  id?: string;
  style?: React.CSSProperties;
  /** As 2098-07-01; empty for none. */
  value?: string;
  onChange(day: string): void;
  min?: string | undefined;
  max?: string | undefined;
  disabled?: boolean;
};

const load = () => import('./day-calendar.tsx');

export function DayField(props: DayProps) {
  const { value = '', onChange, min: _min, max: _max, ...field } = props;
  const { language } = useLanguage();
  const locale = regional(language);
  const id = useId(props.id);
  const [isWanted, setWanted] = useState(false);
  const [typed, setTyped] = useState<string>();
  const Calendar = useLate(load, isWanted);
  if (Calendar) return <Calendar {...props} id={id} />;
  const shown = readDay(value, locale) ? showDay(value, locale) : value;
  return (
    <InputBase
      {...field}
      id={id}
      autoComplete="off"
      leftSection={<IconCalendar size={16} aria-hidden />}
      value={typed ?? shown}
      onPointerEnter={load}
      onFocus={() => setWanted(true)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const day = currentTarget.value.trim() === '' ? '' : readDay(currentTarget.value, locale);
        if (day !== null) onChange(day);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
