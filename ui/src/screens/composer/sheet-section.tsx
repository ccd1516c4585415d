// A section of the composer's settings that needs more room than the column has: the column keeps its summary, its fields open
// in a sheet over the email.
import { Box, Button, Group, Modal, Text, UnstyledButton } from '@mantine/core';
import { IconArrowsDiagonal } from '@tabler/icons-react';
import { useText } from '../../text/use-text.tsx';
import classes from './composer.module.css';
import type { SectionProps } from './section.tsx';

export function SheetSection({ name, icon: Icon, title, summary, open, onToggle, children }: SectionProps) {
  const t = useText('composer');
  const close = () => {
    // Escape closes the uppermost dialog only, such as the content of a variant.
    if (document.querySelectorAll('[role="dialog"]').length === 1) onToggle(name);
  };
  return (
    <section className={classes.section} id={`section-${name}`} aria-label={title}>
      <h2 className={classes.heading}>
        <UnstyledButton
          className={classes.control}
          aria-haspopup="dialog"
          aria-expanded={open}
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
          <IconArrowsDiagonal size={16} aria-hidden className={classes.opens} />
        </UnstyledButton>
      </h2>
      <Modal
        opened={open}
        onClose={close}
        title={title}
        size={640}
        // Within the section, so that it is found where its summary is.
        withinPortal={false}
        closeButtonProps={{ 'aria-label': t('close') }}
        overlayProps={{ backgroundOpacity: 0.25 }}
        classNames={{ inner: classes.sheet! }}
      >
        {children}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            {t('sheetDone')}
          </Button>
        </Group>
      </Modal>
    </section>
  );
}
