// The menu entry that copies an object into another account of the same person, and the dialog that it opens. Nothing for a person with
// one account.
import { IconCopyPlus } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Item } from '../object-menu.tsx';

const CopyDialog = lazy(() => import('./copy-dialog.tsx'));

export type Copyable = { kind: 'template' | 'segment' | 'automation'; id: string; name: string };

export function useCopyTo(object: Copyable): { item: Item | false; dialog: ReactNode } {
  const t = useText('parts');
  const { accounts } = useSession();
  const [open, setOpen] = useState(false);
  return {
    item: accounts.length > 1 && { label: t('copyTo'), icon: IconCopyPlus, act: () => setOpen(true) },
    dialog: open && (
      <Suspense>
        <CopyDialog {...object} onClose={() => setOpen(false)} />
      </Suspense>
    ),
  };
}
