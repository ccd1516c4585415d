// All German texts, as one file to load.
export default import.meta.glob<{ default: Record<string, unknown> }>('./de/*.json', { eager: true });
