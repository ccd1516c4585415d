// Which part may import which. Base imports no slice; slices import leftwards only; doors, pages and main stand on top.
const slices = ['accounts', 'audience', 'campaigns', 'tracking', 'delivery'];
const notRightwards = slices.slice(0, -1).map((slice, i) => ({
  name: `${slice}-imports-leftwards-only`,
  severity: 'error',
  from: { path: `^src/${slice}/`, pathNot: '\\.test\\.ts$' },
  to: { path: `^src/(${[...slices.slice(i + 1), 'webhooks', 'pages'].join('|')})/` },
}));

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
      name: 'base-imports-no-slice',
      severity: 'error',
      from: {
        path: '^src/(config|faults|context|log|outbound)\\.ts$|^src/(db|jobs|events|outbound)/|^src/api/(method|wire)',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^src/(accounts|audience|campaigns|tracking|delivery|webhooks|pages)/' },
    },
    ...notRightwards,
    {
      name: 'delivery-below-webhooks-and-pages',
      severity: 'error',
      from: { path: '^src/delivery/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(webhooks|pages)/' },
    },
    {
      name: 'webhooks-need-accounts-and-events-only',
      severity: 'error',
      from: { path: '^src/webhooks/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(audience|campaigns|tracking|delivery|pages)/' },
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
