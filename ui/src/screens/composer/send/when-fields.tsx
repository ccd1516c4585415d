// The choice of when a campaign is sent.
import { Radio, Stack, Switch } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { TimeField } from './late-time-field.tsx';
import { useAccountZone } from './saving.ts';
import { TimeMatchSwitch } from './timing.tsx';
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
  const { when, setWhen, isLater, setLater, time, setTime } = choice;
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
      {when === 'best' && (
        <Switch
          label={t('bestLater')}
          checked={isLater}
          onChange={({ currentTarget }) => setLater(currentTarget.checked)}
          disabled={disabled}
        />
      )}
      {isLater && (
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
          {when === 'later' && <TimeMatchSwitch disabled={disabled} />}
        </Stack>
      )}
      <WindowNote time={isLater && momentOf(time, zone) ? time : undefined} disabled={disabled} />
    </>
  );
}
