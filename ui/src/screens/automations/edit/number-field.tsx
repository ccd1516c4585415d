// A whole number in the form of a step or trigger: an hour, a minute, an amount.
import { NumberField as Field } from '../../../parts/form/number-field.tsx';

type Props = { label: string; value: number; max: number; onChange(value: number): void };

export function NumberField({ label, value, max, onChange }: Props) {
  return (
    <Field label={label} min={0} max={max} w={100} value={value} onChange={(given) => onChange(Number(given) || 0)} />
  );
}
