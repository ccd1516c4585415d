// The dialog of a new clean-up rule, loaded when it opens.
import { NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { Foot } from '../../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { useFormats } from '../../../parts/formats.ts';
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
  const t = useText('clean-up');
  return (
    <Modal opened onClose={onClose} title={t('create')}>
      <Fields onDone={onDone} onClose={onClose} />
    </Modal>
  );
}

function Fields({ onDone, onClose }: Props) {
  const t = useText('clean-up');
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
    send: (values) => create.mutateAsync(givenOf(values)),
    done: (id) => {
      toast.done(t('created'));
      onDone(id);
    },
  });
  const { kind, action } = form.values;
  const isInactive = kind === 'inactive';
  return (
    <MethodForm form={form}>
      <Radio.Group label={t('kind')} {...form.getInputProps('kind')}>
        <Stack gap="xs" mt={4}>
          {kinds.map((value) => (
            <Radio key={value} value={value} label={t(`kind.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label={t('list')}
        data={[{ value: '', label: t('allLists') }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
        {...form.getInputProps('list_id')}
      />
      {isInactive && (
        <NumberField
          label={t('campaigns')}
          description={t('campaignsHint')}
          min={1}
          max={100}
          {...form.getInputProps('campaigns')}
        />
      )}
      <NumberField label={t(`days.${kind}`)} min={1} max={3_650} {...form.getInputProps('days')} />
      <NativeSelect
        label={t('action')}
        description={!isInactive || action === 'remove' ? t('removeHint') : undefined}
        data={(isInactive ? actions : (['remove'] as const)).map((value) => ({
          value,
          label: t(`action.${value}`),
        }))}
        {...form.getInputProps('action')}
      />
      {isInactive && action === 'tag' && <TextInput label={t('tag')} maxLength={50} {...form.getInputProps('tag')} />}
      <Size values={form.values} />
      <Foot onCancel={onClose}>
        <Submit form={form}>{t('create')}</Submit>
      </Foot>
    </MethodForm>
  );
}

/** What the methods take. */
function givenOf({ kind, list_id, days, campaigns, action, tag }: Values) {
  const isInactive = kind === 'inactive';
  return {
    kind,
    list_id,
    days: Number(days),
    campaigns: isInactive ? Number(campaigns) : 0,
    action: isInactive ? action : ('remove' as const),
    tag: isInactive && action === 'tag' ? tag : '',
  };
}

/** What the rule would do today, once nothing has been changed for a moment. */
function Size({ values }: { values: Values }) {
  const t = useText('clean-up');
  const { number } = useFormats();
  const [settled] = useDebouncedValue(values, 400);
  const given = givenOf(settled);
  // A tag that is not typed yet excludes no one.
  const counted =
    given.action === 'tag' && given.tag.trim() === '' ? { ...given, action: 'unsubscribe' as const } : given;
  const isWhole = given.days > 0 && (given.kind === 'unconfirmed' || given.campaigns > 0);
  const { data, error } = useMethod('cleanUpCount', counted, { enabled: isWhole, keep: true });
  const says = () => {
    if (!isWhole || error) return '';
    if (!data) return t('counting');
    if (data.contacts === 0) return t('countNone');
    return t(`would.${given.action}`, { count: data.contacts, number: number(data.contacts) });
  };
  return (
    <Text size="sm" role="status" mih="1lh">
      {says()}
    </Text>
  );
}
