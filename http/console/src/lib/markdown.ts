// Markdown as HTML, by marked; https://marked.js.org. The texts are the pages of this project, and tags in them are shown as text.
import {Marked, Parser, TextRenderer} from 'marked';
import type {Token} from 'marked';

export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

export interface Reading {
  /** The id of the heading with that anchor. */
  idOf: (anchor: string) => string;
  /** Where a link leads; null where it leads nowhere, so that its text alone is shown. */
  linkTo: (target: string) => string | null;
  /** Headings above this level are left out. */
  from?: number;
}

export interface Shown {
  html: string;
  headings: Heading[];
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** Text without its marks, as it is read. */
function plain(tokens: Token[]): string {
  return Parser.parseInline(tokens, {renderer: new TextRenderer() as never});
}

/** The anchor that GitHub gives to a heading of this text. */
export function anchorOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
}

export function shown(markdown: string, by: Reading): Shown {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  const unused = (anchor: string): string => {
    const before = taken.get(anchor) ?? 0;
    taken.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
  const reader = new Marked({gfm: true, renderer: {
    heading({tokens, depth}) {
      const text = plain(tokens);
      const anchor = unused(anchorOf(text));
      if (depth < (by.from ?? 1)) return '';
      headings.push({level: depth, text, anchor});
      return `<h${depth} id="${escaped(by.idOf(anchor))}" tabindex="-1">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({text}) {
      return `<pre class="code" tabindex="0" role="group" aria-label="Example">${escaped(text)}</pre>\n`;
    },
    link({href, tokens}) {
      const to = by.linkTo(href);
      const inside = this.parser.parseInline(tokens);
      return to === null ? inside : `<a href="${escaped(to)}">${inside}</a>`;
    },
    image({text}) {
      return escaped(text);
    },
    html({text}) {
      return escaped(text);
    },
    table({header, rows}) {
      const heads = header.map(each => (each.tokens.length === 0 ? '<td role="cell"></td>' : `<th role="columnheader" scope="col">${this.parser.parseInline(each.tokens)}</th>`));
      const labels = header.map(each => escaped(plain(each.tokens)));
      const body = rows.map(row => `<tr role="row">${row.map((each, i) => `<td role="cell" data-label="${labels[i] ?? ''}"><span>${this.parser.parseInline(each.tokens)}</span></td>`).join('')}</tr>`);
      return `<table class="table" role="table"><thead role="rowgroup"><tr role="row">${heads.join('')}</tr></thead><tbody role="rowgroup">${body.join('')}</tbody></table>\n`;
    }
  }});
  const html = reader.parse(markdown, {async: false});
  return {html, headings};
}
