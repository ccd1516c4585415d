// What the SMTP sink does with a message, read from the local part of the recipient (for MAIL also of the sender).
//
//   local part = behaviour [ "." anything ]          everything else, such as ok.17 or jane, is accepted
//
//   550rcpt 421mail 451data 552dot                   refuse at that step with that code (mail, rcpt, data, dot)
//   451x3 450x2rcpt                                  refuse the first 3 times this address is tried, then accept (dot)
//   keepx1-dot dropx2-rcpt                           misbehave so the first time or two, then accept
//   say7rcpt                                         answer with the eighth of the sink's `says`, lines and all
//   greylist30                                       451 4.7.1 at RCPT until 30 s (times timeScale) after the first try
//   drop-S   rst-S                                   close, or reset, the connection instead of answering at S
//   stall-S                                          never answer; the connection stays
//   delay200-S                                       answer after 200 ms
//   drip-S                                           answer one octet each dripMs (drip alone: at the dot)
//   garbage-S long-S endless-S noeol-S nul-S         answer with what is no reply, 2 MB in a line, lines without end,
//                                                    a reply without its line end, a reply with a NUL
//   multi-S                                          answer in five lines
//   keep-dot                                         take the message, and close without a reply
//   drop-after250                                    take it, reply 250, and close
//   drop-half   stall-half                           close, or stop reading, in the middle of the body
//   refuse-half                                      452 in the middle of the body, and close
//
// S is one of connect ehlo starttls auth mail rcpt data dot quit; 354 is another word for data. Steps before MAIL know
// no recipient: they are scripted by the sink's `session`, with the same words less the step ({ ehlo: 'drop' },
// { connect: '421' }). MAIL looks at the recipient of an RCPT already received behind it, else at its sender.

export type Step = 'connect' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'half' | 'dot' | 'quit';

export type Act =
  | { act: 'accept' }
  | { act: 'reply'; code: number }
  | { act: 'drop' | 'rst' | 'stall' | 'drip' | 'garbage' | 'long' | 'endless' | 'noeol' | 'nul' | 'multi' | 'refuse' }
  | { act: 'delay'; ms: number }
  /** Taken, and then no word (dot) or a last one. */
  | { act: 'keep' | 'last' }
  | { act: 'say'; nth: number }
  | { act: 'first'; times: number; is: Act }
  | { act: 'greylist'; seconds: number };

export type Script = { step: Step; act: Act };

const accept: Act = { act: 'accept' };
const words = 'drop|rst|stall|drip|garbage|long|endless|noeol|nul|multi';

/** What is to happen at `step` for an address. */
export function actFor(address: string, step: Step): Act {
  const script = scriptOf(address);
  return script?.step === step ? script.act : accept;
}

export function scriptOf(address: string): Script | undefined {
  const [word = ''] = address.toLowerCase().split(/[.@]/, 1);
  const coded = /^([2-5]\d\d)(mail|rcpt|data|dot)$/.exec(word);
  if (coded) return { step: stepNamed(coded[2]!), act: { act: 'reply', code: Number(coded[1]) } };
  const times = /^([45]\d\d)x(\d+)(mail|rcpt|data|dot)?$/.exec(word);
  if (times)
    return {
      step: stepNamed(times[3] ?? 'dot'),
      act: { act: 'first', times: Number(times[2]), is: { act: 'reply', code: Number(times[1]) } },
    };
  const said = /^say(\d+)(mail|rcpt|data|dot)$/.exec(word);
  if (said) return { step: stepNamed(said[2]!), act: { act: 'say', nth: Number(said[1]) } };
  const grey = /^greylist(\d+)$/.exec(word);
  if (grey) return { step: 'rcpt', act: { act: 'greylist', seconds: Number(grey[1]) } };
  if (word === 'drip') return { step: 'dot', act: { act: 'drip' } };
  if (word === 'keep-dot') return { step: 'dot', act: { act: 'keep' } };
  if (word === 'drop-after250') return { step: 'dot', act: { act: 'last' } };
  if (word === 'refuse-half') return { step: 'half', act: { act: 'refuse' } };
  const cut = word.lastIndexOf('-');
  if (cut < 0) return undefined;
  const step = word.slice(cut + 1);
  if (!/^(mail|rcpt|data|354|half|dot|quit)$/.test(step)) return undefined;
  const [, name, often] = /^([a-z]+)x(\d+)$/.exec(word.slice(0, cut)) ?? [];
  const act = name === 'keep' ? ({ act: 'keep' } as Act) : sessionAct(name ?? word.slice(0, cut));
  return (
    act && { step: stepNamed(step), act: often === undefined ? act : { act: 'first', times: Number(often), is: act } }
  );
}

/** A word of `session`: a code, or what the server does instead of answering. */
export function sessionAct(word: string): Act | undefined {
  if (/^[2-5]\d\d$/.test(word)) return { act: 'reply', code: Number(word) };
  const delay = /^delay(\d+)$/.exec(word);
  if (delay) return { act: 'delay', ms: Number(delay[1]) };
  return new RegExp(`^(${words})$`).test(word) ? ({ act: word } as Act) : undefined;
}

function stepNamed(name: string): Step {
  return name === '354' ? 'data' : (name as Step);
}
