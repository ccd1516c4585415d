// SQL that compares a text of a member with the value of a condition, without regard to case.
import { empty, type Sql, sql } from '../../db/connect.ts';
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

type How = {
  /** The time zone of the account, in which today is. */
  zone?: string | undefined;
  /** Whether the values of many members are compared. */
  many?: boolean;
};

/** Compares without regard to case; greater and less as numbers when both sides are numbers, otherwise as text (dates are ISO). */
export function textSql(subject: Sql, condition: ConditionName, value: string, how: How = {}): Sql {
  const { zone } = how;
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
      return ordered(subject, value, '>', how);
    case 'less':
      return ordered(subject, value, '<', how);
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
function ordered(subject: Sql, value: string, direction: '>' | '<', { zone, many = false }: How): Sql {
  const operand = value.trim();
  const sign = direction === '>' ? sql`>` : sql`<`;
  // Most numbers are digits only, which takes a tenth of the time of the pattern to see.
  if (isNumber(operand))
    return sql`case
      ${many ? smallNumbers(subject, Number(operand), direction) : empty}
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

const wholeNumbers = Array.from({ length: 1_000 }, (_, n) => n);

/**
 * The branches of `ordered` for the numbers that most fields have: ages, counts, points. To find one in a hash table, which the server
 * builds once a statement, takes a third of the time of reading it as a number.
 */
function smallNumbers(subject: Sql, operand: number, direction: '>' | '<'): Sql {
  const matches = (n: number) => (direction === '>' ? n > operand : n < operand);
  const isOneOf = (numbers: readonly number[]) => sql`${subject} collate "C" = any (${numbers.map(String)}::text[])`;
  return sql`
      when ${isOneOf(wholeNumbers.filter(matches))} then true
      when ${isOneOf(wholeNumbers.filter((n) => !matches(n)))} then false`;
}
