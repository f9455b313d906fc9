// The draws of the chains: one after the other, how often values occur, and how long chains remember.
import { choice, h, list } from '../../dom.js';
import { colour } from '../../theme.js';
import { TimeChart } from '../../chart.js';
import { density } from '../../density.js';
import { steps } from '../../sampling.js';

// A panel with a list of quantities. kind: { id, title, has(column), options: [[value, text]], spec(sampling, column, option), note(sampling, option) }
const panel = ({ id, title, has, options, spec, note }) => ({
  id,
  title: () => title,
  shows: (sampling) => sampling.columns.some(has),
  build(sampling, context) {
    const names = sampling.names(has);
    const state = { name: names[0], option: options?.[0][0] };
    const words = h('p', { class: 'note' });
    const drawn = () => {
      words.textContent = note(sampling, state.option);
      return spec(sampling, sampling.column(state.name), state.option);
    };
    const chart = new TimeChart({ name: `${id}-${sampling.number}`, title, ...drawn() }, context.apart());
    const change = (key) => (value) => {
      state[key] = value;
      chart.draw(drawn());
    };
    const which = list('quantity', [['', names.map((name) => [name, name])]], state.name, change('name'));
    return { tools: [options && choice('kind', options, state.option, change('option')), which, chart.tools], body: [chart.figure, words] };
  },
});

const varies = (column) => Boolean(column.histograms);
// One line for each chain that is shown.
const lines = (sampling, each) => sampling.chain.map(({ name, colour: shade }, c) => ({ name, colour: shade, ...each(c) }));
const exactly = (xs, ys) => ({ times: xs, lows: ys, highs: ys });

export const trace = panel({
  id: 'traces', title: 'Traces', has: () => true,
  spec(sampling, column) {
    const numbers = column.traces[0].lows.map((_, i) => i * sampling.width);
    return { log: false, label: column.name, across: 'sample', lines: lines(sampling, (c) => ({ times: numbers, ...column.traces[c], ranged: sampling.width > 1 })) };
  },
  note: (sampling) => `${sampling.width > 1 ? `Each point is the range of ${sampling.width} samples.` : 'Every sample is shown.'} Chains that agree cover the same range all along.${sampling.left}`,
});

const curves = (sampling, column) => {
  const [all, ...each] = column.histograms.map((counts) => density(counts, column.lowest, column.highest, column));
  return { log: false, zero: true, label: 'density', across: column.name,
    lines: [{ name: 'all chains', colour: () => colour('ink'), ...exactly(all.places, all.heights) }, ...lines(sampling, (c) => exactly(all.places, each[c].heights))] };
};
const values = (sampling, column) => {
  const [all, ...each] = column.histograms.map((counts) => steps(counts, column.lowest, column.highest, 4));
  return { log: false, zero: true, label: 'density', across: column.name,
    lines: [{ name: 'all chains', colour: () => colour('ink'), stepped: true, ...exactly(all.edges, all.heights) }, ...lines(sampling, (c) => ({ stepped: true, ...exactly(all.edges, each[c].heights) }))] };
};
const ranks = (sampling, column) => {
  const each = column.ranks.map((counts) => steps(counts, 0, 1));
  return { log: false, zero: true, label: 'density', across: `rank of ${column.name} among all samples`, lines: lines(sampling, (c) => ({ stepped: true, ...exactly(each[0].edges, each[c].heights) })) };
};
export const distribution = panel({
  id: 'distribution', title: 'Distribution', has: varies, options: [['density', 'density'], ['values', 'histogram'], ['ranks', 'ranks']],
  spec: (sampling, column, option) => ({ density: curves, values, ranks })[option](sampling, column),
  note: (sampling, option) => (option === 'ranks' ? `Ranks of chains that agree are spread evenly, at a density of 1.${sampling.left}` : `Of all ${sampling.chains} chains, and of each${option === 'density' ? ', by a Gaussian kernel of Silverman\u2019s width, mirrored at the ends' : ''}.${sampling.left}`),
});

export const memory = panel({
  id: 'autocorrelation', title: 'Autocorrelation', has: (column) => column.autocorrelations.some(({ length }) => length > 0),
  spec(sampling, column) {
    const length = Math.max(...column.autocorrelations.map((rho) => rho.length));
    const lags = Array.from({ length }, (_, i) => i);
    return { log: false, label: `autocorrelation of ${column.name}`, across: 'lag, samples', lines: lines(sampling, (c) => exactly(lags, lags.map((i) => column.autocorrelations[c][i] ?? null))) };
  },
  note: (sampling) => `Of each chain, to twice the lag at which the sum of a pair is first below 0, at most 1000.${sampling.left}`,
});
