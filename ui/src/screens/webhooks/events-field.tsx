// Which events a webhook is sent: by a purpose, or chosen one by one.
import { Checkbox, Code, Input, Radio, SimpleGrid, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { useText } from '../../text/use-text.tsx';
import { isSubscribed, type Purpose, patternOf, purposeOf, purposes, typesFor, withPatterns } from './event-choice.ts';
import type { WebhookValues } from './webhook-fields.tsx';

type EventTypes = { form: MethodFormState<WebhookValues>; types: { type: string; meaning: string }[] };

export function EventsField({ form, types }: EventTypes) {
  const t = useText('webhooks');
  const props = form.getInputProps('events');
  const all = types.map(({ type }) => type);
  // Chosen one by one, even while that happens to be what a purpose has.
  const [chooses, setChooses] = useState(false);
  const purpose = chooses ? 'choose' : purposeOf(form.values.events, all);
  const choose = (next: string) => {
    setChooses(next === 'choose');
    if (next !== 'choose') props.onChange(typesFor(next as Purpose, all));
  };
  return (
    <Stack gap="md">
      <Radio.Group
        label={t('purpose')}
        value={purpose}
        onChange={choose}
        error={purpose === 'choose' ? undefined : props.error}
      >
        <Stack mt="xs" gap="sm">
          {[...purposes, 'choose' as const].map((name) => (
            <Radio key={name} value={name} label={t(`purpose.${name}`)} description={t(`purposeAbout.${name}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {purpose === 'choose' && <EventTypes form={form} types={types} />}
    </Stack>
  );
}

/** The types by group. The box of a group, and that of all groups, selects what is in it and shows when only some is. */
function EventTypes({ form, types }: EventTypes) {
  const t = useText('webhooks');
  const { events } = form.values;
  const props = form.getInputProps('events');
  const [future, setFuture] = useState(events.some((type) => type.endsWith('*')));
  const all = types.map(({ type }) => type);
  const groups = [...new Set(all.map(patternOf))];
  const chosen = all.filter((type) => isSubscribed(events, type));
  const choose = (next: readonly string[], andFuture = future) => {
    const wanted = all.filter((type) => next.includes(type));
    props.onChange(andFuture ? withPatterns(wanted, all) : wanted);
  };
  const boxOf = (inside: readonly string[]) => {
    const count = inside.filter((type) => chosen.includes(type)).length;
    const isFull = count === inside.length;
    return {
      checked: isFull,
      indeterminate: count > 0 && !isFull,
      onChange: () => choose(isFull ? chosen.filter((type) => !inside.includes(type)) : [...chosen, ...inside]),
    };
  };
  return (
    <Input.Wrapper
      label={t('chosenEvents')}
      description={t('eventsHint')}
      error={props.error}
      role="group"
      labelElement="div"
      inputWrapperOrder={['label', 'description', 'error', 'input']}
    >
      <Stack mt="sm" gap="lg">
        {types.length > 0 && <Checkbox label={t('everyEvent')} {...boxOf(all)} />}
        {groups.map((group) => {
          const ofGroup = types.filter(({ type }) => patternOf(type) === group);
          return (
            <Stack key={group} gap="sm">
              <Checkbox
                label={t('everyEventOf', { group: t.of('group', group.slice(0, -2)) })}
                styles={{ label: { fontWeight: 500 } }}
                {...boxOf(ofGroup.map(({ type }) => type))}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" ps={28}>
                {ofGroup.map(({ type, meaning }) => (
                  <Checkbox
                    key={type}
                    checked={chosen.includes(type)}
                    onChange={({ currentTarget }) =>
                      choose(currentTarget.checked ? [...chosen, type] : chosen.filter((other) => other !== type))
                    }
                    label={<Code>{type}</Code>}
                    description={t.names('event').includes(type) ? t.of('event', type) : meaning}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          );
        })}
        {types.length > 0 && (
          <Switch
            label={t('futureEvents')}
            description={t('futureEventsHint')}
            checked={future}
            onChange={({ currentTarget }) => {
              setFuture(currentTarget.checked);
              choose(chosen, currentTarget.checked);
            }}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}
