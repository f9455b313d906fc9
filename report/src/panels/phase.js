// Phase portraits: one quantity against another.
import { h, list } from '../dom.js';
import { number } from '../format.js';
import { find, key, labelled, menu, title } from '../quantities.js';
import { Scatter } from '../scatter.js';
import { faded, runColour } from '../theme.js';

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

// Whether samples foretell the one between them to a twentieth of their range: then they can be joined.
function follows(times, channel) {
  const { values, lowest, highest } = channel;
  let [sum, seen] = [0, 0];
  for (let i = 1; i + 1 < values.length; i++) {
    const [a, b, c] = [values[i - 1], values[i], values[i + 1]];
    const part = (times[i] - times[i - 1]) / (times[i + 1] - times[i - 1]);
    if (a === null || b === null || c === null || !(part >= 0)) continue;
    sum += (a + part * (c - a) - b) ** 2;
    seen += 1;
  }
  return seen === 0 || Math.sqrt(sum / seen) <= 0.05 * (highest - lowest);
}

// A curve of all samples that a page has, where they can be joined; else dots of the whole run, pale, with the last stretch as a curve.
function setsOf(run, x, y) {
  const all = { name: run.label, colour: () => runColour(run.number), times: run.portraitTime, joined: true, xs: x.values, ys: y.values };
  if (!run.portrait || [x, y].every((channel) => follows(run.portraitTime, channel))) return [all];
  const dots = { colour: () => faded(runColour(run.number), 0.4), joined: false, xs: [...x.values, ...x.extremes], ys: [...y.values, ...y.extremes] };
  return [dots, { ...all, times: run.end.time, xs: x.lastValues, ys: y.lastValues }];
}

export default {
  id: 'phase',
  title: 'Phase portrait',
  shows: (report) => report.runs.some((run) => run.n > 0),
  build(report, context) {
    const { runs } = report;
    const chosen = phaseStart(runs[0]);
    const note = h('p', { class: 'note' });
    const spec = () => {
      const pairs = runs.map((run) => [run, ...chosen.map((wanted) => find(run, wanted))]).filter(([, x, y]) => x && y);
      const sets = pairs.flatMap(([run, x, y]) => setsOf(run, x, y));
      const dotted = sets.find(({ joined }) => !joined);
      note.textContent = dotted ? `The line is the end of the run, from t = ${number(runs.find(({ end }) => end).end.time[0], 6)}; dots are samples, chosen at random, of all of it.` : '';
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
    return { body: [h('div', { class: 'bar' }, h('span', { class: 'axes' }, axis(0, 'across'), axis(1, 'up')), chart.tools), chart.figure, note] };
  },
};
