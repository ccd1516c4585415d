// The Markdown or MJML that a campaign was written in, if it was.
import type { ResultOf } from '../../../api/types.ts';

export type WrittenFormat = 'markdown' | 'mjml';
/** With 'html' the source is ''. */
export type Written = { format: 'html' | WrittenFormat; source: string };

export const asHtml: Written = { format: 'html', source: '' };

export function writtenOf({ source, source_format }: ResultOf<'campaignContent'>): Written {
  return source_format === 'markdown' || source_format === 'mjml' ? { format: source_format, source } : asHtml;
}

/** What an email begins with. */
export const starters: Record<WrittenFormat, string> = {
  markdown: '# Hello *|FNAME:reader|*\n\nYour text.\n\n[Read more](https://example.com/)\n',
  mjml: `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello *|FNAME:reader|*</mj-text>
        <mj-button href="https://example.com/">Read more</mj-button>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`,
};
