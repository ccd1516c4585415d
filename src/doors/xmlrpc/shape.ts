// Builds values from the tags and texts of an XML-RPC document, and checks that each is in a place XML-RPC allows.
// A fault has the path (`params[0].options.title`) and line of the first error; depth and number of values are bounded.
// Well-formedness is left to the parser, the text of scalars to scalar.ts.
import { MAX_DEPTH, newStruct, type Wire, WireFault, type WireStruct } from '../../method/wire.ts';
import { SCALARS } from './scalar.ts';

/** The contents of a complete document. */
export interface Root {
  methodName?: string;
  params?: Wire[];
  fault?: Wire;
}

/**
 * A missing end tag first looks like an element in the wrong place, but the document should be reported as not
 * well-formed. So the parser may continue for this many events after the first error.
 */
const EVENTS_AFTER_FAULT = 10_000;

export class Shape {
  readonly #root: Root = {};
  readonly #rootName: 'methodCall' | 'methodResponse';
  readonly #maxValues: number;
  readonly #open: Frame[] = [];
  #values = 0;
  #depth = 0;
  #fault: WireFault | undefined;
  #eventsAfterFault = 0;

  constructor(rootName: 'methodCall' | 'methodResponse', maxValues: number) {
    this.#rootName = rootName;
    this.#maxValues = maxValues;
  }

  /** The contents of the document. Throws the fault of a document that is not XML-RPC. */
  root(): Root {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#root;
  }

  /** An element begins. */
  open(tag: string, line: number): void {
    if (this.#isWrong()) return;
    const why = this.#begin(tag);
    if (why !== undefined) this.#fail(why, line);
  }

  /** Text or CDATA, possibly one of several pieces. */
  text(piece: string, line: number): void {
    if (this.#isWrong()) return;
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    if (frame.rule.takesText && frame.held === 0) frame.text += piece;
    else if (hasText(piece)) this.#fail(`text in <${frame.tag}> beside its elements`, line);
  }

  /** The innermost open element ends. */
  close(line: number): void {
    if (this.#isWrong()) return;
    const frame = this.#open.at(-1)!;
    if (frame.rule === STRUCT || frame.rule === ARRAY) this.#depth--;
    const why = frame.rule.end(frame, this.#open.at(-2), this.#root);
    if (why !== undefined) this.#fail(why, line);
    else this.#open.pop();
  }

  #begin(tag: string): string | undefined {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (tag !== this.#rootName) return `the root is ${shown(tag)}, not <${this.#rootName}>`;
      this.#open.push(new Frame(ROOTS[tag], tag));
      return undefined;
    }
    const rule = parent.rule.children.get(tag);
    if (rule === undefined) {
      return `${shown(tag)} ${parent.rule === VALUE ? 'is not a type' : `is not allowed in <${parent.tag}>`}`;
    }
    if (parent.isFullFor(rule)) return `${shown(tag)} after all that <${parent.tag}> may contain`;
    if (hasText(parent.text)) return `text beside ${shown(tag)}`;
    if (rule === VALUE && ++this.#values > this.#maxValues) return `more than ${this.#maxValues} values`;
    if ((rule === STRUCT || rule === ARRAY) && ++this.#depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH}`;
    parent.held |= rule.bit;
    this.#open.push(new Frame(rule, tag));
    return undefined;
  }

  #isWrong(): boolean {
    if (this.#fault === undefined) return false;
    if (++this.#eventsAfterFault > EVENTS_AFTER_FAULT) throw this.#fault;
    return true;
  }

  #fail(why: string, line: number): void {
    const path = this.#path();
    this.#fault = new WireFault(-32600, `not XML-RPC: ${path === '' ? '' : `${path}: `}${why} (line ${line})`);
  }

  #path(): string {
    let path = '';
    this.#open.forEach((frame, i) => {
      const inside = i < this.#open.length - 1;
      if (frame.rule === PARAMS && inside) path += `params[${frame.list.length}]`;
      else if (frame.rule === DATA && inside) path += `[${frame.list.length}]`;
      else if (frame.rule === FAULT) path += 'fault';
      else if (frame.rule === MEMBER && frame.name !== undefined) path += `.${clipped(frame.name)}`;
    });
    return path;
  }
}

/** An open element, with what its children have passed on so far. */
class Frame {
  readonly rule: Rule;
  readonly tag: string;
  /** Which kinds of children there were, by their bits. */
  held = 0;
  text = '';
  name: string | undefined = undefined;
  /** Undefined is nil. */
  value: Wire | undefined = undefined;
  list: Wire[];
  struct: WireStruct;
  nilMembers: Set<string> | undefined = undefined;

  constructor(rule: Rule, tag: string) {
    this.rule = rule;
    this.tag = tag;
    this.list = rule === DATA || rule === PARAMS ? [] : NO_LIST;
    this.struct = rule === STRUCT ? newStruct() : NO_STRUCT;
  }

