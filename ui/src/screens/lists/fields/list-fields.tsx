// The form fields of a list, for creating and editing.
import { Checkbox, Fieldset, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useMethod } from '../../../api/use-method.ts';
import type { MethodFormState } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useSession } from '../../../session/session.ts';
import { languageChoices, zoneChoices } from '../../../text/choices.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import classes from '../lists.module.css';

export type ListValues = {
  title: string;
  /** The id of a sender; '' for the main address of the account. */
  sender: string;
  default_from_name: string;
  default_from_email: string;
  default_subject: string;
  company: string;
  address: string;
  website: string;
  default_language: string;
  timezone: string;
  email_type_option: boolean;
  permission_reminder: string;
  notify_to: string;
  subscription_notify: boolean;
  unsubscription_notify: boolean;
  public: boolean;
  public_title: string;
  public_description: string;
  public_group: string;
};

/** @param brief only the fields needed for a new list */
export function ListFields({ form, brief = false }: { form: MethodFormState<ListValues>; brief?: boolean }) {
  const t = useText('lists');
  const { account } = useSession();
  // What the list takes from the account while the field is empty.
  const inherited = (name: string) => String(account.settings[name] ?? '');
  return (
    <>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        maxLength={200}
        data-autofocus={brief || undefined}
        {...form.getInputProps('title')}
      />
      <Fieldset variant="unstyled" className={classes.part ?? ''} legend={t('sender')}>
        <Stack gap="md">
          <SenderField form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('fromName')} maxLength={200} {...form.getInputProps('default_from_name')} />
            <TextInput
              label={t('fromEmail')}
              type="email"
              maxLength={320}
              {...form.getInputProps('default_from_email')}
            />
          </SimpleGrid>
          {!brief && (
            <TextInput
              label={t('defaultSubject')}
              description={t('defaultSubjectHint')}
              maxLength={1000}
              {...form.getInputProps('default_subject')}
            />
          )}
        </Stack>
      </Fieldset>
      {!brief && (
        <>
          <Fieldset variant="unstyled" className={classes.part ?? ''} legend={t('footer')}>
            <Stack gap="md">
              <TextInput
                label={t('company')}
                description={t('companyHint')}
                placeholder={inherited('company') || account.name}
                maxLength={300}
                {...form.getInputProps('company')}
              />
              <Textarea
                label={t('address')}
                description={t('addressHint')}
                autosize
                minRows={2}
                placeholder={inherited('postal_address')}
                maxLength={1000}
                {...form.getInputProps('address')}
              />
              <TextInput
                label={t('website')}
                type="url"
                placeholder={inherited('website') || 'https://example.com'}
                maxLength={1000}
                {...form.getInputProps('website')}
              />
              <Textarea
                label={t('reminder')}
                description={t('reminderHint')}
                autosize
                minRows={1}
                maxLength={10_000}
                {...form.getInputProps('permission_reminder')}
              />
            </Stack>
          </Fieldset>
          <ReaderFields form={form} />
          <NoticeFields form={form} />
          <LocaleFields form={form} />
        </>
      )}
    </>
  );
}

/** What the preference page of readers shows of the list. */
function ReaderFields({ form }: { form: MethodFormState<ListValues> }) {
  const t = useText('lists');
  return (
    <Fieldset variant="unstyled" className={classes.part ?? ''} legend={t('readers')}>
      <Stack gap="md">
        <Checkbox
          label={t('offered')}
          description={t('offeredHint')}
          {...form.getInputProps('public', { type: 'checkbox' })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('publicTitle')}
            description={t('publicTitleHint')}
            maxLength={200}
            {...form.getInputProps('public_title')}
          />
          <TextInput
            label={t('publicGroup')}
            description={t('publicGroupHint')}
            maxLength={200}
            {...form.getInputProps('public_group')}
          />
        </SimpleGrid>
        <Textarea
          label={t('publicDescription')}
          autosize
          minRows={1}
          maxLength={2_000}
          {...form.getInputProps('public_description')}
        />
      </Stack>
    </Fieldset>
  );
}

/** Notices about people who subscribe or leave, and who gets them. */
function NoticeFields({ form }: { form: MethodFormState<ListValues> }) {
  const t = useText('lists');
  const { account } = useSession();
  const { subscription_notify, unsubscription_notify } = form.getValues();
  return (
    <Fieldset variant="unstyled" className={classes.part ?? ''} legend={t('notices')}>
      <Stack gap="md">
        <Checkbox
          label={t('noticeSubscribe')}
          description={t('noticeHint')}
          {...form.getInputProps('subscription_notify', { type: 'checkbox' })}
        />
        <Checkbox
          label={t('noticeUnsubscribe')}
          {...form.getInputProps('unsubscription_notify', { type: 'checkbox' })}
        />
        {(subscription_notify || unsubscription_notify) && (
          <TextInput
            label={t('noticeTo')}
            placeholder={account.email}
            maxLength={1000}
            {...form.getInputProps('notify_to')}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

/** The sender, whose name and address become the defaults; not shown while the account has none. */
function SenderField({ form }: { form: MethodFormState<ListValues> }) {
  const t = useText('lists');
  const { account } = useSession();
  const { data: senders = [] } = useMethod('senders');
  if (senders.length === 0) return null;
  const chosen = senders.find(({ id }) => id === form.getValues().sender);
  return (
    <NativeSelect
      label={t('senderOfList')}
      description={
        chosen && chosen.advice !== '' ? (
          <>
            {t('senderInactive', { email: account.email })} {chosen.advice}
          </>
        ) : (
          t('senderOfListHint')
        )
      }
      data={[
        { value: '', label: t('senderMain', { email: account.email }) },
        ...senders.map(({ id, name, email }) => ({ value: id, label: `${name} <${email}>` })),
      ]}
      {...form.getInputProps('sender')}
      onChange={({ currentTarget: { value } }) => {
        const sender = senders.find(({ id }) => id === value);
        form.setFieldValue('sender', value);
        if (!sender) return;
        form.setFieldValue('default_from_name', sender.name);
        form.setFieldValue('default_from_email', sender.email);
      }}
    />
  );
}

/** The language, the time zone and the format of emails of the list. */
function LocaleFields({ form }: { form: MethodFormState<ListValues> }) {
  const t = useText('lists');
  const { language } = useLanguage();
  const { timezone, default_language } = form.getValues();
  return (
    <Fieldset variant="unstyled" className={classes.part ?? ''} legend={t('locale')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t('language')}
            description={t('languageHint')}
            data={languageChoices(language, default_language)}
            searchable
            allowDeselect={false}
            {...form.getInputProps('default_language')}
          />
          <Select
            label={t('zone')}
            description={t('zoneHint')}
            placeholder={t('zoneOfAccount')}
            data={zoneChoices(timezone)}
            searchable
            clearable
            limit={200}
            clearButtonProps={{ 'aria-label': t('zoneOfAccount') }}
            {...form.getInputProps('timezone')}
            value={timezone || null}
            onChange={(zone) => form.setFieldValue('timezone', zone ?? '')}
          />
        </SimpleGrid>
        <Checkbox
          label={t('emailTypeOption')}
          description={t('emailTypeOptionHint')}
          {...form.getInputProps('email_type_option', { type: 'checkbox' })}
        />
      </Stack>
    </Fieldset>
  );
}
