// Exports of other programs for 10,000 people, a tenth of whom have left, in the formats that those programs write. The people have
// names with quotation marks, commas, line breaks and letters of other scripts; some are on two lists, some rows are doubled
// or have no valid address.
import { gzipSync } from 'node:zlib';
import { zipOf } from '../builders/archives.ts';

export const peopleCount = 10_000;
export type Person = {
  no: number;
  email: string;
  first: string;
  last: string;
  city: string;
  /** How the person left, on every list. */
  left: '' | 'unsubscribed' | 'bounced' | 'complained';
  pending: boolean;
  /** On the second list too. */
  onBoth: boolean;
  at: string;
};

const names = [
  'Ann',
  'Zoë',
  'O\'Brien "Bo"',
  'Łukasz',
  '山田',
  'Анна',
  'Lee, Jr.',
  'two\nlines',
  'back\\slash',
  'tab\there',
];

export const people: readonly Person[] = Array.from({ length: peopleCount }, (_, no) => {
  const left = no % 10 === 3 ? (no % 100 === 3 ? 'complained' : no % 100 === 13 ? 'bounced' : 'unsubscribed') : '';
  return {
    no,
    email: `person${no}@example.com`,
    first: names[no % names.length]!,
    last: `Name ${no}`,
    city: no % 3 === 0 ? 'São Paulo; center' : 'Rome',
    left,
    pending: left === '' && no % 50 === 7,
    onBoth: no % 5 === 3 || no % 7 === 0,
    at: `2021-03-${String((no % 28) + 1).padStart(2, '0')} 05:06:07`,
  } as const;
});

export const leavers = people.filter(({ left }) => left !== '');
/** Rows that no one can be written to. */
export const invalid = ['no address', 'two@@example.com', '@example.com'];

export const csvOf = (rows: readonly (readonly string[])[], delimiter = ','): string =>
  rows
    .map((row) =>
      row.map((cell) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter),
    )
    .join('\r\n');

/** The archive of an account of Mailchimp with the audiences News and Offers, and a template. */
export function mailchimpArchive(): Buffer {
  const common = ['Email Address', 'First Name', 'Last Name', 'City', 'OPTIN_TIME', 'OPTIN_IP', 'LEID', 'EUID', 'TAGS'];
  const file = (audience: string, word: string, extra: string[], of: (person: Person) => boolean) => {
    const rows = people
      .filter((person) => (audience === 'News' || person.onBoth) && of(person))
      .map((person) => [
        person.email,
        person.first,
        person.last,
        person.city,
        person.at,
        '192.0.2.7',
        String(person.no),
        'e',
        person.no % 4 === 0 ? '"VIP","Spring, 2021"' : '',
        ...(word === 'unsubscribed'
          ? ['2022-01-01 00:00:00', person.left === 'complained' ? 'ABUSE: marked as spam' : 'NORMAL']
          : word === 'cleaned'
            ? ['2022-01-01 00:00:00']
            : []),
      ]);
    if (word === 'subscribed' && audience === 'News') {
      rows.push(...invalid.map((email) => [email, '', '', '', '', '', '', '', '']));
      rows.push(['PERSON1@example.com', 'Twice', '', '', '', '', '', '', '']);
    }
    return {
      name: `${audience}/${word}_members_export_a1b2.csv`,
      body: `\ufeff${csvOf([[...common, ...extra], ...rows])}`,
    };
  };
  return zipOf(
    ['News', 'Offers']
      .flatMap((audience) => [
        // Who bounced or complained on News is still subscribed to Offers there.
        file(
          audience,
          'subscribed',
          [],
          ({ left, pending }) => !pending && (left === '' || (audience === 'Offers' && left !== 'unsubscribed')),
        ),
        file(audience, 'pending', [], ({ pending }) => pending),
        file(
          audience,
          'unsubscribed',
          ['UNSUB_TIME', 'UNSUB_REASON'],
          ({ left }) => left === 'unsubscribed' || (audience === 'News' && left === 'complained'),
        ),
        file(audience, 'cleaned', ['CLEAN_TIME'], ({ left }) => audience === 'News' && left === 'bounced'),
      ])
      .concat({ name: 'templates/Letter.html', body: '<p>Dear *|FNAME|*</p>' }),
  );
}

