// The A/B test of the campaign: its variants, how many recipients get them, and what decides for the others.

import { Button, Group, NumberInput, Radio, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { maxVariants } from '../../../../../src/campaigns/model/division.ts';
import { useTagless } from '../../../parts/tagged/tagged.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { useAudience } from '../to-section.tsx';
import { divided, emptyVariant, noTest, type TestDraft, type VariantDraft } from './test-values.ts';
import { VariantCard } from './variant-card.tsx';

const waits = [60, 120, 240, 480, 720, 1_440, 2_880];

/** In the order of the form; complete, since the compiler compares it with the methods. */
const winners = Object.keys({ clicks: true, opens: true, manual: true } satisfies Record<
  TestDraft['winner'],
  true
>) as TestDraft['winner'][];

export default function TestSection() {
  const t = useText('composer');
  const tagless = useTagless();
  const { values, change, fault, fixed } = useDraft();
  const { test } = values;
  const set = (part: Partial<TestDraft>) => change({ test: { ...test, ...part } });
  if (!test.on)
    return (
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {t(
            values.languages.length > 0
              ? 'testNotLanguages'
              : values.time_match
                ? 'testNotTimed'
                : values.best_hour
                  ? 'testNotBestHour'
                  : 'testAbout',
          )}
        </Text>
        {!fixed && (
          <Button
            disabled={values.time_match || values.best_hour || values.languages.length > 0}
            onClick={() => set({ ...noTest, on: true, variants: [{ ...emptyVariant }] })}
          >
            {t('testStart')}
          </Button>
        )}
      </Stack>
    );
  const changeVariant = (at: number, part: Partial<VariantDraft>) =>
    set({ variants: test.variants.map((variant, n) => (n === at ? { ...variant, ...part } : variant)) });
  const remove = (at: number) => {
    const variants = test.variants.filter((_, n) => n !== at);
    set(variants.length === 0 ? { on: false, variants } : { variants });
  };
  const problem = fault('test');
  // No fault yet of someone who has only opened it.
  const isBegun = test.variants.some((variant) => JSON.stringify(variant) !== JSON.stringify(emptyVariant));
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('testOriginal', { subject: tagless(values.subject) })}
      </Text>
      {test.variants.map((variant, at) => (
        <VariantCard
          // Variants have no name but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: a removed variant moves the next ones up
          key={at}
          variant={at + 1}
          values={variant}
          onChange={(part) => changeVariant(at, part)}
          onRemove={() => remove(at)}
        />
      ))}
      {problem && (
        <Text size="sm" c={isBegun ? 'var(--mantine-color-error)' : 'dimmed'} role={isBegun ? 'alert' : 'status'}>
          {problem}
        </Text>
      )}
      {!fixed && (
        <Group gap="sm">
          {test.variants.length + 1 < maxVariants && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => set({ variants: [...test.variants, { ...emptyVariant }] })}
            >
              {t('testAdd')}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => change({ test: { ...test, on: false } })}>
            {t('testRemove')}
          </Button>
        </Group>
      )}
      <Rule test={test} set={set} />
    </Stack>
  );
}

function Rule({ test, set }: { test: TestDraft; set(part: Partial<TestDraft>): void }) {
  const t = useText('composer');
  const { values, fixed } = useDraft();
  const recipients = useAudience().data?.recipients ?? 0;
  const { each, rest } = divided(recipients, test);
  const { opens, html_clicks, text_clicks } = values.tracking;
  const counted = { clicks: html_clicks || text_clicks, opens, manual: true };
  return (
    <>
      <NumberInput
        label={t('testShare')}
        description={recipients > 0 ? t(rest > 0 ? 'testShareAbout' : 'testShareAll', { each, rest }) : undefined}
        value={test.share}
        onChange={(share) =>
          typeof share === 'number' && share >= 1 && set({ share: Math.min(100, Math.round(share)) })
        }
        min={1}
        max={100}
        suffix=" %"
        clampBehavior="blur"
        disabled={fixed}
        maw={320}
      />
      <Radio.Group
        label={t('testWinner')}
        value={test.winner}
        onChange={(winner) => set({ winner: winner as TestDraft['winner'] })}
      >
        <Stack gap="xs" mt="xs">
          {winners.map((winner) => (
            <Radio
              key={winner}
              value={winner}
              label={t(`testWinner.${winner}`)}
              description={winner === 'manual' || counted[winner] ? undefined : t('testNotCounted')}
              disabled={fixed || !counted[winner]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {test.winner !== 'manual' && rest > 0 && (
        <Select
          label={t('testWait')}
          description={t('testWaitHint')}
          data={[...new Set([...waits, test.wait_minutes])]
            .sort((a, b) => a - b)
            .map((minutes) => ({
              value: String(minutes),
              label:
                minutes % 60 === 0 ? t('testHours', { count: minutes / 60 }) : t('testMinutes', { count: minutes }),
            }))}
          value={String(test.wait_minutes)}
          onChange={(minutes) => minutes && set({ wait_minutes: Number(minutes) })}
          allowDeselect={false}
          disabled={fixed}
          maw={320}
        />
      )}
    </>
  );
}
