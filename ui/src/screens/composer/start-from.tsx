// What a new campaign begins with: the letter that every account has, what was sent last, or a template, by its picture.
import { Radio, Text } from '@mantine/core';
import { IconHistory, IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { pathOf } from '../../api/base-path.ts';
import { useMethod } from '../../api/use-method.ts';
import { Lines } from '../../parts/loaded.tsx';
import { useNameOf } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './start-from.module.css';

/** "blank", "campaign ID" or "template ID". */
export type Start = 'blank' | `campaign ${string}` | `template ${string}`;

type Props = { value: Start; onChange(start: Start): void };

export function StartFrom({ value, onChange }: Props) {
  const t = useText('composer');
  const nameOf = useNameOf();
  const templates = useMethod('campaignTemplates', { hidden: false });
  const sent = useMethod('campaignSearch', { state: 'sent', sort: '-date', limit: 1 });
  const [last] = sent.data?.data ?? [];
  if (templates.isPending || sent.isPending) return <Lines count={2} height={80} />;
  return (
    <Radio.Group label={t('startFrom')} value={value} onChange={(next) => onChange(next as Start)}>
      <div className={classes.starts}>
        <Card value="blank" name={t('startBlank')} picture={<IconMail size={32} stroke={1.5} aria-hidden />} />
        {last && (
          <Card
            value={`campaign ${last.id}`}
            name={t('startLast')}
            about={nameOf(last)}
            picture={<IconHistory size={32} stroke={1.5} aria-hidden />}
          />
        )}
        {(templates.data ?? []).map(({ id, name, preview_image }) => (
          <Card
            key={id}
            value={`template ${id}`}
            name={name}
            picture={<img src={pathOf(preview_image)} alt="" loading="lazy" />}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

function Card({ value, name, about, picture }: { value: Start; name: string; about?: string; picture: ReactNode }) {
  return (
    <Radio.Card value={value} className={classes.start} aria-label={about ? `${name}: ${about}` : name}>
      <span className={classes.picture}>{picture}</span>
      <Text span size="sm" fw={500} className={classes.name}>
        {name}
      </Text>
      {about && (
        <Text span size="xs" c="dimmed" className={classes.name}>
          {about}
        </Text>
      )}
    </Radio.Card>
  );
}
