// A button with a menu, such as the lists to choose from. The menu is loaded when the pointer or the focus comes to it.
import { Button, type ButtonProps } from '@mantine/core';
import { type ReactElement, type ReactNode, type RefObject, useRef, useState } from 'react';
import type { Item } from './object-menu.tsx';
import { useLate } from './use-late.ts';

type MenuProps = {
  items: readonly Item[];
  /** Above the items. */
  title?: string;
  position?: 'bottom' | 'bottom-start' | 'bottom-end';
};

export function ButtonMenu({ items, title, position, ...button }: ButtonProps & MenuProps & { children: ReactNode }) {
  return (
    <LateItems
      items={items}
      {...(title !== undefined && { title })}
      {...(position && { position })}
      target={(events) => <Button {...button} {...events} />}
    />
  );
}

type TargetProps = {
  ref: RefObject<HTMLButtonElement | null>;
  'aria-haspopup': 'menu';
  onPointerEnter(): void;
  onFocus(): void;
  onClick?(): void;
};

const load = () => import('./object-menu-items.tsx');

/** The menu of any button. */
export function LateItems({ target, ...menu }: MenuProps & { target(events: TargetProps): ReactElement }) {
  const [wanted, setWanted] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  const button = target({
    ref,
    'aria-haspopup': 'menu',
    onPointerEnter: load,
    onFocus: load,
    ...(wanted ? {} : { onClick: () => setWanted(true) }),
  });
  const Items = useLate(load, wanted);
  return Items ? <Items {...menu} target={button} onClose={() => ref.current?.focus()} /> : button;
}
