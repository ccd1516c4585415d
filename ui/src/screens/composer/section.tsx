// A section of the composer's settings: its title and summary on one line, and its fields below when it is open.
import { Box, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, type TablerIcon } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import classes from './composer.module.css';

export const sectionNames = [
  'to',
  'from',
  'auto',
  'content',
  'attachments',
  'languages',
  'test',
  'options',
  'comments',
] as const;
/** Those that open as a sheet over the email: at most one of them is open. */
export const sheets: ReadonlySet<SectionName> = new Set(['attachments', 'languages', 'test']);
export type SectionName = (typeof sectionNames)[number];

export type SectionProps = {
  name: SectionName;
  icon: TablerIcon;
  title: string;
  /** One line about its content; also shown while it is closed. */
  summary: ReactNode;
  open: boolean;
  onToggle(name: SectionName): void;
  children: ReactNode;
};

export function ComposerSection({ name, icon: Icon, title, summary, open, onToggle, children }: SectionProps) {
  const panel = useId();
  return (
    <section className={classes.section} id={`section-${name}`} aria-label={title}>
      <h2 className={classes.heading}>
        <UnstyledButton
          className={classes.control}
          aria-expanded={open}
          aria-controls={open ? panel : undefined}
          onClick={() => onToggle(name)}
        >
          <Icon size={20} stroke={1.75} aria-hidden />
          <Box component="span" miw={0}>
            <Text span fw={600} size="md" display="block">
              {title}
            </Text>
            <Text span c="dimmed" className={classes.summary}>
              {summary}
            </Text>
          </Box>
          <IconChevronDown size={18} aria-hidden className={classes.chevron} />
        </UnstyledButton>
      </h2>
      {open && (
        <div id={panel} className={classes.panel}>
          {children}
        </div>
      )}
    </section>
  );
}
