const fs = require('node:fs');

// Which folder may import which, types included. One sentence: base ← slices ← top.
// Base knows nothing of the product; a slice imports base and the slices to its left; doors, pages and the program's
// entry points import everything. The folders of base have an order too.
const base = '^src/(config\\.ts$|base/|db/|jobs/|events/|method/|locales/|telemetry/)';
const foldersOfBase = ['locales', 'base', 'telemetry', 'db', 'events', 'jobs', 'method'];
// The context of a call holds the database; the other two run statements for several slices.
const usesDatabase = '^src/base/(context|erasure|relay/has-relay)\\.ts$';
const slices = [
  'accounts',
  'senders',
  'relays',
  'audience',
  'campaigns',
  'migration',
  'recurring',
  'tracking',
  'delivery',
  'returned',
  'messages',
  'automations',
  'mail',
  'inbox',
  'home',
  'operator',
];
// The rooms of a slice, in the same way: a room imports those before it. Their order is the list in the README of the slice.
const rooms = Object.fromEntries(
  ['base', ...slices, 'db', 'webhooks', 'doors', 'pages']
    .filter((slice) => fs.existsSync(`src/${slice}/README.md`))
    .map((slice) => [slice, roomsIn(fs.readFileSync(`src/${slice}/README.md`, 'utf8'))]),
);
const notATest = '\\.test\\.ts$';

const top = ['webhooks', 'doors', 'pages', 'demo', 'backup', 'doctor', 'move'];

/** A folder imports none of those to its right. */
const leftwards = (folders, further = [], pathNot = []) =>
  folders.map((folder, i) => ({
    name: `${folder}-imports-leftwards`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: [notATest, ...pathNot] },
    to: { path: `^src/(${[...folders.slice(i + 1), ...further].join('|')})/` },
  }));

const roomsImportEarlierRooms = Object.entries(rooms).flatMap(([slice, names]) => [
  ...names.slice(0, -1).map((room, i) => ({
    name: `${slice}-${room}-imports-earlier-rooms`,
    severity: 'error',
    from: { path: pathOf(slice, room), pathNot: notATest },
    to: { path: names.slice(i + 1).map((later) => pathOf(slice, later)) },
  })),
  {
    name: `${slice}-has-no-other-rooms`,
    severity: 'error',
    from: {},
    to: { path: `^src/${slice}/`, pathNot: names.map((room) => pathOf(slice, room)) },
  },
]);

/** The names of the rooms that a README lists in their order; '.' for the files beside them. */
function roomsIn(readme) {
  return [...readme.matchAll(/^- (?:`([\w-]+)`|\(files beside the rooms\)): \S/gm)].map(([, room]) => room ?? '.');
}

function pathOf(slice, room) {
  return room === '.' ? `^src/${slice}/[^/]+$` : `^src/${slice}/${room}/`;
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing-missing', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
    {
      name: 'base-imports-base',
      severity: 'error',
      from: { path: base, pathNot: notATest },
      to: { path: '^src/', pathNot: base },
    },
    ...leftwards(foldersOfBase, [], [usesDatabase]),
    ...leftwards(slices, top),
    ...roomsImportEarlierRooms,
    {
      name: 'webhooks-import-base-and-accounts',
      severity: 'error',
      from: { path: '^src/webhooks/', pathNot: notATest },
      to: { path: '^src/', pathNot: `${base}|^src/(accounts|webhooks)/` },
    },
    {
      name: 'no-utils',
      severity: 'error',
      from: {},
      to: { path: '(^|/)(utils?|helpers?|common|misc)(/|\\.ts$)', pathNot: 'node_modules' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
