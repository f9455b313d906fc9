// H minus its first value; where energy comes in, the balance, and H and the work beside it.
import { choice, h } from '../dom.js';
import { number } from '../format.js';
import { TimeChart, lineOf } from '../chart.js';
import { energyName, labelled } from '../quantities.js';
import { runColour } from '../theme.js';

const dashes = [undefined, [6, 4], [2, 3]];

// The balance H − W itself: the error and the first value.
function balanceOf(run) {
  const [error] = run.of('energy');
  const add = (values) => values.map((v) => (v === null ? null : v + run.figures.energy_initial));
  const lows = add(error.lows);
  return { lows, highs: error.isRange ? add(error.highs) : lows, isRange: error.isRange };
}

function energies(runs) {
  const alone = runs.length === 1;
  return runs.flatMap((run) => [['H', run.of('H')[0]], ['W', run.of('work')[0]], ['H − W', balanceOf(run)]].map(([name, channel], i) =>
    lineOf(run, channel, alone ? name : `${run.label}: ${name}`, () => runColour(alone ? i : run.number), alone ? undefined : dashes[i])));
}

export default {
  id: 'energy',
  title: 'Energy error',
  shows: () => true,
  build(report, context) {
    const { runs } = report;
    const lines = () => runs.map((run) => lineOf(run, run.of('energy')[0], run.label || energyName(run), () => runColour(run.number)));
    const name = runs.every((run) => run.balance === runs[0].balance) ? energyName(runs[0]) : 'error';
    const spec = (log) => ({ lines: lines(), log, label: labelled(runs[0].of('energy')[0], log ? `|${name}|` : name) });
    const chart = new TimeChart({ name: 'energy', title: 'Energy error', ...spec(true) }, context);
    const scale = choice('scale', [[true, 'log'], [false, 'linear']], true, (log) => chart.draw(spec(log)));
    const caption = runs.map((run) => h('span', { class: run.label ? 'each' : undefined }, run.label ? `${run.label}: ` : '', 'Largest value over all steps ',
      h('b', {}, number(run.figures.energy_max_error)), ', H(0) = ', number(run.figures.energy_initial, 6), '. '));
    const open = runs.filter((run) => run.of('H').length > 0);
    if (open.length === 0) return { tools: [scale, chart.tools], body: [chart.figure, h('p', { class: 'note' }, caption)] };
    const all = new TimeChart({ name: 'energies', title: 'H, work and balance', lines: energies(open), log: false,
      label: labelled(open[0].of('H')[0], 'energy') }, context);
    return { tools: [scale, chart.tools], body: [chart.figure, h('p', { class: 'note' }, caption), all.figure,
      h('p', { class: 'note' }, 'H, the work W of forces, drives, moving constraints and heat baths since the start, and the balance H − W, which the motion keeps.')] };
  },
};
