// The dialog that creates an account, or changes what it may do. Loaded when it opens.
import { Group, NumberInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { MethodForm, type MethodFormState, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { MultiSelect } from '../../../parts/form/multi-select.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { OperatedAccount } from './accounts-screen.tsx';

type Invited = { email: string; link: string };
type FieldsProps = { account: OperatedAccount | undefined; onDone(invited: Invited | undefined): void };

export default function AccountForm({ onClose, ...props }: FieldsProps & { onClose(): void }) {
  const t = useText('operator');
  return (
    <Modal opened onClose={onClose} title={t(props.account ? 'edit' : 'create')}>
      <Fields {...props} />
    </Modal>
  );
}

function Fields({ account, onDone }: FieldsProps) {
  const t = useText('operator');
  const { account: own } = useSession();
  const relays = (useMethod('relays').data ?? []).filter(({ source }) => source === 'application');
  const create = useMutate('accountCreate', ['session']);
  const update = useMutate('accountLimitsUpdate', ['session']);
  const form = useMethodForm({
    initialValues: {
      name: account?.name ?? '',
      email: account?.email ?? '',
      plan: account?.plan ?? ('pro' as const),
      monthly_quota: account?.monthly_quota || ('' as number | string),
      rate: account?.rate || ('' as number | string),
      relays: account?.relays ?? [],
    },
    validate: { email: (value) => (account || value.includes('@') ? null : t('emailMissing')) },
    async send({ name, email, plan, monthly_quota, rate, relays: chosen }) {
      const isSame = account && chosen.toSorted().join() === account.relays.toSorted().join();
      const terms = {
        name,
        plan,
        monthly_quota: Number(monthly_quota),
        rate: Number(rate),
        ...(isSame || (!account && chosen.length === 0) ? {} : { relays: chosen }),
      };
      if (account) {
        await update.mutateAsync({ account: account.id, ...terms });
        return { invited: false, link: '' };
      }
      const { time_zone, language } = own;
      return create.mutateAsync({ email, language: language as 'en', time_zone, ...terms });
    },
    done({ invited, link }, { email, name }) {
      if (link === '') toast.done(t(account ? 'changed' : invited ? 'invited' : 'created', { name, email }));
      onDone({ email, link });
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('name')} />
      {!account && (
        <TextInput
          label={t('ownerEmail')}
          description={t('ownerEmailHint')}
          type="email"
          required
          maxLength={254}
          {...form.getInputProps('email')}
        />
      )}
      <Limits form={form} />
      <Select
        label={t('plan')}
        description={t('planHint')}
        data={[
          { value: 'pro', label: 'PRO' },
          { value: 'free', label: 'Free' },
        ]}
        allowDeselect={false}
        {...form.getInputProps('plan')}
      />
      {relays.length > 0 && (
        <MultiSelect
          label={t('relays')}
          description={t('relaysHint')}
          placeholder={form.values.relays.length === 0 ? t('relaysAll') : ''}
          data={relays.map(({ id, name, host }) => ({ value: id, label: name || host }))}
          clearable
          {...form.getInputProps('relays')}
        />
      )}
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {account ? '' : t('createdIn', { zone: own.time_zone })}
        </Text>
        <Submit form={form}>{t(account ? 'save' : 'create')}</Submit>
      </Group>
    </MethodForm>
  );
}

type Limited = { monthly_quota: number | string; rate: number | string };

function Limits<V extends Limited>({ form }: { form: Pick<MethodFormState<V>, 'getInputProps'> }) {
  const t = useText('operator');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
      <NumberInput
        label={t('quota')}
        description={t('quotaHint')}
        placeholder={t('unlimited')}
        min={0}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator={t('thousands')}
        hideControls
        {...form.getInputProps('monthly_quota')}
      />
      <NumberInput
        label={t('rate')}
        description={t('rateHint')}
        placeholder={t('unlimited')}
        min={0}
        decimalScale={3}
        allowNegative={false}
        hideControls
        {...form.getInputProps('rate')}
      />
    </SimpleGrid>
  );
}