  isFullFor(rule: Rule): boolean {
    return this.rule.isFull(this.held, rule.bit);
  }
}

const NO_LIST: Wire[] = [];
const NO_STRUCT = Object.freeze(newStruct());

/** Passes the contents of an element to its parent at its end, or returns what is wrong with it. */
type End = (frame: Frame, parent: Frame | undefined, root: Root) => string | undefined;

/** One kind of element. */
interface Rule {
  bit: number;
  children: Map<string, Rule>;
  isFull: IsFull;
  takesText: boolean;
  end: End;
}

/** Whether an element that holds these kinds of children may not hold another of the kind of `bit`. */
type IsFull = (held: number, bit: number) => boolean;
const one: IsFull = (held) => held !== 0;
const oneOfEach: IsFull = (held, bit) => (held & bit) !== 0;
const many: IsFull = () => false;
/** No child is allowed at all. */
const nothing = one;

let nextBit = 1;

function rule(isFull: IsFull, takesText: boolean, end: End): Rule {
  const bit = nextBit;
  nextBit *= 2;
  return { bit, children: new Map(), isFull, takesText, end };
}

const METHOD_NAME = rule(nothing, true, (frame, _parent, root) => {
  root.methodName = frame.text;
  return undefined;
});

const PARAMS = rule(many, false, (frame, _parent, root) => {
  root.params = frame.list;
  return undefined;
});

const PARAM = rule(one, false, (frame, parent) => {
  if (frame.held === 0) return '<param> contains no <value>';
  parent!.list.push(frame.value ?? '');
  return undefined;
});

const FAULT = rule(one, false, (frame, _parent, root) => {
  if (frame.held === 0) return '<fault> contains no <value>';
  root.fault = frame.value ?? '';
  return undefined;
});

/** A value without a type is a string. */
const VALUE = rule(one, true, (frame, parent) => {
  const value = frame.held === 0 ? frame.text : frame.value;
  if (parent!.rule === DATA) parent!.list.push(value ?? '');
  else parent!.value = value;
  return undefined;
});

const STRUCT = rule(many, false, (frame, parent) => {
  parent!.value = frame.struct;
  return undefined;
});

const NAME = rule(nothing, true, (frame, parent) => {
  parent!.name = frame.text;
  return undefined;
});

const MEMBER = rule(oneOfEach, false, ({ name, value, held }, parent) => {
  if (name === undefined) return '<member> contains no <name>';
  if ((held & VALUE.bit) === 0) return '<member> contains no <value>';
  const { struct, nilMembers } = parent!;
  if (name in struct || nilMembers?.has(name)) return 'a member given twice';
  if (value !== undefined) struct[name] = value;
  else if (nilMembers === undefined) parent!.nilMembers = new Set([name]);
  else nilMembers.add(name);
  return undefined;
});

const ARRAY = rule(one, false, (frame, parent) => {
  if (frame.held === 0) return '<array> contains no <data>';
  parent!.value = frame.list;
  return undefined;
});

const DATA = rule(many, false, (frame, parent) => {
  parent!.list = frame.list;
  return undefined;
});

const NIL = rule(nothing, false, () => undefined);

const ROOTS = {
  methodCall: rule(oneOfEach, false, () => undefined),
  methodResponse: rule(one, false, () => undefined),
};

for (const [parent, children] of [
  [ROOTS.methodCall, { methodName: METHOD_NAME, params: PARAMS }],
  [ROOTS.methodResponse, { params: PARAMS, fault: FAULT }],
  [PARAMS, { param: PARAM }],
  [PARAM, { value: VALUE }],
  [FAULT, { value: VALUE }],
  [VALUE, { struct: STRUCT, array: ARRAY, nil: NIL, 'ex:nil': NIL, ...scalarRules() }],
  [STRUCT, { member: MEMBER }],
  [MEMBER, { name: NAME, value: VALUE }],
  [ARRAY, { data: DATA }],
  [DATA, { value: VALUE }],
] satisfies [Rule, { [tag: string]: Rule }][]) {
  for (const [tag, child] of Object.entries(children)) parent.children.set(tag, child);
}

function scalarRules(): { [tag: string]: Rule } {
  const rules: { [tag: string]: Rule } = {};
  for (const [tag, { expected, read }] of Object.entries(SCALARS)) {
    rules[tag] = rule(nothing, true, (frame, parent) => {
      parent!.value = read(frame.text);
      // The text itself is not repeated: it may be an API key, and faults are logged.
      return parent!.value === undefined ? `the text of <${tag}> is not ${expected}` : undefined;
    });
  }
  return rules;
}

/** Whether there is anything but white space (XML 1.0 section 2.3). */
function hasText(text: string): boolean {
  return /[^\t\n\r ]/.test(text);
}

function clipped(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function shown(tag: string): string {
  return `<${clipped(tag)}>`;
}
