// Pairs of quantities: some draws of two against each other below the diagonal, densities on it, correlations above.
import { density } from '../../density.js';
import { h, replace } from '../../dom.js';
import { number } from '../../format.js';
import { colour, faded, onTheme } from '../../theme.js';

const MOST = 5;
const SIDE = 150; // pixels of a cell

function correlation(xs, ys) {
  const known = xs.map((x, i) => [x, ys[i]]).filter(([x, y]) => x !== null && y !== null);
  const mean = (k) => known.reduce((sum, pair) => sum + pair[k], 0) / known.length;
  const [a, b] = [mean(0), mean(1)];
  const of = (k, l) => known.reduce((sum, pair) => sum + (pair[k] - [a, b][k]) * (pair[l] - [a, b][l]), 0);
  return of(0, 1) / Math.sqrt(of(0, 0) * of(1, 1));
}

// A canvas that draw(pen, at) fills, at() from a quantity and a part of the height to pixels.
function cell(label, draw) {
  const canvas = h('canvas', { width: 2 * SIDE, height: 2 * SIDE, role: 'img', 'aria-label': label });
  const paint = () => {
    const pen = canvas.getContext('2d');
    pen.clearRect(0, 0, canvas.width, canvas.height);
    draw(pen, canvas.width);
  };
  paint();
  onTheme(paint);
  return canvas;
}
const part = (column, v) => 0.04 + (0.92 * (v - column.lowest)) / (column.highest - column.lowest);

function scatter(sampling, across, up) {
  const each = across.joint.length / sampling.chain.length;
  return cell(`${up.name} against ${across.name}`, (pen, side) => across.joint.forEach((x, i) => {
    const y = up.joint[i];
    if (x === null || y === null) return;
    pen.fillStyle = faded(sampling.chain[Math.floor(i / each)].colour(), 0.55);
    pen.fillRect(side * part(across, x) - 2, side * (1 - part(up, y)) - 2, 4, 4);
  }));
}

function curve(column) {
  const { places, heights } = density(column.histograms[0], column.lowest, column.highest, column);
  const most = Math.max(...heights);
  return cell(`density of ${column.name}`, (pen, side) => {
    pen.beginPath();
    places.forEach((x, i) => pen[i ? 'lineTo' : 'moveTo'](side * part(column, x), side * (0.97 - (0.75 * heights[i]) / most)));
    pen.strokeStyle = colour('ink');
    pen.lineWidth = 3;
    pen.stroke();
  });
}

export default {
  id: 'pairs',
  title: () => 'Pairs',
  shows: (sampling) => sampling.columns.filter(({ histograms }) => histograms).length > 1,
  build(sampling) {
    const all = sampling.columns.filter(({ histograms }) => histograms);
    const columns = all.slice(0, MOST);
    const table = h('div', { class: 'pairs' });
    table.style.gridTemplateColumns = `repeat(${columns.length}, minmax(0, 1fr))`;
    replace(table, columns.flatMap((up, row) => columns.map((across, k) => h('div', {},
      row === k ? [h('code', {}, up.name), curve(up)] : k < row ? scatter(sampling, across, up) : h('span', {}, number(correlation(across.joint, up.joint), 2))))));
    return { body: [table, h('p', { class: 'note' }, `Below the diagonal ${across(sampling)} draws; above it correlations of these.`,
      all.length > MOST ? ` The first ${MOST} of ${all.length} quantities; rattle plot draws any two.` : '', sampling.left)] };
  },
};
const across = ({ columns }) => columns[0].joint.length;
