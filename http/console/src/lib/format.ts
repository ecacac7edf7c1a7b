// Numbers, times and sizes as people read them. Large integers arrive as text and stay text.

/** A number with its unit, which no line break parts. */
const withUnit = (number: string, unit: string): string => `${number}\u00a0${unit}`;

const grouped = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

/** 1234567 as "1,234,567"; text of digits likewise, however long. */
export function whole(value: number | string | null | undefined): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return Number.isFinite(value) ? grouped.format(value) : '–';
  return /^-?\d+$/.test(value) ? value.replace(/\B(?=(\d{3})+$)/g, ',') : value;
}

/** A number with so many digits behind the point. */
export function decimal(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** A rate: three significant digits at most, so that its width hardly changes. */
export function rate(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value >= 100 ? whole(Math.round(value)) : decimal(value, value >= 10 ? 1 : 2);
}

/** Milliseconds, with a unit that fits. */
export function millis(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value >= 10_000) return seconds(value / 1000);
  if (value >= 1000) return withUnit(decimal(value / 1000, 2), 's');
  return withUnit(decimal(value, value >= 100 ? 0 : value >= 10 ? 1 : 2), 'ms');
}

/** Seconds as the two largest units: "3 d 4 h", "2 min 5 s", "30 d". */
export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const left = Math.max(0, Math.floor(value));
  const parts: Array<[number, string]> = [
    [Math.floor(left / 86_400), 'd'],
    [Math.floor(left / 3600) % 24, 'h'],
    [Math.floor(left / 60) % 60, 'min'],
    [left % 60, 's']
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return withUnit(value > 0 ? decimal(value, 1) : '0', 's');
  return parts.slice(first, first + 2).filter(([count], i) => i === 0 || count > 0).map(([count, unit]) => withUnit(String(count), unit)).join(' ');
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  let left = value;
  while (left >= 1024 && at < units.length - 1) {
    left /= 1024;
    at += 1;
  }
  return withUnit(decimal(left, at === 0 ? 0 : left >= 100 ? 0 : 1), units[at] as string);
}

export function percent(share: number | null | undefined, digits = 1): string {
  return share === null || share === undefined || !Number.isFinite(share) ? '–' : withUnit(decimal(share * 100, digits), '%');
}

/** What the API calls a moment: ISO 8601 text, or seconds or milliseconds since 1970. */
export type Moment = string | number | null | undefined;

export function moment(value: Moment): Date | null {
  if (value === null || value === undefined || value === '' || value === 0) return null;
  const date = typeof value === 'number' ? new Date(value < 100_000_000_000 ? value * 1000 : value) : new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** 2026-11-25 19:36:31, in UTC. */
export function utc(date: Date, fraction = false): string {
  return date.toISOString().slice(0, fraction ? 23 : 19).replace('T', ' ');
}

export const dayMs = 86_400_000;

/** The moment that somebody typed in UTC, in milliseconds; null for anything else. A day (2026-11-25, today, yesterday), a time of day (19:36, 19:36:31), which is the last one that there was, or both. */
export function typedUtc(text: string, now = Date.now()): number | null {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2}|today|yesterday)?(?:(?:^|[ T])(\d{1,2}:\d{2}(?::\d{2})?))?$/i.exec(text.trim()) ?? [];
  if (!day && !time) return null;
  const date = /^\d/.test(day) ? day : utc(new Date(/^y/i.test(day) ? now - dayMs : now)).slice(0, 10);
  const at = new Date(`${date}T${(time || '0:00').padStart(time.length > 5 ? 8 : 5, '0')}Z`);
  if (Number.isNaN(at.getTime()) || utc(at).slice(0, 10) !== date) return null;
  return at.getTime() - (!day && at.getTime() > now ? dayMs : 0);
}

export function local(date: Date): string {
  return date.toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'long'});
}

/** readWrite, read_write and read-write as "read write". */
export function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').toLowerCase();
}

/** Ether from wei, which is text of digits: with eight behind the point at most. */
export function ether(wei: string | null | undefined): string {
  if (!wei || !/^-?\d+$/.test(wei)) return '–';
  const minus = wei.startsWith('-') ? '-' : '';
  const digits = wei.replace('-', '').padStart(19, '0');
  const fraction = digits.slice(-18).slice(0, 8).replace(/0+$/, '');
  if (!fraction && /^0*$/.test(digits.slice(0, -18)) && /[1-9]/.test(digits)) return minus ? 'above\u00a0-0.00000001' : 'below\u00a00.00000001';
  return `${minus}${whole(digits.slice(0, -18).replace(/^0+(?=\d)/, ''))}${fraction ? `.${fraction}` : ''}`;
}

const shortMonth = 28;

/** How long a period lasts, and why it is short: it ends with the month in which it began. */
export function periodLength(startsAt: number, endsAt: number): string {
  const length = seconds((endsAt - startsAt) / 1000);
  return endsAt - startsAt < shortMonth * dayMs ? `${length}, as it began late in its month` : length;
}

/** One and many: count(1, "project") is "1 project". */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole(value)} ${value === 1 ? noun : plural}`;
}
