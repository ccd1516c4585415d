// The names that programs send with contacts and that are no field of the list: how often, when last, and what to do.
import { Button, Code, Group } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';

type Ignored = ResultOf<'listIgnoredNames'>[number];

/** Nothing while there are none, as in lists that only people and forms of the program fill. */
export function IgnoredNames({ list, onCreate }: { list: string; onCreate(name: string): void }) {
  const t = useText('lists');
  const mayWrite = useSession().may('contacts:write');
  const { number } = useFormats();
  const answer = useMethod('listIgnoredNames', { id: list });
  const dismiss = useMutate('listIgnoredNameDismiss');
  if (!answer.data?.length) return null;

  const hide = async (name: string) => {
    try {
      await dismiss.mutateAsync({ id: list, name });
      toast.done(t('nameDismissed', { name }));
    } catch (error) {
      toast.failed(error);
    }
  };
  const columns: Column<Ignored>[] = [
    { name: 'name', title: t('ignoredName'), cell: ({ name }) => <Code>{name}</Code> },
    { name: 'count', title: t('ignoredCount'), width: '110px', cell: ({ count }) => number(count) },
    { name: 'last', title: t('ignoredLast'), width: '140px', cell: ({ last_seen }) => <Time at={last_seen} /> },
    ...(mayWrite
      ? [
          {
            name: 'actions',
            title: t('change'),
            width: '240px',
            cell: ({ name, can_be_field }: Ignored) => (
              <Group gap="xs">
                {can_be_field && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('createFieldFor', { name })}
                    onClick={() => onCreate(name)}
                  >
                    {t('createField')}
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-label={t('dismissName', { name })}
                  onClick={() => hide(name)}
                >
                  {t('dismiss')}
                </Button>
              </Group>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section id="ignored" title={t('ignoredNames')} description={t('ignoredAbout')}>
      <Rows
        label={t('ignoredNames')}
        columns={columns}
        rows={answer.data}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        query={answer}
        empty={null}
      />
    </Section>
  );
}
