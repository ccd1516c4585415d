// The proof of work that a sign-up from another site needs: a text whose SHA-256, together with the signed time at which the form
// was opened, begins with zeros. A browser takes a fraction of a second while the visitor types. Each proof is accepted once.
import { createHash } from 'node:crypto';
import { type Queries, sql } from '../../db/connect.ts';

/** About 16,000 hashes. */
export const proofBits = 14;

export function isProof(look: string, proof: string): boolean {
  if (!/^[0-9a-z]{1,16}$/.test(proof)) return false;
  return digestOf(look, proof).readUInt32BE() >>> (32 - proofBits) === 0;
}

/** Takes a proof; false if it was taken before. */
export async function spendProof(db: Queries, look: string, proof: string): Promise<boolean> {
  const count = await db.run(sql`
    insert into signup_proof (digest)
    values (${digestOf(look, proof)})
    on conflict do nothing`);
  return count > 0;
}

const digestOf = (look: string, proof: string) => createHash('sha256').update(`${look}:${proof}`).digest();
