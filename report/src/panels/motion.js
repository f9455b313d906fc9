// The motion, with play, scrub and speed.
import { choice, h, list, tool } from '../dom.js';
import { number, tick } from '../format.js';
import { fileName, savePicture } from '../image.js';
import { round } from '../player.js';
import { fit, Places, traceable } from '../places.js';
import { PlainStage } from '../plain.js';
import { Stage } from '../scene.js';
import { runColour } from '../theme.js';

// Time units a second at which things cross a fair part of the picture in a second.
export function naturalRate(player, frame) {
  const run = player.runs[0];
  const clip = player.clipOf(run);
  const places = new Places(run.motion, clip, frame);
  const traced = [...Array(Math.min(places.count, 12)).keys()].map((i) => places.count - 1 - i);
  let [path, time] = [0, 0];
  for (let f = 1; f < clip.count; f++) {
    const moved = Math.max(...traced.map((i) => Math.hypot(...[0, 1, 2].map((d) => places.at(f, i, d) - places.at(f - 1, i, d)))));
    if (!Number.isFinite(moved)) continue;
    path += moved;
    time += clip.time[f] - clip.time[f - 1];
  }
  const frames = 40 * player.spacing;
  const natural = path > 0 && places.smooth ? (1.2 * time) / path : frames;
  const [first, last] = player.extent;
  return last > first ? round(Math.min(natural, (last - first) / 6)) : 1;
}

export function controls(player, rate, more) {
  const play = h('button', { type: 'button', class: 'play', title: 'play (space)', onclick: () => player.toggle() });
  const bar = h('input', { type: 'range', min: 0, max: 1000, step: 'any', value: 0, 'aria-label': 'time',
    oninput: () => {
      const [first, last] = player.extent;
      player.playing.set(false);
      player.seek(first + ((last - first) * bar.value) / 1000);
    } });
  const clock = h('output', { class: 'clock' });
  const speeds = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];
  const speed = list('speed', [['', speeds.map((s) => [s, `${number(s * rate.value)} t/s`])]], 1, (s) => player.rate.set(s * rate.value));
  rate.on = () => {
    [...speed.options].forEach((option, i) => (option.textContent = `${number(speeds[i] * rate.value)} t/s`));
    player.rate.set(Number(speed.value) * rate.value);
  };
  player.playing.on((on) => {
    play.textContent = on ? '❚❚' : '▶';
    play.setAttribute('aria-label', on ? 'pause' : 'play');
  });
  player.time.on((time) => {
    const [first, last] = player.extent;
    bar.value = last > first ? (1000 * (time - first)) / (last - first) : 0;
    clock.textContent = `t = ${tick(time, (player.spacing || 1e-3) / 10)}`;
    bar.setAttribute('aria-valuetext', clock.textContent);
  });
  player.playing.set(false);
  return h('div', { class: 'controls' }, more, play, bar, clock, speed);
}

export function keys(stage, player) {
  return (event) => {
    const actions = {
      '+': () => stage.zoomBy(1.25), '=': () => stage.zoomBy(1.25), '-': () => stage.zoomBy(0.8), 0: () => stage.reset(),
      ArrowLeft: () => stage.turn(-0.1, 0), ArrowRight: () => stage.turn(0.1, 0), ArrowUp: () => stage.turn(0, 0.1),
      ArrowDown: () => stage.turn(0, -0.1), ',': () => player.stepBy(-1), '.': () => player.stepBy(1),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  };
}

// Which particles leave a trail.
function trailList(stage, run) {
  const all = traceable(run.motion);
  const count = all.length;
  if (count < 2) return null;
  const some = [...Array(Math.min(count, 40)).keys()];
  const options = [['none', 'no trail'], ...(count <= 12 ? [['all', 'all trails']] : []),
    ...some.map((i) => [i, `trail of ${i + 1}`]), ...(count > 40 ? [[count - 1, `trail of ${count}`]] : [])];
  return list('trails', [['', options]], count <= 3 ? 'all' : String(count - 1), (chosen) => {
    const traced = chosen === 'none' ? [] : chosen === 'all' ? some : [Number(chosen)];
    const places = traced.map((i) => all[i]);
    for (const figure of stage.figures) figure.trace(places.filter((i) => i < figure.count));
    stage.invalidate();
  });
}

function described(player) {
  const run = player.runs[0];
  const clip = player.clipOf(run);
  const parts = [clip.stride > 1 ? `one sample in ${clip.stride}` : 'every sample'];
  if (player.clips.length) parts.unshift(`${player.clips[player.clip.value]}: t = ${number(player.extent[0], 4)} to ${number(player.extent[1], 4)}`);
  return parts.join(', ');
}

function hasWebGL() {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return Boolean(context);
}

export const stageFor = (host, runs, frame, player) => (hasWebGL() ? new Stage(host, runs, frame, player) : new PlainStage(host, runs, frame, player));

export default {
  id: 'motion',
  title: 'Motion',
  wide: true,
  shows: (report) => report.runs.some((run) => run.motion),
  build(report, context) {
    const { player } = context;
    const { runs } = player;
    const frame = fit(runs);
    const host = h('div', { class: 'stage', tabindex: 0, role: 'img', 'aria-label': `motion in ${runs[0].motion.axes.filter(Boolean).join(', ')}` });
    const note = h('p', { class: 'note' });
    const rate = { value: naturalRate(player, frame), on: () => {} };
    player.rate.set(rate.value);
    const bar = controls(player, rate);
    const stage = stageFor(host, runs, frame, player);
    host.addEventListener('keydown', keys(stage, player));
    const legend = runs.length > 1 && h('div', { class: 'legend' }, runs.map((run) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.dataset.run = run.number;
      return h('span', { class: 'entry' }, swatch, run.label);
    }));
    const clips = player.clips.length > 0 && choice('part of the run', player.clips.map((name, i) => [i, name]), 0, (i) => player.choose(i));
    const sayNote = () => {
      const join = stage.figures.every((figure) => figure.places.smooth);
      note.textContent = `Shown: ${described(player)}${join ? '; interpolated between samples' : ''}. ${stage.flat ? '' : stage.controls ? 'Drag to turn. ' : 'Arrow keys turn the view. '}`
        + 'Space plays, “,” and “.” step, + and − zoom.';
    };
    player.clip.on((clip) => {
      rate.value = naturalRate(player, frame);
      rate.on();
      if (clips) [...clips.children].forEach((button, i) => button.setAttribute('aria-pressed', String(i === clip)));
      sayNote();
    });
    sayNote();
    const shoot = () => {
      stage.render();
      savePicture(stage.canvas, `${report.title}, ${bar.querySelector('.clock').textContent}`, runs.length > 1 ? runs.map((run) => [run.label, runColour(run.number)]) : [],
        fileName(report.title, 'motion'));
    };
    host.append(h('span', { class: 'tools over' }, tool('−', 'zoom out', () => stage.zoomBy(0.8)), tool('+', 'zoom in', () => stage.zoomBy(1.25)),
      tool('↺', 'the first view', () => stage.reset()), tool('PNG', 'save the picture as PNG', shoot)));
    return {
      tools: [clips, trailList(stage, runs[0])],
      body: [legend, host, bar, note],
    };
  },
};
