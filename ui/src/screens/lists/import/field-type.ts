// The type proposed for a new field, from the first values of its column. A slash leaves open which number is the month, so such
// dates stay text.
const dates = [/^\d{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])$/, /^(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.\d{4}$/];

/** In numbers a yes and a no may be counts. */
const yesOrNo = /^(?:true|false|yes|no|ja|nein)$/i;

export function fieldTypeOf(samples: readonly string[]): 'date' | 'yes_no' | 'text' {
  const values = samples.map((sample) => sample.trim()).filter((sample) => sample !== '');
  if (values.length > 0 && values.every((value) => yesOrNo.test(value))) return 'yes_no';
  const dated = values.filter((value) => dates.some((date) => date.test(value))).length;
  return values.length > 0 && dated >= values.length - tolerated(values.length) ? 'date' : 'text';
}

/** Values that are no date, such as "unknown" among birthdays: the import reports them. */
const tolerated = (count: number) => Math.floor(count / 5);
