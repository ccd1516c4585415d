// The menu of an object: what can be done with it, and last its removal, which asks before it deletes. Loaded at the first
// press of its button.
import { Menu } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { confirm } from './confirm/confirm.tsx';
import type { Item, Removal } from './object-menu.tsx';
import { toast } from './toast/toast.tsx';

type Props = {
  target: ReactNode;
  items: readonly Item[];
  removal?: Removal | false;
  /** Above the items. */
  title?: string | undefined;
  position?: 'bottom' | 'bottom-start' | 'bottom-end';
  onClose(): void;
};

export default function ObjectMenuItems({ target, items, removal = false, title, position, onClose }: Props) {
  const remove = useRemoval();
  return (
    <Menu defaultOpened position={position ?? 'bottom-end'} onClose={onClose}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        {title !== undefined && <Menu.Label>{title}</Menu.Label>}
        {items.map((item) => (
          <Entry key={item.key ?? item.label} {...item} />
        ))}
        {items.length > 0 && removal && <Menu.Divider />}
        {removal && <Entry label={removal.action} icon={removal.icon ?? IconTrash} act={() => remove(removal)} />}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, icon: Icon, startsGroup = false, disabled = false, act }: Item) {
  return (
    <>
      {startsGroup && <Menu.Divider />}
      <Menu.Item leftSection={Icon && <Icon size={16} aria-hidden />} disabled={disabled} onClick={() => void act()}>
        {label}
      </Menu.Item>
    </>
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
