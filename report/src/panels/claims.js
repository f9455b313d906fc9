// What the method claims, held against what the run shows.
import { breakable, h } from '../dom.js';
import { number } from '../format.js';

const EPS = 2 ** -52;
const held = (good, text) => ({ verdict: good ? 'held' : 'not held', good, text });
const unseen = (text) => ({ verdict: null, text });
const count = (value, one, many) => `${value} ${value === '1' ? one : many}`;

// A residual in units of round-off: of the terms that it is a sum of, or of what a step adds to it.
function residual(most, terms, claimed) {
  if (most === null) return unseen('not recorded');
  const units = terms > 0 ? most / (EPS * terms) : null;
  const text = `at most ${number(most)}${units === null ? '' : `, ${count(number(units, 2), 'unit', 'units')} of round-off in its terms`}`;
  if (!claimed) return { verdict: 'not claimed', text };
  return units === null ? { verdict: 'seen', text } : held(units < 1000, text);
}

function energy(run) {
  const { trend } = run.of('energy')[0];
  const { energy_max_error: most, energy_max_relative_error: relative } = run.figures;
  const claimed = run.about_method.claims.symplectic;
  if (!trend) return unseen('too few samples for a trend');
  const total = Math.abs(trend.slope * (run.last_time - run.start_time));
  const text = `trend ${number(trend.slope, 2)} ± ${number(trend.error, 2)} per unit of time, ${number(total, 2)} over the run; largest error ${number(most)}`;
  if (relative !== null && relative < 1e-11) return held(true, `${text}: round-off`);
  const drifts = Math.abs(trend.slope) > 4 * trend.error && total > 0.2 * most;
  if (!claimed) return { verdict: drifts ? 'drifts' : 'no drift observed', text };
  return { ...held(!drifts, text), verdict: drifts ? 'drifts' : 'no drift observed' };
}

// H at round-off after each step, relative to what it is at the start.
function kept(run) {
  const { energy_max_error: most, energy_max_relative_error: relative } = run.figures;
  const text = `largest error ${number(most)}${relative === null ? '' : `, relative ${number(relative)}`}`;
  return relative === null ? { verdict: 'seen', text } : held(relative < 1e-11, text);
}

const perStep = (run, count) => number(run.counts[count] / Math.max(run.steps, 1), 3);

// [claim, claims => claimed or text, run => seen, claims and run => whether there is such a row]
const rows = [
  ['order', (claims) => (claims.exact ? 'exact' : String(claims.order)), () => unseen('one run cannot verify this: use rattle study order')],
  ['g = 0', (claims) => claims.keeps_g, (run) => residual(run.figures.g_max,
    Math.max(run.remade.g_terms ?? 0, Math.abs(run.step) * (run.remade.psi_terms ?? 0)), run.about_method.claims.keeps_g), (run) => run.m > 0],
  ['ψ = 0', (claims) => claims.keeps_psi, (run) => residual(run.figures.psi_max, run.remade.psi_terms, run.about_method.claims.keeps_psi), (run) => run.m > 0],
  ['H kept', (claims) => claims.keeps_energy, kept, (run) => run.about_method.claims.keeps_energy],
  ['symplectic', (claims) => claims.symplectic, energy],
  ['symmetric', (claims) => claims.symmetric, () => unseen('one run cannot verify this: a step forward and back would')],
  ['explicit for separable H', (claims) => claims.explicit, (run) => ({ verdict: null,
    text: `${count(perStep(run, 'gradient'), 'gradient', 'gradients')} of H and ${count(perStep(run, 'newton_iterations'), 'Newton iteration', 'Newton iterations')} per step` })],
  ['a step is a function of t, h, q, p alone', (claims) => claims.pure, () => unseen('one run cannot verify this: a resumed run with the same bits would')],
];

const claimText = (value) => (value === true ? 'yes' : value === false ? 'no' : value);

function cell(seen) {
  const mark = seen.good === undefined ? '' : seen.good ? ' good' : ' bad';
  return h('td', {}, seen.verdict && h('b', { class: `verdict${mark}` }, seen.good === true ? '✓ ' : seen.good === false ? '✗ ' : '', seen.verdict), h('small', {}, seen.text));
}

export default {
  id: 'claims',
  title: 'Claims and measurements',
  short: 'Claims',
  wide: true,
  shows: (report) => report.runs.some((run) => run.about_method),
  build(report) {
    const runs = report.runs.filter((run) => run.about_method);
    const several = runs.length > 1;
    const head = several
      ? h('tr', {}, h('th', { scope: 'col' }, 'claim'), runs.map((run) => h('th', { scope: 'col', colSpan: 2 }, run.label, ' ', h('code', {}, breakable(run.method)))))
      : h('tr', {}, ['claim', 'claimed', 'in this run'].map((text) => h('th', { scope: 'col' }, text)));
    const body = rows.filter(([, , , shows]) => runs.some((run) => !shows || shows(run))).map(([name, claimed, seen, shows]) =>
      h('tr', {}, h('th', { scope: 'row' }, name), runs.map((run) => (shows && !shows(run) ? [h('td'), h('td')]
        : [h('td', {}, claimText(claimed(run.about_method.claims))), cell(run.steps > 0 ? seen(run) : unseen('no step was made'))]))));
    return h('div', { class: 'scroll' }, h('table', { class: 'claims' }, h('thead', {}, head), h('tbody', {}, body)));
  },
};
