// The frame of the settings screens: header, list of sections (a select on a phone), content.
import { Box, NativeSelect, NavLink, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Target } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { opens, useSession } from '../../session/session.ts';
import { type SectionName, sections, settingsGroups } from '../../shell/settings-sections.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './settings.module.css';

type Props = {
  section: SectionName;
  /** Default: the name of the section. */
  title?: string;
  status?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  back?: Target & { label: string };
  children: ReactNode;
};

export function SettingsFrame({ section, title, children, ...head }: Props) {
  const t = useText('settings');
  const navigate = useNavigate();
  const session = useSession();
  const seen = sections.filter((one) => opens(session, one) && (session.operator || !one.operator));
  const groups = settingsGroups
    .map((group) => ({ group, entries: seen.filter((one) => one.group === group) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <Page>
      <PageHeader title={title ?? t(`section.${section}`)} {...head} />
      <Box className={classes.columns}>
        <nav className={classes.sections} aria-label={t('sections')}>
          {groups.map(({ group, entries }) => (
            <Box key={group} role="group" aria-label={t(`sectionGroup.${group}`)} className={classes.group}>
              <Text size="xs" c="dimmed" fw={500} className={classes.groupName} aria-hidden>
                {t(`sectionGroup.${group}`)}
              </Text>
              {entries.map(({ name, icon: Icon }) => (
                <NavLink
                  key={name}
                  component={Link}
                  to={`/settings/${name}`}
                  label={t(`section.${name}`)}
                  leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
                  active={name === section}
                  aria-current={name === section ? 'page' : undefined}
                  className={classes.entry}
                />
              ))}
            </Box>
          ))}
        </nav>
        <NativeSelect
          className={classes.choice}
          label={t('sections')}
          value={section}
          data={groups.map(({ group, entries }) => ({
            group: t(`sectionGroup.${group}`),
            items: entries.map(({ name }) => ({ value: name, label: t(`section.${name}`) })),
          }))}
          onChange={({ currentTarget: { value } }) => navigate({ to: `/settings/${value as SectionName}` })}
        />
        <Stack gap="xl" className={`${classes.content} in-order`}>
          {children}
        </Stack>
      </Box>
    </Page>
  );
}
