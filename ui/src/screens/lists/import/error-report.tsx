// Downloads the skipped rows of an import as CSV in the language of the screen. In English, this is the server's own
// file.
import { Anchor, Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { publicPath } from '../../../api/base-path.ts';
import { call } from '../../../api/call.ts';
import { csvOf } from '../../../parts/files/csv.ts';
import { saveFile } from '../../../parts/files/save-file.ts';
import { useAction } from '../../../parts/use-action.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';

/** The most rows that importErrors returns at once. */
const rowsAtOnce = 15_000;

type Props = { importId: string; children: string; plain?: boolean };

/** @param plain a text link instead of a button */
export function ErrorReport({ importId, children, plain = false }: Props) {
  const t = useText('lists');
  const { language } = useLanguage();
  const { busy, run } = useAction();
  const save = async () => {
    await run(async () => {
      const all: Record<string, unknown>[] = [];
      for (let start = 0; ; start++) {
        const rows = await call('importErrors', { import: importId, start, limit: rowsAtOnce });
        for (const row of rows)
          all.push({
            [t('errorLine')]: row.line,
            [t('errorColumn')]: row.column,
            [t('errorValue')]: row.value,
            [t('errorReason')]: row.reason,
          });
        if (rows.length < rowsAtOnce) break;
      }
      saveFile(`import-${importId}-${t('errorFile')}.csv`, csvOf(all));
    });
  };
  const address = { href: publicPath(`/import/${importId}/errors.csv`), download: true };
  const icon = <IconDownload size={16} aria-hidden />;
  if (plain)
    return language === 'en' ? (
      <Anchor size="sm" {...address}>
        {children}
      </Anchor>
    ) : (
      <Anchor size="sm" component="button" type="button" disabled={busy} onClick={save}>
        {children}
      </Anchor>
    );
  return language === 'en' ? (
    <Button component="a" variant="default" leftSection={icon} {...address}>
      {children}
    </Button>
  ) : (
    <Button variant="default" leftSection={icon} loading={busy} onClick={save}>
      {children}
    </Button>
  );
}
