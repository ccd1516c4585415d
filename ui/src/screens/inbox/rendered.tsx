// A message of the inbox as a mail program shows it: in a frame without scripts, and nothing remote unless the reader allows it.
import { Group, SegmentedControl, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { homeUrl } from '../../api/base-path.ts';
import { useText } from '../../text/use-text.tsx';
import type { Message } from './inbox-screen.tsx';
import { asksForRemote, frameOf } from './mail-frame.ts';

export function Rendered({ message }: { message: Message }) {
  const t = useText('inbox');
  const [remote, setRemote] = useState(false);
  const [width, setWidth] = useState('desktop');
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t('width')}
          data={[
            { value: 'desktop', label: t('width.desktop') },
            { value: 'phone', label: t('width.phone') },
          ]}
          value={width}
          onChange={setWidth}
        />
        {asksForRemote(message.html) && (
          <Switch
            label={t('remote')}
            description={t('remoteHint')}
            checked={remote}
            onChange={({ currentTarget }) => setRemote(currentTarget.checked)}
          />
        )}
      </Group>
      <iframe
        // A different policy needs a new document.
        key={String(remote)}
        title={t('frame')}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        srcDoc={frameOf(message.html, { remote, home: homeUrl() })}
        style={{
          width: '100%',
          maxWidth: width === 'phone' ? 'var(--phone-width)' : undefined,
          height: '70vh',
          minHeight: 360,
          border: '1px solid var(--line)',
          borderRadius: 8,
          background: '#fff',
          colorScheme: 'light',
        }}
      />
    </Stack>
  );
}
