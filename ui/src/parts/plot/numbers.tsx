// The numbers of a plot as a table, for those who do not see it.
import { VisuallyHidden } from '@mantine/core';
import { useFormats } from '../formats.ts';
import type { PlotProps } from './props.ts';

export function Numbers({ title, rows, series }: Pick<PlotProps, 'title' | 'rows' | 'series'>) {
  const { number } = useFormats();
  return (
    <VisuallyHidden>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.x}>
              <th scope="row">{row.x}</th>
              {series.map(({ name }) => (
                <td key={name}>{number(Number(row[name] ?? 0))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
