// The choice of when a campaign is sent, and the same in words.
import { Radio, Stack, Text } from '@mantine/core';
import { useFormats } from '../../../parts/formats.ts';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { useAutoSummary } from './auto-section.tsx';
import { TimeField } from './late-time-field.tsx';
import { useAccountZone } from './saving.ts';
import { BestHourSwitch, TimeMatchSwitch } from './timing.tsx';
import type { TimingChoice, When } from './timing-choice.ts';
import { WindowNote } from './window-note.tsx';
import { momentOf } from './zone-time.ts';

type Props = {
  choice: TimingChoice;
  fault: string | undefined;
  onFault(fault: string | undefined): void;
  disabled: boolean;
};

export function WhenFields({ choice, fault, onFault, disabled }: Props) {
  const t = useText('composer');
  const zone = useAccountZone();
  const { values } = useDraft();
  const { when, setWhen, time, setTime } = choice;
  return (
    <>
      {/* At a time is the last one: its fields follow. */}
      <Radio.Group label={t('when')} value={when} onChange={(value) => setWhen(value as When)}>
        <Stack gap="sm" mt="sm">
          <Radio value="now" label={t('whenNow')} disabled={disabled} />
          <Radio
            value="best"
            label={t('whenBest')}
            description={t(values.test.on ? 'notWithTest' : 'bestHourHint')}
            disabled={disabled || values.test.on}
          />
          <Radio value="later" label={t('whenLater')} disabled={disabled} />
        </Stack>
      </Radio.Group>
      {when === 'later' && (
        <Stack gap="sm">
          <TimeField
            time={time}
            onTime={(next) => {
              setTime(next);
              onFault(undefined);
            }}
            zone={zone}
            fault={fault}
            disabled={disabled}
          />
          <TimeMatchSwitch disabled={disabled} />
          <BestHourSwitch disabled={disabled} />
        </Stack>
      )}
      <WindowNote time={when === 'later' && momentOf(time, zone) ? time : undefined} disabled={disabled} />
    </>
  );
}

/** When it is sent, for the table of the review. */
export function WhenText({ choice: { when, time } }: { choice: TimingChoice }) {
  const t = useText('composer');
  const formats = useFormats();
  const zone = useAccountZone();
  const { type, values } = useDraft();
  const auto = useAutoSummary();
  if (type === 'auto') return auto;
  const at = momentOf(time, zone);
  const how = values.time_match
    ? t('timeMatchShort')
    : values.best_hour && when === 'later'
      ? t('bestHourShort')
      : undefined;
  return (
    <>
      {when === 'later' ? (at ? formats.dateTime(at) : t('timeMissing')) : t(when === 'best' ? 'whenBest' : 'onceSent')}
      {when === 'later' && at && (
        <Text span inherit c="dimmed">
          {' '}
          {[zone, at.getTime() > Date.now() && formats.distance(at)].filter(Boolean).join(' · ')}
        </Text>
      )}
      {how && <Text c="dimmed">{how}</Text>}
    </>
  );
}
