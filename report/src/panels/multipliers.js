// The multipliers: forces of the constraints.
import { h, list } from '../dom.js';
import { math } from '../math.js';
import { TimeChart, lineOf } from '../chart.js';
import { runColour } from '../theme.js';

const dashes = [undefined, [6, 4], [2, 3]];
const lambda = (channel) => (channel.kind === 'multipliers' ? 'all, lowest to highest' : channel.name);
const channelsOf = (run) => [...run.of('multipliers'), ...run.of('multiplier')];

export default {
  id: 'multipliers',
  title: 'Multipliers',
  shows: (report) => report.runs.some((run) => run.m > 0),
  build(report, context) {
    const runs = report.runs.filter((run) => run.m > 0);
    const names = [...new Set(runs.flatMap((run) => channelsOf(run).map(lambda)))];
    const shade = (i) => [() => runColour(i), dashes[Math.floor(i / 8) % 3]];
    const one = (name) => runs.flatMap((run) => channelsOf(run).filter((channel) => lambda(channel) === name)
      .map((channel) => lineOf(run, channel, run.label, () => runColour(run.number))));
    const all = () => channelsOf(runs[0]).map((channel, i) => lineOf(runs[0], channel, lambda(channel), ...shade(i)));
    const spec = (name) => ({ lines: name ? one(name) : all(), log: false, label: 'λ' });
    const several = runs.length > 1;
    const chart = new TimeChart({ name: 'multipliers', title: 'Multipliers', ...spec(several ? names[0] : null) }, context);
    const which = several && names.length > 1
      && list('multiplier', [['', names.map((name) => [name, name])]], names[0], (name) => chart.draw(spec(name)));
    const some = runs.some((run) => !run.series.all_multipliers);
    return { tools: [which, chart.tools], body: [chart.figure, h('p', { class: 'note' },
      'λ of ', math("q' = H_p + g_p^T lambda, p' = -H_q - g_q^T lambda"), ' at each sample', some ? '; drawn are the first, the middle and the last constraint' : '', '.')] };
  },
};
