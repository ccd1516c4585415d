// Notification channels between the processes. A notification leaves with the commit of the transaction that made it.

/** A chunk of a delivery is due. */
export const chunkChannel = 'postrider_chunk';
/** Workers are to stop sending a campaign; payload is `account campaign`. */
export const stopChannel = 'postrider_stop';
