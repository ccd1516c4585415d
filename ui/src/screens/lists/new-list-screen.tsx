// Creates a list: its name and sender. Everything else is in the list settings.

import { Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { keepFormOff } from '../forms/keep-form-off.ts';
import { afterList } from './after-list.ts';
import { ListFields, type ListValues } from './fields/list-fields.tsx';

const route = getRouteApi('/shell/lists/new');

type Sender = ResultOf<'senders'>[number];

export function NewListScreen() {
  const t = useText('lists');
  const senders = useMethod('senders');
  const { after } = route.useSearch();
  return (
    <Page narrow>
      <PageHeader
        title={t('newTitle')}
        description={t('newAbout')}
        back={after ? { to: afterList[after], label: t(`after.${after}`) } : { to: '/lists', label: t('title') }}
      />
      <Loaded query={senders}>{([oldest]) => <NewListForm sender={oldest} />}</Loaded>
    </Page>
  );
}

/** @param sender the one that a new list begins with */
function NewListForm({ sender }: { sender: Sender | undefined }) {
  const t = useText('lists');
  const navigate = useNavigate();
  const { after } = route.useSearch();
  const { account, user } = useSession();
  const create = useMutate('listCreate');
  const form = useMethodForm<ListValues, string>({
    initialValues: {
      title: '',
      sender: sender?.id ?? '',
      default_from_name: sender?.name ?? (account.company || account.name),
      default_from_email: sender?.email ?? user.email,
      default_subject: '',
      company: '',
      address: '',
      website: '',
      default_language: '',
      timezone: '',
      email_type_option: false,
      permission_reminder: '',
      notify_to: '',
      subscription_notify: false,
      unsubscription_notify: false,
      public: false,
      public_title: '',
      public_description: '',
      public_group: '',
    },
    send: async ({ title, email_type_option, sender: senderId, ...options }) => {
      const id = await create.mutateAsync({
        title,
        // Empty fields keep the defaults of a new list.
        options: {
          email_type_option,
          ...(sender ? { sender: senderId } : {}),
          ...Object.fromEntries(Object.entries(options).filter(([, value]) => value)),
        },
      });
      await keepFormOff(id);
      return id;
    },
    done: (id) => navigate(after ? { to: afterList[after] } : { to: '/lists/$id', params: { id } }),
  });
  return (
    <MethodForm form={form} guard>
      <ListFields form={form} brief />
      <Group>
        <Submit form={form}>{t('createDo')}</Submit>
        <LinkButton to={after ? afterList[after] : '/lists'} variant="default">
          {t('cancel')}
        </LinkButton>
      </Group>
    </MethodForm>
  );
}
