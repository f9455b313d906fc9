// Phase portraits: one quantity against another.
import { h, list } from '../dom.js';
import { find, key, labelled, menu, title } from '../quantities.js';
import { Scatter } from '../scatter.js';
import { runColour } from '../theme.js';

const spread = ({ lowest, highest }) => highest - lowest > 1e-6 * Math.max(Math.abs(lowest), Math.abs(highest)) && highest - lowest > 1e-9;

// Two observed quantities belong together, if both of them change; else a coordinate and its momentum, the first that move.
export function phaseStart(run) {
  const [observed, q, p] = ['observed', 'coordinate', 'momentum'].map((kind) => run.of(kind).filter((channel) => channel.lowest !== null || kind !== 'observed'));
  if (observed.length === 2 && observed.every(spread)) return observed.map(key);
  const own = (of) => p.find(({ index }) => index === of.index); // time has a momentum alone
  const first = q.find((of) => spread(of) && spread(own(of))) ?? q[0];
  return [key(first), key(own(first))];
}
// Places along two axes of space have one unit.
const isSpace = (a, b) => a.kind === 'coordinate' && b.kind === 'coordinate' && a.run.motion?.space && a !== b;

export default {
  id: 'phase',
  title: 'Phase portrait',
  shows: (report) => report.runs.some((run) => run.n > 0),
  build(report, context) {
    const { runs } = report;
    const chosen = phaseStart(runs[0]);
    const spec = () => {
      const pairs = runs.map((run) => [run, ...chosen.map((wanted) => find(run, wanted))]).filter(([, x, y]) => x && y);
      const sets = pairs.map(([run, x, y]) => ({ name: run.label, colour: () => runColour(run.number), times: run.portraitTime, joined: !run.portrait,
        xs: [...x.values, ...x.extremes], ys: [...y.values, ...y.extremes] }));
      const [, x, y] = pairs[0] ?? [null, find(runs[0], chosen[0]), find(runs[0], chosen[1])];
      return { name: 'phase', title: `${title(y)} against ${title(x)}`, x: labelled(x), y: labelled(y), sets, equal: isSpace(x, y) };
    };
    const chart = new Scatter(spec(), context);
    const redraw = () => {
      const next = spec();
      chart.title = next.title;
      chart.figure.setAttribute('aria-label', next.title);
      chart.draw(next);
    };
    const choices = menu(runs);
    const axis = (i, name) => h('label', { class: 'axis' }, name, list(`${name} axis`, choices, chosen[i], (wanted) => {
      chosen[i] = wanted;
      redraw();
    }));
    const strided = runs.find((run) => run.portrait);
    return { body: [h('div', { class: 'bar' }, h('span', { class: 'axes' }, axis(0, 'across'), axis(1, 'up')), chart.tools), chart.figure, strided && h('p', { class: 'note' },
      `One sample, chosen at random, of each ${strided.portrait.stride}, and those at which a quantity is lowest or highest.`)] };
  },
};
