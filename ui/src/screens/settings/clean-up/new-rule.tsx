// The dialog of a new clean-up rule, loaded when it opens.
import { Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';

const kinds = ['unconfirmed', 'inactive'] as const;
const actions = ['unsubscribe', 'tag', 'remove'] as const;
type Values = {
  kind: (typeof kinds)[number];
  list_id: string;
  days: number | string;
  campaigns: number | string;
  action: (typeof actions)[number];
  tag: string;
};

type Props = { onDone(id: string): void; onClose(): void };

export default function NewRule({ onDone, onClose }: Props) {
  const t = useText('settings');
  return (
    <Modal opened onClose={onClose} title={t('cleanUpCreate')}>
      <Fields onDone={onDone} />
    </Modal>
  );
}

function Fields({ onDone }: { onDone(id: string): void }) {
  const t = useText('settings');
  const create = useMutate('cleanUpRuleCreate');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const initialValues: Values = {
    kind: 'unconfirmed',
    list_id: '',
    days: 30,
    campaigns: 10,
    action: 'unsubscribe',
    tag: '',
  };
  const form = useMethodForm({
    initialValues,
    send: ({ kind, list_id, days, campaigns, action, tag }) => {
      const isInactive = kind === 'inactive';
      return create.mutateAsync({
        kind,
        list_id,
        days: Number(days),
        campaigns: isInactive ? Number(campaigns) : 0,
        action: isInactive ? action : 'remove',
        tag: isInactive && action === 'tag' ? tag : '',
      });
    },
    done: (id) => {
      toast.done(t('cleanUpCreated'));
      onDone(id);
    },
  });
  const { kind, action } = form.values;
  const isInactive = kind === 'inactive';
  return (
    <MethodForm form={form}>
      <Radio.Group label={t('cleanUpKind')} {...form.getInputProps('kind')}>
        <Stack gap="xs" mt={4}>
          {kinds.map((value) => (
            <Radio key={value} value={value} label={t(`cleanUpKind.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label={t('cleanUpList')}
        data={[
          { value: '', label: t('cleanUpAllLists') },
          ...lists.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps('list_id')}
      />
      {isInactive && (
        <NumberField
          label={t('cleanUpCampaigns')}
          description={t('cleanUpCampaignsHint')}
          min={1}
          max={100}
          {...form.getInputProps('campaigns')}
        />
      )}
      <NumberField label={t(`cleanUpDays.${kind}`)} min={1} max={3_650} {...form.getInputProps('days')} />
      <NativeSelect
        label={t('cleanUpAction')}
        description={!isInactive || action === 'remove' ? t('cleanUpRemoveHint') : undefined}
        data={(isInactive ? actions : (['remove'] as const)).map((value) => ({
          value,
          label: t(`cleanUpAction.${value}`),
        }))}
        {...form.getInputProps('action')}
      />
      {isInactive && action === 'tag' && (
        <TextInput label={t('cleanUpTag')} maxLength={50} {...form.getInputProps('tag')} />
      )}
      <Group justify="flex-end">
        <Submit form={form}>{t('cleanUpCreate')}</Submit>
      </Group>
    </MethodForm>
  );
}
