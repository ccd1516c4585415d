// A process that links the consent log again and again, for tests that kill it: node chain-runner.ts URL.
import { linkDue } from '../../../src/audience/consent/chain.ts';
import { connect } from '../../../src/db/connect.ts';

const db = connect(process.argv[2]!, { maxConnections: 2 });
for (;;) await linkDue(db, new AbortController().signal);
