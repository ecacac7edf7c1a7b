// What a list shows, as a file: JSON as the API gives it, or CSV with its fields as columns (RFC 4180).
import {at, read} from './api';

export type Format = 'csv' | 'json';
export interface Rows {
  rows: object[];
  /** Whether these are all that the filter lets through. */
  complete: boolean;
}

/** Rows that a file takes of a list with pages. */
export const rowsMax = 10_000;
const pageMax = 200;

/** Every page of a list with cursors. */
export async function everyPage(parts: string[], filter: Record<string, string | number | undefined | null>): Promise<Rows> {
  const rows: object[] = [];
  for (let cursor: string | null = ''; cursor !== null && rows.length < rowsMax;) {
    const page: {values: object[]; next: string | null} = await read(at(parts, {...filter, limit: pageMax, cursor}));
    rows.push(...page.values);
    cursor = page.next;
    if (cursor === null) return {rows, complete: true};
  }
  return {rows, complete: false};
}

/** The best matches of a search, or the first rows of a list without cursors, as many as the API gives. */
export async function bestMatches(parts: string[], filter: Record<string, string>): Promise<Rows> {
  const found: {values: object[]; total: number} = await read(at(parts, {...filter, limit: pageMax}));
  return {rows: found.values, complete: found.values.length >= found.total};
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV injection). */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const shown = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

export function csvOf(rows: object[]): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  return [names, ...rows.map(row => names.map(name => (row as Record<string, unknown>)[name]))].map(line => `${line.map(cell).join(',')}\r\n`).join('');
}

export function save(name: string, format: Format, rows: object[]): void {
  const text = format === 'csv' ? `\uFEFF${csvOf(rows)}` : `${JSON.stringify(rows, null, 2)}\n`; // the mark tells spreadsheets that it is UTF-8
  const url = URL.createObjectURL(new Blob([text], {type: format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json'}));
  const link = Object.assign(document.createElement('a'), {href: url, download: `credence-${name}-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${format}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
