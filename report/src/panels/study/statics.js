// Where a mechanism rests, and how it moves near there.
import { h, list as choices } from '../../dom.js';
import { number } from '../../format.js';
import { controls, keys, stageFor } from '../motion.js';
import { fit } from '../../places.js';
import { Player } from '../../player.js';
import { Signal } from '../../signal.js';

const LONG = 16;
const verdicts = { stable: 'good', unstable: 'bad' };
const head = (names) => h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col' }, name))));
const scroll = (...parts) => h('div', { class: 'scroll' }, h('table', { class: 'claims' }, ...parts));
const value = (table, name, row = 0) => table.column(name)[row];

// A table of one row, as a row for each of its columns; a long one is folded.
function list(table, names) {
  const most = Math.max(...table.names.map((name) => Math.abs(value(table, name))));
  const shown = (x) => number(Math.abs(x) > 2.3e-16 * most ? x : 0, 8);
  const rows = scroll(head(names.slice(0, 2)), h('tbody', {}, table.names.map((name) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, shown(value(table, name)))))));
  return table.names.length > LONG ? h('details', {}, h('summary', {}, `${table.names.length} ${names[2]}`), rows) : rows;
}

// The coordinates that move most.
function motion(shapes, imaginary, row) {
  const seen = (x) => Math.abs(x) > 5e-4;
  const signed = (x, unit) => `${x < 0 ? '\u2212' : '+'}${Math.abs(x).toFixed(3)}${unit}`;
  const parts = shapes.names.map((name) => [name, value(shapes, name, row), imaginary ? value(imaginary, name, row) : 0]).filter(([, x, y]) => seen(Math.hypot(x, y)));
  parts.sort(([, a, b], [, c, d]) => Math.hypot(c, d) - Math.hypot(a, b));
  return parts.slice(0, 6).map(([name, x, y]) => `${seen(x) ? signed(x, '') : ''}${seen(y) ? signed(y, 'i') : ''}\u00a0${name}`).join(', ');
}

function modes(table, shapes, imaginary) {
  // without damping they are 0
  const damped = ['decay', 'ratio'].some((name) => table.column(name).some((x) => x !== 0));
  const columns = ['frequency', 'cycles', ...(damped ? ['decay', 'ratio'] : [])];
  return scroll(head(['mode', 'frequency (radians)', 'cycles', ...(damped ? ['decay', 'damping ratio'] : []), 'motion']),
    h('tbody', {}, Array.from({ length: table.rows }, (_, i) => h('tr', {}, h('th', { scope: 'row' }, i + 1), columns.map((name) => h('td', {}, number(value(table, name, i), 6))), h('td', { class: 'whole' }, motion(shapes, imaginary, i))))));
}

// One period of each mode, again and again.
function moving({ motion: given, number: own }, table) {
  const player = new Player([{ motion: given, number: own, units: {} }], new Signal(null));
  const host = h('div', { class: 'stage', tabindex: 0, role: 'img', 'aria-label': 'motion of a mode' });
  const rate = { value: 1, on: () => {} };
  const show = (i) => {
    player.choose(i);
    rate.value = player.extent[1] / 2; // a period takes two seconds
    rate.on();
  };
  const named = ({ first }) => `mode ${first + 1}, ${number(value(table, 'frequency', first), 5)}`;
  const picked = choices('mode', [['', given.clips.map((clip, i) => [i, named(clip)])]], 0, (i) => show(Number(i)));
  const bar = controls(player, rate, picked);
  const stage = stageFor(host, player.runs, fit(player.runs), player);
  host.addEventListener('keydown', keys(stage, player));
  player.loops = true;
  show(0);
  const all = table.column('frequency').filter((frequency) => frequency > 0).length;
  const some = all > given.clips.length ? ` Shown: ${given.clips.length} of ${all} modes that oscillate.` : '';
  return h('div', {}, host, bar, h('p', { class: 'note' }, `A period of the mode, larger than life and without its decay.${some}`));
}

export default {
  id: 'statics',
  title: (study) => (study.kind === 'modes' ? 'Equilibrium and small motions' : 'Equilibrium'),
  wide: true,
  shows: (study) => study.tables.has('equilibrium'),
  build(study) {
    const forces = study.tables.get('multipliers'), table = study.tables.get('modes');
    return h('div', {}, h('p', {}, h('b', { class: `verdict ${verdicts[study.verdict] ?? ''}` }, study.verdict), `: ${study.why}.`),
      h('p', {}, study.figure('degrees') > 0 ? `${study.figure('degrees')} degrees of freedom; energy ${number(study.figure('energy'), 8)}; softest stiffness ${number(study.figure('softest'), 6)}.` : 'Constraints hold everything still.'),
      study.motion ? moving(study, table) : study.still && h('p', { class: 'note' }, study.still),
      table?.rows > 0 && modes(table, study.tables.get('shapes'), study.tables.get('shapes_imaginary')),
      list(study.tables.get('equilibrium'), ['coordinate', 'at rest', 'coordinates at rest']), forces && list(forces, ['constraint', 'multiplier', 'multipliers of constraints']));
  },
};
