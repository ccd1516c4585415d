// The rules of sending: unclear deliveries, reputation, send window, frequency limit, rate and warm-up; whose campaigns need an
// approval; web analytics.
import { Button, Radio, type RadioGroupProps, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { giveUpHours } from '../../../../../src/base/relay/give-up.ts';
import { invalidate } from '../../../api/use-method.ts';
import { DayField } from '../../../parts/form/day-field.tsx';
import { FieldGroup } from '../../../parts/form/field-group.tsx';
import { type MethodFormState, useMethodForm } from '../../../parts/form/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { saveChanges } from '../save-changes.ts';
import { Fields, textOf } from './account-form.tsx';
import { ApprovalRule } from './approval-rule.tsx';
import { type FrequencyCap, frequencyCapText, readFrequencyCap } from './frequency-cap.ts';
import { FrequencyCapFields } from './frequency-cap-fields.tsx';
import { SaveBar, useSaid } from './save-bar.tsx';
import { readSendWindow, type SendWindow, sendWindowText } from './send-window.ts';
import { SendWindowFields } from './send-window-fields.tsx';
import { noWarmUp, readWarmUp, usualWarmUp, warmUpText } from './warm-up.ts';
import { WebAnalytics } from './web-analytics.tsx';

export function SendingScreen() {
  const t = useText('settings');
  const { account, may } = useSession();
  const mayChange = may('account:write');
  return (
    <SettingsFrame section="sending" description={mayChange ? t('sendingRulesAbout') : t('accountReadOnly')}>
      <SaveBar key={account.id}>
        <Sending mayChange={mayChange} />
        <ApprovalRule mayChange={mayChange} />
        <WebAnalytics mayChange={mayChange} />
      </SaveBar>
    </SettingsFrame>
  );
}

const settingsOf = ({
  unclear,
  reputation,
  rate,
  ...fields
}: { unclear: string; reputation: string; rate: string } & FrequencyCap & SendWindow) => ({
  unclear,
  reputation,
  frequency_cap: frequencyCapText(fields),
  send_window: sendWindowText(fields),
  rate: rate.trim(),
});

function Sending({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { account } = useSession();
  const client = useQueryClient();
  const saved = useSaid();
  const before = {
    unclear: textOf(account, 'unclear') || 'resend',
    reputation: textOf(account, 'reputation') || 'warn',
    rate: textOf(account, 'rate'),
    ...readWarmUp(textOf(account, 'warm_up')),
    ...readFrequencyCap(textOf(account, 'frequency_cap')),
    ...readSendWindow(textOf(account, 'send_window')),
  };
  const form: MethodFormState<typeof before> = useMethodForm({
    initialValues: before,
    fields: { warm_up: 'first', frequency_cap: 'capMessages', send_window: 'windowUntil' },
    send: async (values) => {
      await saveChanges(
        { ...settingsOf(before), warm_up: textOf(account, 'warm_up') },
        { ...settingsOf(values), warm_up: warmUpText(values, new Date()) },
      );
      await invalidate(client, ['session']);
    },
    done: (_, values) => {
      form.setInitialValues(values);
      saved();
    },
  });
  const warms = form.values.first.trim() !== '';
  const usual = usualWarmUp(new Date());
  return (
    <Section title={t('sending')} description={t('sendingAbout')}>
      <Fields form={form} mayChange={mayChange}>
        <Radio.Group label={t('unclear')} description={t('unclearHint')} {...form.getInputProps('unclear')}>
          <Stack gap="sm" mt="sm">
            {(['resend', 'hold'] as const).map((choice) => (
              <Radio
                key={choice}
                value={choice}
                disabled={!mayChange}
                label={t(`unclear.${choice}`)}
                description={t(`unclearAbout.${choice}`, { hours: giveUpHours })}
              />
            ))}
          </Stack>
        </Radio.Group>
        <WatchField mayChange={mayChange} {...form.getInputProps('reputation')} />
        <SendWindowFields limited={form.values.windowDays.length > 0} inputOf={form.getInputProps} />
        <FrequencyCapFields limited={form.values.capMessages.trim() !== ''} inputOf={form.getInputProps} />
        <TextInput
          label={t('rate')}
          description={t('rateHint')}
          inputMode="decimal"
          maw={320}
          {...form.getInputProps('rate')}
        />
        <FieldGroup title={t('warmUp')} about={t('warmUpHint')}>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            <TextInput label={t('warmUpFirst')} inputMode="numeric" {...form.getInputProps('first')} />
            <TextInput
              label={t('warmUpGrowth')}
              inputMode="decimal"
              placeholder={warms ? usual.growth : ''}
              disabled={!warms}
              {...form.getInputProps('growth')}
            />
            <TextInput
              label={t('warmUpLimit')}
              inputMode="numeric"
              placeholder={warms ? usual.most : ''}
              disabled={!warms}
              {...form.getInputProps('most')}
            />
            <DayField label={t('warmUpDate')} disabled={!warms} {...form.getInputProps('date')} />
          </SimpleGrid>
          {warms && mayChange && (
            <Button
              variant="subtle"
              size="compact-sm"
              mt="xs"
              onClick={() => form.setValues({ ...form.values, ...noWarmUp })}
            >
              {t('warmUpOff')}
            </Button>
          )}
        </FieldGroup>
      </Fields>
    </Section>
  );
}

/** What happens to a campaign with too many complaints or hard bounces. */
function WatchField({ mayChange, ...input }: { mayChange: boolean } & Omit<RadioGroupProps, 'children'>) {
  const t = useText('settings');
  return (
    <Radio.Group label={t('watch')} description={t('watchHint')} {...input}>
      <Stack gap="sm" mt="sm">
        {(['warn', 'pause'] as const).map((choice) => (
          <Radio
            key={choice}
            value={choice}
            disabled={!mayChange}
            label={t(`watch.${choice}`)}
            description={t(`watchAbout.${choice}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
