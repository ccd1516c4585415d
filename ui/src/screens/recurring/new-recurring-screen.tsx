// A new recurring campaign: its source with what is in it now, when it is sent, and to which list. Its email is edited afterwards.
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { offeredLists } from '../../parts/labels/offered.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { SourceFields } from './source-fields.tsx';
import { newValues, paramsOf } from './types.ts';

export function NewRecurringScreen() {
  const t = useText('recurring');
  const lists = useMethod('lists', { limit: 1_000 });
  return (
    <Page narrow>
      <PageHeader title={t('newTitle')} description={t('newAbout')} back={{ to: '/recurring', label: t('title') }} />
      <Loaded query={lists}>
        {(known) => <Form lists={offeredLists(known).map(({ id, name }) => ({ value: id, label: name }))} />}
      </Loaded>
    </Page>
  );
}

function Form({ lists }: { lists: { value: string; label: string }[] }) {
  const t = useText('recurring');
  const navigate = useNavigate();
  const { account } = useSession();
  const create = useMutate('recurringCreate', ['campaign']);
  const form = useMethodForm({
    initialValues: { ...newValues(account.time_zone || 'UTC'), list: lists[0]?.value ?? '' },
    validate: {
      title: (title) => (title.trim() === '' ? t('needsName') : null),
      source_url: (url) => (url.trim() === '' ? t('needsAddress') : null),
      weekdays: (days, { type }) => (type === 'weekly' && days.length === 0 ? t('needsDay') : null),
    },
    fields: { 'schedule.time': 'time', 'schedule.cron': 'cron', 'schedule.day': 'day' },
    send: (values) => create.mutateAsync({ ...paramsOf(values), list: values.list }),
    done: (id) => navigate({ to: '/recurring/$id', params: { id } }),
  });
  if (lists.length === 0)
    return (
      <Stack align="flex-start">
        <Text>{t('needsList')}</Text>
        <LinkButton to="/lists/new" search={{ after: 'recurring' }}>
          {t('createList')}
        </LinkButton>
      </Stack>
    );
  return (
    <MethodForm form={form} guard>
      <TextInput label={t('name')} maxLength={200} required {...form.getInputProps('title')} />
      <Select
        label={t('list')}
        description={t('listAbout')}
        data={lists}
        searchable
        allowDeselect={false}
        {...form.getInputProps('list')}
      />
      <Section title={t('content')}>
        <SourceFields form={form} />
      </Section>
      <Section title={t('when')}>
        <ScheduleFields form={form} />
      </Section>
      <Group>
        <Submit form={form}>{t('createPaused')}</Submit>
        <LinkButton to="/recurring" variant="default">
          {t('cancel')}
        </LinkButton>
      </Group>
      <Text size="sm" c="dimmed">
        {t('createAbout')}
      </Text>
    </MethodForm>
  );
}
