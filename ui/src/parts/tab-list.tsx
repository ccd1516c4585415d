// A row of tabs. Where it has no room it scrolls sideways, and the open tab is in view.
import { Tabs } from '@mantine/core';
import { useEffect, useRef } from 'react';

type Props = { tabs: readonly { value: string; label: string }[]; open: string; label?: string; className?: string };

export function TabList({ tabs, open, label, className }: Props) {
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
    <Tabs.List ref={list} mb="md" aria-label={label} className={className}>
      {tabs.map(({ value, label }) => (
        <Tabs.Tab key={value} value={value}>
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
