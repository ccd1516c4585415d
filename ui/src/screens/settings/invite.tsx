// The dialog that invites a person to the team. Loaded when it opens.
import { TextInput } from '@mantine/core';
import { useMutate } from '../../api/use-method.ts';
import { Foot } from '../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import type { Permission } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { everyList, ListsChoice, listsGiven } from './lists-choice.tsx';
import { PermissionBoxes } from './rights/permission-boxes.tsx';
import { type Role, RoleSelect } from './rights/role-select.tsx';

type Props = { onDone(email: string, link: string): void; onClose(): void };

export default function Invite({ onDone, onClose }: Props) {
  const t = useText('settings');
  return (
    <Modal opened onClose={onClose} title={t('inviteTitle')}>
      <Fields onDone={onDone} onClose={onClose} />
    </Modal>
  );
}

function Fields({ onDone, onClose }: Props) {
  const t = useText('settings');
  const invite = useMutate('userInvite');
  const form = useMethodForm({
    initialValues: { email: '', name: '', role: 'editor' as Role, permissions: [] as string[], ...everyList },
    send: ({ permissions, allLists, lists, ...values }) =>
      invite.mutateAsync({
        ...values,
        permissions: values.role === 'custom' ? (permissions as Permission[]) : [],
        ...(values.role !== 'owner' && listsGiven({ allLists, lists })),
      }),
    done: ({ link }, { email }) => onDone(email, link),
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('email')} type="email" data-autofocus required {...form.getInputProps('email')} />
      <TextInput label={t('personName')} description={t('optional')} maxLength={200} {...form.getInputProps('name')} />
      <RoleSelect label={t('role')} description={t(`roleAbout.${form.values.role}`)} {...form.getInputProps('role')} />
      {form.values.role === 'custom' && (
        <PermissionBoxes {...form.getInputProps('permissions')} always={['account:read']} />
      )}
      {form.values.role !== 'owner' && <ListsChoice form={form} />}
      <Foot onCancel={onClose}>
        <Submit form={form}>{t('inviteConfirm')}</Submit>
      </Foot>
    </MethodForm>
  );
}
