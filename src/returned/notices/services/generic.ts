// Our own form, for programs and for services that are not in the list: an object or an array of objects with `type`
// (bounce, complaint or unsubscribe), `email`, and what names the message: `id` (X-Postrider-ID), `message_id` or
// `service_id` (the id in the relay's reply). A bounce has `reply`, `status` (such as 5.1.1) and perhaps `class`.
import { bounceClasses } from '../../../events/types.ts';
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt } from '../../parse/notice.ts';

export const generic: Service = {
  signs: false,
  read(_app, { body }) {
    const events = eventsOf(body);
    if (!events.ok) return events;
    const wrong = events.value.findIndex(
      (event) => !['bounce', 'complaint', 'unsubscribe'].includes(textAt(event, 'type')),
    );
    if (wrong >= 0)
      return { ok: false, why: `the type of notice ${wrong + 1} is not bounce, complaint or unsubscribe` };
    return { ok: true, notices: events.value.map(noticeIn) };
  },
};

const classNames: readonly string[] = bounceClasses;

function noticeIn(event: unknown): ServiceNotice {
  const kind = textAt(event, 'type') as ServiceNotice['kind'];
  const about = {
    kind,
    email: textAt(event, 'email'),
    token: textAt(event, 'id'),
    messageId: textAt(event, 'message_id'),
    serviceId: textAt(event, 'service_id'),
  };
  if (kind !== 'bounce')
    return noticeOf({ ...about, class: kind === 'complaint' ? textAt(event, 'feedback_type') || 'abuse' : '' });
  const reply = textAt(event, 'reply');
  const named = textAt(event, 'class');
  const found = classNames.includes(named) ? named : classOf('generic', reply, textAt(event, 'status'));
  return noticeOf({ ...about, class: found, code: Number(textAt(event, 'code')) || 0, reply });
}
