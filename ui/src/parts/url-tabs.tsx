// The tabs of a screen, with the open one in the URL. Where their row has no room it scrolls sideways, and the open tab is in view.
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

type Props<T extends string> = {
  tabs: readonly T[];
  open: T;
  labelOf(tab: T): string;
  /** The member of the URL. */
  name?: 'tab' | 'view';
  /** The panels. */
  children: ReactNode;
};

export function UrlTabs<T extends string>({ tabs, open, labelOf, name = 'tab', children }: Props<T>) {
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls when another tab is opened, and only then
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]');
    if (!list.current || !tab) return;
    const row = list.current.getBoundingClientRect();
    const own = tab.getBoundingClientRect();
    list.current.scrollLeft += own.left + own.width / 2 - (row.left + row.width / 2);
  }, [open]);
  useEffect(() => {
    const row = list.current!;
    // An overflowing list fades at its end.
    const mark = () => row.toggleAttribute('data-more', row.scrollWidth - row.clientWidth - row.scrollLeft > 2);
    const observer = new ResizeObserver(mark);
    observer.observe(row);
    row.addEventListener('scroll', mark, { passive: true });
    return () => {
      observer.disconnect();
      row.removeEventListener('scroll', mark);
    };
  }, []);
  return (
    <Tabs
      value={open}
      onChange={(next) => navigate({ to: '.', search: { [name]: next }, replace: true, resetScroll: false })}
      keepMounted={false}
    >
      <Tabs.List ref={list} mb="md" className="no-print">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {labelOf(tab)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  );
}
