// The page: panels in their order, each with what it needs of the report.
import { h } from './dom.js';
import { bytes, whole } from './format.js';
import { load } from './data.js';
import { printTool, themeTool } from './page_tools.js';
import { Player } from './player.js';
import { Signal } from './signal.js';
import { onTheme, watchTheme } from './theme.js';
import summary, { paintSwatches } from './panels/summary.js';
import live from './panels/live.js';
import story from './panels/story.js';
import motion from './panels/motion.js';
import energy from './panels/energy.js';
import residuals from './panels/residuals.js';
import multipliers from './panels/multipliers.js';
import margin from './panels/margin.js';
import observed from './panels/observed.js';
import events from './panels/events.js';
import phase from './panels/phase.js';
import spectrum from './panels/spectrum.js';
import method from './panels/method.js';
import claims from './panels/claims.js';
import reproduce from './panels/reproduce.js';
import resample from './panels/sampling/again.js';
import { distribution, memory, trace } from './panels/sampling/drawings.js';
import pairs from './panels/sampling/pairs.js';
import chains from './panels/sampling/summary.js';
import again from './panels/study/again.js';
import best from './panels/study/best.js';
import errors from './panels/study/errors.js';
import { samples, spectrum as frequencies } from './panels/study/samples.js';
import family from './panels/study/family.js';
import statics from './panels/study/statics.js';
import study from './panels/study/summary.js';
import cases from './panels/sweep/cases.js';
import { against, all, grid, spread } from './panels/sweep/figures.js';
import sweep from './panels/sweep/summary.js';
import resweep from './panels/sweep/again.js';

const panels = [motion, summary, events, story, phase, energy, residuals, multipliers, margin, observed, spectrum, claims, method, reproduce];
const studyPanels = [statics, family, study, errors, best, samples, frequencies, story, again];
const samplingPanels = [chains, trace, distribution, memory, pairs, story, resample];
const sweepPanels = [grid, against, all, spread, sweep, cases, story, resweep];

// What is shown: { panel, id, title, of }, `of` being the report, one of its studies, files of samples or sweeps.
function choose(report) {
  const several = report.runs.length > 1 || report.studies.some(({ methods }) => methods.length > 1);
  const entry = (panel, of) => ({ panel, of, id: panel.id, title: several && panel.several ? panel.several : panel.title });
  const shown = panels.filter((panel) => panel !== method && report.runs.length > 0 && panel.shows(report)).map((panel) => entry(panel, report));
  for (const [list, own] of [[report.studies, studyPanels], [report.samplings, samplingPanels], [report.sweeps, sweepPanels]]) {
    for (const one of list) {
      for (const panel of own) {
        if (!panel.shows(one)) continue;
        const number = list.length > 1 ? ` (${one.file})` : '';
        shown.push({ panel, of: one, id: `${panel.id}${one.number ? `-${one.number + 1}` : ''}`, title: `${typeof panel.title === 'function' ? panel.title(one) : panel.title}${number}` });
      }
    }
  }
  if (live.shows(report)) shown.unshift({ panel: live, of: report, id: live.id, title: live.title(report) });
  // the method stands before how to do it again
  const last = shown.findIndex(({ panel }) => [reproduce, again, resample].includes(panel));
  const rests = !report.runs.length && !report.samplings.length && report.studies.every(({ methods }) => !methods.length);
  if (!rests) shown.splice(report.studies.length + report.samplings.length > 1 ? shown.length : last, 0, entry(method, report));
  return shown;
}

function section({ panel, of, id, title }, context) {
  let made;
  try {
    made = panel.build(of, context);
  } catch (error) {
    console.error(error);
    made = h('p', { class: 'notice failed' }, `This part cannot be drawn: ${error.message}`);
  }
  const { tools, body } = made.body ? made : { body: made };
  return h('section', { id, class: panel.wide ? 'card wide' : 'card' },
    h('header', {}, h('h2', {}, title), tools && h('div', { class: 'panel-tools' }, tools)), body);
}

// "2 records, 8186 samples" or the one file, and when it was made.
function under(report) {
  const all = [...report.runs, ...report.studies, ...report.samplings, ...report.sweeps];
  const count = (list, one, many) => (list.length ? [`${list.length} ${list.length === 1 ? one : many}`] : []);
  const parts = all.length === 0 ? [] : all.length === 1 ? [all[0].file] : [...count(report.runs, 'record', 'records'), ...count(report.studies, 'study', 'studies'), ...count(report.samplings, 'file of samples', 'files of samples'), ...count(report.sweeps, 'sweep', 'sweeps')];
  const samples = report.runs.reduce((sum, run) => sum + run.samples, 0) + report.samplings.reduce((sum, { chains: many, draws }) => sum + many * draws, 0);
  if (samples) parts.push(`${whole(samples)} ${samples === 1 ? 'sample' : 'samples'}`);
  if (!all.length) return report.live.file;
  if (all[0].created) parts.push(`made ${all[0].created.replace('T', ' ').replace('Z', ' UTC')}`);
  return parts.join(', ');
}

function heading(report, shown) {
  return h('header', { class: 'top' },
    h('div', { class: 'line' }, h('span', { class: 'mark' }, report.live ? 'rattle live' : 'rattle report'), h('span', { class: 'tools' }, printTool(), themeTool())),
    report.headline = h('h1', {}, report.title),
    report.origin = h('p', { class: 'under' }, under(report)),
    shown.length > 1 && h('nav', { 'aria-label': 'parts of this page' }, shown.map(({ panel, id, title }) => h('a', { href: `#${id}` }, panel.short ?? title))));
}

function footing(report) {
  return h('footer', {}, h('p', {}, `Made by rattle ${report.version}; ${bytes(document.documentElement.outerHTML.length)}. `,
    'This page is self-contained: it loads nothing and sends nothing. Charts by uPlot, motion by three.js.'));
}

// Space plays wherever it does nothing else.
function playKey(player) {
  document.addEventListener('keydown', (event) => {
    const inUse = event.target.closest?.('button, input, select, textarea, a, summary');
    if (event.key !== ' ' || inUse || player.runs.length === 0) return;
    event.preventDefault();
    player.toggle();
  });
}

function start() {
  const page = document.getElementById('page');
  let report;
  try {
    report = load();
  } catch (error) {
    page.append(h('p', { class: 'notice failed' }, error.message));
    return;
  }
  const time = new Signal(null);
  const player = new Player(report.runs, time);
  const first = report.runs[0] ?? report.studies[0] ?? report.samplings[0] ?? report.sweeps[0] ?? report.live;
  report.title = first.title || first.file;
  const context = { time, unit: report.runs[0]?.units.time, range: new Signal(null), player, title: report.title,
    seek: (t) => (player.runs.length ? player.visit(t) : time.set(t)),
    // for charts over something else than time
    apart: () => ({ time: new Signal(null), range: new Signal(null), player, title: report.title }) };
  const shown = choose(report);
  watchTheme();
  page.append(heading(report, shown));
  const main = h('main');
  page.append(main);
  for (const entry of shown) main.append(section(entry, context));
  page.append(footing(report));
  paintSwatches();
  onTheme(paintSwatches);
  playKey(player);
  if (player.runs.length) player.seek(player.extent[0]);
  document.documentElement.dataset.ready = 'yes';
}

start();
