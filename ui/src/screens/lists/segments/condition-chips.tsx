// The conditions that narrow a table, a chip each: a click edits one, the button "Filter" of the bar adds one. They are the conditions of segments,
// and can be saved as one.

import { ActionIcon, Box, Button, Group, Skeleton, UnstyledButton } from '@mantine/core';
import { IconFilterPlus, IconX } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useNameOf } from '../../../parts/tagged/tagged.tsx';
import { type Translate, useText } from '../../../text/use-text.tsx';
import { useShownValue } from '../fields/use-shown-value.ts';
import classes from './conditions.module.css';
import {
  type ConditionNode,
  detailAsks,
  type EventDetails,
  isFact,
  isGroup,
  isWhole,
  kindOf,
  newCondition,
  replaced,
  type SegmentNode,
  takesDays,
  takesValue,
} from './conditions.ts';
import type { ConditionField, Conditions } from './use-conditions.ts';

const load = () => import('./condition-editor.tsx');
const ConditionEditor = lazy(() => load().then((editor) => ({ default: editor.ConditionEditor })));

type Props = {
  /** The list whose members are narrowed; '' for the contacts of all lists. */
  list: string;
  fields: readonly ConditionField[];
  conditions: Conditions;
  /** Further chips and buttons, after the conditions. */
  children?: ReactNode;
};

/** The button for the filter bar, and what stands below the bar: the conditions, and the one that is being edited. */
export function useConditionChips({ list, fields, conditions, children }: Props): {
  button: ReactNode;
  chips: ReactNode;
} {
  const t = useText('lists');
  const { nodes, match, change } = conditions;
  const [draft, setDraft] = useState<ConditionNode>();
  const isNew = draft !== undefined && !nodes.some(({ key }) => key === draft.key);
  const apply = () => {
    if (!draft) return;
    change(isNew ? [...nodes, draft] : replaced(nodes, draft.key, draft));
    setDraft(undefined);
  };
  const button = (
    <Button
      variant="default"
      leftSection={<IconFilterPlus size={16} aria-hidden />}
      aria-expanded={draft !== undefined}
      onPointerEnter={load}
      onClick={() => setDraft(draft ? undefined : newCondition(fields[0]?.tag ?? 'EMAIL'))}
    >
      {t('addFilter')}
    </Button>
  );
  const chips = (nodes.length > 0 || draft !== undefined || children) && (
    <Box mb="sm">
      <Group gap={6} role="group" aria-label={t('filters')}>
        {nodes.map((node, i) => (
          <Group key={node.key} gap={6} wrap="nowrap">
            {i > 0 && (
              <UnstyledButton
                className={classes.match}
                aria-label={t('matchNow', { match: t(`match.${match}`) })}
                onClick={() => change(nodes, match === 'all' ? 'any' : 'all')}
              >
                {t(match === 'all' ? 'and' : 'or')}
              </UnstyledButton>
            )}
            <span className={classes.chip}>
              <UnstyledButton
                className={classes.words}
                disabled={isGroup(node)}
                aria-expanded={draft?.key === node.key}
                onClick={() => !isGroup(node) && setDraft(node)}
              >
                <InWords node={node} fields={fields} />
              </UnstyledButton>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={t('removeFilter')}
                onClick={() => {
                  setDraft(undefined);
                  change(replaced(nodes, node.key, undefined));
                }}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </span>
          </Group>
        ))}
        {children}
      </Group>
      {draft && (
        <Box
          className={classes.editor}
          component="form"
          aria-label={t('filter')}
          onSubmit={(event) => {
            event.preventDefault();
            if (isWhole([draft])) apply();
          }}
          onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
        >
          <Suspense fallback={<Skeleton height={36} />}>
            <ConditionEditor
              list={list}
              fields={fields}
              node={draft}
              onChange={setDraft}
              onRemove={undefined}
              error={undefined}
            />
          </Suspense>
          <Group gap="sm" mt="sm">
            <Button type="submit" size="xs" disabled={!isWhole([draft])}>
              {t('applyFilter')}
            </Button>
            <Button variant="default" size="xs" onClick={() => setDraft(undefined)}>
              {t('cancel')}
            </Button>
          </Group>
        </Box>
      )}
    </Box>
  );
  return { button, chips };
}

/** A condition in a few words: "City is Hamburg". */
function InWords({ node, fields }: { node: SegmentNode; fields: readonly ConditionField[] }) {
  const t = useText('lists');
  const kind = isGroup(node)
    ? undefined
    : kindOf(node.field, new Map(fields.map(({ tag, field_type }) => [tag, field_type])));
  const aboutCampaign = kind === 'campaign' || kind === 'activity';
  const wantsName = !isGroup(node) && takesValue(node.ask) && !takesDays(node.ask);
  const nameOf = useNameOf();
  const shownValue = useShownValue();
  const campaigns = useMethod('campaignSearch', { limit: 200 }, { enabled: wantsName && aboutCampaign });
  const lists = useMethod('lists', { limit: 1000 }, { enabled: wantsName && kind === 'list' });
  if (isGroup(node))
    return t(node.match === 'none' ? 'noneOfConditions' : 'severalConditions', { count: node.nodes.length });
  const { field, ask, value } = node;
  const subject = isFact(field) ? t(`fact.${field}`) : (fields.find(({ tag }) => tag === field)?.name ?? field);
  const days = `${value} ${t('days')}`;
  if (takesDays(ask))
    return ask === 'before'
      ? `${subject} ${t('ask.before').replace('…', days)}`
      : `${subject} ${t(`ask.${ask}`)} ${days}`;
  if (!takesValue(ask)) return `${subject} ${t(`ask.${ask}`)}`;
  const latest = /^last (\d+)$/.exec(value)?.[1];
  const campaign = campaigns.data?.data.find(({ id }) => id === value);
  const named = aboutCampaign
    ? latest
      ? t('latest', { count: Number(latest) })
      : campaign
        ? nameOf(campaign)
        : value
    : kind === 'list'
      ? (lists.data?.find(({ id }) => id === value)?.name ?? value)
      : kind === 'yesno' || kind === 'choices'
        ? shownValue({ field_type: kind === 'yesno' ? 'yes_no' : 'multiple_choice' }, value)
        : value.replaceAll(';', ', ');
  const exact = node.event ? `${named}${detailsInWords(t, node.event)}` : named;
  if (ask === 'yes') return `${subject}: ${exact}`;
  if (ask === 'no') return `${t('notThis', { what: subject })}: ${exact}`;
  return `${subject} ${t(`ask.${ask}`)} ${named}`;
}

/** ", at least 2 times, in the last 30 days, total is more than 50". */
function detailsInWords(t: Translate<'lists'>, { days, times, where }: EventDetails): string {
  const parts = [
    times === '' ? '' : t('eventAtLeast', { count: Number(times) }),
    days === '' ? '' : `${t('ask.within')} ${days} ${t('days')}`,
    ...where.map(({ field, condition, value }) => {
      const part = field === 'value' ? t('eventValue') : field.replace(/^data\./, '');
      return `${part} ${t(`ask.${detailAsks[condition]}`)}${condition === 'isany' ? '' : ` ${value}`}`;
    }),
  ];
  return parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join('');
}
