// All English texts but those of the first screen and of areas that are loaded with their own screens, as one file to load.
export default import.meta.glob<{ default: Record<string, unknown> }>(
  [
    './en/*.json',
    '!./en/{shell,parts,sign-in,campaigns,approval,audit,automations,forms,operator,settings,setup,webhooks}.json',
  ],
  { eager: true },
);
