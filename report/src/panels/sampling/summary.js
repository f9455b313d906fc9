// What the chains say of each quantity, and whether to trust it.
import { breakable, h } from '../../dom.js';
import { number, whole } from '../../format.js';

const kinds = [['accepted', 'accepted'], ['energy', 'rejected by H'], ['unsolved', 'no multipliers'], ['not_reversible', 'not reversible'], ['domain', 'not finite']];

// As many digits as the error has use for: two more than its first.
const meanOf = ({ mean, error }) => (mean && error ? number(mean, Math.min(15, Math.max(3, Math.floor(Math.log10(Math.abs(mean))) - Math.floor(Math.log10(error)) + 2))) : number(mean, 6));
const marked = (text, bad) => (bad ? h('b', { class: 'verdict bad' }, text) : text);

const known = (size) => size !== null && size !== undefined;

function row(sampling, column) {
  const { rhat_limit: most, effective_limit: least } = sampling;
  const sizes = [column.effective_bulk, column.effective_tails].map((size) => marked(known(size) ? whole(Math.round(size)) : '–', known(size) && size < least));
  const numbers = [meanOf(column), number(column.error, 2), marked(column.rhat === null ? '–' : column.rhat.toFixed(4), column.rhat > most), ...sizes,
    number(column.sd), number(column.q05), number(column.median), number(column.q95)];
  return h('tr', {}, h('th', { scope: 'row' }, h('code', {}, column.name)), numbers.map((text) => h('td', {}, text)));
}

function transitions({ counts, steps }) {
  const share = (count) => `${((100 * count) / counts.transitions).toFixed(1)} %`;
  const parts = kinds.filter(([key]) => key === 'accepted' || counts[key] > 0).map(([key, name]) => `${name} ${share(counts[key])}`);
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  return h('p', {}, `${whole(counts.transitions)} transitions: ${parts.join(', ')}; step ${number(low, 4)}${high > low ? ` to ${number(high, 4)}` : ''}.`);
}

export default {
  id: 'chains',
  title: () => 'What the chains say',
  wide: true,
  shows: () => true,
  build(sampling) {
    const word = (name) => whole(sampling.plan.words.get(name) ?? 0);
    const heads = ['quantity', 'mean', 'MCSE', 'R-hat', 'ESS bulk', 'ESS tail', 'sd', '5 %', 'median', '95 %'];
    const open = sampling.draws < sampling.planned;
    return h('div', {},
      h('p', {}, h('code', {}, breakable(sampling.method)), `, ${sampling.chains} ${sampling.chains === 1 ? 'chain' : 'chains'} of ${whole(sampling.draws)} samples`,
        open ? ` of the ${whole(sampling.planned)} planned` : '', ` after a warm-up of ${word('warmup')}, every ${word('every')}, seed ${sampling.plan.words.get('seed')}.`),
      open && h('p', { class: 'notice open' }, 'The chains are not complete: the page shows the samples that all of them have.'),
      sampling.doubts.map((text) => h('p', { class: 'notice failed' }, `${text[0].toUpperCase()}${text.slice(1)}.`)),
      h('div', { class: 'scroll' }, h('table', { class: 'claims' }, h('thead', {}, h('tr', {}, heads.map((name) => h('th', { scope: 'col' }, name)))), h('tbody', {}, sampling.columns.map((column) => row(sampling, column))))),
      transitions(sampling),
      sampling.columns.length < sampling.all_columns && h('p', { class: 'note' }, `The first ${sampling.columns.length} of ${sampling.all_columns} quantities are shown; rattle info prints all.`),
      h('p', { class: 'note' }, `MCSE is the error of the mean. ESS, the effective sample size, is that of as many independent samples: bulk of the ranks, tail the smaller one of the shares below the 5 % and the 95 % quantile. `
        + `R-hat is near 1 where the chains agree: above ${sampling.rhat_limit} distrust the rest. From split chains (Vehtari et al. 2021).`));
  },
};
