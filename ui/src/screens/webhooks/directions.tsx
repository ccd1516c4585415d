// The two tabs of webhooks, each with its own address: events that are sent to others, and those that others post here. Links, as
// each is a screen.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../text/use-text.tsx';
import classes from './webhooks.module.css';

const directions = [
  { name: 'outgoing', to: '/webhooks' },
  { name: 'incoming', to: '/webhooks/incoming' },
] as const;

export function Directions({ open, children }: { open: 'outgoing' | 'incoming'; children: ReactNode }) {
  const t = useText('webhooks');
  return (
    <div>
      <nav className={classes.directions} aria-label={t('title')}>
        {directions.map(({ name, to }) => (
          <Link
            key={name}
            to={to}
            activeOptions={{ exact: true }}
            aria-current={name === open ? 'page' : undefined}
            className={classes.direction}
          >
            {t(name)}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  );
}
