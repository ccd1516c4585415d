// Which variant of the A/B test, or which language, a preview or a test email shows; nothing without either.
import { SegmentedControl, Select } from '@mantine/core';
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';

type Props = { value: number; onChange(variant: number): void };

export function VariantChoice({ value, onChange }: Props) {
  const t = useText('composer');
  const { test, languages } = useDraft().values;
  const names = useLanguageNames();
  if (languages.length > 0)
    return (
      <Select
        aria-label={t('languages')}
        data={['', ...languages.map(({ language }) => language)].map((language, variant) => ({
          value: String(variant),
          label: language === '' ? t('languageMain') : names(language),
        }))}
        value={String(value)}
        onChange={(variant) => onChange(Number(variant ?? 0))}
        allowDeselect={false}
      />
    );
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
