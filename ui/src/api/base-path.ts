// Where the application is: the program writes the path of its public URL into the page (src/pages/application.ts). Every
// address of the program that a screen uses begins with it (test/paths.test.ts); the router adds it to those of screens.

/** '' at the root of a host; otherwise such as '/mail'. */
export const basePath: string =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** The path of all screens. */
export const applicationPath = `${basePath}/app`;

/** An address of the program. @param path as the program routes it, such as /api/ping */
export const publicPath = (path: string): string => basePath + path;

/** The URL of the installation as this browser sees it. */
export const homeUrl = (): string => window.location.origin + basePath;

/** An address of the program on the origin of this page, whatever the public URL is. */
export function pathOf(address: string): string {
  const { pathname, search } = new URL(address, window.location.href);
  return pathname + search;
}
