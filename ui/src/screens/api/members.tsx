// The members of a struct: the name, type and meaning of each, and below one that is a struct itself, its own members.
import { Text } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import classes from './members.module.css';
import { type Schema, typeOf } from './reference.ts';

/** The members of a struct within a struct of the parameters are there to be opened, unless they are few. */
const fewMembers = 4;

type Props = { label: string; schema: Schema; depth?: number };

export function Members({ label, schema, depth = 0 }: Props) {
  const t = useText('api');
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return <Text c="dimmed">{t('noParams')}</Text>;
  return (
    <ul className={classes.members} aria-label={label}>
      {members.map(([name, member]) => {
        const inner = member.items?.properties ? member.items : member;
        const count = Object.keys(inner.properties ?? {}).length;
        return (
          <li key={name}>
            <div className={classes.head}>
              <code className={classes.name}>{name}</code>
              <span className={classes.type}>{typeOf(member)}</span>
              {schema.required?.includes(name) && <span className={classes.required}>{t('required')}</span>}
            </div>
            <Meaning schema={member} />
            {count > 0 && (
              <details className={classes.inner} open={depth === 0 || count <= fewMembers}>
                <summary>{t('membersOf', { name, count })}</summary>
                <Members label={name} schema={inner} depth={depth + 1} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Meaning({ schema }: { schema: Schema }) {
  const t = useText('api');
  const more = [
    schema.enum?.join(' · '),
    schema.default === undefined ? undefined : t('default', { value: JSON.stringify(schema.default) }),
  ].filter(Boolean);
  return (
    <>
      {schema.description && <div>{schema.description}</div>}
      {more.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {more.join(' – ')}
        </Text>
      )}
    </>
  );
}
