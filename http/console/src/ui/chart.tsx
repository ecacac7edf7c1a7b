// Charts by uPlot, each with its newest values as text and all of them as a table.
import type {JSX} from 'preact';
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {theme} from '../lib/theme';
import {utc} from '../lib/format';
import {go} from '../lib/router';

export interface Series {
  label: string;
  values: Array<number | null>;
}

export interface ChartProps {
  title: string;
  /** How a value is written, with its unit. */
  write: (value: number) => string;
  /** Seconds since 1970, rising. */
  at: number[];
  series: Series[];
  height?: number;
  steps?: boolean;
  /** Values are whole numbers: the axis has no parts between them. */
  counts?: boolean;
  /** Moments in seconds since 1970 at which something happened, as lines across. */
  marks?: number[];
  /** The moment that is looked at. */
  moment?: number | undefined;
  /** Takes the part of the time that is dragged over. */
  zoom?: (from: number, to: number) => void;
  /** The address of a moment, in milliseconds; a click leads there. */
  linkTo?: ((atMs: number) => string) | undefined;
}

const colours = ['--line-1', '--line-2', '--line-3', '--line-4'];
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

const wholeSteps = [1, 2, 5].flatMap(digit => Array.from({length: 12}, (_, zeros) => digit * 10 ** zeros)).sort((a, b) => a - b);

/** Values without a neighbour, which no line leads to. */
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const known = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return Array.from(values, (_, i) => i).filter(i => known(i) && !known(i - 1) && !known(i + 1));
}

function newest(values: Array<number | null>): number | null {
  for (let i = values.length - 1; i >= 0; i -= 1) if (values[i] !== null && values[i] !== undefined) return values[i] as number;
  return null;
}

function summary({series, write, at}: ChartProps): string {
  if (at.length === 0) return 'No values yet.';
  return series.map(({label, values}) => {
    const known = values.filter((value): value is number => value !== null);
    const now = newest(values);
    return now === null ? `${label}: none` : `${label}: now ${write(now)}, least ${write(Math.min(...known))}, most ${write(Math.max(...known))}`;
  }).join('; ');
}

/** Draws the marks, and the moment that is looked at over them. */
function drawMarks(plot: uPlot, {marks = [], moment}: ChartProps): void {
  const {ctx, bbox} = plot;
  const style = getComputedStyle(document.documentElement);
  const line = (at: number, colour: string, dash: number[]): void => {
    const x = Math.round(plot.valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = style.getPropertyValue(colour).trim();
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  };
  for (const at of marks) line(at, '--warn', [3, 3]);
  if (moment !== undefined) line(moment, '--ink', []);
}

function options(props: ChartProps, latest: {current: ChartProps}, width: number, hover: (index: number | null) => void): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {stroke: colour('--ink-2'), font: `11px ${colour('--sans')}`, grid: {stroke: colour('--rule'), width: 1}, ticks: {show: false}};
  return {
    width,
    height: props.height ?? 140,
    legend: {show: false},
    hooks: {
      setCursor: [plot => hover(plot.cursor.idx ?? null)],
      draw: [plot => drawMarks(plot, latest.current)],
      setSelect: [plot => {
        const {left, width: wide} = plot.select;
        if (wide < 4) return;
        const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + wide, 'x')];
        plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        latest.current.zoom?.(from, to);
      }]
    },
    padding: [8, 8, 0, 0],
    cursor: {points: {show: false}, drag: {x: props.zoom !== undefined, y: false, setScale: false}, y: false},
    scales: {x: {time: true, range: (_plot, low, high) => low !== null && low === high ? [low - 60, high + 60] : [low, high]}, y: {range: (_plot, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? (high ?? 1) * 1.08 : 1]}},
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    axes: [{...axis, space: 64, size: 24, values: timeLabels}, {...axis, size: 64, space: 28, ...(props.counts ? {incrs: wholeSteps} : {}), values: (_plot, splits) => splits.map(value => props.write(value).replace(/\.0+(?=\D|$)/, ''))}],
    series: [{}, ...props.series.map((each, i) => ({
      label: each.label,
      stroke: colour(colours[i % colours.length] as string),
      dash: dashes[i % dashes.length],
      width: 1.5,
      spanGaps: false,
      points: {show: true, size: 4, filter: alone},
      ...(props.steps ? {paths: uPlot.paths.stepped?.({align: 1})} : {})
    }))]
  };
}

