// The URL of an incoming webhook that was just made or replaced: kept in this tab, since the program does not show it again.

const kept = new Map<string, string>();

export const keepUrl = (webhook: string, url: string): void => void kept.set(webhook, url);

export const keptUrl = (webhook: string): string | undefined => kept.get(webhook);
