// All English texts, as one file to load.
export default import.meta.glob<{ default: Record<string, unknown> }>('./en/*.json', { eager: true });
