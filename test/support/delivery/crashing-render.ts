// The renderer with a recipient that crashes the process, for crash-at.ts. Other messages are rendered normally.
import { prepare as really } from '../../../src/delivery/message/render.ts';
import { crash } from './crash-at.ts';

const poison = (process.env['CRASH_AT'] ?? '').split(' ')[1] ?? '';

export const prepare: typeof really = (...content) => {
  const renderer = really(...content);
  return {
    ...renderer,
    render(envelope, ...rest) {
      if (envelope.email.includes(poison)) crash();
      return renderer.render(envelope, ...rest);
    },
  };
};

export * from '../../../src/delivery/message/render.ts';
