// Conditions of an automation (of a step, or of its goal), with the editor of segments. Loaded when conditions are opened.
import { useMemo, useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { ListField } from '../../lists/fields/value-input.tsx';
import { OwnEmails } from '../../lists/segments/condition-editor.tsx';
import { filterOf, firstIncomplete, newCondition, newGroup, nodesOf } from '../../lists/segments/conditions.ts';
import { GroupEditor } from '../../lists/segments/group-editor.tsx';
import { type Conditions, everyStep, type Info, isSend } from '../types.ts';
import { useCheck } from './open-form.ts';

type Props = {
  /** Whose fields, segments and emails the conditions may name. */
  info: Info;
  /** Read once; afterwards the form knows better. */
  conditions: Conditions;
  onChange(next: Conditions): void;
};

export default function ConditionForm(props: Props) {
  const { info } = props;
  const fields = useMethod('listMergeVars', { id: info.list });
  const emails = useMemo(
    () =>
      everyStep(info.steps)
        .filter(isSend)
        .flatMap(({ campaign }) => (campaign === '' ? [] : [{ id: campaign, name: info.names[campaign] ?? campaign }])),
    [info],
  );
  return (
    <OwnEmails value={emails}>
      <Loaded query={fields}>{(known) => <Editor {...props} fields={known} />}</Loaded>
    </OwnEmails>
  );
}

function Editor({ info, conditions, onChange, fields }: Props & { fields: ListField[] }) {
  const types = useMemo(() => new Map(fields.map(({ tag, field_type }) => [tag, field_type])), [fields]);
  const [group, setGroup] = useState(() => {
    const nodes = nodesOf(conditions.filter, types);
    return newGroup(conditions.match, nodes.length > 0 ? nodes : [newCondition()]);
  });
  const t = useText('automations');
  const [isAsked, setAsked] = useState(false);
  const lacking = firstIncomplete(group.nodes);
  useCheck(() => {
    setAsked(true);
    return lacking === undefined;
  });
  return (
    <GroupEditor
      list={info.list}
      fields={fields}
      group={group}
      depth={1}
      onChange={(next) => {
        setGroup(next);
        onChange({ match: next.match, filter: filterOf(next.nodes) });
      }}
      faulty={isAsked ? lacking : undefined}
      faultText={t('valueMissing')}
    />
  );
}
