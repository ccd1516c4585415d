// A chosen archive file: its type from its name, and its bytes as base64 for the API.

const endings = [
  ['.tar.gz', 'tar.gz'],
  ['.tar.bz2', 'tar.bz2'],
  ['.tgz', 'tgz'],
  ['.tbz', 'tbz'],
  ['.tar', 'tar'],
  ['.zip', 'zip'],
] as const;

export type ArchiveKind = (typeof endings)[number][1];

export function archiveTypeOf(fileName: string): ArchiveKind | undefined {
  const lower = fileName.toLowerCase();
  return endings.find(([ending]) => lower.endsWith(ending))?.[1];
}

export async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // In chunks: a call has a limited number of arguments.
  for (let from = 0; from < bytes.length; from += 0x8000)
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(text);
}
