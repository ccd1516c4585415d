// SQL that compares a text of a member with the value of a condition, without regard to case.
import { type Sql, sql } from '../../db/connect.ts';
import { chosenIn } from '../model/choice-names.ts';
import { type ConditionName, daysOf, isNumber } from '../model/segment.ts';
import { anniversaryWithin, dayFromToday, dayWithin, isDaySql } from './days.ts';

/**
 * A text in lower case, to compare with `operand`, which is in lower case too. An ASCII operand can only equal ASCII
 * text, which is lowered byte by byte in a third of the time that the rules of a language take.
 */
export function loweredFor(operand: string, subject: Sql): Sql {
  return /^[\x00-\x7f]*$/.test(operand) ? sql`lower(${subject} collate "C")` : sql`lower(${subject})`;
}

/**
 * Compares without regard to case; greater and less as numbers when both sides are numbers, otherwise as text (dates are ISO).
 * @param zone of the account, in which today is
 */
export function textSql(subject: Sql, condition: ConditionName, value: string, zone?: string): Sql {
  const operand = value.toLowerCase();
  const lowered = loweredFor(operand, subject);
  const operands = () => operand.split(';').map((item) => item.trim());
  const pattern = operand.replace(/[\\%_]/g, '\\$&');
  switch (condition) {
    case 'is':
      return sql`${lowered} = ${operand}`;
    case 'not':
      return sql`${lowered} <> ${operand}`;
    case 'isany':
      return sql`${subject} <> ''`;
    case 'isoneof':
      return sql`${lowered} = any (${operands()}::text[])`;
    case 'notoneof':
      return sql`${lowered} <> all (${operands()}::text[])`;
    case 'contains':
      return sql`${lowered} like ${`%${pattern}%`}`;
    case 'notcontain':
      return sql`${lowered} not like ${`%${pattern}%`}`;
    case 'starts':
      return sql`${lowered} like ${`${pattern}%`}`;
    case 'ends':
      return sql`${lowered} like ${`%${pattern}`}`;
    case 'next':
      return dayWithin(subject, daysOf(value) ?? 0, zone);
    case 'anniversary':
      return anniversaryWithin(subject, daysOf(value) ?? 0, zone);
    case 'greater':
      return ordered(subject, value, sql`>`, zone);
    case 'less':
      return ordered(subject, value, sql`<`, zone);
    case 'hasany':
      return sql`${chosenSql(subject)} && ${chosenOperands(value)}::text[]`;
    case 'hasall':
      return sql`${chosenSql(subject)} @> ${chosenOperands(value)}::text[]`;
    case 'hasnone':
      return sql`not (${chosenSql(subject)} && ${chosenOperands(value)}::text[])`;
  }
}

/**
 * The names of a stored multiple choice (chosen.ts) as an array. Control characters, which no name contains, replace what is escaped,
 * so that the commas that are left are between names.
 */
const chosenSql = (subject: Sql): Sql =>
  sql`string_to_array(replace(replace(${subject}, '\\\\', chr(1)), '\\,', chr(2)), ', ')`;

const chosenOperands = (value: string): string[] =>
  chosenIn(value).map((name) => name.replaceAll('\\', '\u0001').replaceAll(',', '\u0002'));

/**
 * Compares numbers with numbers, days with days, anything else as text. A stored value of another kind has no order: it
 * is neither greater nor less, and never makes the statement fail.
 */
function ordered(subject: Sql, value: string, sign: Sql, zone: string | undefined): Sql {
  const operand = value.trim();
  // Most numbers are digits only, which takes a tenth of the time of the pattern to see.
  if (isNumber(operand))
    return sql`case
      when translate(${subject}, '0123456789', '') = '' then nullif(${subject}, '')::numeric ${sign} ${operand}::numeric
      when ${subject} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$' then (${subject})::numeric ${sign} ${operand}::numeric
      else false
    end`;
  const isDay = isDaySql(subject);
  // Days sort correctly as text; "C" makes that independent of the database's language.
  const days = daysOf(operand);
  if (days !== undefined) {
    // The last N days end today: a future day is not within them.
    const past = sql`${subject} collate "C" <= ${dayFromToday(0, zone)}`;
    return sql`(${subject} collate "C" ${sign} ${dayFromToday(-days, zone)} and ${past} and ${isDay})`;
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(operand)) return sql`(${subject} collate "C" ${sign} ${operand} and ${isDay})`;
  return sql`(${subject} <> '' and lower(${subject}) collate "C" ${sign} ${operand.toLowerCase()})`;
}
