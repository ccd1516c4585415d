// Names with their share of a whole, largest first, each with a bar.
import { Text } from '@mantine/core';
import { useFormats } from '../formats.ts';
import classes from './shares.module.css';

type Props = { label: string; rows: readonly { name: string; count: number }[] };

export function Shares({ label, rows }: Props) {
  const { number, shareOf } = useFormats();
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <Text size="xs" c="dimmed" fw={500} mb={4}>
        {label}
      </Text>
      <ul className={classes.shares} aria-label={label}>
        {rows.map(({ name, count }) => (
          <li key={name}>
            <span className={classes.bar} style={{ width: `${all > 0 ? (count / all) * 100 : 0}%` }} aria-hidden />
            <span className={classes.name}>{name}</span>
            <span>{shareOf(count, all)}</span>
            <span className={classes.count}>{number(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
