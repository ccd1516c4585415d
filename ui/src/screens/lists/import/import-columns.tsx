// Maps the columns of a file, sets the file format and what happens to contacts, then starts the preview.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { ParamsOf, ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { MethodForm, type MethodFormState, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { type Translate, useText } from '../../../text/use-text.tsx';
import { tagOf } from '../fields/tag.ts';
import type { ListField } from '../fields/value-input.tsx';
import { fieldTypeOf } from './field-type.ts';
import classes from './import.module.css';
import { ContactRules, FormatFields, type FormatValues, type ImportValues } from './import-rules.tsx';

type Preview = ResultOf<'importPreview'>;
type PreviewColumn = Preview['columns'][number];
type Options = NonNullable<ParamsOf<'importUpdate'>['options']>;
type Props = { id: string; list: string; mayWrite: boolean; onChecking(): void };

type Values = ImportValues;

const builtIns = [
  ...(['EMAIL', 'STATUS', 'UNSUBSCRIBED', 'BOUNCED', 'EMAIL_TYPE', 'OPTINTIME', 'OPTINIP'] as const),
  ...(['CONFIRM_TIME', 'CONFIRM_IP', 'SIGNUP_TIME', 'UNSUBSCRIBE_TIME', 'UNSUBSCRIBE_REASON'] as const),
  ...(['LANGUAGE', 'TIMEZONE', 'TAGS'] as const),
];
const newTypes = ['text', 'number', 'date', 'yes_no', 'phone', 'website', 'address'] as const;

