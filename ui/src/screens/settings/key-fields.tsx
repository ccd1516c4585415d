// The form fields of an API key, for creating and editing: label, scope or permissions, expiry, networks.
import { Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { DayField } from '../../parts/form/day-field.tsx';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { MoreSettings } from '../../parts/form/more-settings.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import type { Permission } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { everyList, ListsChoice, type ListsValues, listsGiven } from './lists-choice.tsx';
import { PermissionBoxes } from './rights/permission-boxes.tsx';

const scopes = ['full', 'write', 'read', 'limited'] as const;
export type KeyScope = (typeof scopes)[number];

type KeyValues = {
  label: string;
  scope: KeyScope;
  permissions: string[];
  expires_at: string;
  networks: string;
  /** Empty: those of the installation. */
  calls_per_minute: number | '';
  calls_at_once: number | '';
} & ListsValues;

export const freshKey: KeyValues = {
  label: '',
  // Enough for most programs; full access also reaches the team and the keys.
  scope: 'write',
  permissions: [],
  expires_at: '',
  networks: '',
  calls_per_minute: '',
  calls_at_once: '',
  ...everyList,
};

/** What the methods take. */
export const optionsOf = ({ networks, allLists, lists, ...values }: KeyValues) => ({
  ...values,
  ...listsGiven({ allLists, lists }),
  permissions: values.scope === 'limited' ? (values.permissions as Permission[]) : [],
  networks: networks.split(/[\s,;]+/).filter(Boolean),
  calls_per_minute: values.calls_per_minute || 0,
  calls_at_once: values.calls_at_once || 0,
});

/** @param labelOnly of a key that is not limited */
export function KeyFields<V extends KeyValues>(props: { form: MethodFormState<V>; labelOnly?: boolean }) {
  const { form, labelOnly } = props;
  const t = useText('settings');
  return (
    <>
      <TextInput
        label={t('keyLabel')}
        description={t('keyLabelHint')}
        maxLength={200}
        data-autofocus
        {...form.getInputProps('label')}
      />
      {!labelOnly && <LimitFields form={form} />}
    </>
  );
}

const further = ['networks', 'calls_per_minute', 'calls_at_once'] as const;

function LimitFields<V extends KeyValues>({ form }: { form: MethodFormState<V> }) {
  const t = useText('settings');
  return (
    <>
      <Radio.Group label={t('scope')} {...form.getInputProps('scope')}>
        <Stack gap="sm" mt="xs">
          {scopes.map((scope) => (
            <Radio key={scope} value={scope} label={t(`scope.${scope}`)} description={t(`scopeAbout.${scope}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {form.values.scope === 'limited' && <PermissionBoxes {...form.getInputProps('permissions')} />}
      <ListsChoice form={form} />
      <DayField label={t('keyExpires')} description={t('keyExpiresHint')} {...form.getInputProps('expires_at')} />
      <MoreSettings isWanted={further.some((name) => form.values[name] !== '' || form.errors[name] !== undefined)}>
        <Textarea
          label={t('keyNetworks')}
          description={t('keyNetworksHint')}
          autosize
          maxRows={6}
          {...form.getInputProps('networks')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <NumberField label={t('keyRate')} min={1} {...form.getInputProps('calls_per_minute')} />
          <NumberField label={t('keyParallel')} min={1} {...form.getInputProps('calls_at_once')} />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          {t('keyRateHint')}
        </Text>
      </MoreSettings>
    </>
  );
}
