// A button whose menu is loaded at the first press, so that the screen appears sooner.
import { UnstyledButton } from '@mantine/core';
import { type ComponentType, type LazyExoticComponent, type ReactNode, Suspense, useRef, useState } from 'react';
import classes from './shell.module.css';

export type MenuProps = {
  /** The button; the menu opens at it. */
  target: ReactNode;
  onClose(): void;
};

type Props = {
  label: string;
  children: ReactNode;
  menu: LazyExoticComponent<ComponentType<MenuProps>>;
  /** Preloads the menu: the pointer is on the button. */
  preload(): void;
};

export function LateMenu({ label, children, menu: Menu, preload }: Props) {
  const [wanted, setWanted] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const target = (
    <UnstyledButton
      ref={button}
      className={classes.button}
      aria-label={label}
      aria-haspopup="menu"
      onPointerEnter={preload}
      onFocus={preload}
      {...(wanted ? {} : { onClick: () => setWanted(true) })}
    >
      {children}
    </UnstyledButton>
  );
  if (!wanted) return target;
  return (
    <Suspense fallback={target}>
      <Menu target={target} onClose={() => button.current?.focus()} />
    </Suspense>
  );
}
