// Edits a condition: field, comparison, value; the value depends on the first two.

import { ActionIcon, Autocomplete, Flex, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { createContext, lazy, Suspense, use } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useNameOf } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import { ValueInput } from '../fields/value-input.tsx';
import {
  type Ask,
  asksOf,
  type ConditionNode,
  type Fact,
  facts,
  isFact,
  kindOf,
  noDetails,
  takesDays,
  takesValue,
} from './conditions.ts';
import type { ConditionField } from './use-conditions.ts';

const EventEditor = lazy(() => import('./event-editor.tsx'));

type Props = {
  list: string;
  fields: readonly ConditionField[];
  node: ConditionNode;
  onChange(node: ConditionNode): void;
  /** Absent for the last remaining condition. */
  onRemove: (() => void) | undefined;
  error: string | undefined;
};

export function ConditionEditor({ list, fields, node, onChange, onRemove, error }: Props) {
  const t = useText('lists');
  const types = new Map(fields.map(({ tag, field_type }) => [tag, field_type]));
  const kind = kindOf(node.field, types);
  const subjects = [
    {
      group: t('fieldsOfList'),
      items: fields.filter(({ tag }) => !isFact(tag)).map(({ tag, name }) => ({ value: tag, label: name })),
    },
    {
      group: t('facts'),
      items: (Object.keys(facts) as Fact[]).map((fact) => ({ value: fact, label: t(`fact.${fact}`) })),
    },
  ].filter(({ items }) => items.length > 0);
  const choose = (field: string) => {
    const asks = asksOf[kindOf(field, types)];
    const same = kindOf(field, types) === kind;
    const { event: _, ...rest } = node;
    onChange({
      ...rest,
      field,
      ask: asks.includes(node.ask) ? node.ask : asks[0]!,
      value: same && kind === 'text' ? node.value : '',
    });
  };
  const asks = asksOf[kind].includes(node.ask) ? asksOf[kind] : [...asksOf[kind], node.ask];
  const condition = (
    <Flex data-condition gap="sm" align="flex-start" wrap="wrap" direction={{ base: 'column', sm: 'row' }}>
      <Select
        aria-label={t('subject')}
        data={subjects}
        allowDeselect={false}
        searchable
        nothingFoundMessage={t('noFieldMatches')}
        value={node.field}
        onChange={(field) => field && choose(field)}
        w={{ base: '100%', sm: 210 }}
      />
      <Select
        aria-label={t('comparison')}
        data={asks.map((ask) => ({ value: ask, label: t(`ask.${ask}`) }))}
        allowDeselect={false}
        value={node.ask}
        onChange={(ask) =>
          ask && onChange({ ...node, ask: ask as Ask, value: keepsValue(node.ask, ask as Ask) ? node.value : '' })
        }
        w={{ base: '100%', sm: 170 }}
      />
      <Group
        gap="sm"
        wrap="nowrap"
        align="flex-start"
        w={{ base: '100%', sm: 'auto' }}
        flex={{ base: 'none', sm: valueRoom }}
      >
        {takesValue(node.ask) && (
          <Value list={list} fields={fields} node={node} kind={kind} onChange={onChange} error={error} />
        )}
        {onRemove && (
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('removeCondition')} onClick={onRemove}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Flex>
  );
  if (kind !== 'event') return condition;
  return (
    <Stack gap="xs" align="stretch" flex={1}>
      {condition}
      <Suspense fallback={null}>
        <EventEditor event={node.event ?? noDetails} onChange={(event) => onChange({ ...node, event })} />
      </Suspense>
    </Stack>
  );
}

/** The value goes below the others where there is no room for it beside them. */
const valueRoom = '1 1 200px';

/** A comparison with another kind of value clears the value. */
function keepsValue(before: Ask, after: Ask): boolean {
  return takesDays(before) === takesDays(after) && shapeOf(before) === shapeOf(after);
}
const shapeOf = (ask: Ask) => (ask === 'isoneof' || ask === 'notoneof' ? 'several' : 'one');

type ValueProps = Omit<Props, 'onRemove'> & { kind: ReturnType<typeof kindOf> };

function Value({ list, fields, node, kind, onChange, error }: ValueProps) {
  const t = useText('lists');
  const set = (value: string) => onChange({ ...node, value });
  const field = fields.find(({ tag }) => tag === node.field);
  const common = { 'aria-label': t('value'), error, style: { flex: 1, minWidth: 0 } };
  if (takesDays(node.ask))
    return (
      <NumberField
        {...common}
        value={node.value}
        min={1}
        max={99_999}
        rightSection={<span>{t('days')}</span>}
        rightSectionWidth={56}
        onChange={(days) => set(String(days))}
      />
    );
  if (kind === 'campaign' || kind === 'activity')
    return <CampaignValue {...common} value={node.value} onChange={set} />;
  if (kind === 'event') return <EventName {...common} value={node.value} onChange={set} />;
  if (kind === 'list') return <ListValue {...common} own={list} value={node.value} onChange={set} />;
  if (shapeOf(node.ask) === 'several')
    return (
      <TagsInput
        {...common}
        data={field?.predefined_values ?? []}
        splitChars={[';', ',']}
        acceptValueOnBlur
        placeholder={node.value === '' ? t('severalHint') : ''}
        value={node.value === '' ? [] : node.value.split(';')}
        onChange={(values) => set(values.join(';'))}
      />
    );
  if (kind === 'format')
    return (
      <Select
        {...common}
        data={[
          { value: 'html', label: t('format.html') },
          { value: 'text', label: t('format.text') },
        ]}
        allowDeselect={false}
        value={node.value || null}
        onChange={(value) => set(value ?? '')}
      />
    );
  const type = inputTypes[kind] ?? '';
  if (type === '') return <TextInput {...common} value={node.value} onChange={(e) => set(e.currentTarget.value)} />;
  return (
    <ValueInput
      {...common}
      field={{ field_type: type, predefined_values: field?.predefined_values ?? [] }}
      value={node.value}
      onChange={set}
    />
  );
}

/** The type of field whose input a kind of value has. */
const inputTypes: Partial<Record<ValueProps['kind'], ConditionField['field_type']>> = {
  time: 'date',
  date: 'date',
  choice: 'dropdown',
  yesno: 'yes_no',
  choices: 'multiple_choice',
  number: 'text',
};

/** The emails of what the conditions belong to, such as an automation: they are offered before campaigns. */
export const OwnEmails = createContext<readonly { id: string; name: string }[]>([]);

type Chosen = { 'aria-label': string; error: string | undefined; value: string; onChange(value: string): void };

function CampaignValue({ value, onChange, ...props }: Chosen) {
  const t = useText('lists');
  const nameOf = useNameOf();
  const campaigns = useMethod('campaignSearch', { limit: 200 }).data?.data ?? [];
  const own = use(OwnEmails).map(({ id, name }) => ({ value: id, label: name }));
  const latest = [1, 3, 5, 10].map((count) => ({ value: `last ${count}`, label: t('latest', { count }) }));
  const sent = campaigns
    .filter(({ id, delivery_status }) => delivery_status !== 'draft' && !own.some(({ value }) => value === id))
    .map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }));
  const known = [...own, ...latest, ...sent].some((option) => option.value === value);
  return (
    <Select
      {...props}
      data={[
        ...(known || value === '' ? [] : [{ value, label: value }]),
        ...(own.length === 0 ? [] : [{ group: t('ownEmails'), items: own }]),
        { group: t('latestCampaigns'), items: latest },
        { group: t('campaigns'), items: sent },
      ]}
      placeholder={t('chooseCampaign')}
      searchable
      allowDeselect={false}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

/** The name of an event, of those that were reported or any other. */
function EventName({ value, onChange, ...props }: Chosen) {
  const t = useText('lists');
  const names = useMethod('eventNames', { limit: 1000 }).data?.data ?? [];
  return (
    <Autocomplete
      {...props}
      data={names.map(({ name }) => name)}
      placeholder={t('eventName')}
      maxLength={100}
      value={value}
      onChange={onChange}
    />
  );
}

function ListValue({ own, value, onChange, ...props }: Chosen & { own: string }) {
  const t = useText('lists');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  return (
    <Select
      {...props}
      data={lists.filter(({ id }) => id !== own || id === value).map(({ id, name }) => ({ value: id, label: name }))}
      placeholder={t('chooseList')}
      searchable
      allowDeselect={false}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}
