// A new automation: its list, its name, and a template to begin with.
import { Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { offeredLists } from '../../parts/labels/offered.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './automations.module.css';
import { type FlowPart, FlowPicture } from './new-flow-picture.tsx';

const templates = ['welcome', 'abandoned_cart', 'anniversary', 'reengagement', 'empty'] as const;
type Template = (typeof templates)[number];

const pictures: Record<Template, readonly FlowPart[]> = {
  welcome: ['trigger', 'mail', 'wait', 'until', 'mail'],
  abandoned_cart: ['trigger', 'wait', 'mail', 'wait', 'mail'],
  anniversary: ['trigger', 'mail'],
  reengagement: ['trigger', 'mail', 'wait', 'branch', 'notify'],
  empty: ['trigger'],
};

export function NewAutomationScreen() {
  const t = useText('automations');
  const lists = useMethod('lists', { limit: 1_000 });
  return (
    <Page narrow>
      <PageHeader title={t('newTitle')} back={{ to: '/automations', label: t('title') }} />
      <Loaded query={lists}>
        {(known) => <Form lists={offeredLists(known).map(({ id, name }) => ({ value: id, label: name }))} />}
      </Loaded>
    </Page>
  );
}

function Form({ lists }: { lists: { value: string; label: string }[] }) {
  const t = useText('automations');
  const navigate = useNavigate();
  const create = useMutate('automationCreate', ['campaign']);
  const form = useMethodForm({
    initialValues: { title: '', list: lists[0]?.value ?? '', template: 'welcome' as Template },
    send: ({ title, list, template }) =>
      create.mutateAsync({
        title: title.trim() || t(`template.${template}`),
        list,
        ...(template === 'empty' ? {} : { template }),
      }),
    done: (id) => navigate({ to: '/automations/$id', params: { id } }),
  });
  const { template } = form.getValues();
  if (lists.length === 0) return <NoList />;
  return (
    <MethodForm form={form}>
      <Radio.Group
        label={t('startWith')}
        value={template}
        onChange={(value) => form.setFieldValue('template', value as Template)}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="xs">
          {templates.map((name) => (
            <Radio.Card key={name} value={name} className={classes.template ?? ''} aria-label={t(`template.${name}`)}>
              <Group wrap="nowrap" align="flex-start" gap="sm">
                <Radio.Indicator />
                <Stack gap={4}>
                  <FlowPicture parts={pictures[name]} />
                  <Text fw={600}>{t(`template.${name}`)}</Text>
                  <Text size="xs" c="dimmed">
                    {t(`templateAbout.${name}`)}
                  </Text>
                </Stack>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <Select
        label={t('list')}
        description={t('listAbout')}
        data={lists}
        searchable
        allowDeselect={false}
        {...form.getInputProps('list')}
      />
      <TextInput
        label={t('name')}
        placeholder={t(`template.${template}`)}
        maxLength={200}
        {...form.getInputProps('title')}
      />
      <Group>
        <Submit form={form}>{t('createDraft')}</Submit>
        <LinkButton to="/automations" variant="default">
          {t('cancel')}
        </LinkButton>
      </Group>
    </MethodForm>
  );
}

function NoList() {
  const t = useText('automations');
  return (
    <Stack align="flex-start">
      <Text>{t('needsList')}</Text>
      <LinkButton to="/lists/new" search={{ after: 'automation' }}>
        {t('createList')}
      </LinkButton>
    </Stack>
  );
}
