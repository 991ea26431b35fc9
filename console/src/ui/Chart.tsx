import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useEffect, useRef } from 'react';
import { usePreferences } from '../app/preferences';

export interface ChartSeries {
  label: string;
  values: number[];
  format: (value: number) => string;
  /** `tip`: only in the text at the pointer. */
  look: 'bars' | 'tip';
}

const HEIGHT = 220;

/** A chart over days. Its numbers are also in a table for screen readers. Load it with `lazy`: the library is in its file. */
export default function Chart({ label, dates, series }: { label: string; dates: string[]; series: ChartSeries[] }) {
  const host = useRef<HTMLDivElement>(null);
  const { theme, language } = usePreferences();
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const short = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const axis = { stroke: colour('--ink-3'), font: `11px ${colour('--font')}`, ticks: { show: false } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        padding: [12, 8, 0, 0],
        scales: {
          x: { time: false, range: [-0.7, dates.length - 0.3] },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_, at) => at.map((index) => (dates[index] ? short.format(new Date(`${dates[index]}T00:00:00Z`)) : '')),
            space: 60,
            incrs: [1, 2, 7, 14],
          },
          {
            ...axis,
            grid: { stroke: colour('--line'), width: 1 },
            size: 74,
            values: (_, at) => at.map((value) => series[0]?.format(value) ?? ''),
          },
        ],
        series: [
          {},
          ...series
            .filter((one) => one.look === 'bars')
            .map((one) => ({
              label: one.label,
              fill: colour('--accent'),
              stroke: colour('--accent'),
              width: 0,
              paths: uPlot.paths.bars?.({ size: [0.62, 26], radius: 0.18 }),
              points: { show: false },
            })),
        ],
        hooks: { setCursor: [(plot) => showTip(plot, dates, series, short)] },
      },
      [dates.map((_, at) => at), ...series.filter((one) => one.look === 'bars').map((one) => one.values)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [dates, series, theme, language]);
  return (
    <figure className="chart">
      <div ref={host} aria-hidden="true" />
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <td />
              {series.map((one) => (
                <th key={one.label} scope="col">
                  {one.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {dates.map((date, at) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                {series.map((one) => (
                  <td key={one.label}>{one.format(one.values[at] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function showTip(plot: uPlot, dates: string[], series: ChartSeries[], short: Intl.DateTimeFormat): void {
  let tip = plot.over.querySelector<HTMLElement>('.chart-tip');
  if (!tip) {
    tip = document.createElement('div');
    tip.className = 'chart-tip';
    plot.over.append(tip);
  }
  const at = plot.cursor.idx;
  const date = at === null || at === undefined ? undefined : dates[at];
  tip.hidden = date === undefined;
  if (date === undefined || at === null || at === undefined) return;
  tip.textContent = [
    short.format(new Date(`${date}T00:00:00Z`)),
    ...series.map((one) => `${one.label}: ${one.format(one.values[at] ?? 0)}`),
  ].join('\n');
  const left = plot.cursor.left ?? 0;
  tip.style.left = `${Math.min(left + 12, plot.over.clientWidth - 150)}px`;
}