const pgCell = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
const pgTable = (table: string, columns: string, rows: readonly (readonly string[])[]) =>
  `COPY public.${table} (${columns}) FROM stdin;\n${rows.map((row) => `${row.join('\t')}\n`).join('')}\\.\n\n`;

/** A dump of the database of listmonk, compressed. */
export function listmonkDump(): Buffer {
  const attribs = ({ no, city }: Person) => JSON.stringify({ city, points: no, tags: no % 4 === 0 ? ['VIP'] : [] });
  const status = ({ left, no }: Person) => (left === 'unsubscribed' && no % 20 === 3 ? 'blocklisted' : 'enabled');
  const on = (person: Person, list: string, optin: string) => [
    String(person.no + 1),
    list,
    '{"optin_ip": "192.0.2.7"}',
    person.left === 'unsubscribed'
      ? 'unsubscribed'
      : person.pending || optin === 'single'
        ? 'unconfirmed'
        : 'confirmed',
    `${person.at}+00`,
  ];
  return gzipSync(
    [
      "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\n",
      pgTable(
        'bounces',
        'id, subscriber_id, campaign_id, type, source, meta, created_at',
        people
          .filter(({ left }) => left === 'bounced' || left === 'complained')
          .map(({ no, left }) => [
            `${no}`,
            `${no + 1}`,
            '\\N',
            left === 'bounced' ? 'hard' : 'complaint',
            'x',
            '{}',
            '\\N',
          ]),
      ),
      pgTable('lists', 'id, uuid, name, type, optin, tags', [
        ['1', 'u1', 'News', 'public', 'double', '{}'],
        ['2', 'u2', 'Offers', 'public', 'single', '{}'],
      ]),
      pgTable('subscriber_lists', 'subscriber_id, list_id, meta, status, created_at', [
        ...people.map((person) => on(person, '1', 'double')),
        ...people.filter(({ onBoth, pending }) => onBoth && !pending).map((person) => on(person, '2', 'single')),
      ]),
      pgTable('subscribers', 'id, uuid, email, name, attribs, status, created_at', [
        ...people.map((person) => [
          `${person.no + 1}`,
          'u',
          person.email,
          pgCell(`${person.first} ${person.last}`),
          pgCell(attribs(person)),
          status(person),
          '2021-01-01 00:00:00+00',
        ]),
        ['99999', 'u', 'alone@example.com', 'Alone', '{}', 'enabled', '2021-01-01 00:00:00+00'],
      ]),
      pgTable('templates', 'id, name, type, subject, body, is_default', [
        ['1', 'Letter', 'campaign', '', pgCell('<p>Dear {{ .Subscriber.FirstName }}</p>'), 't'],
        ['2', 'Receipt', 'tx', '', 'x', 'f'],
      ]),
    ].join(''),
  );
}

