// The keys of the advisory locks of PostgreSQL, in one place so that no two uses share one. The numbers are arbitrary; a change
// would let processes of two versions hold the same lock at the same time. The lock of a mailbox that signs up is a 64-bit hash.

/** Locks of the whole database, with one key: one process at a time migrates, changes partitions or restores. */
export const locks = { migration: 7_067_318, partitions: 7_067_319, restore: 7_067_321 } as const;

/** The first of two keys. The second is the id of the worker or account. */
export const lockClasses = {
  /** Held by a worker as long as it lives. */
  worker: 7_067_319,
  /** Held by the worker that recovers what a dead one left. */
  recovery: 7_067_320,
  /** Held while files of an account are stored or deleted. */
  assets: 7_311,
  /** Held while test messages of an account are counted. */
  testMessages: 7_312,
} as const;
