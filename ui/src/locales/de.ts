// All German texts but those of the first screen, as one file to load.
export default import.meta.glob<{ default: Record<string, unknown> }>(
  ['./de/*.json', '!./de/{shell,parts,sign-in,campaigns}.json'],
  { eager: true },
);