export function ImportColumns(props: Props) {
  const preview = useMethod('importPreview', { import: props.id });
  const fields = useMethod('listMergeVars', { id: props.list });
  return (
    <Loaded query={fields}>
      {(known) => (
        <Loaded query={preview}>
          {(read) => (
            // The file format decides which columns there are, so a change resets the mapping.
            <Form key={JSON.stringify([read.format, read.columns.length])} {...props} preview={read} fields={known} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Form({ id, preview, fields, mayWrite, onChecking }: Props & { preview: Preview; fields: ListField[] }) {
  const t = useText('lists');
  const client = useQueryClient();
  const { format, options, columns } = preview;
  const form = useMethodForm<Values, void>({
    initialValues: {
      targets: Object.fromEntries(columns.map((column) => [String(column.no), targetOf(column)])),
      update: options.update,
      status: options.status,
      empty: options.empty,
      double_optin: options.double_optin,
      resubscribe: options.resubscribe,
    },
    send: async ({ targets, ...rules }) => {
      await call('importUpdate', {
        import: id,
        mapping: changesOf(columns, targets),
        options: rules as Options,
      });
      await call('importDryRun', { import: id });
      await invalidate(client, ['import']);
    },
    done: onChecking,
  });
  const formatForm = useMethodForm<FormatValues, void>({
    initialValues: { encoding: format.encoding, delimiter: format.delimiter, header: format.header ? 'yes' : 'no' },
    send: async (values) => {
      await call('importUpdate', { import: id, options: values as Options });
      await invalidate(client, ['import']);
    },
  });
  /** Kept at once, so that values that do not fit are shown, and nothing is lost by leaving. */
  const choose = async (no: number, target: string) => {
    const others = Object.entries(form.values.targets).map(([key, value]) =>
      // A target takes one column, apart from those that say who left.
      key !== String(no) && value === target && !severalTimes.has(target) ? [key, ''] : [key, value],
    );
    const targets = { ...Object.fromEntries(others), [String(no)]: target };
    form.setFieldValue('targets', targets);
    await decide({ ...changesOf(columns, targets), ...mappingOf(columns, { [String(no)]: target }) });
  };
  /** Only what a person has chosen: columns that are named count as decided. */
  const decide = async (mapping: Record<string, string>) => {
    try {
      await call('importUpdate', { import: id, mapping });
      await invalidate(client, ['import']);
    } catch (error) {
      toast.failed(error);
    }
  };
  const isUndecided = columns.some((column) => column.undecided || column.date_order === 'unclear');
  const hasEmail = Object.values(form.values.targets).includes('EMAIL');
  return (
    <Stack gap="xl">
      <Section title={t('step.columns')} description={t('columnsAbout', { count: columns.length })}>
        {preview.provider !== '' && (
          <Group gap="sm" wrap="nowrap">
            <IconCheck size={16} aria-hidden />
            <Text>{t('recognised', { provider: preview.provider })}</Text>
          </Group>
        )}
        <Mapping
          columns={columns}
          fields={fields}
          form={form}
          mayWrite={mayWrite}
          checked={preview.rows_checked}
          onChange={choose}
          onDecide={decide}
        />
        <Questions preview={preview} mayWrite={mayWrite} onDecide={decide} />
        <LeftOutColumns columns={columns} form={form} mayWrite={mayWrite} />
        {!hasEmail && (
          <Alert color="yellow" variant="outline" icon={<IconAlertCircle aria-hidden />}>
            <Text>{t('noEmailColumn')}</Text>
          </Alert>
        )}
      </Section>
      {mayWrite && (
        <MethodForm form={formatForm}>
          <FormatFields form={formatForm} format={format} />
        </MethodForm>
      )}
      {mayWrite && (
        <MethodForm form={form}>
          <ContactRules form={form} />
          <Group className={classes.foot}>
            <Submit form={form} disabled={!hasEmail || isUndecided || formatForm.isDirty()}>
              {t('preview')}
            </Submit>
            <Text c="dimmed" size="xs">
              {t('previewHint')}
            </Text>
          </Group>
        </MethodForm>
      )}
    </Stack>
  );
}

type QuestionsProps = { preview: Preview; mayWrite: boolean; onDecide(mapping: Record<string, string>): void };

/** What to look at before the import, and a button for columns of which a person must say that they are no consent. */
function Questions({ preview: { columns, warnings }, mayWrite, onDecide }: QuestionsProps) {
  const t = useText('lists');
  const undecided = columns.filter((column) => column.undecided);
  // The addresses and tags are imported all the same.
  const leaveOut = () =>
    onDecide(
      mappingOf(
        columns,
        Object.fromEntries(
          undecided.map(({ no, target }) => [String(no), ['EMAIL', 'TAGS'].includes(target) ? target : '']),
        ),
      ),
    );
  return (
    <>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="outline" icon={<IconAlertCircle aria-hidden />}>
          <Text>{warning}</Text>
        </Alert>
      ))}
      {mayWrite && undecided.length > 0 && (
        <Group>
          <Button variant="default" size="xs" onClick={leaveOut}>
            {t('noConsent', { count: undecided.length })}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Targets that several columns can have, and none. */
const severalTimes = new Set(['', 'STATUS', 'UNSUBSCRIBED', 'BOUNCED']);

type MappingProps = {
  columns: readonly PreviewColumn[];
  fields: readonly ListField[];
  form: MethodFormState<Values>;
  mayWrite: boolean;
};

type MappingTable = MappingProps & {
  /** How many rows were looked at. */
  checked: number;
  onChange(no: number, target: string): void;
  onDecide(mapping: Record<string, string>): void;
};

/** The columns of the file, with a target for each. */
function Mapping({ columns, fields, form, mayWrite, checked, onChange, onDecide }: MappingTable) {
  const t = useText('lists');
  const { targets } = form.values;
  const table: Column<PreviewColumn>[] = [
    {
      name: 'heading',
      title: t('column'),
      width: '170px',
      cell: ({ no, heading }) => (
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {heading || t('columnNo', { no })}
        </Text>
      ),
    },
    {
      name: 'target',
      title: t('importAs'),
      width: '260px',
      cell: (column) => (
        <Stack gap="xs">
          <Select
            aria-label={t('importColumnAs', { name: column.heading || t('columnNo', { no: column.no }) })}
            data={targetChoices(t, column, fields, targets[String(column.no)] ?? '')}
            allowDeselect={false}
            searchable
            disabled={!mayWrite}
            w="100%"
            maw={280}
            placeholder={t('chooseMeaning')}
            value={column.undecided ? null : (targets[String(column.no)] ?? '')}
            onChange={(value) => onChange(column.no, String(value ?? ''))}
          />
          {column.date_order !== '' && targetOf(column) === (targets[String(column.no)] ?? '') && (
            <DateOrder
              column={column}
              mayWrite={mayWrite}
              onOrder={(order) => onDecide(mappingOf(columns, { [String(column.no)]: `${targetOf(column)}:${order}` }))}
            />
          )}
        </Stack>
      ),
    },
    {
      name: 'samples',
      title: t('samples'),
      cell: (column) => <Samples column={column} checked={checked} target={targets[String(column.no)] ?? ''} />,
    },
  ];
  return (
    <Rows
      label={t('step.columns')}
      columns={table}
      rows={columns}
      keyOf={({ no }) => String(no)}
      nameOf={({ heading }) => heading}
      empty={null}
    />
  );
}

type DateOrderProps = { column: PreviewColumn; mayWrite: boolean; onOrder(order: string): void };

/** Whether the day or the month comes first in dates such as 04/07/2020. */
function DateOrder({ column, mayWrite, onOrder }: DateOrderProps) {
  const t = useText('lists');
  return (
    <Select
      aria-label={t('dateOrderOf', { name: column.heading || t('columnNo', { no: column.no }) })}
      data={[
        { value: 'day_first', label: t('dateOrder.day_first') },
        { value: 'month_first', label: t('dateOrder.month_first') },
      ]}
      allowDeselect={false}
      disabled={!mayWrite}
      maw={280}
      placeholder={t('dateOrder')}
      value={column.date_order === 'unclear' ? null : column.date_order}
      onChange={(order) => order && onOrder(order)}
    />
  );
}

/** The first values of a column; those that do not fit what it is imported as are marked and counted. */
function Samples({ column, checked, target }: { column: PreviewColumn; checked: number; target: string }) {
  const t = useText('lists');
  const { number } = useFormats();
  // The server has not looked at it as this target yet.
  const current = targetOf(column) === target;
  const wrong = current ? column.invalid : [];
  const shown = column.samples.filter(Boolean).slice(0, 3);
  return (
    <div>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {shown.length === 0
          ? '–'
          : shown.map((sample, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: values repeat, and never move
              <span key={i}>
                {i > 0 && ' · '}
                {wrong.some(({ value }) => value === sample) ? <mark className={classes.wrong}>{sample}</mark> : sample}
              </span>
            ))}
      </Text>
      {current && column.invalid_count > 0 && (
        <Text size="xs" className={classes.problem}>
          {t('invalidValues', { count: column.invalid_count, rows: number(checked) })}{' '}
          {wrong[0] && `“${wrong[0].value}”: ${wrong[0].reason}`}
        </Text>
      )}
    </div>
  );
}

/** The columns that are not imported, by name, and a button that makes fields for them. */
function LeftOutColumns({ columns, form, mayWrite }: Omit<MappingProps, 'fields'>) {
  const t = useText('lists');
  const { targets } = form.values;
  const leftOut = columns.filter((column) => !column.undecided && !targets[String(column.no)] && !isEmpty(column));
  if (leftOut.length === 0) return null;
  const createFields = () => {
    const fresh = leftOut.map((column) => [String(column.no), `new:${newTag(column)}:${fieldTypeOf(column.samples)}`]);
    form.setFieldValue('targets', { ...targets, ...Object.fromEntries(fresh) });
  };
  const names = leftOut.map(({ no, heading }) => heading || t('columnNo', { no })).join(', ');
  return (
    <Alert color="gray" variant="outline" icon={<IconAlertCircle aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text style={{ overflowWrap: 'anywhere' }}>{t('leftOut', { count: leftOut.length, names })}</Text>
        {mayWrite && (
          <Button variant="default" size="xs" onClick={createFields}>
            {t('createFields', { count: leftOut.length })}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** What a separator at the end of each line makes. */
const isEmpty = ({ heading, samples }: PreviewColumn) =>
  heading.trim() === '' && samples.every((value) => value.trim() === '');

const newTag = ({ no, heading }: PreviewColumn) => tagOf(heading) || `COLUMN_${no}`;

/** What a column can be imported as: nothing, a field of the list, a built-in value, or a new field. */
function targetChoices(t: Translate<'lists'>, column: PreviewColumn, fields: readonly ListField[], current: string) {
  const tag = newTag(column);
  const fresh = newTypes.map((type) => ({ value: `new:${tag}:${type}`, label: t(`newField.${type}`, { tag }) }));
  return [
    { value: '', label: t('doNotImport') },
    {
      group: t('fieldsOfList'),
      items: fields.map((field) => ({ value: field.tag, label: field.name })),
    },
    {
      group: t('facts'),
      items: builtIns
        .filter((name) => !fields.some((field) => field.tag === name))
        .map((name) => ({ value: name, label: t(`target.${name}`) })),
    },
    {
      group: t('newFields'),
      items:
        current.startsWith('new:') && !fresh.some(({ value }) => value === current)
          ? [...fresh, { value: current, label: current.slice(4) }]
          : fresh,
    },
  ];
}

const targetOf = ({ target, new_field }: PreviewColumn) => (new_field ? `new:${target}:${new_field}` : target);

/** What differs from the mapping that the server has. */
function changesOf(columns: readonly PreviewColumn[], targets: Record<string, string>): Record<string, string> {
  const changed = columns.filter((column) => (targets[String(column.no)] ?? '') !== targetOf(column));
  return mappingOf(columns, Object.fromEntries(changed.map(({ no }) => [String(no), targets[String(no)] ?? ''])));
}

/** Targets by number as a mapping: by heading if it is unique, otherwise by number. */
function mappingOf(columns: readonly PreviewColumn[], targets: Record<string, string>): Record<string, string> {
  const lower = columns.map(({ heading }) => heading.trim().toLowerCase());
  return Object.fromEntries(
    columns.flatMap(({ no, heading }, i) => {
      const target = targets[String(no)];
      if (target === undefined) return [];
      const alone = heading.trim() !== '' && lower.filter((name) => name === lower[i]).length === 1;
      return [[alone ? heading : String(no), target]];
    }),
  );
}
