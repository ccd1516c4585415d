// All English texts but those of the first screen, as one file to load.
export default import.meta.glob<{ default: Record<string, unknown> }>(
  ['./en/*.json', '!./en/{shell,parts,sign-in,campaigns}.json'],
  { eager: true },
);
