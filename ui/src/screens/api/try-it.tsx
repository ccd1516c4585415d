// Calls a method with parameters from fields or JSON. The call is real: methods that change something ask for confirmation first.
import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/call.ts';
import { groupOf, invalidate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Select } from '../../parts/form/select.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Answer } from './answer.tsx';
import { type Operation, type Schema, typeOf } from './reference.ts';
import { fieldKind, paramsOf, type Typed, typedOf } from './typed-params.ts';

type Mode = 'form' | 'json';

export function TryIt({
  operation,
  example,
  onParams,
  onAnswer,
}: {
  operation: Operation;
  /** What the form begins with. */
  example: Record<string, unknown>;
  onParams(params: Record<string, unknown>): void;
  onAnswer(answer: Answer): void;
}) {
  const t = useText('api');
  const { may } = useSession();
  const client = useQueryClient();
  const draft = useParamsDraft(operation, example);
  const [busy, setBusy] = useState(false);

  if (!operation.permissions.every((some) => some.some(may))) return <Text c="dimmed">{t('notAllowed')}</Text>;

  const run = async () => {
    const params = draft.read();
    if (!params) return;
    onParams(params);
    const asks = operation.changes && {
      title: t('askTitle', { method: operation.name }),
      text: t('askText'),
      action: t('run'),
    };
    if (asks && !(await confirm(asks))) return;
    setBusy(true);
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const value = await request('POST', `/api/${operation.name}`, params);
      onAnswer({ ms: ms(), value });
      if (operation.changes) await invalidate(client, [groupOf(operation.name)]);
    } catch (fault) {
      onAnswer({ ms: ms(), fault });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack>
      <ParamsInput operation={operation} draft={draft} />
      <Group>
        <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={busy} onClick={run}>
          {t('run')}
        </Button>
      </Group>
    </Stack>
  );
}

type ParamsDraft = ReturnType<typeof useParamsDraft>;

/** The parameters being typed, as fields or as JSON. */
function useParamsDraft(operation: Operation, example: Record<string, unknown>) {
  const properties = operation.params.properties ?? {};
  const [mode, setMode] = useState<Mode>('form');
  const [typed, setTyped] = useState<Typed>(() => typedOf(example));
  const [json, setJson] = useState(() => JSON.stringify(example, null, 2));
  /** The name of the invalid field, or json. */
  const [wrong, setWrong] = useState<string>();

  /** The typed parameters; undefined if they are invalid, with the wrong field marked. */
  const read = (): Record<string, unknown> | undefined => {
    try {
      const params = mode === 'json' ? (JSON.parse(json) as Record<string, unknown>) : paramsOf(typed, properties);
      setWrong(undefined);
      return params;
    } catch (error) {
      setWrong(mode === 'json' ? 'json' : (error as Error).message);
      return undefined;
    }
  };
  /** Carries the parameters over to the other mode, unless they are invalid. */
  const changeMode = (next: Mode) => {
    const params = read();
    if (!params) return;
    if (next === 'json') setJson(JSON.stringify(params, null, 2));
    else setTyped(typedOf(params));
    setMode(next);
  };
  const setField = (name: string, value: string) => setTyped({ ...typed, [name]: value });
  return { mode, changeMode, typed, setField, json, setJson, wrong, read };
}

function ParamsInput({ operation, draft }: { operation: Operation; draft: ParamsDraft }) {
  const t = useText('api');
  const { mode, typed, json, wrong } = draft;
  const properties = Object.entries(operation.params.properties ?? {});
  return (
    <>
      {properties.length > 0 && (
        <Group>
          <SegmentedControl
            aria-label={t('mode')}
            data={[
              { value: 'form', label: t('mode.form') },
              { value: 'json', label: t('mode.json') },
            ]}
            value={mode}
            onChange={(next) => draft.changeMode(next as Mode)}
          />
        </Group>
      )}
      {mode === 'json' ? (
        <Textarea
          label={t('json')}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={json}
          error={wrong === 'json' && t('notJson')}
          onChange={({ currentTarget: { value } }) => draft.setJson(value)}
        />
      ) : (
        <Stack gap="sm" maw={640}>
          {properties.map(([name, schema]) => (
            <ParamField
              key={name}
              name={name}
              schema={schema}
              required={operation.params.required?.includes(name) ?? false}
              value={typed[name] ?? ''}
              error={wrong === name && t('notJson')}
              onChange={(value) => draft.setField(name, value)}
            />
          ))}
        </Stack>
      )}
    </>
  );
}

function ParamField({
  name,
  schema,
  required,
  value,
  error,
  onChange,
}: {
  name: string;
  schema: Schema;
  required: boolean;
  value: string;
  error: string | false;
  onChange(value: string): void;
}) {
  const kind = fieldKind(schema);
  const all = { label: name, description: schema.description, withAsterisk: required, error };
  if (kind === 'choice' || kind === 'truth')
    return (
      <Select
        {...all}
        data={kind === 'truth' ? ['true', 'false'] : schema.enum!.map(String)}
        value={value || null}
        clearable={!required}
        clearButtonProps={{ 'aria-label': `${name}: –` }}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  if (kind === 'json')
    return (
      <Textarea
        {...all}
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        placeholder={typeOf(schema).startsWith('array') ? '[]' : typeOf(schema) === 'struct' ? '{}' : ''}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...all}
      // Hides passwords from people nearby.
      type={/password|^old$|^new$/.test(name) ? 'password' : 'text'}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
