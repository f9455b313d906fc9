// What ran and how it went, at a glance.
import { breakable, h } from '../dom.js';
import { number, seconds, unit, whole } from '../format.js';
import { runColour } from '../theme.js';

// A parameter of a run as text, "gravity = 9.81"; some models have hundreds.
const MOST_PARAMETERS = 12;
const valueOf = (run, name) => run.parameters.find((parameter) => parameter.name === name)?.value;

// Of one run all parameters, of several those that differ.
function parametersOf(runs) {
  const names = [...new Set(runs.flatMap((run) => run.parameters.map((parameter) => parameter.name)))];
  return runs.length > 1 ? names.filter((name) => runs.some((run) => valueOf(run, name) !== valueOf(runs[0], name))) : names;
}

function parameterList(run, runs) {
  const names = parametersOf(runs), texts = names.slice(0, MOST_PARAMETERS).map((name) => {
    const value = valueOf(run, name);
    return `${name} ${value === undefined ? 'is not used' : `= ${number(value, 6)}`}`;
  });
  if (names.length > MOST_PARAMETERS) texts.push(`and ${names.length - MOST_PARAMETERS} more`);
  return texts.flatMap((text, i) => (i ? [h('br'), text] : [text]));
}

const unitAfter = (text) => (text ? ` ${unit(text)}` : '');

// [name, (run, runs) => value, run => smaller print, runs => whether it stands there]
const figures = [
  ['Method', (run) => h('code', {}, breakable(run.method)), (run) => claimLine(run)],
  ['Parameters', parameterList, (run, runs) => (runs.length > 1 ? 'those that differ' : ''), (runs) => parametersOf(runs).length > 0],
  ['Time', (run) => `${number(run.start_time, 4)} to ${number(run.last_time, 6)}${unitAfter(run.units.time)}`,
    (run) => `${whole(run.steps)} steps${run.adapts ? ', the first about' : ' of'} ${number(run.step, 4)}${run.backwards ? ', backwards in time' : ''}`],
  ['Energy error', (run) => `${number(run.figures.energy_max_error)}${unitAfter(run.units.energy)}`,
    (run) => (run.figures.energy_max_relative_error === null || run.figures.energy_initial === 0 ? `${run.balance ? 'of H − W; ' : ''}H = ${number(run.figures.energy_initial, 4)} at the start`
      : `${run.balance ? 'of H − W, ' : ''}relative ${number(run.figures.energy_max_relative_error)}; H = ${number(run.figures.energy_initial, 4)} at the start`)],
  ['Constraints', (run) => (run.m ? `|g| ≤ ${number(run.figures.g_max)}` : 'none'),
    (run) => (run.m ? `hidden: |ψ| ≤ ${number(run.figures.psi_max)}` : 'the problem is unconstrained')],
  ['Nondegeneracy', (run) => (run.figures.min_singular_value === null ? '–' : number(run.figures.min_singular_value)),
    (run) => (run.figures.min_singular_value === null ? 'not measured'
      : `constraint conditioning: smallest singular value of N = {{H, g}, g}, at t = ${number(run.figures.min_singular_time, 4)}`),
    (runs) => runs.some((run) => run.m > 0)],
  ['Cost', (run) => (run.steps ? `${seconds(run.figures.wall_seconds / run.steps)} per step` : '–'),
    (run) => `${seconds(run.figures.wall_seconds)} in total${run.steps ? `; ${gradients(run)} of H per step` : ', without a step'}`],
];

function gradients(run) {
  const each = number(run.counts.gradient / run.steps);
  return `${each} ${each === '1' ? 'gradient' : 'gradients'}`;
}

function claimLine(run) {
  const claims = run.about_method?.claims;
  if (!claims) return 'unknown to this version';
  const words = [claims.exact ? 'exact' : `order ${claims.order}`];
  if (claims.symmetric) words.push('symmetric');
  if (claims.symplectic) words.push('symplectic');
  return words.join(', ');
}

function state(run) {
  if (!run.closed) return ['open', 'The run was in progress, or had been killed, when this report was made.'];
  if (run.failed) return ['failed', `The run failed. ${run.message || run.status}`];
  if (run.status === 'INTERRUPTED') return ['open', `The run was interrupted after ${whole(run.steps)} of ${whole(run.steps_asked)} steps.`];
  return null;
}

// How the run ended, where it did not end well, and its warnings.
const saidOf = (run) => [state(run), ...run.warnings.map((text) => ['open', `Warning: ${text}.`])].filter(Boolean);

function notices(runs) {
  return runs.flatMap((run) => saidOf(run).map(([kind, text]) =>
    h('p', { class: `notice ${kind}` }, run.label ? h('strong', {}, `${run.label}: `) : null, text)));
}

const figuresOf = (runs) => figures.filter(([, , , stands]) => !stands || stands(runs));

const tiles = (run) => h('dl', { class: 'tiles' }, figuresOf([run]).map(([name, value, small]) =>
  h('div', {}, h('dt', {}, name), h('dd', {}, h('b', { class: name === 'Parameters' ? 'many' : undefined }, value(run, [run])), h('small', {}, small(run, [run]))))));

function table(runs) {
  const head = h('tr', {}, h('td'), runs.map((run) => {
    const swatch = h('i', { class: 'swatch' });
    swatch.dataset.run = run.number;
    return h('th', { scope: 'col' }, swatch, run.label);
  }));
  const rows = figuresOf(runs).map(([name, value, small]) => h('tr', {}, h('th', { scope: 'row' }, name),
    runs.map((run) => h('td', {}, h('b', {}, value(run, runs)), h('small', {}, small(run, runs))))));
  return h('div', { class: 'scroll' }, h('table', { class: 'compare' }, h('thead', {}, head), h('tbody', {}, rows)));
}

// Swatches of runs wherever they stand take the colours of the theme.
export function paintSwatches() {
  for (const swatch of document.querySelectorAll('i.swatch[data-run]')) swatch.style.background = runColour(Number(swatch.dataset.run));
}

export default {
  id: 'summary',
  title: 'The run',
  several: 'The runs',
  wide: true,
  shows: () => true,
  build: (report) => h('div', {}, notices(report.runs), report.runs.length > 1 ? table(report.runs) : tiles(report.runs[0])),
};
