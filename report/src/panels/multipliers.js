// The multipliers: forces of the constraints, of one joint at a time.
import { h, list } from '../dom.js';
import { math } from '../math.js';
import { TimeChart, lineOf } from '../chart.js';
import { unit } from '../format.js';
import { runColour } from '../theme.js';

const dashes = [undefined, [6, 4], [2, 3]];
const MOST_AT_ONCE = 3;
const lambda = (channel) => (channel.kind === 'multipliers' ? 'all, lowest to highest' : channel.name);
const channelsOf = (run) => [...run.of('multipliers'), ...run.of('multiplier')];
// Constraints of one joint are named "pin.x", "pin.y".
const jointOf = (channel) => lambda(channel).replace(/\.[^.]*$/, '');

export default {
  id: 'multipliers',
  title: 'Multipliers',
  shows: (report) => report.runs.some((run) => run.m > 0),
  build(report, context) {
    const runs = report.runs.filter((run) => run.m > 0);
    const all = runs.flatMap(channelsOf);
    const several = runs.length > 1;
    const energy = unit(runs[0].units.energy);
    // of one run the constraints of a joint have a colour each; of several each run has one, and its constraints have dashes
    const spec = (joint) => {
      const lines = runs.flatMap((run) => channelsOf(run).filter((channel) => joint === '' || jointOf(channel) === joint).map((channel, i) =>
        lineOf(run, channel, [run.label, lambda(channel)].filter(Boolean).join(': '), () => runColour(several ? run.number : i), dashes[several ? i % 3 : Math.floor(i / 8) % 3])));
      return { lines, log: false, label: energy ? `λ (${energy} for a unit of g)` : 'λ' };
    };
    const joints = [...new Set(all.map(jointOf))];
    const first = joints.length > 1 && (several || channelsOf(runs[0]).length > MOST_AT_ONCE) ? joints[0] : '';
    const chart = new TimeChart({ name: 'multipliers', title: 'Multipliers', ...spec(first) }, context);
    const which = joints.length > 1 && list('constraint', [['', joints.map((name) => [name, name])], ['', [['', 'all of them']]]], first, (name) => chart.draw(spec(name)));
    const some = runs.some((run) => !run.series.all_multipliers);
    return { tools: [which, chart.tools], body: [chart.figure, h('p', { class: 'note' },
      'λ of ', math("q' = H_p + g_p^T lambda, p' = -H_q - g_q^T lambda"), ' at each sample', energy ? `, in ${energy} for a unit of g` : '', some ? '; drawn are the first, the middle and the last constraint' : '', '.')] };
  },
};
