// Whom a clean-up rule would choose now, and the button that turns it on by exactly that number.
import { Button, Group, ScrollArea, Stack, Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { type Rule, useRuleWords } from './rule-words.ts';

type Chosen = ResultOf<'cleanUpRulePreview'>['first'][number];

export default function PreviewDialog({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const t = useText('clean-up');
  const { may } = useSession();
  const { number } = useFormats();
  const { title, details } = useRuleWords()(rule);
  const answer = useMethod('cleanUpRulePreview', { id: rule.id });
  const enable = useMutate('cleanUpRuleEnable');
  const columns: Column<Chosen>[] = [
    { name: 'email', title: t('email'), cell: ({ email }) => email },
    { name: 'list', title: t('list'), cell: ({ list_title }) => list_title },
    {
      name: 'since',
      title: t.of('sinceColumn', rule.kind),
      width: '150px',
      cell: ({ since }) => <Time at={since} />,
    },
  ];
  const onEnable = async (count: number) => {
    try {
      await enable.mutateAsync({ id: rule.id, count });
      toast.done(t('enabled'));
      onClose();
    } catch (error) {
      toast.failed(error);
      await answer.refetch();
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack>
        <Text c="dimmed" size="sm">
          {details.join(' · ')}
        </Text>
        <Loaded query={answer}>
          {({ count, first }) => (
            <Stack>
              <Text fw={600}>
                {count === 0 ? t('countNone') : t('count', { count, number: number(count) })}
                {count > first.length && ` ${t('first', { count: number(first.length) })}`}
              </Text>
              {first.length > 0 && (
                <ScrollArea.Autosize
                  mah={360}
                  viewportProps={{ tabIndex: 0, 'aria-label': t('preview'), role: 'region' }}
                >
                  <Rows
                    label={t('preview')}
                    columns={columns}
                    rows={first}
                    keyOf={({ contact_id, list_id }) => `${contact_id} ${list_id}`}
                    nameOf={({ email }) => email}
                    empty={null}
                  />
                </ScrollArea.Autosize>
              )}
              {!rule.enabled && may('contacts:write') && (
                <>
                  <Text size="sm">{t('enableText')}</Text>
                  <Group justify="flex-end">
                    <Button variant="default" onClick={onClose}>
                      {t('close')}
                    </Button>
                    <Button loading={enable.isPending} onClick={() => onEnable(count)}>
                      {t('enable')}
                    </Button>
                  </Group>
                </>
              )}
            </Stack>
          )}
        </Loaded>
      </Stack>
    </Modal>
  );
}
