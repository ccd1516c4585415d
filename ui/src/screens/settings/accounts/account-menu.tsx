// What the operator can do with an account: change it, suspend it, reactivate it, delete it and take that back.
import { IconArrowBackUp, IconDownload, IconLogin2, IconMoon, IconPencil, IconSun } from '@tabler/icons-react';
import { actingMinutes } from '../../../../../src/accounts/access/acting-minutes.ts';
import { pathOf } from '../../../api/base-path.ts';
import { useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useEnterAccount } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { OperatedAccount } from './accounts-screen.tsx';

const graceDays = 30;

export function AccountMenu({ account, onEdit }: { account: OperatedAccount; onEdit(): void }) {
  const t = useText('operator');
  const { number } = useFormats();
  const update = useMutate('accountLimitsUpdate');
  const restore = useMutate('accountRestore');
  const remove = useMutate('accountDelete');
  const actIn = useActIn();
  const download = useMutate('accountExport');
  const { id, name, state, operator } = account;
  const suspend = async () => {
    if (!(await confirm({ title: t('suspendTitle', { name }), text: t('suspendText'), action: t('suspend') }))) return;
    update.mutate(
      { account: id, active: false },
      { onSuccess: () => toast.done(t('suspended', { name })), onError: toast.failed },
    );
  };
  const reactivate = () =>
    update.mutate(
      { account: id, active: true },
      { onSuccess: () => toast.done(t('reactivated', { name })), onError: toast.failed },
    );
  const takeBack = () =>
    restore.mutate({ account: id }, { onSuccess: () => toast.done(t('restored', { name })), onError: toast.failed });
  return (
    <ObjectMenu
      of={name}
      inRow
      items={[
        { label: t('edit'), icon: IconPencil, act: onEdit },
        !operator &&
          state !== 'suspended' &&
          state !== 'deleted' && { label: t('signIn'), icon: IconLogin2, act: () => actIn(account) },
        {
          label: t('export'),
          icon: IconDownload,
          act: () =>
            download.mutate(
              { account: id },
              { onSuccess: ({ url }) => window.location.assign(pathOf(url)), onError: toast.failed },
            ),
        },
        !operator &&
          state !== 'suspended' &&
          state !== 'deleted' && { label: t('suspend'), icon: IconMoon, act: suspend },
        state === 'suspended' && { label: t('reactivate'), icon: IconSun, act: reactivate },
        state === 'deleted' && { label: t('restore'), icon: IconArrowBackUp, act: takeBack },
      ]}
      removal={
        !operator &&
        state !== 'deleted' && {
          title: t('deleteTitle', { name }),
          figures: [{ value: number(graceDays), label: t('deleteDays') }],
          text: t('deleteText'),
          action: t('delete'),
          remove: () => remove.mutateAsync({ account: id, days: graceDays }),
          done: t('deleted', { name, days: graceDays }),
        }
      }
    />
  );
}

/** Asks, and moves the session to the account. */
function useActIn() {
  const t = useText('operator');
  const enter = useEnterAccount();
  return async ({ id, name }: OperatedAccount) => {
    const text = t('signInText', { minutes: actingMinutes });
    if (!(await confirm({ title: t('signInTitle', { name }), text, action: t('signIn') }))) return;
    await enter(id).catch(toast.failed);
  };
}
