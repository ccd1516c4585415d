// The dialog of the rights of a member that are chosen one by one. Loaded when it opens.
import { Text } from '@mantine/core';
import { permissionsOf } from '../../../../../src/base/permissions.ts';
import type { ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import { Foot } from '../../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import type { Permission } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { PermissionBoxes } from './permission-boxes.tsx';

type Person = ResultOf<'users'>[number];

type Props = { person: Person; onDone(): void };

export default function RightsForm(props: Props) {
  const t = useText('settings');
  return (
    <Modal opened onClose={props.onDone} title={t('rightsTitle')} size="lg">
      <Fields {...props} />
    </Modal>
  );
}

function Fields({ person, onDone }: Props) {
  const t = useText('settings');
  const update = useMutate('userUpdate', ['session']);
  const name = person.name || person.email;
  const form = useMethodForm({
    // Begins with what the person may do now.
    initialValues: { permissions: [...permissionsOf(person.role, person.permissions)] as string[] },
    send: ({ permissions }) =>
      update.mutateAsync({ id: person.id, role: 'custom', permissions: permissions as Permission[] }),
    done: () => {
      toast.done(t('rightsChanged', { name }));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <Text size="sm">{t('rightsAbout', { name })}</Text>
      <PermissionBoxes {...form.getInputProps('permissions')} always={['account:read']} />
      <Foot>
        <Submit form={form}>{t('rightsSave')}</Submit>
      </Foot>
    </MethodForm>
  );
}