const mysqlText = (text: string) =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('"', '\\"').replaceAll('\n', '\\n')}'`;
const mysqlInsert = (table: string, rows: readonly (readonly string[])[], perStatement = 500) => {
  let text = '';
  for (let from = 0; from < rows.length; from += perStatement) {
    const part = rows.slice(from, from + perStatement);
    text += `INSERT INTO \`${table}\` VALUES ${part.map((row) => `(${row.join(',')})`).join(',')};\n`;
  }
  return text;
};
const mysqlTable = (table: string, columns: readonly string[]) =>
  `DROP TABLE IF EXISTS \`${table}\`;\nCREATE TABLE \`${table}\` (\n${columns.map((name) => `  \`${name}\` text,\n`).join('')}  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB;\n`;

/** A dump of the database of Mailtrain, version 2. */
export function mailtrainDump(): Buffer {
  const statuses = { '': '1', unsubscribed: '2', bounced: '3', complained: '4' } as const;
  const columns = [
    'id',
    'cid',
    'hash_email',
    'email',
    'opt_in_ip',
    'status',
    'is_test',
    'created',
    'custom_first_a',
    'custom_city_b',
    'custom_age_c',
  ];
  const row = (person: Person, status: string) => [
    `${person.no + 1}`,
    "'c'",
    "_binary 'h'",
    mysqlText(person.email),
    "'192.0.2.7'",
    status,
    '0',
    mysqlText(person.at),
    mysqlText(person.first),
    mysqlText(person.city),
    person.no % 2 === 0 ? String(person.no % 90) : 'NULL',
  ];
  const fields = ['1', '2'].flatMap((list) => [
    [`'${list}0'`, list, "'First name'", "'FIRST_NAME'", "'text'", "'custom_first_a'"],
    [`'${list}1'`, list, "'City'", "'MERGE_CITY'", "'text'", "'custom_city_b'"],
    [`'${list}2'`, list, "'Age'", "'MERGE_AGE'", "'number'", "'custom_age_c'"],
    [`'${list}3'`, list, "'Group'", "'MERGE_GROUP'", "'checkbox-grouped'", 'NULL'],
  ]);
  return Buffer.from(
    [
      '-- MySQL dump 10.13\n',
      mysqlTable('blacklist', ['email']),
      mysqlInsert('blacklist', [["'blocked@example.com'"]]),
      mysqlTable('custom_fields', ['id', 'list', 'name', 'key', 'type', 'column']),
      mysqlInsert('custom_fields', fields),
      mysqlTable('lists', ['id', 'cid', 'name']),
      mysqlInsert('lists', [
        ['1', "'a'", "'News'"],
        ['2', "'b'", "'Offers'"],
      ]),
      mysqlTable('subscription__1', columns),
      mysqlInsert('subscription__1', [
        ...people.map((person) => row(person, statuses[person.left])),
        ...invalid.map((email, i) => row({ ...people[0]!, no: 20_000 + i, email }, '1')),
        ['30000', "'gone'", "_binary 'h'", 'NULL', 'NULL', '2', '0', 'NULL', 'NULL', 'NULL', 'NULL'],
      ]),
      mysqlTable('subscription__2', columns),
      mysqlInsert(
        'subscription__2',
        people.filter(({ onBoth }) => onBoth).map((person) => row(person, person.left === 'unsubscribed' ? '2' : '1')),
      ),
      mysqlTable('templates', ['id', 'name', 'type', 'data']),
      mysqlInsert('templates', [
        ['1', "'Letter'", "'mosaico'", mysqlText(JSON.stringify({ html: '<p>Dear [FIRST_NAME]</p>' }))],
      ]),
    ].join(''),
  );
}

/** The contacts of a project of Keila. */
export function keilaCsv(): Buffer {
  const states = {
    '': 'active',
    unsubscribed: 'unsubscribed',
    bounced: 'unreachable',
    complained: 'unsubscribed',
  } as const;
  return Buffer.from(
    csvOf([
      ['Email', 'First name', 'Last name', 'Data', 'Status', 'External ID'],
      ...people.map((person) => [
        person.email,
        person.first,
        person.last,
        JSON.stringify({ city: person.city, tags: person.no % 4 === 0 ? ['VIP'] : [] }),
        states[person.left],
        '',
      ]),
      ...invalid.map((email) => [email, '', '', '{}', 'active', '']),
      ['Person1@Example.com', 'Twice', '', '{}', 'active', ''],
    ]),
  );
}

/** The contacts of Brevo, with their lists. */
export function brevoCsv(): Buffer {
  return Buffer.from(
    csvOf(
      [
        ['CONTACT ID', 'EMAIL', 'FIRSTNAME', 'LASTNAME', 'CITY', 'BLOCKLISTED', 'LISTS', 'ADDED_TIME'],
        ...people.map((person) => [
          String(person.no),
          person.email,
          person.first,
          person.last,
          person.city,
          person.left === '' ? 'no' : 'yes',
          person.onBoth ? 'News,Offers' : 'News',
          person.at,
        ]),
        ...invalid.map((email, i) => [`x${i}`, email, '', '', '', 'no', 'News', '']),
      ],
      ';',
    ),
  );
}
