// Markdown as Preact elements: as much of it as the manual uses. Nothing of the text becomes HTML but by the elements made here.
import type {ComponentChildren, JSX} from 'preact';

export type Block =
  | {kind: 'heading'; level: number; text: string; anchor: string}
  | {kind: 'paragraph'; text: string}
  | {kind: 'code'; text: string}
  | {kind: 'list'; first: number | null; items: Block[][]}
  | {kind: 'table'; head: string[]; rows: string[][]};

const fence = /^```/;
const heading = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const item = /^(?:[-*+]|(\d{1,9})[.)])\s+/;
const divider = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const inline = /(`+)(.*?[^`])\1(?!`)|\*\*(.+?)\*\*|\[((?:`[^`]*`|[^[\]`])*)\]\(([^()\s]*)\)|\\([!-/:-@[-`{-~])/;

/** Text without its marks, as it is read. */
export function plain(text: string): string {
  const found = inline.exec(text);
  if (!found) return text;
  const inside = found[2] ?? found[6] ?? plain(found[3] ?? found[4] ?? '');
  return text.slice(0, found.index) + inside + plain(text.slice(found.index + found[0].length));
}

/** The anchor that GitHub gives to a heading of this text. */
export function anchorOf(text: string): string {
  return plain(text).toLowerCase().replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
}

function cells(row: string): string[] {
  return row.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '').split(/(?<!\\)\|/).map(each => each.trim().replaceAll('\\|', '|'));
}

class Reader {
  private at = 0;
  private readonly taken: Map<string, number>;

  constructor(private readonly lines: string[], taken = new Map<string, number>()) {
    this.taken = taken;
  }

  blocks(): Block[] {
    const out: Block[] = [];
    while (this.at < this.lines.length) {
      if (this.line().trim() === '') this.at += 1;
      else out.push(this.block());
    }
    return out;
  }

  private line(ahead = 0): string {
    return this.lines[this.at + ahead] ?? '';
  }

  private block(): Block {
    if (fence.test(this.line())) return this.code();
    const title = heading.exec(this.line());
    if (title) {
      this.at += 1;
      return {kind: 'heading', level: title[1]?.length ?? 1, text: title[2] ?? '', anchor: this.unused(anchorOf(title[2] ?? ''))};
    }
    if (this.beginsTable()) return this.table();
    return item.test(this.line()) ? this.list() : this.paragraph();
  }

  private unused(anchor: string): string {
    const before = this.taken.get(anchor) ?? 0;
    this.taken.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  }

  private beginsTable(): boolean {
    return this.line().includes('|') && this.line(1).includes('-') && divider.test(this.line(1)) && cells(this.line()).length === cells(this.line(1)).length;
  }

  private code(): Block {
    const from = this.at + 1;
    do this.at += 1; while (this.at < this.lines.length && !fence.test(this.line()));
    const text = this.lines.slice(from, this.at).join('\n');
    this.at += 1;
    return {kind: 'code', text};
  }

  private table(): Block {
    const head = cells(this.line());
    const rows: string[][] = [];
    for (this.at += 2; this.line().includes('|'); this.at += 1) {
      const row = cells(this.line());
      rows.push(head.map((_, i) => row[i] ?? ''));
    }
    return {kind: 'table', head, rows};
  }

  private list(): Block {
    const number = item.exec(this.line())?.[1];
    const items: Block[][] = [];
    for (let mark = item.exec(this.line()); mark && (mark[1] === undefined) === (number === undefined); mark = item.exec(this.line())) {
      const inside = [this.line().slice(mark[0].length)];
      for (this.at += 1; this.goesOn(); this.at += 1) inside.push(this.line().replace(/^( {1,4}|\t)/, ''));
      items.push(new Reader(inside, this.taken).blocks());
      while (this.line().trim() === '' && item.test(this.line(1))) this.at += 1;
    }
    return {kind: 'list', first: number === undefined ? null : Number(number), items};
  }

  /** Whether this line is of the item before it: indented, or blank before such a one. */
  private goesOn(): boolean {
    const at = this.line().trim() === '' ? this.line(1) : this.line();
    return this.at < this.lines.length && /^\s+\S/.test(at);
  }

  private paragraph(): Block {
    const from = this.at;
    do this.at += 1; while (this.line().trim() !== '' && !fence.test(this.line()) && !heading.test(this.line()) && !item.test(this.line()) && !this.beginsTable());
    return {kind: 'paragraph', text: this.lines.slice(from, this.at).map(each => each.trim()).join(' ')};
  }
}

export function blocksOf(markdown: string): Block[] {
  return new Reader(markdown.split(/\r?\n/)).blocks();
}

export interface Reading {
  /** The id of the heading with that anchor. */
  idOf: (anchor: string) => string;
  /** Where a link leads; null where it leads nowhere, so that its text alone is shown. */
  linkTo: (target: string) => string | null;
}

function Inline({text, by}: {text: string; by: Reading}): JSX.Element {
  const out: ComponentChildren[] = [];
  let left = text;
  for (let found = inline.exec(left); found; found = inline.exec(left)) {
    const [all, , code, bold, label, target, escaped] = found;
    out.push(left.slice(0, found.index));
    if (code !== undefined) out.push(<code>{code}</code>);
    else if (bold !== undefined) out.push(<strong><Inline text={bold} by={by} /></strong>);
    else if (escaped !== undefined) out.push(escaped);
    else {
      const to = by.linkTo(target ?? '');
      const shown = <Inline text={label ?? ''} by={by} />;
      out.push(to === null ? shown : <a href={to}>{shown}</a>);
    }
    left = left.slice(found.index + all.length);
  }
  return <>{out}{left}</>;
}

function Table({of, by}: {of: Extract<Block, {kind: 'table'}>; by: Reading}): JSX.Element {
  return (
    <table class="table" role="table">
      <thead role="rowgroup">
        <tr role="row">
          {of.head.map((each, i) => (each === ''
            ? <td role="cell" key={i} />
            : <th role="columnheader" scope="col" key={i}><Inline text={each} by={by} /></th>))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {of.rows.map((row, i) => (
          <tr role="row" key={i}>{row.map((each, at) => <td role="cell" key={at} data-label={plain(of.head[at] ?? '')}><span><Inline text={each} by={by} /></span></td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function List({of, by}: {of: Extract<Block, {kind: 'list'}>; by: Reading}): JSX.Element {
  const items = of.items.map((blocks, i) => {
    const [only] = blocks;
    return <li key={i}>{blocks.length === 1 && only?.kind === 'paragraph' ? <Inline text={only.text} by={by} /> : <Blocks of={blocks} by={by} />}</li>;
  });
  return of.first === null ? <ul>{items}</ul> : <ol start={of.first}>{items}</ol>;
}

function One({of, by}: {of: Block; by: Reading}): JSX.Element {
  switch (of.kind) {
    case 'heading': {
      const Level = `h${of.level}` as 'h2';
      return <Level id={by.idOf(of.anchor)} tabIndex={-1}><Inline text={of.text} by={by} /></Level>;
    }
    case 'code': return <pre class="code" tabIndex={0} role="group" aria-label="Example">{of.text}</pre>;
    case 'list': return <List of={of} by={by} />;
    case 'table': return <Table of={of} by={by} />;
    default: return <p><Inline text={of.text} by={by} /></p>;
  }
}

export function Blocks({of, by}: {of: Block[]; by: Reading}): JSX.Element {
  return <>{of.map((each, i) => <One key={i} of={each} by={by} />)}</>;
}
