// How far the equations for the multipliers stay from being singular.
import { h } from '../dom.js';
import { number } from '../format.js';
import { TimeChart } from '../chart.js';
import { runColour } from '../theme.js';

const finite = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

export default {
  id: 'nondegeneracy',
  title: 'Nondegeneracy',
  shows: (report) => report.runs.some((run) => run.margin && finite(run.margin.smallest).some((v) => v !== null)),
  build(report, context) {
    const runs = report.runs.filter((run) => run.margin);
    const lines = runs.map((run) => {
      const values = finite(run.margin.smallest);
      return { run, name: run.label || 'smallest singular value of N', colour: () => runColour(run.number), times: Array.from(run.margin.time), lows: values, highs: values };
    });
    const chart = new TimeChart({ name: 'nondegeneracy', title: 'Nondegeneracy', lines, log: true, label: 'σ_min(N)' }, context);
    const told = runs.map((run) => {
      const conditions = finite(run.margin.condition).filter((v) => v !== null);
      return h('span', {}, run.label ? `${run.label}: ` : '', 'smallest ', h('b', {}, number(run.figures.min_singular_value)),
        run.figures.min_singular_time === null ? '' : ` at t = ${number(run.figures.min_singular_time, 4)}`,
        conditions.length ? `; condition number at most ${number(Math.max(...conditions))}` : '', '. ');
    });
    return { tools: [chart.tools], body: [chart.figure, h('p', { class: 'note' }, told,
      'N = {{H, g}, g}: where it becomes singular the multipliers are not determined. At ', runs[0].margin.time.length, ' samples.')] };
  },
};
