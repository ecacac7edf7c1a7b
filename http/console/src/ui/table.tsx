// Tables: sorted by their headings, read aloud as tables also where they are shown as lists.
import type {ComponentChildren, JSX, RefObject} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {param, setQuery} from '../lib/router';
import type {Rows} from '../lib/take';
import {Take} from './take';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand on the right; `fit` keeps a column as narrow as it can be. */
  as?: 'n' | 'fit';
  /** What the heading sorts by; it makes the column sortable. */
  by?: (row: Row) => number | string | null | undefined;
}

export interface Table<Row> {
  caption: string;
  rows: Row[];
  columns: Array<Column<Row>>;
  id: (row: Row) => string | number;
  /** Shown in place of a table without rows. */
  empty: ComponentChildren;
  /** The name of the sort in the URL where a page has two tables. */
  sortName?: string;
  /** The name of the file that takes the rows along; without it none does. */
  file?: string;
  /** What goes into the file where the table shows a part of it; else its rows. */
  all?: () => Promise<Rows>;
}

function sorted<Row>(table: Table<Row>, sort: string, rows = table.rows): Row[] {
  const down = sort.startsWith('-');
  const column = table.columns.find(each => each.head === sort.replace(/^-/, ''));
  const by = column?.by;
  if (!by) return rows;
  const order = (left: Row, right: Row): number => {
    const [a, b] = [by(left) ?? '', by(right) ?? ''];
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', {numeric: true});
  };
  return [...rows].sort((left, right) => (down ? -order(left, right) : order(left, right)));
}

function Heading<Row>({column, sort, name}: {column: Column<Row>; sort: string; name: string}): JSX.Element {
  const className = column.as ?? '';
  if (!column.by) return <th role="columnheader" scope="col" class={className}>{column.head}</th>;
  const direction = sort === column.head ? 'ascending' : sort === `-${column.head}` ? 'descending' : 'none';
  const next = direction === 'descending' ? column.head : direction === 'ascending' ? undefined : `-${column.head}`;
  return (
    <th role="columnheader" scope="col" class={className} aria-sort={direction}>
      <button type="button" class="sort" onClick={() => setQuery({[name]: next}, 'replace')}>
        {column.head}<span class="arrow" aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}</span>
      </button>
    </th>
  );
}

/** Whether a table is wider than its place, so that it must be possible to scroll it by keyboard. */
function useWide(): [RefObject<HTMLDivElement>, boolean] {
  const host = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [host, wide];
}

export function DataTable<Row>(table: Table<Row>): JSX.Element {
  return table.rows.length === 0 ? <>{table.empty}</> : <Filled {...table} />;
}

function Filled<Row>(table: Table<Row>): JSX.Element {
  const [host, wide] = useWide();
  const name = table.sortName ?? 'sort';
  const sort = param(name);
  const file = async (): Promise<Rows> => {
    const taken = table.all ? await table.all() : {rows: table.rows as object[], complete: true};
    return {...taken, rows: sorted(table, sort, taken.rows as Row[]) as object[]};
  };
  return (
    <>
      <div class="table-scroll" ref={host} role="group" aria-label={wide ? `${table.caption}, which scrolls sideways` : table.caption} tabIndex={wide ? 0 : undefined}>
        <table class="table" role="table">
          <caption class="unseen">{table.caption}</caption>
          <thead role="rowgroup">
            <tr role="row">{table.columns.map(column => <Heading key={column.head} column={column} sort={sort} name={name} />)}</tr>
          </thead>
          <tbody role="rowgroup">
            {sorted(table, sort).map(row => (
              <tr role="row" key={table.id(row)}>
                {table.columns.map(column => (
                  <td role="cell" key={column.head} class={column.as ?? ''} data-label={column.head}>{column.cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.file && <div class="row take-row"><Take name={table.file} rows={file} /></div>}
    </>
  );
}

/** Pages by cursor: forward, and back to the beginning. */
export function CursorPager({next}: {next: string | null | undefined}): JSX.Element | null {
  const at = param('cursor');
  if (!next && !at) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" class="button small" disabled={!at} onClick={() => setQuery({cursor: undefined})}>To the beginning</button>
      <button type="button" class="button small" disabled={!next} onClick={() => setQuery({cursor: next ?? undefined})}>Next page</button>
    </nav>
  );
}
