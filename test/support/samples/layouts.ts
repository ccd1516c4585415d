// Newsletter pages in the manner of the makes that are met in practice, for round trips: builders' nested tables,
// Outlook's conditional comments and VML, AMP-like documents, inline SVG, data: images, writing from right to left,
// Asian scripts, pages that came from 8-bit charsets, hand-made oddities. All text and markup is our own.

export type Layout = { name: string; html: string };

const sentence = 'The kettle sings, the garden wakes, and somebody has baked bread for the whole street.';

const pixelGif = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const foot = `<p style="font-size:11px;color:#777">You get this because you asked for it. <a href="*|UNSUB|*">Leave</a> &middot; <a href="*|UPDATE_PROFILE|*">Change</a> &middot; <a href="*|ARCHIVE|*">In the browser</a><br>*|LIST:COMPANY|*, *|LIST:ADDRESS|*</p>`;

function page(body: string, head = ''): string {
  return `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>*|CAMPAIGN:SUBJECT|*</title>\n${head}</head>\n<body>\n${body}\n${foot}\n</body>\n</html>\n`;
}

function nested(depth: number, inner: string): string {
  let html = inner;
  for (let i = 0; i < depth; i++) {
    html = `<table role="presentation" width="100%" border="0" cellpadding="0" cellspacing="0"><tbody><tr><td align="center" style="padding:${i}px">\n${html}\n</td></tr></tbody></table>`;
  }
  return html;
}

const article = (i: number) =>
  `<h2 style="margin:0">Story ${i}</h2><p>Dear *|FNAME|*, ${sentence} <a href="https://news.example/story/${i}?ref=letter&amp;pos=${i}">Read on</a></p>`;

