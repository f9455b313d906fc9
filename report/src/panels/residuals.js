// How far the run is from its constraints and hidden constraints.
import { choice, h } from '../dom.js';
import { number } from '../format.js';
import { TimeChart, lineOf } from '../chart.js';
import { runColour } from '../theme.js';

const name = { constraint: '|g|', hidden: '|ψ|' };

export default {
  id: 'constraints',
  title: 'Constraints',
  shows: (report) => report.runs.some((run) => run.m > 0),
  build(report, context) {
    const runs = report.runs.filter((run) => run.m > 0);
    const both = runs.length === 1;
    const lines = (kinds) => runs.flatMap((run) => kinds.map((kind, i) =>
      lineOf(run, run.of(kind)[0], both ? name[kind] : run.label, () => runColour(both ? i : run.number))));
    const spec = (kinds) => ({ lines: lines(kinds), log: true, label: kinds.map((kind) => name[kind]).join(', ') });
    const chart = new TimeChart({ name: 'constraints', title: 'Constraints', ...spec(both ? ['constraint', 'hidden'] : ['constraint']) }, context);
    const which = !both && choice('residual', [['constraint', 'g'], ['hidden', 'ψ = {g, H}']], 'constraint', (kind) => chart.draw(spec([kind])));
    const caption = runs.map((run) => h('span', { class: run.label ? 'each' : undefined }, run.label ? `${run.label}: ` : '', 'Largest values over all steps: |g| ', h('b', {}, number(run.figures.g_max)),
      ', |ψ| ', h('b', {}, number(run.figures.psi_max)), '. '));
    return { tools: [which, chart.tools],
      body: [chart.figure, h('p', { class: 'note' }, caption, 'Each curve is the maximum over all constraints; ψ = {g, H} are the hidden constraints.')] };
  },
};
