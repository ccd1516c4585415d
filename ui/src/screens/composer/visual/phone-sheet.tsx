// On a narrow screen the email has the room: blocks to add, and the settings of what is selected, are in a sheet from below that is
// opened by two buttons. Done ends the selection. On a wide one they are beside the email, and of this nothing is seen.
import { ActionIcon, Button, CloseButton, Title } from '@mantine/core';
import { IconAdjustments, IconCheck, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';

export type Sheet = 'blocks' | 'settings' | undefined;

type Props = {
  sheet: Sheet;
  onSheet(sheet: Sheet): void;
  /** What the settings are those of, and in a word for their button. */
  of: string;
  inShort: string;
  /** Ends the selection; undefined while nothing is selected. */
  onDone?: () => void;
  disabled: boolean;
  children: ReactNode;
};

export function PhoneSheet({ sheet, onSheet, of, inShort, onDone, disabled, children }: Props) {
  const t = useText('visual');
  const title = useRef<HTMLHeadingElement>(null);
  const opener = useRef<HTMLElement>(undefined);
  useEffect(() => {
    if (sheet) title.current?.focus({ preventScroll: true });
  }, [sheet]);
  const open = (next: Sheet, button: HTMLElement) => {
    opener.current = button;
    onSheet(next);
  };
  const close = () => {
    onSheet(undefined);
    // Once it is shown again.
    requestAnimationFrame(() => opener.current?.focus({ preventScroll: true }));
  };
  return (
    <>
      <div className={classes.sheetBar} data-hidden={sheet !== undefined || undefined}>
        <Button
          h={44}
          px="xs"
          leftSection={<IconPlus size={18} aria-hidden />}
          disabled={disabled}
          onClick={(event) => open('blocks', event.currentTarget)}
        >
          {t('addBlock')}
        </Button>
        <Button
          h={44}
          px="xs"
          variant="default"
          leftSection={<IconAdjustments size={18} aria-hidden />}
          disabled={disabled}
          onClick={(event) => open('settings', event.currentTarget)}
        >
          {inShort}
        </Button>
        {onDone && (
          <ActionIcon size={44} variant="default" aria-label={t('sheetDone')} onClick={onDone}>
            <IconCheck size={18} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from each of its fields */}
      <div
        className={classes.side}
        data-sheet={sheet}
        onKeyDown={(event) => {
          if (sheet && event.key === 'Escape' && !event.defaultPrevented) close();
        }}
      >
        <div className={classes.sheetHead}>
          <Title order={3} ref={title} tabIndex={-1}>
            {sheet === 'blocks' ? t('addBlock') : of}
          </Title>
          {sheet === 'settings' && onDone ? (
            <Button
              variant="subtle"
              px="xs"
              onClick={() => {
                onDone();
                close();
              }}
            >
              {t('sheetDone')}
            </Button>
          ) : (
            <CloseButton size="lg" aria-label={t('close')} onClick={close} />
          )}
        </div>
        {children}
      </div>
    </>
  );
}
