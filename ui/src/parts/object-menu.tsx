// The dots menu of an object: what can be done with it, and last its removal, which asks before it deletes.
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconTrash, type TablerIcon } from '@tabler/icons-react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useText } from '../text/use-text.tsx';
import { confirm } from './confirm/confirm.tsx';
import type { Question } from './confirm/question.ts';
import type { Target } from './link.tsx';
import { toast } from './toast/toast.tsx';

export type Item = { label: string; icon?: TablerIcon; disabled?: boolean; act(): unknown };

/** The question, whose action is the name of the item too. */
export type Removal = Omit<Question, 'danger'> & {
  icon?: TablerIcon;
  remove(): Promise<unknown>;
  /** The confirming toast. */
  done: string;
  /** The parent screen, for a menu on the screen of the object. */
  backTo?: Target['to'];
};

type Props = {
  /** The name of the object, where the screen shows several. */
  of?: string;
  /** Small and without a frame, in a row of a table. */
  inRow?: boolean;
  items: readonly (Item | false)[];
  removal?: Removal | false;
};

export function ObjectMenu({ of, inRow = false, items, removal = false }: Props) {
  const t = useText('parts');
  const remove = useRemoval();
  const shown = items.filter((item) => item !== false);
  if (shown.length === 0 && !removal) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          {...(inRow ? { variant: 'subtle', color: 'gray', size: 28 } : { variant: 'default', size: 36 })}
          className="no-print"
          aria-label={of === undefined ? t('more') : t('moreFor', { name: of })}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map((item) => (
          <Entry key={item.label} {...item} />
        ))}
        {shown.length > 0 && removal && <Menu.Divider />}
        {removal && <Entry label={removal.action} icon={removal.icon ?? IconTrash} act={() => remove(removal)} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, icon: Icon, disabled = false, act }: Item) {
  return (
    <Menu.Item leftSection={Icon && <Icon size={16} aria-hidden />} disabled={disabled} onClick={() => void act()}>
      {label}
    </Menu.Item>
  );
}

/**
 * Asks, deletes and confirms. It leaves the screen of the object first, because that would otherwise refetch the deleted
 * object and show an error. If the user stays (unsaved changes), nothing is deleted.
 */
function useRemoval(): (removal: Removal) => Promise<void> {
  const navigate = useNavigate();
  const router = useRouter();
  return async ({ icon: _, remove, done, backTo, ...question }) => {
    if (!(await confirm({ ...question, danger: true }))) return;
    const here = router.state.location.pathname;
    try {
      if (backTo !== undefined) {
        await navigate({ to: backTo });
        if (router.state.location.pathname === here) return;
      }
      await remove();
      toast.done(done);
    } catch (error) {
      toast.failed(error);
    }
  };
}
