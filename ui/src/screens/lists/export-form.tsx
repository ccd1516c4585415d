// What is exported of a list: which members, and with or without a byte order mark for Excel.
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { pathOf } from '../../api/base-path.ts';
import { useMethod } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { Select } from '../../parts/form/select.tsx';
import { useText } from '../../text/use-text.tsx';
import { type MemberState, memberStates } from './states.ts';

export default function ExportForm({ list, onDone }: { list: string; onDone(): void }) {
  const t = useText('lists');
  const [status, setStatus] = useState<MemberState | ''>('');
  const [segment, setSegment] = useState('');
  const [bom, setBom] = useState(false);
  const segments = useMethod('listSegments', { id: list }).data ?? [];
  const file = useMethod('listExport', { id: list, status, segment, bom }, { keep: true });
  return (
    <Stack gap="md">
      <Select
        label={t('exportStatus')}
        data={[
          { value: '', label: t('all') },
          ...memberStates.map((name) => ({ value: name, label: t(`state.${name}`) })),
        ]}
        allowDeselect={false}
        value={status}
        onChange={(value) => setStatus((value ?? '') as MemberState | '')}
      />
      {segments.length > 0 && (
        <Select
          label={t('segment')}
          data={[{ value: '', label: t('wholeList') }, ...segments.map(({ id, name }) => ({ value: id, label: name }))]}
          allowDeselect={false}
          value={segment}
          onChange={(value) => setSegment(value ?? '')}
        />
      )}
      <Checkbox
        label={t('exportBom')}
        description={t('exportBomHint')}
        checked={bom}
        onChange={({ currentTarget }) => setBom(currentTarget.checked)}
      />
      {file.error && <FaultNote error={file.error} onRetry={() => file.refetch()} />}
      <Text aria-live="polite">{file.data ? t('exportCount', { count: file.data.members }) : ' '}</Text>
      <Group>
        <Button
          component="a"
          // On this origin, whatever the public address is.
          href={file.data ? pathOf(file.data.url) : undefined}
          download
          data-disabled={file.data === undefined || undefined}
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => setTimeout(onDone, 200)}
        >
          {t('download')}
        </Button>
      </Group>
    </Stack>
  );
}
