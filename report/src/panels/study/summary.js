// What was studied and what came of it.
import { breakable, h } from '../../dom.js';
import { number, seconds, whole } from '../../format.js';
import { math } from '../../math.js';

const MOST_DECIMALS = 4;
const interval = (fit, digits = 3) => {
  if (!fit || fit.slope === null) return '–';
  if (fit.uncertainty === null) return number(fit.slope, digits);
  const decimals = Math.min(MOST_DECIMALS, Math.max(0, 1 - Math.floor(Math.log10(fit.uncertainty || 1e-6))));
  const [slope, off] = [fit.slope, fit.uncertainty].map((v) => v.toFixed(decimals).replace('-', '−'));
  return Number(off) ? `${slope} ± ${off}` : slope; // exact to all that is shown
};
const figure = (method, name) => method.figures.get(name)?.value ?? null;
const verdicts = { confirmed: 'good', bounded: 'good', 'round-off': 'good', refuted: 'bad', drifts: 'bad', failed: 'bad' };
const verdict = (method) => {
  if (method.message) return h('b', { class: 'verdict bad' }, 'not studied');
  const kind = verdicts[method.verdict];
  return [h('b', { class: `verdict ${kind ?? ''}` }, kind === 'good' ? '✓ ' : kind === 'bad' ? '✗ ' : '', method.verdict)];
};
// Sentences of the command, with their numbers and powers of h set.
const set = (text) => text.replace(/\d[\d.]*e[+-]\d+/g, (digits) => number(Number(digits), 2)).replaceAll('+-', '±')
  .split(/(\bh\^\d+(?:\.\d+)?)/).map((part, i) => (i % 2 ? math(part) : part));
const why = (method) => (method.message || method.why ? h('small', {}, set(method.message || method.why)) : null);
const exact = 1000; // an order that stands for the exact flow

// [head, method => cell] for each kind of study
const columns = {
  order: [
    ['verdict', (method) => [verdict(method), why(method)]],
    ['claimed', (method) => (method.order >= exact ? 'exact' : method.order)],
    ['measured', (method) => h('b', {}, interval(method.fits.get('error')))],
    ['of q', (method) => interval(method.fits.get('error_q'))],
    ['of p', (method) => interval(method.fits.get('error_p'))],
    ['of the energy', (method) => interval(method.fits.get('energy'))],
    ['points', (method) => method.fits.get('error')?.points ?? '–'],
  ],
  drift: [
    ['verdict', (method) => [verdict(method), why(method)]],
    ['energy error at most', (method) => number(figure(method, 'energy_max'))],
    ['exponent of growth with t', (method) => (method.fits.get('energy')?.points ? number(method.fits.get('energy').slope, 3) : '–')],
    ['trend per unit of time', (method) => (method.fits.get('energy_trend')?.points ? [number(method.fits.get('energy_trend').slope, 2), ' ± ', number(method.fits.get('energy_trend').uncertainty, 2)] : '–')],
    ['swing', (method) => number(figure(method, 'energy_swing'))],
    ['|g| at most', (method) => number(figure(method, 'g_max'))],
    ['|ψ| at most', (method) => number(figure(method, 'psi_max'))],
  ],
  work: [
    ['gradients per step', (method) => number(figure(method, 'gradients_per_step'))],
    ['time per step', (method) => (figure(method, 'ns_per_step') === null ? '–' : seconds(figure(method, 'ns_per_step') * 1e-9))],
    ['smallest error', (method) => number(Math.min(...(method.tables.get('points')?.column('error') ?? []).filter((v) => v !== null), Infinity))],
    ['', (method) => (method.message ? [verdict(method), why(method)] : why(method))],
  ],
  compare: [
    ['verdict', (method) => [verdict(method), why(method)]],
    ['energy error at most', (method) => number(figure(method, 'energy_max'))],
    ['exponent of growth with t', (method) => (method.fits.get('energy')?.points ? number(method.fits.get('energy').slope, 3) : '–')],
    ['|g| at most', (method) => number(figure(method, 'g_max'))],
    ['|ψ| at most', (method) => number(figure(method, 'psi_max'))],
    ['error at the end', (method) => number(figure(method, 'error_end'))],
    ['reversal', (method) => number(figure(method, 'reversal'))],
    ['symplecticity', (method) => number(figure(method, 'symplecticity'))],
    ['time per step', (method) => (figure(method, 'ns_per_step') === null ? '–' : seconds(figure(method, 'ns_per_step') * 1e-9))],
  ],
  advise: [
    ['step', (method) => number(figure(method, 'step'))],
    ['error', (method) => number(figure(method, 'error'))],
    ['gradients', (method) => number(figure(method, 'gradient'))],
    ['CPU time', (method) => (figure(method, 'cpu_seconds') === null ? '–' : seconds(figure(method, 'cpu_seconds')))],
    ['', (method) => [h('b', { class: 'verdict' }, method.message ? 'not studied' : method.verdict), why(method)]],
  ],
};

const questions = { order: 'Do the methods have the orders that they claim?', drift: 'How do errors grow over a long run?', work: 'What does an error cost?', compare: 'How do the methods compare?', advise: 'Which method and step?' };

function reference({ reference: made }) {
  if (!made.method) return null;
  return h('p', { class: 'note' }, 'Errors are relative to ', h('code', {}, breakable(made.method)), ` with step ${number(made.step)}, whose own relative error is ${number(made.error)}; `
    + 'errors near that, or near round-off, are shown and not used.');
}

// What a study of advice found.
function advice(study) {
  if (!study.verdict) return null;
  const best = study.methods[study.figure('best')];
  return h('p', { class: 'advice' }, best ? [h('code', {}, breakable(best.method)), ` with step ${number(figure(best, 'step'), 4)} for an error of ${number(study.figure('error_wanted'))}: `] : 'No method: ',
    h('b', {}, study.verdict), ' (', set(study.why), ').');
}

export default {
  id: 'study',
  title: (study) => questions[study.kind] ?? `Study: ${study.kind}`,
  wide: true,
  shows: (study) => study.methods.length > 0,
  build(study) {
    const shown = columns[study.kind] ?? [];
    const swatch = (method) => h('i', { class: 'swatch', 'data-run': method.number });
    const table = h('table', { class: 'claims' }, h('thead', {}, h('tr', {}, ['method', ...shown.map(([name]) => name)].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, study.methods.map((method) => h('tr', {}, h('th', { scope: 'row' }, swatch(method), h('code', {}, breakable(method.method))), shown.map(([, cell]) => h('td', {}, cell(method)))))));
    const step = study.figure('step');
    return h('div', {}, study.interrupted && h('p', { class: 'notice open' }, 'The study was interrupted; the page shows the results up to then.'),
      advice(study), h('p', {}, `Time ${number(study.start, 4)} to ${number(study.stop, 6)}`, step === null ? '' : `, step ${number(step, 4)}`, `; the problem is ${study.problem}, with n = ${whole(study.n)} pairs and m = ${whole(study.m)} constraints.`),
      h('div', { class: 'scroll' }, table), reference(study), study.note && h('p', { class: 'note' }, set(study.note)));
  },
};
export { interval };
