// Documents that are not well-formed, documents with a DTD, and unusual ones that are well-formed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callWith, faultOf, paramOf } from '../../../test/support/builders/xml-call.ts';

const good = callWith('<value><string>x</string></value>');
const body = good.slice('<?xml version="1.0"?>'.length);

/** Name → document. Each must end in -32700. */
const malformed: { [name: string]: string } = {
  'nothing at all': '',
  'white space only': ' \n\t ',
  'text only': 'hello',
  JSON: '{"method":"m","params":[]}',
  'a form body': 'method=m&apikey=x',
  'an XML declaration only': '<?xml version="1.0"?>',
  'a comment only': '<!-- x -->',
  'a lone <': '<',
  'a lone &': '&',
  'an opening bracket and space': '< methodCall>',
  'text before the root': `x${good}`,
  'text after the root': `${good}x`,
  'an entity after the root': `${good}&amp;`,
  'CDATA before the root': `<![CDATA[x]]>${body}`,
  'CDATA after the root': `${good}<![CDATA[x]]>`,
  'two roots': `${good}${body}`,
  'an empty second root': `${good}<a/>`,
  'an end tag after the root': `${good}</methodCall>`,
  'only an end tag': '</methodCall>',
  'an empty tag': '<>',
  'an empty end tag': '<methodCall></>',
  'a tag name beginning with a digit': '<1methodCall/>',
  'a tag name beginning with a dash': '<-methodCall/>',
  'a tag name beginning with a dot': '<.methodCall/>',
  'a tag with a slash inside': '<methodCall/ >',
  'a space after the bracket of an end tag': '<methodCall></ methodCall>',
  'attributes on an end tag': '<methodCall></methodCall a="1">',
  'other letters in the end tag': '<methodCall></methodcall>',
  'a tag in a tag': '<methodCall <b>></methodCall>',
  'a tag with an invalid character': '<method$Call/>',
  'an unfinished tag': '<methodCall',
  'an unfinished tag with an attribute': '<methodCall a="1"',
  'an unfinished end tag': '<methodCall></methodCall',
  'an unfinished comment': `${good}<!-- x`,
  'an unfinished processing instruction': `${good}<?x`,
  'an unfinished CDATA section': callWith('<value><![CDATA[x</value>'),
  'a CDATA section in small letters': callWith('<value><![cdata[x]]></value>'),
  'a CDATA section with a space': callWith('<value><![CDATA [x]]></value>'),
  'nested CDATA sections': callWith('<value><![CDATA[<![CDATA[x]]>]]></value>'),
  ']]> in text': callWith('<value>a]]>b</value>'),
  ']]]> in text': callWith('<value>a]]]>b</value>'),
  'a comment with --': callWith('<value><!-- a -- b --></value>'),
  'a comment ending in --->': callWith('<value><!-- a ---></value>'),
  'the comment <!-->': callWith('<value><!--></value>'),
  'the comment <!--->': callWith('<value><!---></value>'),
  'a comment in a tag': callWith('<value <!-- x -->>x</value>'),
  'a declaration that is none': callWith('<value><!x></value>'),
  'an element declaration without a DTD': `<!ELEMENT a ANY>${body}`,
  'a late XML declaration': ` ${good}`,
  'an XML declaration after a comment': `<!-- x -->${good}`,
  'two XML declarations': `<?xml version="1.0"?>${good}`,
  'an XML declaration inside': callWith('<value><?xml version="1.0"?>x</value>'),
  'a processing instruction called XML': callWith('<value><?XML x?>x</value>'),
  'a processing instruction called xMl': `<?xMl x?>${body}`,
  'a processing instruction without a name': callWith('<value><? x?>x</value>'),
  'a processing instruction with a digit': callWith('<value><?1 x?>x</value>'),
  'an empty processing instruction': callWith('<value><??>x</value>'),
  'a declaration without version': `<?xml encoding="utf-8"?>${body}`,
  'a declaration without anything': `<?xml?>${body}`,
  'a declaration of version 2': `<?xml version="2.0"?>${body}`,
  'a declaration of version one': `<?xml version="one"?>${body}`,
  'a declaration of no version': `<?xml version=""?>${body}`,
  'a declaration without quotes': `<?xml version=1.0?>${body}`,
  'a declaration with mixed quotes': `<?xml version="1.0'?>${body}`,
  'a declaration ending in >': `<?xml version="1.0">${body}`,
  'a declaration in wrong order': `<?xml encoding="utf-8" version="1.0"?>${body}`,
  'a declaration with standalone first': `<?xml version="1.0" standalone="yes" encoding="utf-8"?>${body}`,
  'a declaration without space': `<?xml version="1.0"encoding="utf-8"?>${body}`,
  'a declaration with standalone maybe': `<?xml version="1.0" standalone="maybe"?>${body}`,
  'a declaration with another attribute': `<?xml version="1.0" charset="utf-8"?>${body}`,
  'a declaration twice the version': `<?xml version="1.0" version="1.0"?>${body}`,
  'a declaration in capitals': `<?XML version="1.0"?>${body}`,
  'an attribute without value': '<methodCall a/>',
  'an attribute without quotes': '<methodCall a=1/>',
  'an attribute with one quote': '<methodCall a="1/>',
  'an attribute with mixed quotes': `<methodCall a="1'/>`,
  'an attribute given twice': '<methodCall a="1" a="2"/>',
  'attributes without space': '<methodCall a="1"b="2"/>',
  'an attribute with <': '<methodCall a="<"/>',
  'an attribute with a bare &': '<methodCall a="a & b"/>',
  'an attribute with an unknown entity': '<methodCall a="&x;"/>',
  'an attribute name with a digit first': '<methodCall 1a="1"/>',
  'a comma between attributes': '<methodCall a="1",b="2"/>',
  'an attribute called =': '<methodCall ="1"/>',
  'an empty entity': callWith('<value>&;</value>'),
  'a bare &': callWith('<value>a & b</value>'),
  'a bare & at the end': callWith('<value>a &</value>'),
  'an entity without semicolon': callWith('<value>&amp x</value>'),
  'an entity in capitals': callWith('<value>&AMP;</value>'),
  'an entity with a space': callWith('<value>&am p;</value>'),
  'an empty decimal reference': callWith('<value>&#;</value>'),
  'an empty hexadecimal reference': callWith('<value>&#x;</value>'),
  'a reference with capital X': callWith('<value>&#X41;</value>'),
  'a decimal reference with letters': callWith('<value>&#4A;</value>'),
  'a hexadecimal reference with g': callWith('<value>&#x4g;</value>'),
  'a negative reference': callWith('<value>&#-65;</value>'),
  'a reference with a sign': callWith('<value>&#+65;</value>'),
  'a reference with a space': callWith('<value>&# 65;</value>'),
  'a reference without semicolon': callWith('<value>&#65 </value>'),
  'a reference to NUL': callWith('<value>&#0;</value>'),
  'a hexadecimal reference to NUL': callWith('<value>&#x00;</value>'),
  'a reference to a control character': callWith('<value>&#1;</value>'),
  'a reference to backspace': callWith('<value>&#8;</value>'),
  'a reference to vertical tab': callWith('<value>&#11;</value>'),
  'a reference to escape': callWith('<value>&#27;</value>'),
  'a reference to a surrogate': callWith('<value>&#xD800;</value>'),
  'references to a surrogate pair in the wrong order': callWith('<value>&#xDE00;&#xD83D;</value>'),
  'references to a surrogate pair with a space between them': callWith('<value>&#xD83D; &#xDE00;</value>'),
  'a reference to U+FFFE': callWith('<value>&#xFFFE;</value>'),
  'a reference to U+FFFF': callWith('<value>&#65535;</value>'),
  'a reference beyond Unicode': callWith('<value>&#x110000;</value>'),
  'a reference of 2^32 + 65': callWith('<value>&#4294967361;</value>'),
  'a reference of 400 digits': callWith(`<value>&#${'9'.repeat(400)};</value>`),
  'version 1.1 and a reference to a control character': callWith('<value>&#1;</value>', '<?xml version="1.1"?>'),
};

