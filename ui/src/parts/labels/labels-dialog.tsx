// Which labels one or several objects have. A label that only some of them have stays so unless it is ticked or cleared.
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import { Loaded } from '../loaded.tsx';
import { toast } from '../toast/toast.tsx';
import { type Arranged, type Kind, useArrange } from './arranging.tsx';
import { type Label, LabelChip } from './label.tsx';
import { NewLabel } from './new-label.tsx';

type Props = { kind: Kind; objects: readonly Arranged[]; onClose(): void };

export default function LabelsDialog({ kind, objects, onClose }: Props) {
  const t = useText('labels');
  const labels = useMethod('labels');
  const arrange = useArrange(kind);
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [busy, setBusy] = useState(false);
  const want = (id: string, on: boolean) => setWanted((before) => new Map(before).set(id, on));
  const countOf = (id: string) => objects.filter((object) => has(object, id)).length;
  const save = async () => {
    setBusy(true);
    const changes = [...wanted].flatMap(([label, on]) =>
      objects
        .filter((object) => has(object, label) !== on)
        .map(({ id }) => ({ id, name: on ? ('add_label' as const) : ('remove_label' as const), value: label })),
    );
    const count = await arrange(changes);
    if (count === changes.length) toast.done(t('saved'));
    onClose();
  };
  const title = t('labelsOf', { count: objects.length, name: objects[0]?.name ?? '' });
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Loaded query={labels}>
          {(all) => (
            <Stack gap="sm">
              {all.length === 0 && <Text c="dimmed">{t('none')}</Text>}
              {all.map((label) => (
                <Choice
                  key={label.id}
                  label={label}
                  count={countOf(label.id)}
                  of={objects.length}
                  wanted={wanted.get(label.id)}
                  onChange={(on) => want(label.id, on)}
                />
              ))}
            </Stack>
          )}
        </Loaded>
        <NewLabel onCreated={(id) => want(id, true)} />
        <Group>
          <Button loading={busy} disabled={wanted.size === 0} onClick={save}>
            {t('save')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const has = ({ labels }: Arranged, id: string) => labels.some((label) => label.id === id);

type ChoiceProps = {
  label: Label;
  /** How many of the objects have it. */
  count: number;
  of: number;
  wanted: boolean | undefined;
  onChange(on: boolean): void;
};

function Choice({ label, count, of, wanted, onChange }: ChoiceProps) {
  return (
    <Checkbox
      label={<LabelChip label={label} />}
      checked={wanted ?? count === of}
      indeterminate={wanted === undefined && count > 0 && count < of}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
