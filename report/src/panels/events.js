// What was recorded at events: a Poincare section, one quantity against another, and a table.
import { h, list, replace } from '../dom.js';
import { number, whole } from '../format.js';
import { labelled } from '../quantities.js';
import { Scatter } from '../scatter.js';
import { runColour } from '../theme.js';

const MOST_LINES = 8;
const MOST_COLUMNS = 6;
const key = ({ kind, name }) => `${kind}:${name}`;
const names = (runs) => [...new Set(runs.flatMap((run) => run.events.map(({ name }) => name)))];
const of = (run, name) => run.events.find((event) => event.name === name);
const groupOf = { observed: 'observed', coordinate: 'coordinates', momentum: 'momenta' };

// A column of an event as a quantity; the time and the number of the event are two more.
function columnsOf(run, event) {
  const numbers = Array.from(event.time, (t, i) => 1 + i * event.stride);
  return [...event.columns.map((column) => ({ ...column, run })), { kind: 'time', name: 'time', values: Array.from(event.time), run },
    { kind: 'number', name: 'number', values: numbers, run }];
}

function start(columns) {
  const spread = ({ values }) => {
    const known = values.filter((v) => v !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return high - low > 1e-9 * Math.max(1, Math.abs(low), Math.abs(high));
  };
  const changing = columns.filter(spread);
  const observed = changing.filter(({ kind }) => kind === 'observed');
  if (observed.length > 1) return observed.slice(0, 2).map(key);
  const [qs, ps] = ['coordinate', 'momentum'].map((kind) => columns.filter((column) => column.kind === kind));
  const pair = qs.length === ps.length ? qs.findIndex((q, k) => changing.includes(q) && changing.includes(ps[k])) : -1;
  if (pair >= 0) return [key(qs[pair]), key(ps[pair])];
  const [q, p] = ['coordinate', 'momentum'].map((kind) => changing.find((column) => column.kind === kind));
  return q && p ? [key(q), key(p)] : [key(columns.at(-1)), key(columns.at(-2))];
}

function menu(columns) {
  const groups = new Map();
  for (const column of columns) {
    const group = groupOf[column.kind] ?? 'the event';
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push([key(column), column.name]);
  }
  return [...groups];
}

function table(run, event) {
  const shown = event.columns.slice(0, MOST_COLUMNS);
  const rows = [...Array(Math.min(event.time.length, MOST_LINES)).keys()];
  const ways = event.direction.some((v) => v !== 0);
  const head = [labelled({ kind: 'time', name: 'time', run }, 'time'), ways && 'direction', ...shown.map((column) => labelled({ ...column, run }, column.name))];
  return h('div', { class: 'scroll' }, h('table', { class: 'events' },
    h('thead', {}, h('tr', {}, head.filter(Boolean).map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, rows.map((i) => h('tr', {}, h('td', {}, number(event.time[i], 8)),
      ways && h('td', {}, event.direction[i] > 0 ? 'rising' : 'falling'), shown.map(({ values }) => h('td', {}, number(values[i], 6))))))));
}

export default {
  id: 'events',
  title: 'Events',
  wide: true,
  shows: (report) => names(report.runs).length > 0,
  build(report, context) {
    const all = names(report.runs);
    const [panel, tools] = [h('div'), h('span')];
    const show = (name) => {
      const runs = report.runs.filter((run) => of(run, name));
      const columns = new Map(runs.map((run) => [run, columnsOf(run, of(run, name))]));
      const first = columns.get(runs[0]);
      const chosen = start(first);
      const find = (run, wanted) => columns.get(run).find((column) => key(column) === wanted);
      const spec = () => ({ name: `event-${name}`, title: `Event ${name}`, x: labelled(find(runs[0], chosen[0]), find(runs[0], chosen[0]).name),
        y: labelled(find(runs[0], chosen[1]), find(runs[0], chosen[1]).name),
        sets: runs.map((run) => [run, ...chosen.map((wanted) => find(run, wanted))]).filter(([, x, y]) => x && y)
          .map(([run, x, y]) => ({ name: run.label, colour: () => runColour(run.number), times: of(run, name).time, joined: false, xs: x.values, ys: y.values })) });
      const chart = new Scatter(spec(), context);
      const axis = (i, text) => h('label', { class: 'axis' }, text, list(`${text} axis of the section`, menu(first), chosen[i], (wanted) => {
        chosen[i] = wanted;
        chart.draw(spec());
      }));
      const counts = runs.map((run) => {
        const { count, stride, time } = of(run, name);
        return h('span', { class: run.label ? 'each' : undefined }, `${run.label ? `${run.label}: ` : ''}${whole(count)} ${count === 1 ? 'event' : 'events'}`
          + `${stride > 1 ? `, one in ${stride} is shown` : ''}${time.length > MOST_LINES ? `; the table has the first ${MOST_LINES}` : ''}. `);
      });
      const tables = runs.map((run) => [run.label && h('h3', {}, run.label), table(run, of(run, name))]);
      replace(panel, [h('div', { class: 'bar' }, h('span', { class: 'axes' }, axis(0, 'across'), axis(1, 'up')), chart.tools),
        h('div', { class: 'section' }, chart.figure, h('div', {}, tables)), h('p', { class: 'note' }, counts)]);
    };
    if (all.length > 1) tools.append(list('event', [['', all.map((name) => [name, name])]], all[0], show));
    show(all[0]);
    return { tools: [tools], body: [panel] };
  },
};