describe('XML that is not well-formed is fault -32700', () => {
  for (const [name, document] of Object.entries(malformed)) {
    test(name, () => {
      const fault = faultOf(document);
      assert.equal(fault.code, -32700, fault.message);
      assert.match(fault.message, /^not well-formed XML(?:: .| at line \d+, column \d+$)/);
    });
  }

  for (const tag of ['methodCall', 'methodName', 'params', 'param', 'value', 'string']) {
    test(`<${tag}> not closed`, () => {
      assert.equal(faultOf(good.replace(`</${tag}>`, '')).code, -32700);
    });
    test(`<${tag}> closed twice`, () => {
      assert.equal(faultOf(good.replace(`</${tag}>`, `</${tag}></${tag}>`)).code, -32700);
    });
    test(`<${tag}> closed and not opened`, () => {
      assert.equal(faultOf(good.replace(`<${tag}>`, '')).code, -32700);
    });
    test(`<${tag}> closed under another name`, () => {
      assert.equal(faultOf(good.replace(`</${tag}>`, '</other>')).code, -32700);
    });
  }

  test('overlapping tags are not well-formed, whatever they contain', () => {
    for (const value of [
      '<value><int></value></int>',
      '<value><int>x</value></int>',
      '<value><struct><member></struct></member></value>',
      '<value><array></value></array>',
      '<value><struct><member><name>a</member></name></struct></value>',
    ]) {
      const fault = faultOf(callWith(value));
      assert.equal(fault.code, -32700, value);
      assert.match(fault.message, /^not well-formed XML at line 1, column \d+$/);
    }
  });

  test('a call cut off at any place is a fault', () => {
    for (let length = 0; length < good.length; length++) {
      assert.equal(faultOf(good.slice(0, length)).code, -32700, good.slice(0, length));
    }
  });

  test('the message contains line and column', () => {
    const { message } = faultOf('<methodCall>\n  <a b></methodCall>');
    assert.equal(message, 'not well-formed XML at line 2, column 7');
  });
});