export const layouts: readonly Layout[] = [
  { name: 'plain page with one link', html: page(`<p>${sentence}</p><a href="https://shop.example/">Shop</a>`) },
  {
    name: 'three columns of a drag-and-drop builder',
    html: page(
      nested(
        4,
        `<table width="600"><tr>${[1, 2, 3].map((i) => `<td width="200" valign="top" class="col">${article(i)}</td>`).join('')}</tr></table>`,
      ),
    ),
  },
  { name: 'tables nested forty deep', html: page(nested(40, article(1))) },
  {
    name: 'Outlook columns in conditional comments',
    html: page(
      `<!--[if mso | IE]>\n<table align="center" width="600" style="width:600px;"><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;">\n<![endif]-->\n<div style="margin:0 auto;max-width:600px">${article(1)}</div>\n<!--[if mso | IE]>\n</td></tr></table>\n<![endif]-->`,
    ),
  },
  {
    name: 'bulletproof VML button',
    html: page(
      `<div><!--[if mso]>\n<v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="https://shop.example/deal?x=1&amp;y=2" style="height:40px;v-text-anchor:middle;width:200px;" arcsize="10%" stroke="f" fillcolor="#d62828">\n<w:anchorlock/>\n<center style="color:#fff">\n<![endif]-->\n<a href="https://shop.example/deal?x=1&amp;y=2" style="background-color:#d62828;display:inline-block">Take it</a>\n<!--[if mso]>\n</center>\n</v:roundrect>\n<![endif]--></div>`,
    ),
  },
  {
    name: 'VML background image',
    html: page(
      `<td background="https://img.example/bg.png" bgcolor="#7bceeb" valign="top">\n<!--[if gte mso 9]>\n<v:rect xmlns:v="urn:schemas-microsoft-com:vml" fill="true" stroke="false" style="width:600px;height:92px;">\n<v:fill type="tile" src="https://img.example/bg.png" color="#7bceeb" />\n<v:textbox inset="0,0,0,0">\n<![endif]-->\n<div>${article(2)}</div>\n<!--[if gte mso 9]>\n</v:textbox>\n</v:rect>\n<![endif]-->\n</td>`,
    ),
  },
  {
    name: 'downlevel-revealed conditional comment',
    html: page(`<!--[if !mso]><!-->${article(1)}<!--<![endif]--><![if !mso]><p>For the others</p><![endif]>`),
  },
  {
    name: 'office settings in the head',
    html: page(
      article(1),
      '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->\n<style type="text/css">#outlook a{padding:0} .ReadMsgBody{width:100%} @media only screen and (max-width:480px){.col{width:100%!important}}</style>\n',
    ),
  },
  {
    name: 'AMP-like document',
    html: `<!doctype html>\n<html ⚡4email data-css-strict>\n<head><meta charset="utf-8"><script async src="https://cdn.example/v0.js"></script><style amp4email-boilerplate>body{visibility:hidden}</style></head>\n<body><amp-img src="https://img.example/a.png" width="600" height="200" layout="responsive"></amp-img><a href="https://shop.example/amp?*|FNAME|*">Look</a><amp-carousel><template type="amp-mustache">{{name}} <b>{{{raw}}}</b></template></amp-carousel>${foot}</body></html>`,
  },
  {
    name: 'inline SVG with links and a style',
    html: page(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10"><style>.a{fill:red}</style><title>Logo</title><a xlink:href="https://svg.example/x"><path class="a" d="M0 0L10 10"/></a><a href="https://svg.example/y"><circle r="3"/></a></svg>${article(3)}`,
    ),
  },
  {
    name: 'images as data addresses',
    html: page(
      `<img src="${pixelGif}" alt="dot"><img alt=big src='data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(300)}'>${article(1)}`,
    ),
  },
  {
    name: 'right to left, Arabic',
    html: `<!DOCTYPE html><html dir="rtl" lang="ar"><head><meta charset="utf-8"></head><body><p>مرحبا *|FNAME|*، هذه رسالتنا الشهرية.</p><a href="https://shop.example/عروض?س=١">العروض</a>${foot}</body></html>`,
  },
  {
    name: 'right to left, Hebrew, with marks',
    html: page(
      `<div dir="rtl" align="right">שלום *|FNAME|*\u200f! המבצע נגמר ב-5\u200f. <a href="https://shop.example/he">לאתר</a></div>`,
    ),
  },
  {
    name: 'Japanese',
    html: page(
      `<p lang="ja">*|LNAME|* 様、いつもお世話になっております。新しい商品のご案内です。<a href="https://shop.example/新着">詳しくはこちら</a></p>`,
    ),
  },
  {
    name: 'Chinese without a single space in a long line',
    html: page(`<p lang="zh">${'春天来了我们的花园里开满了花欢迎您带着家人一起来'.repeat(120)}</p>${article(1)}`),
  },
  {
    name: 'Korean',
    html: page(
      `<p lang="ko">*|FNAME|*님, 안녕하세요. 이번 달 소식입니다. <a href="https://shop.example/ko">보기</a></p>`,
    ),
  },
  { name: 'Thai and Devanagari', html: page(`<p>สวัสดี *|FNAME|* — नमस्ते। ${sentence}</p>${article(1)}`) },
  {
    name: 'Cyrillic and Greek in attributes',
    html: page(
      `<a title="Новости для *|FNAME|*" href="https://shop.example/ru">Подробнее</a><img alt="Καλημέρα" src="https://img.example/g.png">`,
    ),
  },
  { name: 'emoji with joiners and flags', html: page(`<h1>👩‍👩‍👧‍👦 *|FNAME|* 🇫🇮🇩🇪 ❤️‍🔥 👍🏽</h1>${article(1)}`) },
  {
    name: 'came from windows-1252, with its charset still named',
    html: `<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252"></head><body><p>Caf\u00e9 \u20ac5 \u2013 \u201cfine\u201d \u0080\u0093old\u0094</p>${article(1)}${foot}</body></html>`,
  },
  {
    name: 'came from ISO-8859-2, undecodable marks left',
    html: page(`<p>P\u0159\u00edli\u0161 \u017elu\u0165ou\u010dk\u00fd \ufffd\ufffd k\u016f\u0148</p>${article(1)}`),
  },
  {
    name: 'character references of every kind',
    html: page(
      `<p>&nbsp;&copy;&#169;&#xA9;&notit;&amp;amp;&lt;b&gt;&hellip;&unknown;&#0;&#x80;&#1114112; a&copy=b</p><a href="https://shop.example/?a=1&copy=2&amp;lt=3&lt;">Odd</a>`,
    ),
  },
  {
    name: 'quotes of all kinds',
    html: page(
      `<a href='https://shop.example/single?q="x"'>1</a> <a href=https://shop.example/none>2</a> <a href = "https://shop.example/spaced" >3</a> <A HREF="HTTPS://SHOP.EXAMPLE/UPPER" TARGET=_blank>4</A> <a\nhref="https://shop.example/line"\n>5</a>`,
    ),
  },
  {
    name: 'attributes twice, without value, with odd names',
    html: page(
      `<a href="https://shop.example/first" href="https://shop.example/second" nowrap data-x @click="y" =z>1</a><td nowrap bgcolor=#fff width=100%>${article(1)}</td>`,
    ),
  },
  {
    name: 'links that are not tracked',
    html: page(
      `<a href="mailto:desk@shop.example?subject=Hi%20there">mail</a> <a href="tel:+491234">tel</a> <a href="sms:+49">sms</a> <a href="#top">top</a> <a href="">none</a> <a href="/relative/x">rel</a> <a name="top">anchor</a> <a href="//shop.example/slashes">s</a> <a href="javascript:void(0)">js</a>`,
    ),
  },
  {
    name: 'merge tags in all notations and places',
    html: page(
      `<p title="*|FNAME|*" data-x='#[LNAME]#' class=*[FNAME]*>*|FNAME|* #[LNAME:nobody]# *[EMAIL]*</p><!-- to *|EMAIL|* --><a href="https://shop.example/u/*|EMAIL|*?n=#[FNAME]#&amp;l=*[LNAME]*#*|FNAME|*">me</a><a href="https://shop.example/*%7CFNAME%7C*/#%5BLNAME%5D#">enc</a>`,
    ),
  },
  {
    name: 'image map',
    html: page(
      `<img usemap="#m" src="https://img.example/map.png" alt="Map"><map name="m"><area shape="rect" coords="0,0,10,10" href="https://shop.example/left"><area shape="rect" coords="10,0,20,10" href="https://shop.example/right"></map>`,
    ),
  },
  {
    name: 'no html, head or body element',
    html: `<table width=600><tr><td>Hi *|FNAME|*<td><a href=https://shop.example/a>A</a><tr><td>unclosed`,
  },
  { name: 'body never closed', html: `<html><body>${article(1)}${article(2)}<p>and on` },
  {
    name: 'text after the end of the html',
    html: `<html><body>${article(1)}</body></html>\n<p>Straggler <a href="https://late.example/x">late</a></p>\n<!-- built in 12 ms -->\n`,
  },
  { name: 'two bodies', html: `<html><body>${article(1)}</body><body>${article(2)}</body></html>` },
  {
    name: 'comment never closed',
    html: `<html><body>${article(1)}<!-- and the rest is gone <a href="https://lost.example/">lost</a></body></html>`,
  },
  {
    name: 'style never closed',
    html: `<html><body>${article(1)}<style>.a{color:red} <a href="https://lost.example/">lost</a></body></html>`,
  },
  { name: 'tag never closed at the end', html: `<html><body>${article(1)}<a href="https://lost.example/` },
  {
    name: 'formatting elements crossed',
    html: page(
      `<b>bold <i>both</b> italic</i> <font color=red><p>para</font></p><a href="https://a.example/1">one <a href="https://a.example/2">two</a></a>`,
    ),
  },
  {
    name: 'XHTML with self-closing tags and a declaration',
    html: `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml"><head><meta name="viewport" content="width=device-width" /></head><body><br /><img src="https://img.example/x.png" alt="x" /><a href="https://shop.example/x" />${article(1)}${foot}</body></html>`,
  },
  {
    name: 'one line of two hundred kilobytes',
    html: `<html><body>${Array.from({ length: 900 }, (_, i) => article(i)).join('')}</body></html>`,
  },
  {
    name: 'carriage returns of three kinds',
    html: `<html>\r\n<body>\r${article(1)}\n\r\n<pre>a\tb  \r\n  c   \n</pre></body>\r\n</html>`,
  },
  {
    name: 'lines that end in blanks, begin with dots and with From',
    html: page(
      `<pre>\n.\n..\n.hidden\nFrom here on\nFrom  two\n>From\nblank \ntab\t\n \n\t\n--\n-- \n--=_a_x\n</pre>${article(1)}`,
    ),
  },
  {
    name: 'preheader padded with invisible characters',
    html: page(
      `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Three stories inside ${'&zwnj;&nbsp;'.repeat(80)}${'\u200c\u00a0\u034f'.repeat(40)}</div>${article(1)}`,
    ),
  },
  {
    name: 'picture with sources and srcset',
    html: page(
      `<picture><source media="(prefers-color-scheme: dark)" srcset="https://img.example/d.png, https://img.example/d2.png 2x"><img src="https://img.example/l.png" srcset="https://img.example/l.png 1x, https://img.example/l2.png 2x" alt="Logo"></picture>${article(1)}`,
    ),
  },
  {
    name: 'interactive with form and checkbox',
    html: page(
      `<input type="checkbox" id="c" style="display:none"><label for="c">Open</label><form action="https://shop.example/search" method="get"><input name="q" value="*|FNAME|*"><button>Go</button></form><style>#c:checked~.more{display:block}</style><div class="more">${article(1)}</div>`,
    ),
  },
  {
    name: 'structured data and tracking scripts left in',
    html: page(
      `<script type="application/ld+json">{"@context":"http://schema.org","@type":"EmailMessage","potentialAction":{"@type":"ViewAction","url":"https://shop.example/order?<a href='x'>"}}</script><script>if (a < b && c > d) document.write("<a href='https://script.example/'>x</a>")</script>${article(1)}`,
    ),
  },
  {
    name: 'other makes’ template signs',
    html: page(
      `<p>{{ name }} {% if a %} {$name} <%= x %> [[y]] %%first%% \${z} #{w} {!Contact.Name} [FNAME] |FNAME| *FNAME* %FNAME%</p>${article(1)}`,
    ),
  },
  {
    name: 'background images in styles',
    html: page(
      `<div style="background:url('https://img.example/b.png?a=1&amp;b=2') no-repeat;font-family:'Open Sans',Arial">${article(1)}</div><td style='background-image:url(https://img.example/*|FNAME|*.png)'>x</td>`,
    ),
  },
  {
    name: 'links with fragments, ports, users and odd paths',
    html: page(
      `<a href="https://shop.example:8443/a;b=c/?x[]=1&amp;x[]=2#/route?y=1">1</a><a href="https://u:p@shop.example/">2</a><a href="https://shop.example?only">3</a><a href="https://shop.example#frag">4</a><a href="https://xn--bcher-kva.example/ü">5</a><a href="https://shop.example/a b">6</a><a href=" https://shop.example/trim ">7</a><a href="https://shop.example/100%">8</a>`,
    ),
  },
  {
    name: 'same link thirty times',
    html: page(Array.from({ length: 30 }, (_, i) => `<a href="https://shop.example/same">${i}</a>`).join('\n')),
  },
  {
    name: 'a thousand links',
    html: page(Array.from({ length: 1000 }, (_, i) => `<a href="https://shop.example/p/${i}">${i}</a>`).join(' ')),
  },
  {
    name: 'hidden controls and line separators',
    html: page(`<p>a\u0001b\u0008c\u000bd\u000ce\u007ff\u0085g\u2028h\u2029i\ufeffj\u00adk</p>${article(1)}`),
  },
];
