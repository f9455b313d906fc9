// Where a mechanism rests, and how it moves near there.
import { h } from '../../dom.js';
import { number } from '../../format.js';

const verdicts = { stable: 'good', unstable: 'bad' };
const head = (names) => h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col' }, name))));
const scroll = (...parts) => h('div', { class: 'scroll' }, h('table', { class: 'claims' }, ...parts));
const value = (table, name, row = 0) => table.column(name)[row];

// A table of one row, as a row for each of its columns.
function list(table, names) {
  const most = Math.max(...table.names.map((name) => Math.abs(value(table, name))));
  const shown = (x) => number(Math.abs(x) > 2.3e-16 * most ? x : 0, 8);
  return scroll(head(names), h('tbody', {}, table.names.map((name) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, shown(value(table, name)))))));
}

// The coordinates that move most.
function motion(shapes, row) {
  const parts = shapes.names.map((name) => [name, value(shapes, name, row)]).filter(([, x]) => Math.abs(x) > 5e-4);
  parts.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  return parts.slice(0, 6).map(([name, x]) => `${x < 0 ? '\u2212' : '+'}${Math.abs(x).toFixed(3)}\u00a0${name}`).join(', ');
}

function modes(table, shapes) {
  const columns = ['frequency', 'cycles', 'decay', 'ratio'];
  return scroll(head(['mode', 'frequency (radians)', 'cycles', 'decay', 'damping ratio', 'motion']),
    h('tbody', {}, Array.from({ length: table.rows }, (_, i) => h('tr', {}, h('th', { scope: 'row' }, i + 1), columns.map((name) => h('td', {}, number(value(table, name, i), 6))), h('td', { class: 'whole' }, motion(shapes, i))))));
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
      table?.rows > 0 && modes(table, study.tables.get('shapes')),
      list(study.tables.get('equilibrium'), ['coordinate', 'at rest']), forces && list(forces, ['constraint', 'multiplier']));
  },
};
