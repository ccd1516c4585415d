// The button that filters a table by a label, kept in the URL, and the way to the editor of labels. Loaded after the table: it needs
// what floats.
import { Button, Menu } from '@mantine/core';
import { IconPencil, IconTag } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { useTableSearch } from '../table/table-search.ts';
import { Swatch } from './label.tsx';

const EditLabels = lazy(() => import('./edit-labels.tsx'));

export default function LabelFilter({ search }: { search: ReturnType<typeof useTableSearch> }) {
  const t = useText('labels');
  const { may } = useSession();
  const mayWrite = may('campaigns:write') || may('contacts:write');
  const labels = useMethod('labels').data ?? [];
  const [editing, setEditing] = useState(false);
  const chosen = labels.find(({ id }) => id === search.label);
  if (labels.length === 0 && !mayWrite && search.label === undefined) return null;
  const choose = (label: string | undefined) => search.change({ label });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={chosen ? <Swatch colour={chosen.colour} /> : <IconTag size={16} aria-hidden />}
            aria-label={chosen ? t('filterIs', { name: chosen.name }) : t('filter')}
          >
            {chosen?.name ?? t('filter')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {search.label !== undefined && <Menu.Item onClick={() => choose(undefined)}>{t('any')}</Menu.Item>}
          {labels.map(({ id, name, colour }) => (
            <Menu.Item key={id} leftSection={<Swatch colour={colour} />} onClick={() => choose(id)}>
              {name}
            </Menu.Item>
          ))}
          {mayWrite && (
            <>
              {labels.length > 0 && <Menu.Divider />}
              <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
                {t('edit')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {editing && (
        <Suspense>
          <EditLabels onClose={() => setEditing(false)} onDeleted={(id) => id === search.label && choose(undefined)} />
        </Suspense>
      )}
    </>
  );
}
