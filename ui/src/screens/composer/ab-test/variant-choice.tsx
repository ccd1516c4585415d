// Which variant of the A/B test a preview or a test email shows; nothing without a test.
import { SegmentedControl } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import { variantName } from './test-values.ts';

type Props = { value: number; onChange(variant: number): void };

export function VariantChoice({ value, onChange }: Props) {
  const t = useText('composer');
  const { test } = useDraft().values;
  if (!test.on || test.variants.length === 0) return null;
  return (
    <SegmentedControl
      aria-label={t('variants')}
      data={['', ...test.variants].map((_, variant) => ({ value: String(variant), label: variantName(variant) }))}
      value={String(value)}
      onChange={(variant) => onChange(Number(variant))}
    />
  );
}
