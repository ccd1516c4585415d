// Conditions of an automation (of a step, or of its goal), with the editor of segments. Loaded when conditions are opened.
import { useMemo, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import type { ListField } from '../../lists/fields/value-input.tsx';
import { filterOf, newCondition, newGroup, nodesOf } from '../../lists/segments/conditions.ts';
import { GroupEditor } from '../../lists/segments/group-editor.tsx';
import type { Conditions } from '../types.ts';

type Props = {
  /** Whose fields and segments the conditions may name. */
  list: string;
  /** Read once; afterwards the form knows better. */
  conditions: Conditions;
  onChange(next: Conditions): void;
};

export default function ConditionForm(props: Props) {
  const fields = useMethod('listMergeVars', { id: props.list });
  return <Loaded query={fields}>{(known) => <Editor {...props} fields={known} />}</Loaded>;
}

function Editor({ list, conditions, onChange, fields }: Props & { fields: ListField[] }) {
  const types = useMemo(() => new Map(fields.map(({ tag, field_type }) => [tag, field_type])), [fields]);
  const [group, setGroup] = useState(() => {
    const nodes = nodesOf(conditions.filter, types);
    return newGroup(conditions.match, nodes.length > 0 ? nodes : [newCondition()]);
  });
  return (
    <GroupEditor
      list={list}
      fields={fields}
      group={group}
      depth={1}
      onChange={(next) => {
        setGroup(next);
        onChange({ match: next.match, filter: filterOf(next.nodes) });
      }}
      faulty={undefined}
      faultText=""
    />
  );
}
