// What was varied, how the cases ended, and what came of them.
import { breakable, h } from '../../dom.js';
import { number, whole } from '../../format.js';

// Words of the plan that say what the cases are; the rest is in the command.
const asked = { set: 'parameter', start: 'start', count: 'draws of each', seed: 'seed', design: 'design', methods: 'methods', 'steps-of': 'steps', stop: 'until t', steps: 'steps', step: 'step', method: 'method' };

const some = (names) => (names.length > 12 ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more` : names.join(', '));

export default {
  id: 'sweep',
  title: () => 'The sweep',
  wide: true,
  shows: () => true,
  build(sweep) {
    const tiles = [['Cases', whole(sweep.cases)], ['Done', whole(sweep.there), sweep.there < sweep.cases && `${whole(sweep.cases - sweep.there)} to do`], ['Failed', whole(sweep.failed_cases)]];
    const rows = sweep.plan.lines.filter(([name]) => asked[name]).map(([name, text]) => h('tr', {}, h('th', { scope: 'row' }, asked[name]), h('td', {}, h('code', {}, breakable(text)))));
    const constant = (column) => column.highest === column.lowest;
    const figures = [...sweep.results, ...sweep.same.filter(({ input, count }) => !input && count > 0)];
    const heads = ['result', 'mean', 'deviation', 'lowest', 'highest'];
    return [
      h('dl', { class: 'tiles' }, tiles.map(([name, value, small]) => h('div', {}, h('dt', {}, name), h('dd', {}, h('b', {}, value), small && h('small', {}, small))))),
      sweep.failures.map(({ name, count, first }) => h('p', { class: 'notice failed' }, `${name}: ${whole(count)} ${count === 1 ? 'case' : 'cases'}, the first is case ${whole(first)}.`)),
      rows.length > 0 && h('div', { class: 'scroll' }, h('table', { class: 'claims plan' }, h('tbody', {}, rows))),
      sweep.left_out.length > 0 && h('p', { class: 'note' }, `Not in this page: ${some(sweep.left_out)}; rattle info --csv writes all.`),
      sweep.list && h('p', { class: 'note' }, 'The cases are a list (--cases), which the file holds.'),
      h('div', { class: 'scroll' }, h('table', { class: 'claims' }, h('thead', {}, h('tr', {}, heads.map((name) => h('th', { scope: 'col' }, name)))), h('tbody', {}, figures.map((column) => h('tr', {},
        h('th', { scope: 'row' }, h('code', {}, column.label)), [number(column.mean, 5), constant(column) ? '–' : number(column.sd), number(column.lowest, 5), number(column.highest, 5)].map((text) => h('td', {}, text))))))),
    ];
  },
};
