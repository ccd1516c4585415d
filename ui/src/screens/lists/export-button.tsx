// The members as a file: which of them, and whether a spreadsheet shall read it.
import { Button, Checkbox, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { useText } from '../../text/use-text.tsx';
import { type MemberState, memberStates } from './states.ts';

export function ExportButton({ list }: { list: { id: string; title: string } }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={open}>
        {t('export')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('exportTitle', { name: list.title })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Wishes list={list.id} onDone={close} />
      </Modal>
    </>
  );
}

function Wishes({ list, onDone }: { list: string; onDone(): void }) {
  const t = useText('lists');
  const [status, setStatus] = useState<MemberState | ''>('');
  const [segment, setSegment] = useState('');
  const [bom, setBom] = useState(false);
  const segments = useMethod('listSegments', { id: list }).data ?? [];
  const told = useMethod('listExport', { id: list, status, segment, bom }, { keep: true });
  return (
    <Stack gap="md">
      <Select
        label={t('exportStatus')}
        data={[
          { value: '', label: t('all') },
          ...memberStates.map((one) => ({ value: one, label: t(`state.${one}`) })),
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
      {told.error && <FaultNote error={told.error} onRetry={() => told.refetch()} />}
      <Text aria-live="polite">{told.data ? t('exportCount', { count: told.data.members }) : ' '}</Text>
      <Group>
        <Button
          component="a"
          // Of this very server, whatever address it is known by outside.
          href={told.data ? pathOf(told.data.url) : undefined}
          download
          data-disabled={told.data === undefined || undefined}
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => setTimeout(onDone, 200)}
        >
          {t('download')}
        </Button>
      </Group>
    </Stack>
  );
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address, window.location.origin);
  return pathname + search;
}
