// Equilibria along a parameter: what changes, and where they fold, branch or begin to flutter.
import { h, list } from '../../dom.js';
import { number } from '../../format.js';
import { Scatter } from '../../scatter.js';
import { runColour } from '../../theme.js';

const events = ['', 'end', 'fold', 'branch', 'flutter'];
const own = ['arclength', 'energy', 'stable', 'negative', 'softest', 'event'];
const plain = (name) => name.replace(/^set:/, '');

// What can be drawn: coordinates, then forces of constraints, rates, energy and stiffness.
function quantities(study) {
  const of = (table, label = plain) => (study.tables.get(table)?.names ?? []).map((name) => ({ label: label(name), values: study.tables.get(table).column(name) }));
  const family = study.tables.get('family');
  const coordinates = of('family').slice(1).filter((_, i) => !own.includes(family.names[i + 1]));
  return [...coordinates, ...of('family_momenta'), ...of('family_multipliers', (name) => `multiplier of ${plain(name)}`), ...of('family_modes'),
    ...['softest', 'energy'].map((name) => ({ label: name === 'softest' ? 'softest stiffness' : name, values: family.column(name) }))];
}

const span = ({ values }) => Math.max(...values) - Math.min(...values);

export default {
  id: 'family',
  title: () => 'Along the parameter',
  wide: true,
  shows: (study) => ['equilibrium', 'modes'].includes(study.kind) && study.tables.get('family')?.rows > 1,
  build(study, context) {
    const family = study.tables.get('family');
    const [parameter] = family.names;
    const [xs, stable, event] = [parameter, 'stable', 'event'].map((name) => family.column(name));
    const known = quantities(study);
    const coordinates = known.slice(0, family.names.length - 1 - own.length);
    // where all of them stand still but for round-off, as those of a straight column, the softest stiffness
    const largest = Math.max(...coordinates.flatMap(({ values }) => values.map(Math.abs)));
    const most = coordinates.reduce((one, other) => (span(other) > span(one) ? other : one), coordinates[0]);
    let chosen = span(most) > 16 * Number.EPSILON * largest ? most : known.find(({ values }) => values === family.column('softest'));
    // where stability changes there is an event, which both parts have
    const part = (values, good) => values.map((v, i) => ((stable[i] > 0) === good || event[i] > 0 ? v : null));
    const spec = () => ({
      name: `family-${study.number}`, title: 'Along the parameter', x: plain(parameter), y: chosen.label,
      sets: [
        { name: 'stable', colour: () => runColour(0), xs: part(xs, true), ys: chosen.values, joined: true, marked: false },
        { name: 'not stable', colour: () => runColour(1), xs: part(xs, false), ys: chosen.values, joined: true, marked: false },
        { name: 'events', colour: () => runColour(2), xs: xs.map((x, i) => (event[i] > 1 ? x : null)), ys: chosen.values, joined: false },
      ],
    });
    const chart = new Scatter(spec(), context.apart());
    const which = list('quantity', [['', known.map(({ label }, i) => [i, label])]], known.indexOf(chosen), (i) => {
      chosen = known[i];
      chart.draw(spec());
    });
    const named = event.map((kind, i) => [events[kind] ?? '', i]).filter(([name]) => name && name !== 'end');
    const key = [['stable', 0], ['not stable', 1], ['events', 2]].map(([name, i]) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.dataset.run = i;
      return h('span', { class: 'entry' }, swatch, name);
    });
    const said = named.map(([name, i]) => h('li', {}, `${name} at ${plain(parameter)} = ${number(xs[i], 8)}`));
    return {
      tools: [which, chart.tools],
      body: [h('p', {}, h('b', {}, study.verdict), `: ${study.why}.`), h('div', { class: 'legend' }, key), chart.figure, said.length > 0 && h('ul', {}, said)],
    };
  },
};
