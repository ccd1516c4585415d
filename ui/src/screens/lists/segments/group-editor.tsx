// Edits a group of conditions: match all or any, its conditions, and nested groups, at most four deep.
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { ListField } from '../fields/value-input.tsx';
import classes from '../lists.module.css';
import { ConditionEditor } from './condition-editor.tsx';
import { type GroupNode, isGroup, newCondition, newGroup, replaced, type SegmentNode } from './conditions.ts';

type Props = {
  list: string;
  fields: readonly ListField[];
  group: GroupNode;
  depth: number;
  onChange(group: GroupNode): void;
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
      <SegmentedControl
        aria-label={t('match')}
        size="xs"
        className={classes.match}
        data={[
          { value: 'all', label: t('match.all') },
          { value: 'any', label: t('match.any') },
        ]}
        value={group.match}
        onChange={(match) => onChange({ ...group, match: match === 'any' ? 'any' : 'all' })}
      />
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
            <ConditionEditor
              list={props.list}
              fields={props.fields}
              node={node}
              onChange={(next) => put(node.key, next)}
              onRemove={depth === 1 && group.nodes.length === 1 ? undefined : () => put(node.key, undefined)}
              error={props.faulty === node.key ? props.faultText : undefined}
            />
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
