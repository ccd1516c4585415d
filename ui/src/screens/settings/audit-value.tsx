// A value in the audit log, as it was before or after a change. Of a long one only the beginning and the length are kept.
import { Text } from '@mantine/core';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';

/** A date and time as methods take it. */
const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Whether only the lengths are known, as of the steps of an automation: they say nothing of what was changed. */
export const areLengths = (change: { before: string; after: string; before_length: number; after_length: number }) =>
  change.before === '' && change.after === '' && change.before_length > 0 && change.after_length > 0;

/** @param most characters that are shown, in a row */
export function Value({ text, length, most = text.length }: { text: string; length: number; most?: number }) {
  const named = useText('audit');
  const { dateTime } = useFormats();
  const shown = text.slice(0, most);
  if (length === 0)
    return (
      <Text span inherit c="dimmed">
        {named('auditEmptyValue')}
      </Text>
    );
  const time = isTime.test(text) ? parseTime(text) : undefined;
  if (time) return dateTime(time);
  if (shown.length >= length) return <Tagged>{shown}</Tagged>;
  if (shown !== '' && most < text.length) return <Tagged>{`${shown.trimEnd()}…`}</Tagged>;
  return (
    <>
      {shown !== '' && (
        <>
          <Tagged>{shown}</Tagged>…{' '}
        </>
      )}
      <Text span inherit c="dimmed">
        {named('auditLength', { count: length })}
      </Text>
    </>
  );
}
