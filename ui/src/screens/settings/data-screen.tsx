// Privacy and data: export or erase the data of one contact, export a list, and data retention.
import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconSearch, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { BarredButton } from '../../parts/barred-button.tsx';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { saveFile } from '../../parts/files/save-file.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { ExportButton } from '../lists/export-button.tsx';
import { SettingsFrame } from './frame.tsx';
import { RetentionSection } from './retention/retention-section.tsx';
import classes from './settings.module.css';
import { UsageSection } from './usage.tsx';

type Contact = ResultOf<'contactGet'>;

export function DataScreen() {
  const t = useText('settings');
  const { account, may } = useSession();
  const [contact, setContact] = useState<Contact>();
  const form = useMethodForm({
    initialValues: { email: '' },
    validate: { email: (value) => (value.trim() === '' ? t('dataEmailMissing') : null) },
    send: ({ email }) => call('contactGet', { email: email.trim() }),
    done: setContact,
  });
  return (
    <SettingsFrame section="data" description={t('dataAbout')}>
      <Section title={t('personData')} description={t('personDataAbout')}>
        <MethodForm form={form}>
          <Group align="flex-end" gap="sm">
            <TextInput
              label={t('email')}
              type="email"
              flex="1 1 220px"
              maw={420}
              placeholder="ada@example.com"
              {...form.getInputProps('email')}
            />
            <Submit form={form} variant="default" leftSection={<IconSearch size={16} aria-hidden />}>
              {t('find')}
            </Submit>
          </Group>
        </MethodForm>
        {contact && <Found key={contact.id} contact={contact} onErased={() => setContact(undefined)} />}
      </Section>
      <WholeLists key={`lists ${account.id}`} />
      <RetentionSection key={account.id} />
      {may('account:admin') && <UsageSection key={`usage ${account.id}`} />}
    </SettingsFrame>
  );
}

/** Exports the members of a list. */
function WholeLists() {
  const t = useText('settings');
  const answer = useMethod('lists', { limit: 1_000 });
  const lists = answer.data ?? [];
  const [id, setId] = useState<string | null>(null);
  const list = lists.find((candidate) => candidate.id === id) ?? lists[0];
  if (answer.isPending) return <Lines />;
  if (!list) return null;
  return (
    <Section title={t('exportLists')} description={t('exportListsAbout')}>
      <Group align="flex-end" gap="sm">
        <Select
          label={t('exportList')}
          data={lists.map(({ id: value, name: label }) => ({ value, label }))}
          value={list.id}
          onChange={setId}
          allowDeselect={false}
          searchable
          flex="1 1 220px"
          maw={420}
        />
        <ExportButton list={{ id: list.id, title: list.name }} />
      </Group>
    </Section>
  );
}

function Found({ contact, onErased }: { contact: Contact; onErased(): void }) {
  const t = useText('settings');
  const { may } = useSession();
  const [exporting, setExporting] = useState(false);
  const save = async () => {
    setExporting(true);
    try {
      const all = await call('contactExport', { email: contact.email });
      saveFile(
        `${contact.email.replace(/[^\w.@-]/g, '_')}.json`,
        `${JSON.stringify(all, null, 2)}\n`,
        'application/json',
      );
    } catch (error) {
      toast.failed(error);
    } finally {
      setExporting(false);
    }
  };
  return (
    <Stack gap="md" className={classes.box} component="section" aria-label={contact.email}>
      <div>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {contact.email}
        </Text>
        <Text c="dimmed">
          {t('added')} <Time at={contact.create_time} />
        </Text>
      </div>
      {contact.suppressed !== '' && (
        <Alert variant="outline">{t('isSuppressed', { reason: contact.suppressed })}</Alert>
      )}
      {contact.subscriptions.length > 0 ? (
        <ul style={{ margin: 0, paddingInlineStart: 20 }} aria-label={t('onLists')}>
          {contact.subscriptions.map((subscription) => (
            <Text component="li" key={subscription.list_id}>
              {subscription.list_name} · {t.of('memberState', subscription.status)}
            </Text>
          ))}
        </ul>
      ) : (
        <Text c="dimmed">{t('onNoList')}</Text>
      )}
      <Group>
        {may('contacts:export') ? (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={exporting}
            onClick={save}
          >
            {t('exportPerson')}
          </Button>
        ) : (
          <BarredButton permission="contacts:export" leftSection={<IconDownload size={16} aria-hidden />}>
            {t('exportPerson')}
          </BarredButton>
        )}
      </Group>
      {may('contacts:erase') && <ErasePerson contact={contact} onErased={onErased} />}
    </Stack>
  );
}

function ErasePerson({ contact, onErased }: { contact: Contact; onErased(): void }) {
  const t = useText('settings');
  const { number } = useFormats();
  const [keep, setKeep] = useState(true);
  const erase = useMutate('contactErase', ['list', 'suppressed']);
  const ask = async () => {
    const yes = await confirm({
      title: t('eraseTitle', { email: contact.email }),
      figures: [
        {
          value: number(contact.subscriptions.length),
          label: t('eraseLists', { count: contact.subscriptions.length }),
        },
      ],
      text: keep ? t('eraseTextKeep') : t('eraseText'),
      action: t('erase'),
      danger: true,
    });
    if (!yes) return;
    erase.mutate(
      { email: contact.email, keep_suppressed: keep },
      {
        onSuccess: () => {
          toast.done(t('erased', { email: contact.email }));
          onErased();
        },
        onError: toast.failed,
      },
    );
  };
  return (
    <Stack gap="sm">
      <Checkbox
        label={t('keepSuppressed')}
        description={t('keepSuppressedHint')}
        checked={keep}
        onChange={({ currentTarget }) => setKeep(currentTarget.checked)}
      />
      <Group>
        <Button color="red.8" leftSection={<IconTrash size={16} aria-hidden />} loading={erase.isPending} onClick={ask}>
          {t('erasePerson')}
        </Button>
      </Group>
    </Stack>
  );
}
