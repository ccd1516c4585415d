// Notification channels between the processes. PostgreSQL delivers a notification when its transaction commits.

/** A chunk of a delivery is due; the payload is `ofLists` for a message of a list. */
export const chunkChannel = 'postrider_chunk';
export const ofLists = 'lists';
/** Workers must stop sending a campaign; the payload is `account campaign`. */
export const stopChannel = 'postrider_stop';
/** The relays have changed. */
export const relayChannel = 'postrider_relays';
/** A worker has started: the others have a smaller share of the relays. They look every few seconds whether one has ended. */
export const workerChannel = 'postrider_workers';
