// The rules of an automation: whether contacts enter again, and its goal, an event or conditions. Unsubscribing always ends it.
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { NumberField } from '../../parts/form/number-field.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useText } from '../../text/use-text.tsx';
import { areWhole, type Check, Checks } from './edit/open-form.ts';
import { type DataConditions, DataFields, eventInWords } from './steps/data-fields.tsx';
import type { Changes, Conditions, Info } from './types.ts';

const ConditionForm = lazy(() => import('./edit/condition-form.tsx'));

const noConditions: Conditions = { match: 'all', filter: [] };

type Props = { info: Info; save(changes: Changes): Promise<unknown>; mayWrite: boolean };

export function Rules({ info, save, mayWrite }: Props) {
  const t = useText('automations');
  const [isOpen, setOpen] = useState(false);
  const { reentry, goal, readings } = info;
  return (
    <Section
      title={t('rules')}
      actions={
        mayWrite &&
        !isOpen && (
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            {t('editRules')}
          </Button>
        )
      }
    >
      {isOpen ? (
        <RulesForm info={info} save={save} onClose={() => setOpen(false)} />
      ) : (
        <Stack gap={4}>
          <Text>{reentry.again ? t('again', { count: reentry.days }) : t('once')}</Text>
          <Text>{t('leavesUnsubscribed')}</Text>
          {goal && goal.event !== '' && (
            <Text>{t('leavesEvent', { event: eventInWords(t, goal.event, goal.data) })}</Text>
          )}
          {readings[''] && <Text>{t('leavesWhen', { conditions: readings[''] })}</Text>}
        </Stack>
      )}
    </Section>
  );
}

function RulesForm({ info, save, onClose }: Omit<Props, 'mayWrite'> & { onClose(): void }) {
  const t = useText('automations');
  const [again, setAgain] = useState(info.reentry.again);
  const [days, setDays] = useState(info.reentry.days);
  const [event, setEvent] = useState(info.goal?.event ?? '');
  const [data, setData] = useState<DataConditions>(info.goal?.data ?? []);
  const [conditions, setConditions] = useState<Conditions>(info.goal ?? noConditions);
  const [isConditional, setConditional] = useState(conditions.filter.length > 0);
  const { busy, run } = useAction();
  const [checks] = useState(() => new Set<Check>());
  const submit = async (submitted: FormEvent) => {
    submitted.preventDefault();
    if (!areWhole(checks)) return;
    await run(async () => {
      const { match, filter } = isConditional ? conditions : noConditions;
      await save({ reentry: { again, days }, goal: { event, data, match, ...(filter.length > 0 ? { filter } : {}) } });
      onClose();
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={640}>
        <Checkbox
          label={t('mayEnterAgain')}
          checked={again}
          onChange={(changed) => setAgain(changed.currentTarget.checked)}
        />
        {again && (
          <NumberField
            label={t('daysBetween')}
            min={0}
            max={3_650}
            value={days}
            onChange={(value) => setDays(Number(value) || 0)}
          />
        )}
        <TextInput
          label={t('goalEvent')}
          description={t('goalEventAbout')}
          maxLength={100}
          value={event}
          onChange={(changed) => setEvent(changed.currentTarget.value)}
        />
        {event !== '' && <DataFields conditions={data} onChange={setData} />}
        <Checkbox
          label={t('goalConditions')}
          description={t('goalConditionsAbout')}
          checked={isConditional}
          onChange={(changed) => setConditional(changed.currentTarget.checked)}
        />
        {isConditional && (
          <Suspense fallback={<Lines count={2} />}>
            <Checks value={checks}>
              <ConditionForm info={info} conditions={conditions} onChange={setConditions} />
            </Checks>
          </Suspense>
        )}
        <Group gap="sm">
          <Button type="submit" size="xs" loading={busy}>
            {t('save')}
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
