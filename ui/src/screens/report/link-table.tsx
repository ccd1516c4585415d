// The links of a campaign with their clicks; each leads to the recipients who clicked it.
import { Anchor, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './report.module.css';
import { rowsBehind } from './tabs.ts';

/** @param limit shows only this many, most clicked first; without it all, in the order of the message */
export function LinkTable({ cid, limit }: { cid: string; limit?: number }) {
  const t = useText('report');
  const { number } = useFormats();
  const answer = useMethod('campaignClickStats', { cid }, { refetchInterval: 30_000 });
  return (
    <Loaded query={answer}>
      {(links) => {
        if (links.length === 0) return <Text c="dimmed">{t('noLinks')}</Text>;
        const shown = limit === undefined ? links : [...links].sort((a, b) => b.clicks - a.clicks).slice(0, limit);
        const top = Math.max(...links.map(({ clicks }) => clicks), 1);
        return (
          <Table.ScrollContainer type="native" minWidth={480} role="group" tabIndex={0} aria-label={t('linksTitle')}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('link')}</Table.Th>
                  <Table.Th ta="end">{t('clicks')}</Table.Th>
                  <Table.Th ta="end">{t('persons')}</Table.Th>
                  <Table.Th ta="end">{t('machines')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map((link) => (
                  <Table.Tr key={link.id}>
                    <Table.Th scope="row" fw={400} style={{ overflowWrap: 'anywhere' }}>
                      {link.url}
                      <Group aria-hidden>
                        <span className={classes.meter} style={{ width: `${(link.clicks / top) * 100}%` }} />
                      </Group>
                    </Table.Th>
                    <Table.Td ta="end">{number(link.clicks)}</Table.Td>
                    <Table.Td ta="end">
                      <Anchor
                        component={Link}
                        {...rowsBehind(cid, `link-${link.id}`)}
                        size="sm"
                        aria-label={t('followersOf', { count: link.unique, url: link.url })}
                      >
                        {number(link.unique)}
                      </Anchor>
                    </Table.Td>
                    <Table.Td ta="end">{number(link.machine_clicks)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        );
      }}
    </Loaded>
  );
}
