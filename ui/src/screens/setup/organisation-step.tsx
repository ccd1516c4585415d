// Setup: the organisation with its postal address, and the first sender. Saves both and goes on to the next step.
import { Group, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { zoneChoices } from '../../text/choices.ts';
import { useText } from '../../text/use-text.tsx';
import { saveChanges } from '../settings/save-changes.ts';
import { StepFoot, useNeighbours } from './step-foot.tsx';
import type { SetupInfo } from './steps.ts';

/** The name of the first account until it gets one (src/accounts/setup.ts). */
const placeholderName = 'My organisation';

type Sender = ResultOf<'senders'>[number];

export function OrganisationStep({ info }: { info: SetupInfo }) {
  const senders = useMethod('senders');
  return (
    <>
      <Loaded query={senders}>{([oldest]) => <OrganisationForm sender={oldest} />}</Loaded>
      <StepFoot step="organisation" info={info} />
    </>
  );
}

function OrganisationForm({ sender }: { sender: Sender | undefined }) {
  const t = useText('setup');
  const { account } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { after } = useNeighbours('organisation');
  const { company, postal_address, time_zone } = account;
  const filled = (value: string) => (value.trim() ? null : t('required'));
  const form = useMethodForm({
    initialValues: {
      company,
      postal_address,
      time_zone,
      sender_name: sender?.name ?? company,
      sender_email: sender?.email ?? account.email,
    },
    validate: { company: filled, postal_address: filled, sender_name: filled, sender_email: filled },
    fields: { name: 'sender_name', email: 'sender_email' },
    send: async ({ sender_name, sender_email, ...details }) => {
      const name = account.name === placeholderName ? details.company : account.name;
      await saveChanges({ name: account.name, company, postal_address, time_zone }, { name, ...details });
      await saveSender(sender, { sender_name, sender_email });
      await invalidate(client, ['session', 'sender', 'setup', 'home']);
    },
    done: () => navigate(after),
  });
  const { onChange: onCompany, ...companyField } = form.getInputProps('company');
  return (
    <MethodForm form={form} guard>
      <Section title={t('organisation')}>
        <TextInput
          label={t('company')}
          description={t('companyHint')}
          maxLength={200}
          autoComplete="organization"
          {...companyField}
          onChange={(event) => {
            // The sender has the same name until another one is entered.
            const { sender_name, company: before } = form.getValues();
            if (!sender && sender_name === before) form.setFieldValue('sender_name', event.currentTarget.value);
            onCompany(event);
          }}
        />
        <Textarea
          label={t('postalAddress')}
          description={t('postalAddressHint')}
          autoComplete="street-address"
          autosize
          minRows={2}
          maxLength={1_000}
          {...form.getInputProps('postal_address')}
        />
        <Select
          label={t('timeZone')}
          data={zoneChoices(time_zone)}
          searchable
          limit={100}
          allowDeselect={false}
          {...form.getInputProps('time_zone')}
        />
      </Section>
      <Section title={t('sender')}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('senderName')}
            description={t('senderNameHint')}
            maxLength={200}
            {...form.getInputProps('sender_name')}
          />
          <TextInput
            label={t('senderEmail')}
            description={t('senderEmailHint')}
            type="email"
            maxLength={320}
            {...form.getInputProps('sender_email')}
          />
        </SimpleGrid>
      </Section>
      <Group justify="flex-end">
        <Submit form={form}>{t('save')}</Submit>
      </Group>
    </MethodForm>
  );
}

/** Changes the oldest sender, or adds the first one. @throws ApiFault about name or email */
async function saveSender(sender: Sender | undefined, values: { sender_name: string; sender_email: string }) {
  const given = { name: values.sender_name.trim(), email: values.sender_email.trim() };
  if (!sender) await call('senderCreate', given);
  else
    for (const name of ['name', 'email'] as const)
      if (given[name] !== sender[name]) await call('senderUpdate', { id: sender.id, name, value: given[name] });
}
