// A gallery of all shared parts, for looking at them.
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { ApiFault } from '../../api/call.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { BarPlot, LinePlot } from '../../parts/plot/plot.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Status, type Tone } from '../../parts/status/status.tsx';
import { FilterChips } from '../../parts/table/filter-bar.tsx';
import { Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';

const days = Array.from({ length: 14 }, (_, i) => ({
  x: `${i + 1} May`,
  opens: 40 + ((i * 37) % 90),
  clicks: (i * 13) % 40,
}));
const series = [
  { name: 'opens', label: 'Opens' },
  { name: 'clicks', label: 'Clicks' },
];
const tones: Tone[] = ['still', 'planned', 'busy', 'waiting', 'good', 'bad'];
const now = new Date();

export function PartsScreen() {
  return (
    <Page>
      <PageHeader
        title="Parts"
        status={<Status tone="busy">Sending</Status>}
        description="Everything screens are made of."
        actions={<Button>Main action</Button>}
        back={{ to: '/campaigns', label: 'Campaigns' }}
      />
      <Statuses />
      <Values />
      <Dialogs />
      <Form />
      <Table />
      <Plots />
      <States />
    </Page>
  );
}

function Statuses() {
  return (
    <Section title="Status">
      <Group>
        {tones.map((tone) => (
          <Status key={tone} tone={tone}>
            {tone}
          </Status>
        ))}
      </Group>
    </Section>
  );
}

function Values() {
  return (
    <Section title="Times, numbers, copying">
      <Group gap="lg">
        <Time at={new Date(now.getTime() - 3 * 3_600_000)} />
        <Stat label="Emails sent" value="12,408" note="3% above average" course={[3, 5, 4, 8, 7, 9]} />
        <Copy value="text" label="key" />
        <Copy value="text" wide />
      </Group>
    </Section>
  );
}

function Dialogs() {
  return (
    <Section title="Toasts and dialogs">
      <Group>
        <Button variant="default" onClick={() => toast.done('Saved.')}>
          Done
        </Button>
        <Button variant="default" onClick={() => toast.failed(new ApiFault(0, '', 0))}>
          Failed
        </Button>
        <Button
          variant="default"
          onClick={() =>
            toast.undo({ text: 'Sending in a few seconds.', seconds: 10, onUndo: () => toast.done('Undone.') })
          }
        >
          Undo
        </Button>
        <Button
          variant="default"
          onClick={() =>
            confirm({
              title: 'Send now?',
              figures: [
                { value: '12,408', label: 'people get this' },
                { value: '4 min', label: 'about' },
              ],
              action: 'Send',
            })
          }
        >
          Confirm
        </Button>
      </Group>
    </Section>
  );
}

function Form() {
  const form = useMethodForm({
    initialValues: { subject: '', text: '' },
    send: async () => {
      throw new ApiFault(312, 'options.subject is empty', 400, {
        key: 'parameter.empty',
        values: { member: 'options.subject' },
      });
    },
  });
  return (
    <Section title="Form">
      <MethodForm form={form}>
        <TextInput label="Subject" {...form.getInputProps('subject')} />
        <Textarea label="Text" {...form.getInputProps('text')} />
        <Group>
          <Submit form={form}>Send (the subject is rejected)</Submit>
        </Group>
      </MethodForm>
    </Section>
  );
}

function Table() {
  return (
    <Section title="Table">
      <FilterChips
        chips={[
          { name: 'draft', label: 'Draft', count: 3 },
          { name: 'sent', label: 'Sent', count: 120 },
        ]}
        chosen="sent"
        onChoose={() => undefined}
      />
      <Rows
        label="Examples"
        columns={[
          { name: 'name', title: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => <a href="#first">{name}</a> },
          { name: 'count', title: 'Count', figure: true, cell: ({ count }) => count },
        ]}
        rows={[
          { name: 'First', count: 12 },
          { name: 'Second', count: 3_400 },
        ]}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        empty={null}
        peek={({ name, count }) => (
          <Stats>
            <Stat label="Name" value={name} />
            <Stat label="Count" value={count} />
          </Stats>
        )}
        bulk={() => <Button size="xs">Do</Button>}
      />
      <Rows
        label="Loading"
        columns={[{ name: 'name', title: 'Name', cell: () => null }]}
        rows={undefined}
        keyOf={() => ''}
        nameOf={() => ''}
        empty={null}
      />
    </Section>
  );
}

function Plots() {
  return (
    <Section title="Plots">
      <LinePlot title="Opens and clicks over two weeks" rows={days} series={series} />
      <BarPlot title="Opens and clicks over two weeks" rows={days} series={series} stacked />
    </Section>
  );
}

function States() {
  return (
    <Section title="Empty, loading, failed">
      <Empty icon={IconMail} title="Nothing yet" text="This explains the screen." action={<Button>Next step</Button>} />
      <Lines />
      <FaultNote error={new ApiFault(0, '', 0)} onRetry={() => undefined} />
    </Section>
  );
}
