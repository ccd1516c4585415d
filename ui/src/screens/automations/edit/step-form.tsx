// The form of a step, inside its card. Saving keeps what was typed until the server has it.
import { Button, Chip, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import type { Info, Step, StepOf } from '../types.ts';
import { EmailField } from './email-field.tsx';
import { FieldSelect } from './field-select.tsx';

const ConditionForm = lazy(() => import('./condition-form.tsx'));

type Props = { info: Info; step: Step; onSave(next: Step): Promise<unknown>; onCancel(): void };

export function StepForm({ info, step, onSave, onCancel }: Props) {
  const t = useText('automations');
  const words = useFaultText();
  const [draft, setDraft] = useState(step);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await onSave(draft);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Stack gap="sm">
        <Fields info={info} draft={draft} onChange={setDraft} />
        {fault !== undefined && (
          <Text size="sm" c="red" role="alert">
            {words(fault)}
          </Text>
        )}
        <Group gap="sm">
          <Button type="submit" size="xs" loading={busy}>
            {t('save')}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Fields({ info, draft, onChange }: { info: Info; draft: Step; onChange(next: Step): void }) {
  const t = useText('automations');
  switch (draft.type) {
    case 'wait':
      return <WaitFields draft={draft} onChange={onChange} />;
    case 'wait_until':
      return <UntilFields draft={draft} onChange={onChange} />;
    case 'condition':
      return (
        <Suspense fallback={<Lines count={2} />}>
          <ConditionForm list={info.list} conditions={draft} onChange={(next) => onChange({ ...draft, ...next })} />
        </Suspense>
      );
    case 'send':
      return <EmailField info={info} draft={draft} onChange={onChange} />;
    case 'set_field':
      return (
        <>
          <FieldSelect list={info.list} value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
          <TextInput
            label={t('value')}
            maxLength={255}
            value={draft.value}
            onChange={(event) => onChange({ ...draft, value: event.currentTarget.value })}
          />
        </>
      );
    case 'add_to_list':
    case 'remove_from_list':
      return <ListField draft={draft} onChange={onChange} />;
    case 'webhook':
      return (
        <TextInput
          label={t('webhookName')}
          description={t('webhookNameAbout')}
          maxLength={100}
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
      );
    case 'notify':
      return (
        <>
          <TextInput
            label={t('subject')}
            maxLength={200}
            value={draft.subject}
            onChange={(event) => onChange({ ...draft, subject: event.currentTarget.value })}
          />
          <Textarea
            label={t('text')}
            description={t('notifyAbout')}
            autosize
            minRows={3}
            maxLength={5_000}
            value={draft.text}
            onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
          />
        </>
      );
  }
}

const units = ['minutes', 'hours', 'days', 'weeks'] as const;

function WaitFields({ draft, onChange }: { draft: StepOf<'wait'>; onChange(next: Step): void }) {
  const t = useText('automations');
  return (
    <Group align="flex-end" gap="sm">
      <NumberInput
        label={t('waitFor')}
        min={1}
        max={1_000}
        allowDecimal={false}
        clampBehavior="blur"
        w={120}
        value={draft.amount}
        onChange={(amount) => onChange({ ...draft, amount: Number(amount) || 1 })}
      />
      <Select
        aria-label={t('unit')}
        data={units.map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
        allowDeselect={false}
        w={160}
        value={draft.unit}
        onChange={(unit) => onChange({ ...draft, unit: (unit ?? 'days') as (typeof units)[number] })}
      />
    </Group>
  );
}

function UntilFields({ draft, onChange }: { draft: StepOf<'wait_until'>; onChange(next: Step): void }) {
  const t = useText('automations');
  return (
    <>
      <Stack gap={0} role="group" aria-label={t('weekdays')}>
        <Text size="sm" fw={500} mb={4}>
          {t('weekdays')}
        </Text>
        <Chip.Group
          multiple
          value={draft.weekdays.map(String)}
          onChange={(days) => onChange({ ...draft, weekdays: days.map(Number).sort() })}
        >
          <Group gap={6}>
            {[1, 2, 3, 4, 5, 6, 7].map((day) => (
              <Chip key={day} value={String(day)} size="xs">
                {t.of('day', String(day))}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Text size="xs" c="dimmed" mt={4}>
          {t('weekdaysAbout')}
        </Text>
      </Stack>
      <Group gap="sm">
        <NumberInput
          label={t('hour')}
          min={0}
          max={23}
          allowDecimal={false}
          w={100}
          value={draft.hour}
          onChange={(hour) => onChange({ ...draft, hour: Number(hour) || 0 })}
        />
        <NumberInput
          label={t('minute')}
          min={0}
          max={59}
          allowDecimal={false}
          w={100}
          value={draft.minute}
          onChange={(minute) => onChange({ ...draft, minute: Number(minute) || 0 })}
        />
      </Group>
    </>
  );
}

function ListField({
  draft,
  onChange,
}: {
  draft: StepOf<'add_to_list' | 'remove_from_list'>;
  onChange(next: Step): void;
}) {
  const t = useText('automations');
  const { data = [] } = useMethod('lists', { limit: 1_000 });
  return (
    <Select
      label={t('list')}
      description={draft.type === 'add_to_list' ? t('addToListAbout') : undefined}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      allowDeselect={false}
      value={draft.list === '' ? null : draft.list}
      onChange={(list) => onChange({ ...draft, list: list ?? '' })}
    />
  );
}
