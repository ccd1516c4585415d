// What is opened of the flow: beside it where there is room, from below on a phone. It takes nothing away: the steps can still be reached,
// and what is opened next takes its place.
import { Title } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useId, useRef } from 'react';
import { useFocusBack } from '../../../parts/form/focus-back.ts';
import classes from '../automations.module.css';
import type { kindOf } from '../steps/steps.ts';

type Props = {
  title: string;
  icon: ReturnType<typeof kindOf>['icon'];
  /** With Escape. */
  onClose(): void;
  children: ReactNode;
};

export function StepPanel({ title, icon: Icon, onClose, children }: Props) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useFocusBack();
  useEffect(() => {
    // The sheet covers the lower part of a phone.
    if (window.matchMedia('(max-width: 640px)').matches)
      document.querySelector('article[data-open]')?.scrollIntoView({ block: 'start' });
    // After the menu that a step was added with has given the focus back.
    const timer = setTimeout(() => {
      if (!panel.current?.contains(document.activeElement)) panel.current?.focus({ preventScroll: true });
    }, 50);
    return () => clearTimeout(timer);
  }, []);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isTaken = (event.target as Element).closest?.('[data-mantine-stop-propagation="true"]');
    if (event.key === 'Escape' && !isTaken && !document.querySelector('[aria-modal="true"], [role="menu"]')) onClose();
  });
  useEffect(() => {
    // Wherever the focus is, and before what is closed by the same key is gone.
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, []);
  return (
    <div ref={panel} role="dialog" aria-labelledby={id} className={classes.panel} tabIndex={-1}>
      <div className={classes.panelHead}>
        <Icon size={18} aria-hidden className={classes.icon} />
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
      </div>
      {children}
    </div>
  );
}
