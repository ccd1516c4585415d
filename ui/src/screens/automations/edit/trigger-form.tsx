// The form of the trigger: its kind, and the members of that kind.

import { Button, Checkbox, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { useNameOf } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import type { Info, Trigger } from '../types.ts';
import { FieldSelect } from './field-select.tsx';

type TriggerOf<T extends Trigger['type']> = Extract<Trigger, { type: T }>;
type Props = { info: Info; onSave(next: Trigger): Promise<unknown>; onCancel(): void };

const fresh: { [T in Trigger['type']]: TriggerOf<T> } = {
  subscribed: { type: 'subscribed', imports: false },
  confirmed: { type: 'confirmed' },
  field: { type: 'field', field: '', value: '' },
  segment: { type: 'segment', segment: '', change: 'joined' },
  clicked: { type: 'clicked', campaign: '' },
  date: { type: 'date', field: '', repeat: 'yearly', amount: 0, unit: 'days', direction: 'after', hour: 9 },
  event: { type: 'event', name: '' },
  webhook: { type: 'webhook', member: '' },
};
const types = Object.keys(fresh) as Trigger['type'][];

export function TriggerForm({ info, onSave, onCancel }: Props) {
  const t = useText('automations');
  const words = useFaultText();
  const [draft, setDraft] = useState<Trigger>(info.trigger ?? fresh.subscribed);
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
        <Select
          label={t('startsWhen')}
          data={types.map((type) => ({ value: type, label: t(`trigger.${type}`) }))}
          allowDeselect={false}
          value={draft.type}
          onChange={(type) => setDraft(fresh[(type ?? 'subscribed') as Trigger['type']])}
        />
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

function Fields({ info, draft, onChange }: { info: Info; draft: Trigger; onChange(next: Trigger): void }) {
  const t = useText('automations');
  switch (draft.type) {
    case 'subscribed':
      return (
        <Checkbox
          label={t('imports')}
          checked={draft.imports}
          onChange={(event) => onChange({ ...draft, imports: event.currentTarget.checked })}
        />
      );
    case 'confirmed':
      return null;
    case 'field':
      return (
        <>
          <FieldSelect list={info.list} value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
          <TextInput
            label={t('newValue')}
            description={t('newValueAbout')}
            maxLength={255}
            value={draft.value}
            onChange={(event) => onChange({ ...draft, value: event.currentTarget.value })}
          />
        </>
      );
    case 'segment':
      return <SegmentFields info={info} draft={draft} onChange={onChange} />;
    case 'clicked':
      return <CampaignField info={info} draft={draft} onChange={onChange} />;
    case 'date':
      return <DateFields info={info} draft={draft} onChange={onChange} />;
    case 'event':
      return (
        <TextInput
          label={t('eventName')}
          description={t('eventNameAbout')}
          maxLength={100}
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
      );
    case 'webhook':
      return (
        <TextInput
          label={t('member')}
          description={t('memberAbout')}
          placeholder="email"
          maxLength={100}
          value={draft.member}
          onChange={(event) => onChange({ ...draft, member: event.currentTarget.value })}
        />
      );
  }
}

type FieldsOf<T extends Trigger['type']> = { info: Info; draft: TriggerOf<T>; onChange(next: Trigger): void };

function SegmentFields({ info, draft, onChange }: FieldsOf<'segment'>) {
  const t = useText('automations');
  const { data = [] } = useMethod('listSegments', { id: info.list });
  return (
    <Group gap="sm" align="flex-end">
      <Select
        aria-label={t('segmentChange')}
        data={(['joined', 'left'] as const).map((value) => ({ value, label: t(`change.${value}`) }))}
        allowDeselect={false}
        value={draft.change}
        onChange={(change) => onChange({ ...draft, change: change === 'left' ? 'left' : 'joined' })}
      />
      <Select
        label={t('segment')}
        data={data.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        allowDeselect={false}
        flex={1}
        value={draft.segment === '' ? null : draft.segment}
        onChange={(segment) => onChange({ ...draft, segment: segment ?? '' })}
      />
    </Group>
  );
}

function CampaignField({ info, draft, onChange }: FieldsOf<'clicked'>) {
  const t = useText('automations');
  const nameOf = useNameOf();
  const { data = [] } = useMethod('campaigns', { filters: { list_id: info.list }, limit: 200 });
  return (
    <Select
      label={t('campaign')}
      data={data.map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }))}
      searchable
      allowDeselect={false}
      value={draft.campaign === '' ? null : draft.campaign}
      onChange={(campaign) => onChange({ ...draft, campaign: campaign ?? '' })}
    />
  );
}

function DateFields({ info, draft, onChange }: FieldsOf<'date'>) {
  const t = useText('automations');
  return (
    <>
      <FieldSelect list={info.list} datesOnly value={draft.field} onChange={(field) => onChange({ ...draft, field })} />
      <Group gap="sm" align="flex-end">
        <NumberInput
          label={t('distance')}
          min={0}
          max={1_000}
          allowDecimal={false}
          w={100}
          value={draft.amount}
          onChange={(amount) => onChange({ ...draft, amount: Number(amount) || 0 })}
        />
        <Select
          aria-label={t('unit')}
          data={(['days', 'weeks', 'months'] as const).map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
          allowDeselect={false}
          w={130}
          value={draft.unit}
          onChange={(unit) => onChange({ ...draft, unit: unit ?? 'days' })}
        />
        <Select
          aria-label={t('direction')}
          data={(['before', 'after'] as const).map((value) => ({ value, label: t(`direction.${value}`) }))}
          allowDeselect={false}
          w={130}
          value={draft.direction}
          onChange={(value) => onChange({ ...draft, direction: value === 'before' ? 'before' : 'after' })}
        />
        <NumberInput
          label={t('hour')}
          min={0}
          max={23}
          allowDecimal={false}
          w={100}
          value={draft.hour}
          onChange={(hour) => onChange({ ...draft, hour: Number(hour) || 0 })}
        />
      </Group>
      <Checkbox
        label={t('everyYear')}
        checked={draft.repeat === 'yearly'}
        onChange={(event) => onChange({ ...draft, repeat: event.currentTarget.checked ? 'yearly' : 'once' })}
      />
      <Checkbox
        label={t('lateEnter')}
        description={t('lateEnterHint')}
        checked={draft.late === 'enter'}
        onChange={(event) => {
          const { late: _, ...rest } = draft;
          onChange(event.currentTarget.checked ? { ...rest, late: 'enter' } : rest);
        }}
      />
    </>
  );
}
