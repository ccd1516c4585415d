// A sample request body for an event type, exactly as the webhook sends it.
import { Code, Stack } from '@mantine/core';
import { useState } from 'react';
import { Select } from '../../parts/form/select.tsx';
import { useText } from '../../text/use-text.tsx';

export type Described = { type: string; example: Record<string, unknown> };

/** The timestamp of the sample, seconds since 1970. */
const exampleAt = 1_768_557_900;

/** A body as writeBody of src/webhooks/batch.ts frames it, indented. */
export function bodyOf({ type, example }: Described, format: string): string {
  const body =
    format === 'classic'
      ? { hook: type, timestamp: exampleAt, data: [timesInSeconds(example)] }
      : { timestamp: exampleAt, events: [{ type, data: example }] };
  return JSON.stringify(body, null, 2);
}

/** The times of an event as the classic format has them: `ts`, `optin_ts` and others. */
function timesInSeconds(example: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(example).map(([name, value]) => {
    const isTime = /^(\w+_)?ts$/.test(name) && typeof value === 'string' && value !== '';
    return [name, isTime ? Date.parse(`${value.replace(' ', 'T')}Z`) / 1_000 : value];
  });
  return Object.fromEntries(entries);
}

/** @param sources the selectable sources, for types that name a source */
export function ExampleBody({
  types,
  format,
  sources,
}: {
  types: readonly Described[];
  format: string;
  sources: string[];
}) {
  const t = useText('webhooks');
  const [chosen, setChosen] = useState('');
  const [from, setFrom] = useState('');
  const described = types.find(({ type }) => type === chosen) ?? types[0];
  if (!described) return null;
  const hasSource = 'source' in described.example;
  const source = sources.includes(from) ? from : (sources[0] ?? String(described.example['source']));
  const example = hasSource ? { ...described.example, source } : described.example;
  return (
    <Stack gap="sm">
      <Select
        label={t('exampleOf')}
        description={t('exampleHint')}
        data={types.map(({ type }) => type)}
        value={described.type}
        onChange={(type) => type && setChosen(type)}
        allowDeselect={false}
      />
      {hasSource && sources.length > 1 && (
        <Select
          label={t('exampleSource')}
          data={sources.map((source) => ({ value: source, label: t.of('source', source) }))}
          value={source}
          onChange={(source) => source && setFrom(source)}
          allowDeselect={false}
        />
      )}
      <Code block tabIndex={0} aria-label={t('example')} mah={320} style={{ overflow: 'auto' }}>
        {bodyOf({ type: described.type, example }, format)}
      </Code>
    </Stack>
  );
}
