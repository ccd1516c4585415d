// The conditions of a step, with the editor of segments. Loaded when a condition is opened.
import { useMemo, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import type { ListField } from '../../lists/fields/value-input.tsx';
import { filterOf, newCondition, newGroup, nodesOf } from '../../lists/segments/conditions.ts';
import { GroupEditor } from '../../lists/segments/group-editor.tsx';
import type { Info, Step, StepOf } from '../types.ts';

type Props = { info: Info; draft: StepOf<'condition'>; onChange(next: Step): void };

export default function ConditionForm(props: Props) {
  const fields = useMethod('listMergeVars', { id: props.info.list });
  return <Loaded query={fields}>{(known) => <Editor {...props} fields={known} />}</Loaded>;
}

function Editor({ info, draft, onChange, fields }: Props & { fields: ListField[] }) {
  const types = useMemo(() => new Map(fields.map(({ tag, field_type }) => [tag, field_type])), [fields]);
  const [group, setGroup] = useState(() => {
    const nodes = nodesOf(draft.filter as Record<string, unknown>[], types);
    return newGroup(draft.match, nodes.length > 0 ? nodes : [newCondition()]);
  });
  return (
    <GroupEditor
      list={info.list}
      fields={fields}
      group={group}
      depth={1}
      onChange={(next) => {
        setGroup(next);
        onChange({ ...draft, match: next.match, filter: filterOf(next.nodes) as typeof draft.filter });
      }}
      faulty={undefined}
      faultText=""
    />
  );
}
