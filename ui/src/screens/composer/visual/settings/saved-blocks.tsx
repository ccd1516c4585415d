// Blocks that a person has saved under a name: a list from which they are added again, and the field that saves one.
import { ActionIcon, Button, Group, Stack, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { useState } from 'react';
import { useMethod, useMutate } from '../../../../api/use-method.ts';
import { useFaultText } from '../../../../parts/fault.tsx';
import { toast } from '../../../../parts/toast/toast.tsx';
import { useSession } from '../../../../session/session.ts';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';

/** The saved blocks; nothing while there are none. */
export function SavedBlocks({ onAdd, disabled }: { onAdd(html: string): void; disabled: boolean }) {
  const t = useText('visual');
  const { data = [] } = useMethod('savedBlocks');
  const remove = useMutate('savedBlockDelete');
  const { mayAll } = useSession();
  if (data.length === 0) return null;
  const drop = async (name: string) => {
    try {
      await remove.mutateAsync({ name });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <section aria-label={t('savedBlocks')}>
      <Text component="div" fw={500} mb={4}>
        {t('savedBlocks')}
      </Text>
      <Stack component="ul" gap={4} className={classes.savedBlocks}>
        {data.map(({ name, html }) => (
          <li key={name}>
            <UnstyledButton className={classes.savedBlock} onClick={() => onAdd(html)} disabled={disabled}>
              <IconBookmark size={16} aria-hidden />
              <span>{name}</span>
            </UnstyledButton>
            {mayAll('campaigns:write') && (
              <Tooltip label={t('deleteBlock', { name })}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('deleteBlock', { name })}
                  disabled={disabled}
                  onClick={() => void drop(name)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </Stack>
    </section>
  );
}

/** Saves the block of the selected element under a name. */
export function SaveBlock({ block }: { block: Component }) {
  const t = useText('visual');
  const faultText = useFaultText();
  const save = useMutate('savedBlockCreate');
  const [name, setName] = useState<string>();
  const [fault, setFault] = useState('');
  if (!useSession().mayAll('campaigns:write')) return null;
  if (name === undefined)
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconBookmark size={14} aria-hidden />}
        onClick={() => setName('')}
      >
        {t('saveBlock')}
      </Button>
    );
  const send = async () => {
    if (name.trim() === '') return setFault(t('blockNameNeeded'));
    try {
      await save.mutateAsync({ name, html: block.toHTML({ keepInlineStyle: true }) });
      toast.done(t('blockSaved', { name: name.trim() }));
      setName(undefined);
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Stack gap="xs">
      <TextInput
        label={t('blockName')}
        description={t('blockNameHint')}
        value={name}
        maxLength={100}
        data-autofocus
        autoFocus
        error={fault || undefined}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setFault('');
        }}
        onKeyDown={(event) => event.key === 'Enter' && void send()}
      />
      <Group gap="xs">
        <Button size="xs" loading={save.isPending} onClick={() => void send()}>
          {t('saveBlockNow')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setName(undefined)}>
          {t('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}
