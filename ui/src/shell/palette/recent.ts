// What was opened from the palette last, in this browser, by account.
import { useState } from 'react';
import { useSession } from '../../session/session.ts';

type Item = { to: string; label: string };

const shown = 5;
const keyOf = (account: string) => `postrider-recent-${account}`;

export function useRecent(): { account: string; items: readonly Item[] } {
  const { account } = useSession();
  const [items] = useState(() => read(account.id));
  return { account: account.id, items };
}

export function remember(account: string, item: Item): void {
  const items = [item, ...read(account).filter(({ to }) => to !== item.to)].slice(0, shown);
  try {
    localStorage.setItem(keyOf(account), JSON.stringify(items));
  } catch {
    // A browser that stores nothing has no recent items.
  }
}

function read(account: string): Item[] {
  try {
    const items: unknown = JSON.parse(localStorage.getItem(keyOf(account)) ?? '[]');
    return Array.isArray(items) ? items.filter(isItem) : [];
  } catch {
    return [];
  }
}

/** Only places of the application: what is stored may have been changed. */
const isItem = (item: unknown): item is Item => {
  const { to, label } = (item ?? {}) as Partial<Item>;
  return typeof label === 'string' && typeof to === 'string' && /^\/(?![/\\])/.test(to);
};
