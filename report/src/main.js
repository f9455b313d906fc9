// The page: panels in their order, each with what it needs of the report.
import { h, tool } from './dom.js';
import { bytes, whole } from './format.js';
import { load } from './data.js';
import { Player } from './player.js';
import { Signal } from './signal.js';
import { isDark, onTheme, setTheme, watchTheme } from './theme.js';
import summary, { paintSwatches } from './panels/summary.js';
import story from './panels/story.js';
import motion from './panels/motion.js';
import energy from './panels/energy.js';
import residuals from './panels/residuals.js';
import multipliers from './panels/multipliers.js';
import margin from './panels/margin.js';
import observed from './panels/observed.js';
import phase from './panels/phase.js';
import spectrum from './panels/spectrum.js';
import method from './panels/method.js';
import claims from './panels/claims.js';
import reproduce from './panels/reproduce.js';

const panels = [summary, motion, phase, story, energy, residuals, multipliers, margin, observed, spectrum, claims, method, reproduce];

function section(panel, report, context) {
  let made;
  try {
    made = panel.build(report, context);
  } catch (error) {
    console.error(error);
    made = h('p', { class: 'notice failed' }, `This part could not be drawn: ${error.message}`);
  }
  const { tools, body } = made.body ? made : { body: made };
  const title = report.runs.length > 1 && panel.several ? panel.several : panel.title;
  return h('section', { id: panel.id, class: panel.wide ? 'card wide' : 'card' },
    h('header', {}, h('h2', {}, title), tools && h('div', { class: 'panel-tools' }, tools)), body);
}

function heading(report, shown) {
  const samples = report.runs.reduce((sum, run) => sum + run.samples, 0);
  const dark = tool('', '', () => setTheme(isDark() ? 'light' : 'dark'));
  const label = () => {
    dark.textContent = isDark() ? 'light' : 'dark';
    dark.title = `switch to ${dark.textContent} colours`;
    dark.setAttribute('aria-label', dark.title);
  };
  label();
  onTheme(label);
  return h('header', { class: 'top' },
    h('div', { class: 'line' }, h('span', { class: 'mark' }, 'rattle report'), h('span', { class: 'tools' },
      tool('print', 'print this page', () => window.print()), dark)),
    h('h1', {}, report.title),
    h('p', { class: 'under' }, report.runs.length > 1 ? `${report.runs.length} records` : report.runs[0].file,
      `, ${whole(samples)} samples`, report.runs[0].created ? `, recorded ${report.runs[0].created.replace('T', ' ').replace('Z', ' UTC')}` : ''),
    h('nav', { 'aria-label': 'parts of this page' }, shown.map((panel) => h('a', { href: `#${panel.id}` }, panel.short ?? panel.title))));
}

function footing(report) {
  return h('footer', {}, h('p', {}, `Made by rattle ${report.version}; ${bytes(document.documentElement.outerHTML.length)}. `,
    'This page holds all it shows: it loads nothing and sends nothing. Charts by uPlot, motion by three.js.'));
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
  report.title = report.runs[0].title || report.runs[0].file;
  const context = { time, range: new Signal(null), player, title: report.title,
    seek: (t) => (player.runs.length ? player.visit(t) : time.set(t)) };
  const shown = panels.filter((panel) => panel.shows(report));
  watchTheme();
  page.append(heading(report, shown));
  const main = h('main');
  page.append(main);
  for (const panel of shown) main.append(section(panel, report, context));
  page.append(footing(report));
  paintSwatches();
  onTheme(paintSwatches);
  playKey(player);
  if (player.runs.length) player.seek(player.extent[0]);
  document.documentElement.dataset.ready = 'yes';
}

start();
