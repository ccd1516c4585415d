// A part of a form that shows what it is set to, and its fields once it is opened.
import { Text, Title, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import classes from './webhooks.module.css';

type Props = { title: string; summary: string; isOpen: boolean; onToggle(): void; children: ReactNode };

export function Fold({ title, summary, isOpen, onToggle, children }: Props) {
  const id = useId();
  return (
    <section className={classes.fold} aria-label={title}>
      <Title order={2} className={classes.foldTitle ?? ''}>
        <UnstyledButton
          className={classes.foldButton}
          aria-expanded={isOpen}
          {...(isOpen && { 'aria-controls': id })}
          onClick={onToggle}
        >
          <IconChevronRight size={16} aria-hidden />
          <span>
            {title}
            {!isOpen && (
              <Text span size="xs" c="dimmed" className={classes.foldSummary ?? ''}>
                {summary}
              </Text>
            )}
          </span>
        </UnstyledButton>
      </Title>
      {isOpen && (
        <div id={id} className={classes.foldBody}>
          {children}
        </div>
      )}
    </section>
  );
}
