// The motion alone: a page that plays it, by itself or in a frame of another page; or, for `rattle animate`, its pictures as text.
import { h, tool } from './dom.js';
import { tick } from './format.js';
import { load } from './data.js';
import { controls, keys, naturalRate, stageFor } from './panels/motion.js';
import { pictures } from './pictures.js';
import { fit } from './places.js';
import { Player } from './player.js';
import { Signal } from './signal.js';
import { watchTheme } from './theme.js';

// The time at first, and the part of the run that has it, whole where the motion asked for is longer than that.
function begin(player, { at, rate, seconds }) {
  if (at !== null) player.visit(at);
  else player.seek(player.extent[0]);
  const time = player.time.value;
  if (player.clips.length && rate > 0 && time + rate * seconds > player.extent[1]) {
    player.choose(1);
    player.seek(time);
  }
}

function fullScreen(page) {
  if (!document.fullscreenEnabled) return null;
  return tool('full screen', 'show it on the whole screen', () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen()));
}

function start() {
  const page = document.getElementById('page');
  const report = load();
  const asked = report.animation;
  const player = new Player(report.runs, new Signal(null));
  if (!player.runs.length) throw new Error('there is nothing in these records that has a place: no motion to show');
  watchTheme();
  begin(player, asked);
  const frame = fit(player.runs);
  const rate = { value: asked.rate ?? naturalRate(player, frame), on: () => {} };
  player.rate.set(rate.value);
  const panes = h('div', { class: 'panes' });
  const clock = h('output', { class: 'clock' });
  page.append(panes, asked.fps ? clock : controls(player, rate, null));
  if (asked.fps) {
    page.classList.add('still');
    Object.assign(page.style, { width: `${asked.width}px`, height: `${asked.height}px` });
  }
  // all of them before the first stage, which takes its size
  const hosts = player.runs.map((run) => h('div', { class: 'stage', tabindex: 0, role: 'img', 'aria-label': `motion in ${run.motion.axes.filter(Boolean).join(', ')}` }));
  const captions = player.runs.map((run) => h('span', {}, run.label));
  hosts.forEach((host, i) => panes.append(h('div', { class: 'pane' }, host, h('div', { class: 'caption' }, captions[i]))));
  const stages = player.runs.map((run, i) => stageFor(hosts[i], [run], frame, player));
  stages.forEach((stage, i) => hosts[i].addEventListener('keydown', keys(stage, player)));
  if (asked.fps) {
    const show = (time) => {
      player.seek(time);
      clock.textContent = `t = ${tick(player.time.value, (player.spacing || 1e-3) / 10)}`;
      for (const stage of stages) stage.render();
    };
    return pictures({ player, stages, show, texts: [...captions, clock], rate: rate.value, ...asked });
  }
  player.seek(player.time.value);
  page.lastChild.append(fullScreen(page) ?? '');
  document.addEventListener('keydown', (event) => {
    if (event.key !== ' ' || event.target.closest?.('button, input, select')) return;
    event.preventDefault();
    player.toggle();
  });
  player.loops = true;
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) player.play();
  return undefined;
}

try {
  start();
} catch (error) {
  document.getElementById('page').append(h('p', { class: 'notice failed' }, error.message), h('pre', { id: 'failed' }, error.message));
}
document.documentElement.dataset.ready = 'yes';
