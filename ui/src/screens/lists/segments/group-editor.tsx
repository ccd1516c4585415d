// Edits a group of conditions: match all, any or none, its conditions, and nested groups, at most four deep.
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useText } from '../../../text/use-text.tsx';
import type { ListField } from '../fields/value-input.tsx';
import classes from '../lists.module.css';
import { ConditionEditor } from './condition-editor.tsx';
import {
  type ConditionNode,
  filterOf,
  type GroupNode,
  isGroup,
  isWhole,
  matchOf,
  newCondition,
  newGroup,
  replaced,
  type SegmentNode,
} from './conditions.ts';

type Props = {
  list: string;
  fields: readonly ListField[];
  group: GroupNode;
  depth: number;
  onChange(group: GroupNode): void;
  /** Says beside each of several conditions how many it matches alone. */
  sizes?: boolean;
  /** The invalid condition, and why. */
  faulty: string | undefined;
  faultText: string;
};

const maxDepth = 4;

export function GroupEditor(props: Props) {
  const { group, depth, onChange } = props;
  const t = useText('lists');
  const put = (key: string, next: SegmentNode | undefined) =>
    onChange({ ...group, nodes: replaced(group.nodes, key, next) });
  const add = (node: SegmentNode) => onChange({ ...group, nodes: [...group.nodes, node] });
  return (
    <Stack gap="sm" className={classes.group} role="group" aria-label={t('conditions')}>
      <Group gap="sm" className={classes.match}>
        <Text size="xs" c="dimmed" aria-hidden>
          {t('match')}
        </Text>
        <SegmentedControl
          aria-label={t('match')}
          size="xs"
          data={(['all', 'any', 'none'] as const).map((match) => ({ value: match, label: t(`match.${match}`) }))}
          value={group.match}
          onChange={(match) => onChange({ ...group, match: matchOf(match) })}
        />
      </Group>
      {group.nodes.map((node, i) => (
        <Fragment key={node.key}>
          {i > 0 && (
            <Text size="xs" c="dimmed" fw={600}>
              {t(group.match === 'all' ? 'and' : 'or')}
            </Text>
          )}
          {isGroup(node) ? (
            <GroupEditor {...props} group={node} depth={depth + 1} onChange={(next) => put(node.key, next)} />
          ) : (
            <Stack gap={4}>
              <ConditionEditor
                list={props.list}
                fields={props.fields}
                node={node}
                onChange={(next) => put(node.key, next)}
                onRemove={depth === 1 && group.nodes.length === 1 ? undefined : () => put(node.key, undefined)}
                error={props.faulty === node.key ? props.faultText : undefined}
              />
              {props.sizes && (depth > 1 || group.nodes.length > 1) && <Size list={props.list} node={node} />}
            </Stack>
          )}
        </Fragment>
      ))}
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => add(newCondition())}
        >
          {t('addCondition')}
        </Button>
        {depth < maxDepth && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => add(newGroup(group.match === 'all' ? 'any' : 'all', [newCondition()]))}
          >
            {t('addGroup')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** How many a condition matches, whatever the others say. */
function Size({ list, node }: { list: string; node: ConditionNode }) {
  const t = useText('lists');
  const [settled] = useDebouncedValue(node, 300);
  const isSettled = isWhole([settled]);
  const { data, error } = useMethod(
    'segmentPreview',
    { list, match: 'all', filter: filterOf([settled]) },
    { enabled: isSettled, keep: true },
  );
  // Room that does not come and go while a value is typed.
  return (
    <Text size="xs" c="dimmed" mih="1lh">
      {isSettled && data !== undefined && !error && t('matchAlone', { count: data.count })}
    </Text>
  );
}
