// How far the equations for the multipliers stay from being singular.
import { h } from '../dom.js';
import { number } from '../format.js';
import { TimeChart } from '../chart.js';
import { runColour } from '../theme.js';

const finite = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

// Linear from 0, the place to stay away from, unless the values spread over decades.
function scaleOf(lines) {
  const values = lines.flatMap((line) => line.lows.filter((v) => v !== null));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low > 0 && high / low > 30 ? { log: true } : { log: false, zero: true };
}

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
    const chart = new TimeChart({ name: 'nondegeneracy', title: 'Nondegeneracy', lines, ...scaleOf(lines), label: 'σₘᵢₙ(N)' }, context);
    const caption = runs.map((run) => {
      const conditions = finite(run.margin.condition).filter((v) => v !== null);
      return h('span', { class: run.label ? 'each' : undefined }, run.label ? `${run.label}: ` : '', 'Smallest ', h('b', {}, number(run.figures.min_singular_value)),
        run.figures.min_singular_time === null ? '' : ` at t = ${number(run.figures.min_singular_time, 4)}`,
        conditions.length ? `; condition number at most ${number(Math.max(...conditions))}` : '', '. ');
    });
    return { tools: [chart.tools], body: [chart.figure, h('p', { class: 'note' }, caption,
      'The matrix N = {{H, g}, g} determines the multipliers; they are undetermined where it is singular. Evaluated at ', runs[0].margin.time.length, runs[0].margin.time.length === 1 ? ' sample.' : ' samples distributed over the run.')] };
  },
};