function timeLabels(_plot: uPlot, splits: number[]): string[] {
  const span = (splits[splits.length - 1] ?? 0) - (splits[0] ?? 0);
  return splits.map(at => {
    const text = utc(new Date(at * 1000));
    return span > 4 * 86_400 ? text.slice(5, 10) : span > 7200 ? text.slice(11, 16) : text.slice(11, 19);
  });
}

export function Chart(props: ChartProps): JSX.Element {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [open, setOpen] = useState(false);
  const [hover, setHover] = useState<number | null>(null);
  const data = [props.at, ...props.series.map(each => each.values)] as uPlot.AlignedData;
  const shape = `${theme.value} ${props.series.map(each => each.label).join('|')}`;
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const made = new uPlot(options(props, latest, Math.max(160, element.clientWidth), setHover), data, element);
    plot.current = made;
    let pressed = 0;
    const press = (event: MouseEvent): void => { pressed = event.clientX; };
    const click = (event: MouseEvent): void => {
      const at = latest.current.at[made.cursor.idx ?? -1];
      if (at !== undefined && latest.current.linkTo && Math.abs(event.clientX - pressed) < 4) go(latest.current.linkTo(at * 1000));
    };
    made.over.addEventListener('mousedown', press);
    made.over.addEventListener('click', click);
    const watch = new ResizeObserver(() => made.setSize({width: Math.max(160, element.clientWidth), height: props.height ?? 140}));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [props.at, props.series]);
  useEffect(() => plot.current?.redraw(false), [props.marks, props.moment]);

  return (
    <figure class="chart" aria-labelledby={id}>
      <div class="chart-head">
        <figcaption id={id}><h3>{props.title}</h3></figcaption>
        <ul>
          {hover !== null && props.at[hover] !== undefined && <li class="num quiet">{utc(new Date((props.at[hover] as number) * 1000))}</li>}
          {props.series.map((each, i) => {
            const now = hover === null ? newest(each.values) : each.values[hover] ?? null;
            return <li key={each.label}><span class={`key k${i + 1}`}>{each.label} <strong class="num">{now === null ? '–' : props.write(now)}</strong></span></li>;
          })}
        </ul>
      </div>
      <div class={props.linkTo ? 'plot leads' : 'plot'} ref={host} role="img" aria-label={`${props.title}. ${summary(props)}`} />
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{props.title} as a table</summary>
        {open && <ChartTable {...props} />}
      </details>
    </figure>
  );
}

function ChartTable(props: ChartProps): JSX.Element {
  const from = Math.max(0, props.at.length - 60);
  return (
    <div class="code" tabIndex={0} role="group" aria-label={`${props.title}, newest first`}>
      <table class="num">
        <thead><tr><th scope="col">UTC</th>{props.series.map(each => <th scope="col" key={each.label}>{each.label}</th>)}</tr></thead>
        <tbody>
          {props.at.slice(from).map((at, i) => (
            <tr key={at}>
              <td>{props.linkTo ? <a href={props.linkTo(at * 1000)}>{utc(new Date(at * 1000))}</a> : utc(new Date(at * 1000))}</td>
              {props.series.map(each => <td key={each.label}>{each.values[from + i] === null ? '–' : props.write(each.values[from + i] as number)}</td>)}
            </tr>
          )).reverse()}
        </tbody>
      </table>
    </div>
  );
}
