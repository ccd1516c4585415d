// The switches by which recipients get the campaign at different times. They exclude each other and an A/B test.
import { Switch } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';

export function TimeMatchSwitch({ disabled }: { disabled: boolean }) {
  const t = useText('composer');
  const { values, change, fault } = useDraft();
  return (
    <Switch
      label={t('timeMatch')}
      description={t(values.test.on ? 'notWithTest' : 'timeMatchHint')}
      checked={values.time_match}
      onChange={(event) => change({ time_match: event.currentTarget.checked, best_hour: false })}
      error={fault('time_match')}
      disabled={disabled || values.test.on}
    />
  );
}

export function BestHourSwitch({ disabled }: { disabled: boolean }) {
  const t = useText('composer');
  const { values, change, fault } = useDraft();
  return (
    <Switch
      label={t('bestHour')}
      description={t(values.test.on ? 'notWithTest' : 'bestHourHint')}
      checked={values.best_hour}
      onChange={(event) => change({ best_hour: event.currentTarget.checked, time_match: false })}
      error={fault('best_hour')}
      disabled={disabled || values.test.on}
    />
  );
}
