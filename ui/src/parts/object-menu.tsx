// The dots button of an object. Its menu is loaded when the pointer or the focus comes to it.
import { ActionIcon } from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useText } from '../text/use-text.tsx';
import type { Question } from './confirm/question.ts';
import type { Target } from './link.tsx';

export type Item = {
  label: string;
  /** Where several have the same label. */
  key?: string;
  icon?: TablerIcon;
  /** A line above it separates it from the others. */
  startsGroup?: boolean;
  disabled?: boolean;
  act(): unknown;
};

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

const load = () => import('./object-menu-items.tsx');
const Items = lazy(load);

export function ObjectMenu({ of, inRow = false, items, removal = false }: Props) {
  const t = useText('parts');
  const [wanted, setWanted] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const shown = items.filter((item) => item !== false);
  if (shown.length === 0 && !removal) return null;
  const target = (
    <ActionIcon
      ref={button}
      {...(inRow ? { variant: 'subtle', color: 'gray', size: 28 } : { variant: 'default', size: 36 })}
      className="no-print"
      aria-label={of === undefined ? t('more') : t('moreFor', { name: of })}
      aria-haspopup="menu"
      onPointerEnter={load}
      onFocus={load}
      {...(wanted ? {} : { onClick: () => setWanted(true) })}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (!wanted) return target;
  return (
    <Suspense fallback={target}>
      <Items target={target} items={shown} removal={removal} onClose={() => button.current?.focus()} />
    </Suspense>
  );
}