const entity = '<!ENTITY a "x">';
const use = callWith('<value>&a;</value>', '');
const nested = (levels: number) =>
  Array.from({ length: levels }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');

/** What comes before a DOCTYPE, and the DOCTYPE. Each document must end in a fault about the DOCTYPE. */
const doctypes: { [name: string]: string } = {
  'an empty DOCTYPE': `<!DOCTYPE methodCall>${body}`,
  'an empty subset': `<!DOCTYPE methodCall []>${body}`,
  'a DOCTYPE after the declaration': `<?xml version="1.0"?><!DOCTYPE methodCall>${body}`,
  'a DOCTYPE after a BOM': `\uFEFF<!DOCTYPE methodCall>${body}`,
  'a DOCTYPE after BOM and declaration': `\uFEFF<?xml version="1.0"?>\n<!DOCTYPE methodCall>${body}`,
  'a DOCTYPE after white space': `\r\n\t <!DOCTYPE methodCall>${body}`,
  'a DOCTYPE after a comment': `<!-- <methodCall> --><!DOCTYPE methodCall>${body}`,
  'a DOCTYPE after an instruction': `<?x <methodCall> ?><!DOCTYPE methodCall>${body}`,
  'a DOCTYPE in small letters': `<!doctype methodCall>${body}`,
  'a DOCTYPE without a name': `<!DOCTYPE>${body}`,
  'an unfinished DOCTYPE': '<!DOCTYPE methodCall',
  'an unfinished subset': '<!DOCTYPE methodCall [',
  'a SYSTEM identifier': `<!DOCTYPE methodCall SYSTEM "http://127.0.0.1:9/x.dtd">${body}`,
  'a SYSTEM identifier with a file': `<!DOCTYPE methodCall SYSTEM "file:///etc/passwd">${body}`,
  'a PUBLIC identifier': `<!DOCTYPE methodCall PUBLIC "-//W3C//DTD X//EN" "http://127.0.0.1:9/x.dtd">${body}`,
  'an internal entity': `<!DOCTYPE methodCall [${entity}]>${use}`,
  'an external entity on a file': `<!DOCTYPE methodCall [<!ENTITY a SYSTEM "file:///etc/passwd">]>${use}`,
  'an external entity on HTTP': `<!DOCTYPE methodCall [<!ENTITY a SYSTEM "http://169.254.169.254/">]>${use}`,
  'an external entity on PHP': `<!DOCTYPE methodCall [<!ENTITY a SYSTEM "php://filter/read=x/resource=y">]>${use}`,
  'an external entity on expect': `<!DOCTYPE methodCall [<!ENTITY a SYSTEM "expect://id">]>${use}`,
  'a PUBLIC entity': `<!DOCTYPE methodCall [<!ENTITY a PUBLIC "x" "file:///etc/passwd">]>${use}`,
  'an unparsed entity': `<!DOCTYPE methodCall [<!NOTATION n SYSTEM "x"><!ENTITY a SYSTEM "y" NDATA n>]>${use}`,
  'a parameter entity': `<!DOCTYPE methodCall [<!ENTITY % p "x"> %p;]>${body}`,
  'an external parameter entity': `<!DOCTYPE methodCall [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>${body}`,
  'out-of-band parameter entities': `<!DOCTYPE m [<!ENTITY % f SYSTEM "file:///etc/hostname"><!ENTITY % e "<!ENTITY &#37; s SYSTEM 'http://127.0.0.1:9/?%f;'>">%e;%s;]>${body}`,
  'a billion laughs': `<!DOCTYPE methodCall [<!ENTITY l0 "lol">${nested(9)}]>${callWith('<value>&l9;</value>', '')}`,
  'quadratic blow-up': `<!DOCTYPE m [<!ENTITY a "${'x'.repeat(50_000)}">]>${callWith(`<value>${'&a;'.repeat(10_000)}</value>`, '')}`,
  'an entity that holds itself': `<!DOCTYPE methodCall [<!ENTITY a "&a;">]>${use}`,
  'entities that hold each other': `<!DOCTYPE methodCall [<!ENTITY a "&b;"><!ENTITY b "&a;">]>${use}`,
  'an entity with markup': `<!DOCTYPE methodCall [<!ENTITY a "<value/>">]>${use}`,
  'an entity in an attribute': `<!DOCTYPE methodCall [${entity}]><methodCall b="&a;"/>`,
  'a redefined amp': `<!DOCTYPE methodCall [<!ENTITY amp "x">]>${callWith('<value>&amp;</value>', '')}`,
  'a default attribute': `<!DOCTYPE methodCall [<!ATTLIST value a CDATA "x">]>${body}`,
  'an element declaration': `<!DOCTYPE methodCall [<!ELEMENT methodCall ANY>]>${body}`,
  'a notation': `<!DOCTYPE methodCall [<!NOTATION n SYSTEM "x">]>${body}`,
  'a conditional section': `<!DOCTYPE methodCall [<![INCLUDE[${entity}]]>]>${use}`,
  'a comment in the subset': `<!DOCTYPE methodCall [<!-- ]> -->${entity}]>${use}`,
  'an instruction in the subset': `<!DOCTYPE methodCall [<?x ]> ?>${entity}]>${use}`,
  'a quoted end in the subset': `<!DOCTYPE methodCall [<!ENTITY a "]>">]>${use}`,
  'a DOCTYPE of HTML': `<!DOCTYPE html><html></html>`,
  'an XHTML document': `<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x"><html/>`,
  'standalone and an entity': `<?xml version="1.0" standalone="yes"?><!DOCTYPE methodCall [${entity}]>${use}`,
  'a DOCTYPE of half a million opening brackets': `<!DOCTYPE methodCall [${'<!'.repeat(500_000)}`,
};

describe('a DOCTYPE is refused before any of it is read', () => {
  for (const [name, document] of Object.entries(doctypes)) {
    test(name, () => {
      const fault = faultOf(document);
      assert.equal(fault.code, -32600);
      assert.equal(fault.message, 'a DOCTYPE is not accepted');
    });
  }

  test('in ISO-8859-1 too', () => {
    const document = `<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE methodCall [${entity}]>${use}`;
    assert.equal(faultOf(Buffer.from(document, 'latin1')).message, 'a DOCTYPE is not accepted');
  });

  test('UTF-16 and UTF-7 cannot hide one', () => {
    const document = `<!DOCTYPE methodCall [${entity}]>${use}`;
    assert.match(faultOf(Buffer.from(`\uFEFF${document}`, 'utf16le')).message, /UTF-16/);
    assert.match(faultOf(Buffer.from(document, 'utf16le')).message, /UTF-16/);
    assert.match(faultOf(Buffer.from(`\uFEFF${document}`, 'utf16le').swap16()).message, /UTF-16/);
    assert.match(faultOf(`<?xml version="1.0" encoding="UTF-7"?>${document}`).message, /UTF-7/);
    assert.equal(faultOf('+ADwAIQ-DOCTYPE methodCall+AD4-').code, -32700);
  });

  test('a DOCTYPE inside the root or after it is not well-formed', () => {
    assert.equal(faultOf(`<methodCall><!DOCTYPE x></methodCall>`).code, -32700);
    assert.equal(faultOf(`${good}<!DOCTYPE x>`).code, -32700);
  });

  for (const name of ['a', 'nbsp', 'copy', 'euro', 'lol9', '__proto__', 'constructor', 'toString', 'xxe', '#xx']) {
    test(`the entity ${name} is unknown`, () => {
      assert.equal(faultOf(callWith(`<value>&${name};</value>`)).code, -32700);
    });
  }

  test('the word DOCTYPE in text, comments and CDATA is allowed', () => {
    const value = '<!-- <!DOCTYPE x> --><value>&lt;!DOCTYPE x><![CDATA[<!DOCTYPE y>]]></value>';
    assert.equal(paramOf(callWith(value)), '<!DOCTYPE x><!DOCTYPE y>');
  });

  test('XInclude and style sheets are not loaded', () => {
    const include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>';
    assert.match(faultOf(callWith(`<value>${include}</value>`)).message, /<xi:include> is not a type/);
    assert.match(faultOf(callWith(`<value><string>${include}</string></value>`)).message, /is not allowed in <string>/);
    const styled = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="file:///etc/passwd"?>${body}`;
    assert.equal(paramOf(styled), 'x');
  });
});

/** Name → [value as XML, the string it is]. */
const odd: { [name: string]: [string, string] } = {
  'the five entities': ['<value>&lt;&gt;&amp;&apos;&quot;</value>', `<>&'"`],
  'an entity made of entities': ['<value>&amp;lt;</value>', '&lt;'],
  'decimal references': ['<value>&#65;&#0065;&#243;</value>', 'AAó'],
  'hexadecimal references': ['<value>&#x41;&#xf3;&#xF3;&#x1F600;</value>', 'Aóó😀'],
  'a reference to CR': ['<value>a&#13;&#10;b</value>', 'a\r\nb'],
  'a reference to tab': ['<value>&#9;</value>', '\t'],
  'line ends of Windows': ['<value>a\r\nb\rc\nd</value>', 'a\nb\nc\nd'],
  CDATA: ['<value><![CDATA[<b>&amp;</b>]]></value>', '<b>&amp;</b>'],
  'empty CDATA': ['<value><![CDATA[]]></value>', ''],
  'CDATA with brackets': ['<value><![CDATA[]]]]><![CDATA[>]]></value>', ']]>'],
  'CDATA and text': ['<value>a<![CDATA[<]]>b</value>', 'a<b'],
  'CDATA in a string': ['<value><string>a<![CDATA[b]]></string></value>', 'ab'],
  'a comment in text': ['<value>a<!-- x -->b</value>', 'ab'],
  'a comment in a string': ['<value><string>a<!-- x -->b</string></value>', 'ab'],
  'an instruction in text': ['<value>a<?x y?>b</value>', 'ab'],
  'comments between elements': ['<!-- a --><value><!-- b --><string>x</string><!-- c --></value>', 'x'],
  'white space in tags': ['<value\n><string\t>x</string ></value\r\n>', 'x'],
  'white space around the type': ['<value>\n  <string> x </string>\n</value>', ' x '],
  'white space kept in a string': ['<value><string>\n x\t</string></value>', '\n x\t'],
  'white space kept without a type': ['<value>\n x\t</value>', '\n x\t'],
  'white space only': ['<value> </value>', ' '],
  'an empty string': ['<value><string></string></value>', ''],
  'a self-closed string': ['<value><string/></value>', ''],
  'a self-closed value': ['<value/>', ''],
  'an empty value': ['<value></value>', ''],
  '> and quotes in text': [`<value>a>b"c'd]]e</value>`, `a>b"c'd]]e`],
  attributes: [`<value a="1" b='2' xml:space="preserve">x</value>`, 'x'],
  'an attribute with references': ['<value a="&lt;&#65;\n">x</value>', 'x'],
  'a namespace': ['<value xmlns="urn:x" xmlns:y="urn:y"><string y:z="1">x</string></value>', 'x'],
  'astral characters': ['<value>😀𝒜</value>', '😀𝒜'],
  'right-to-left and combining characters': ['<value>שלום e\u0301\u202E</value>', 'שלום e\u0301\u202E'],
  'a BOM within text': ['<value>a\uFEFFb</value>', 'a\uFEFFb'],
  'C1 controls, which are windows-1252, and U+FFFD': ['<value>\x85\x9F\x81\uFFFD\u2028</value>', '…Ÿ\x81\uFFFD\u2028'],
};

describe('well-formed, however odd, is read', () => {
  for (const [name, [value, expected]] of Object.entries(odd)) {
    test(name, () => assert.equal(paramOf(callWith(value)), expected));
  }

  for (const declaration of [
    '',
    '\n',
    '<?xml version="1.0"?>',
    "<?xml version='1.0'?>",
    '<?xml version = "1.0" ?>',
    '<?xml version="1.0"\n  encoding="utf-8"\r\n standalone="no" ?>',
    '<?xml version="1.1"?>',
    '<?xml version="1.0"?>\n<!-- by hand -->\n<?php echo 1 ?>\n',
  ]) {
    test(`after ${JSON.stringify(declaration)}`, () => {
      assert.equal(paramOf(callWith('<value>x</value>', declaration)), 'x');
    });
  }

  test('comments, instructions and white space may follow the root', () => {
    assert.equal(paramOf(`${good}\n<!-- x --><?x?>\r\n`), 'x');
  });
});
