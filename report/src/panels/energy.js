// H minus its first value.
import { choice, h } from '../dom.js';
import { number } from '../format.js';
import { TimeChart, lineOf } from '../chart.js';
import { labelled } from '../quantities.js';
import { runColour } from '../theme.js';

export default {
  id: 'energy',
  title: 'Energy error',
  shows: () => true,
  build(report, context) {
    const lines = () => report.runs.map((run) => lineOf(run, run.of('energy')[0], run.label || 'H − H(0)', () => runColour(run.number)));
    const spec = (log) => ({ lines: lines(), log, label: labelled(report.runs[0].of('energy')[0], log ? '|H − H(0)|' : 'H − H(0)') });
    const chart = new TimeChart({ name: 'energy', title: 'Energy error', ...spec(true) }, context);
    const scale = choice('scale', [[true, 'log'], [false, 'linear']], true, (log) => chart.draw(spec(log)));
    const caption = report.runs.map((run) => h('span', { class: run.label ? 'each' : undefined }, run.label ? `${run.label}: ` : '', 'Largest value over all steps ',
      h('b', {}, number(run.figures.energy_max_error)), ', H(0) = ', number(run.figures.energy_initial, 6), '. '));
    return { tools: [scale, chart.tools], body: [chart.figure, h('p', { class: 'note' }, caption)] };
  },
};
