// The name, the logo and the support address of the installation, which the program writes into the page (src/pages/application.ts).
import { applicationPath } from './base-path.ts';

const metaOf = (name: string): string =>
  globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const appName: string = metaOf('app-name') || 'Postrider';

export const logoUrl: string = `${applicationPath}/${metaOf('app-logo') || 'icon.svg'}`;

export const supportEmail: string = metaOf('support-email');
