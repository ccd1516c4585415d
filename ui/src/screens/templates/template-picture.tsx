// The picture of a template. A placeholder stands for one that is still to be taken, and is asked for again until then: those of a new
// account take half a minute.
import { useEffect, useRef, useState } from 'react';
import { placeholderWidth } from '../../../../src/campaigns/templates/placeholder-width.ts';
import { pathOf } from '../../api/base-path.ts';

/** Before it is asked for again. Then there is probably no browser on the server. */
const pausesMs = [2_000, 4_000, 8_000, 15_000, 30_000];

export function TemplatePicture({ address }: { address: string }) {
  const [attempt, setAttempt] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const path = pathOf(address);
  return (
    <img
      src={attempt === 0 ? path : `${path}?attempt=${attempt}`}
      alt=""
      loading="lazy"
      onLoad={({ currentTarget }) => {
        const pause = pausesMs[attempt];
        if (currentTarget.naturalWidth !== placeholderWidth || pause === undefined) return;
        timer.current = setTimeout(() => setAttempt(attempt + 1), pause);
      }}
    />
  );
}
