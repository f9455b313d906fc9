// The energy error of a long run over time, and what frequencies there are.
import { choice, h, list } from '../../dom.js';
import { number } from '../../format.js';
import { TimeChart } from '../../chart.js';

const titles = { energy: 'H − H(0)', energy_max: 'largest |H − H(0)| so far', g: '|g|', psi: '|ψ|' };
const always = ['g', 'psi', 'energy_max'];

export const samples = {
  id: 'samples',
  title: () => 'Over time',
  shows: (study) => study.with('samples').length > 0,
  build(study, context) {
    const methods = study.with('samples');
    const names = methods[0].tables.get('samples').names.filter((name) => name !== 'time');
    const state = { name: names[0], log: true };
    const spec = () => ({
      log: state.log || always.includes(state.name), label: state.log && state.name === 'energy' ? '|H − H(0)|' : titles[state.name] ?? state.name,
      lines: methods.map((method) => {
        const table = method.tables.get('samples');
        const [lows, highs] = table.range(state.name);
        return { name: method.method, colour: method.colour, times: table.column('time'), lows, highs, ranged: lows !== highs };
      }),
    });
    const chart = new TimeChart({ name: `samples-${study.number}`, title: 'Over time', ...spec() }, context);
    const which = list('quantity', [['', names.map((name) => [name, titles[name] ?? name])]], state.name, (name) => {
      state.name = name;
      chart.draw(spec());
    });
    const scale = choice('scale', [[true, 'log'], [false, 'linear']], true, (log) => {
      state.log = log;
      chart.draw(spec());
    });
    return { tools: [which, scale, chart.tools], body: [chart.figure] };
  },
};

export const spectrum = {
  id: 'frequencies',
  title: () => 'Frequencies',
  shows: (study) => study.with('spectrum').length > 0,
  build(study, context) {
    const methods = study.with('spectrum');
    const names = methods[0].tables.get('spectrum').names.filter((name) => name !== 'frequency');
    const first = names[1] ?? names[0];
    const note = h('p', { class: 'note' });
    const spec = (name) => ({
      log: true, label: 'power', across: 'frequency, cycles per unit of time',
      lines: methods.map((method) => {
        const [lows, highs] = method.tables.get('spectrum').range(name);
        return { name: method.method, colour: method.colour, times: method.tables.get('spectrum').column('frequency'), lows: lows === highs ? highs : lows, highs, ranged: lows !== highs };
      }),
    });
    const tell = (name) => {
      note.textContent = '';
      note.append(...methods.map((method) => {
        const peaks = method.tables.get(`peaks:${name}`);
        const found = peaks ? peaks.column('interpolated').slice(0, 3).map((f) => number(f, 6)) : [];
        return h('span', { class: 'each' }, `${method.method}: ${found.length ? `f = ${found.join(', ')}` : 'no peak'}`);
      }));
    };
    // a chart of its own range: frequencies are no times
    const chart = new TimeChart({ name: `frequencies-${study.number}`, title: 'Frequencies', ...spec(first) }, context.apart());
    tell(first);
    const which = list('quantity', [['', names.map((name) => [name, titles[name] ?? name])]], first, (name) => {
      chart.draw(spec(name));
      tell(name);
    });
    return { tools: [which, chart.tools], body: [chart.figure, note] };
  },
};
