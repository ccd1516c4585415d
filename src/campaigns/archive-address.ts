// The public address of a campaign's archive page. web_id makes it readable, the key (128 random bits) keeps an unsent
// campaign from being guessed.

export function archiveUrl(baseUrl: string, webId: number, archiveKey: string): string {
  return `${baseUrl}/archive/${webId}-${archiveKey}`;
}

/** The parts of what follows /archive/; undefined when it has not that form. */
export function readArchivePath(text: string): { webId: number; key: string } | undefined {
  const match = /^(\d{1,10})-([0-9a-f]{32})$/.exec(text);
  return match ? { webId: Number(match[1]), key: match[2]! } : undefined;
}
