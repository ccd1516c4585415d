// The settings of a recurring campaign. A change is used by the next issue.
import { Group, Stack, TextInput } from '@mantine/core';
import { useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { SourceFields } from './source-fields.tsx';
import { type Info, paramsOf, valuesOf } from './types.ts';

export default function SettingsTab({ info }: { info: Info }) {
  const t = useText('recurring');
  const update = useMutate('recurringUpdate');
  const form = useMethodForm({
    initialValues: valuesOf(info),
    validate: {
      title: (title) => (title.trim() === '' ? t('needsName') : null),
      source_url: (url) => (url.trim() === '' ? t('needsAddress') : null),
      weekdays: (days, { type }) => (type === 'weekly' && days.length === 0 ? t('needsDay') : null),
    },
    fields: { 'schedule.time': 'time', 'schedule.cron': 'cron', 'schedule.day': 'day' },
    send: (values) => update.mutateAsync({ id: info.id, ...paramsOf(values) }),
    done: () => toast.done(t('saved')),
  });
  return (
    <Stack maw={720} pt="md">
      <MethodForm form={form} guard>
        <TextInput label={t('name')} maxLength={200} required {...form.getInputProps('title')} />
        <Section title={t('content')}>
          <SourceFields form={form} />
        </Section>
        <Section title={t('when')}>
          <ScheduleFields form={form} />
        </Section>
        <Group>
          <Submit form={form} disabled={!form.isDirty()}>
            {t('save')}
          </Submit>
        </Group>
      </MethodForm>
    </Stack>
  );
}
