// Numbers up to now as a small line without axes, beside the number that they led to. The line is for the eye only: what it shows is said
// in words beside it.
const width = 72;
const height = 24;

export function Course({ points, className }: { points: readonly number[]; className?: string | undefined }) {
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const isFlat = low === high;
  const path = points
    .map((point, i) => {
      const x = (i / (points.length - 1)) * width;
      const y = isFlat ? height / 2 : height - 2 - ((point - low) / (high - low)) * (height - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <svg className={className} viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden>
      <polyline points={path} fill="none" stroke="var(--plot-1)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
