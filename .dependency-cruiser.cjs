// Which folder may import which. One sentence: base ← slices ← top.
// Base knows nothing of the product; a slice imports base and the slices to its left; doors, pages and the program's
// entry points import everything.
const base = '^src/(config\\.ts$|base/|db/|jobs/|events/|method/|locales/|telemetry/)';
const slices = [
  'accounts',
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
];
// The rooms of a slice, in the same way: a room imports those before it. The files beside the rooms import all of them.
const rooms = {
  delivery: [
    'verdict',
    'oauth',
    'pace',
    'smtp',
    'leaving',
    'ledger',
    'outcomes',
    'message',
    'relays',
    'winner',
    'recovery',
    'launch',
    'control',
    'sending',
    'progress',
  ],
  returned: ['parse', 'record', 'mailboxes', 'notices', 'smtp'],
};
const notATest = '\\.test\\.ts$';

const slicesImportLeftwards = slices.map((slice, i) => ({
  name: `${slice}-imports-leftwards`,
  severity: 'error',
  from: { path: `^src/${slice}/`, pathNot: notATest },
  to: {
    path: `^src/(${[...slices.slice(i + 1), 'webhooks', 'doors', 'pages', 'demo', 'backup', 'doctor'].join('|')})/`,
  },
}));

const roomsImportEarlierRooms = Object.entries(rooms).flatMap(([slice, names]) => [
  ...names.slice(0, -1).map((room, i) => ({
    name: `${slice}-${room}-imports-earlier-rooms`,
    severity: 'error',
    from: { path: `^src/${slice}/${room}/`, pathNot: notATest },
    to: { path: `^src/${slice}/(${names.slice(i + 1).join('|')})/` },
  })),
  {
    name: `${slice}-has-no-other-rooms`,
    severity: 'error',
    from: {},
    to: { path: `^src/${slice}/[^/]+/`, pathNot: `^src/${slice}/(${names.join('|')})/` },
  },
]);

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'nothing-missing', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
    {
      name: 'base-imports-base',
      severity: 'error',
      from: { path: base, pathNot: notATest },
      to: { path: '^src/', pathNot: base },
    },
    ...slicesImportLeftwards,
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
