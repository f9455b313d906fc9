// Axes of the charts: ranges, ticks and their labels.
import { number, power, tick } from './format.js';
import { colour } from './theme.js';

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

const base = () => ({
  font,
  stroke: () => colour('faint-ink'),
  grid: { stroke: () => colour('grid'), width: 1 },
  ticks: { stroke: () => colour('grid'), width: 1, size: 4 },
  gap: 4,
  labelFont: font,
  labelSize: 18,
  labelGap: 0,
});

// Room for the longest label.
const leftSize = (u, values) => Math.max(46, 14 + 7.2 * Math.max(0, ...(values ?? []).map((text) => text.length)));

export function plainAxis(label, side) {
  return {
    ...base(),
    label,
    size: side === 'left' ? leftSize : 30,
    space: side === 'left' ? 36 : 70,
    incrs: steps,
    splits: multiples,
    values: (u, splits, axis, space, step) => splits.map((v) => tick(v, step, Math.max(...splits.map(Math.abs)))),
  };
}

// 1, 2, 5 times powers of ten, over all that a double can hold and a chart can show.
const steps = [];
for (let exponent = -300; exponent <= 300; exponent++) for (const m of [1, 2, 5]) steps.push(Number(`${m}e${exponent}`));

// uPlot's own would not end for steps below 1e-32.
function multiples(u, axis, low, high, step) {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: last - first + 1 || 0 }, (_, k) => (first + k) * step + 0); // + 0: no -0
}

// `floor` is where values that are 0 or lower still stand, null where there are none.
export function logAxis(label, floor, side = 'left') {
  return {
    ...base(),
    label,
    size: side === 'left' ? 66 : 30,
    splits: (u, axis, low, high) => {
      const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
      const room = Math.max(2, Math.floor(side === 'left' ? u.bbox.height / devicePixelRatio / 26 : u.bbox.width / devicePixelRatio / 60));
      const every = Math.max(1, Math.ceil((last - first) / room));
      const splits = [];
      for (let e = first; e <= last; e += every) splits.push(Number(`1e${e}`));
      return splits;
    },
    filter: (u, splits) => splits,
    values: (u, splits) =>
      splits.map((v) => (floor && v <= floor * 1.001 ? `≤ ${power(Math.round(Math.log10(v)))}` : power(Math.round(Math.log10(v))))),
  };
}

// A range with some air, never empty and never thinner than doubles can divide.
export function plainRange(u, low, high) {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const most = Math.max(Math.abs(low), Math.abs(high));
  if (most < 1e-280) return [-1, 1]; // 0 but for round-off: no step divides it
  if (high - low < most * 1e-12) return [low - Math.abs(low) * 1e-3, high + Math.abs(high) * 1e-3];
  const air = (high - low) * 0.06;
  return [low - air, high + air];
}

// From 0 up.
export function zeroRange(u, low, high) {
  return high > 0 && low >= 0 ? [0, high * 1.06] : plainRange(u, low, high);
}

export function timeRange(u, low, high) {
  if (low === null || high === null) return [0, 1];
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

export function logRange(u, low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-16, 1];
  const [first, last] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  return [Number(`1e${first}`), Number(`1e${Math.max(last, first + 1)}`)];
}

export const readout = (low, high) => {
  if (low === null || low === undefined) return '';
  return low === high ? number(low, 4) : `${number(low, 4)} … ${number(high, 4)}`;
};
