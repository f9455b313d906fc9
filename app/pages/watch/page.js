'use strict';
// Asks for the state once a second and shows it. Texts of the record are set as text, never as markup.
const field = id => document.getElementById(id);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const small = x => (x === null || x === undefined ? '\u2013' : x === 0 ? '0' : x.toExponential(2));
const whole = x => x.toLocaleString('en-GB');
let last = null;

function duration(seconds) {
  if (seconds === null) return '\u2013';
  if (seconds < 60) return Math.ceil(seconds) + ' s';
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = Math.floor(seconds) % 60;
  const two = n => String(n).padStart(2, '0');
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

function showNumbers(state) {
  const rows = [
    ['time', state.time.toPrecision(7)],
    ['steps', `${whole(state.steps)} of ${whole(state.steps_asked)}`],
    ['samples', whole(state.samples)],
    ['steps per second', state.steps_per_second === null ? '\u2013' : whole(Math.round(state.steps_per_second))],
    ['time left', state.state === 'running' ? duration(state.seconds_left) : '\u2013'],
    [state.balance ? 'largest error of H \u2212 W' : 'largest energy error', small(state.energy_max_error)],
  ];
  if (state.m > 0) rows.push(['largest |g|', small(state.g_max)], ['largest |\u03c8|', small(state.psi_max)]);
  field('numbers').replaceChildren(...rows.map(([name, value]) => {
    const box = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    box.append(dt, dd);
    return box;
  }));
}

// Round numbers for about `count` ticks between low and high.
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw), found = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) && found.length < 50; k++) found.push(k * step);
  return found;
}

function bounds(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low === high) { const room = Math.abs(low) || 1e-16; low -= room; high += room; }
  return low < high ? [low, high] : null;
}

// Whole decades between low and high, at most about eight of them named.
function decades(low, high) {
  const first = Math.round(Math.log10(low)), last = Math.round(Math.log10(high)), step = Math.ceil((last - first) / 8), found = [];
  for (let k = first; k <= last; k += step) found.push(10 ** k);
  return found;
}

// The points of a curve and the ends of its axis: of errors and residuals the largest size of each bin on a logarithmic axis
// (exact zeros left out), of others a band from the lowest to the highest sample.
function shape(curve) {
  if (!curve.size) return { low: curve.low, high: curve.high, ends: bounds(curve.low.concat(curve.high)) };
  const size = curve.low.map((v, i) => (v === null ? null : Math.max(Math.abs(v), Math.abs(curve.high[i])) || null));
  const ends = bounds(size);
  if (!ends) return { low: size, high: size, ends };
  const first = Math.floor(Math.log10(Math.max(ends[0], Number.MIN_VALUE))), last = Math.ceil(Math.log10(ends[1]));
  return { low: size, high: size, ends: [10 ** first, 10 ** Math.max(last, first + 1)] };
}

function draw(canvas, curve, start) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d'), x = bounds(curve.time.concat(start)), { low, high, ends: y } = shape(curve);
  if (!x || !y) return;
  pen.scale(ratio, ratio);
  pen.font = '12px system-ui, sans-serif';
  const left = 76, right = 12, top = 8, bottom = 24, bend = curve.size ? Math.log10 : v => v;
  const across = t => left + (t - x[0]) / (x[1] - x[0]) * (width - left - right);
  const up = v => height - bottom - (bend(v) - bend(y[0])) / (bend(y[1]) - bend(y[0])) * (height - top - bottom);
  pen.strokeStyle = colour('--line');
  pen.fillStyle = colour('--soft');
  pen.lineWidth = 1;
  pen.beginPath();
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  for (const v of curve.size ? decades(y[0], y[1]) : ticks(y[0], y[1], 5)) {
    pen.moveTo(left, up(v));
    pen.lineTo(width - right, up(v));
    pen.fillText(v === 0 ? '0' : v.toExponential(curve.size ? 0 : 1), left - 6, up(v));
  }
  pen.textAlign = 'center';
  pen.textBaseline = 'top';
  for (const t of ticks(x[0], x[1], 6)) pen.fillText(String(Number(t.toPrecision(6))), across(t), height - bottom + 6);
  pen.stroke();
  pen.strokeStyle = colour('--curve');
  pen.lineWidth = 1.5;
  pen.lineJoin = 'round';
  pen.beginPath();
  let open = false;
  curve.time.forEach((t, i) => {
    if (low[i] === null) { open = false; return; }
    if (open) pen.lineTo(across(t), up(low[i])); else pen.moveTo(across(t), up(low[i]));
    pen.lineTo(across(t), up(high[i]));
    open = true;
  });
  pen.stroke();
}

function showCurves(state) {
  const charts = field('charts'), curves = state.curves || [];
  while (charts.children.length < curves.length) {
    const box = document.createElement('section');
    box.append(document.createElement('h2'), document.createElement('canvas'));
    charts.append(box);
  }
  while (charts.children.length > curves.length) charts.lastChild.remove();
  curves.forEach((curve, i) => {
    const [heading, canvas] = charts.children[i].children;
    heading.textContent = curve.size ? `largest |${{ energy_error: state.balance ? 'H \u2212 W \u2212 H(0)' : 'energy error', psi: '\u03c8' }[curve.name] || curve.name}|` : curve.name;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${curve.name} against time`);
    draw(canvas, curve, state.start);
  });
}

function show(state) {
  last = state;
  const waiting = state.state === 'waiting';
  field('state').textContent = waiting ? `waiting for ${state.record} ...` : state.state === 'running' ? 'running' : state.why;
  if (waiting) return;
  field('title').textContent = state.title;
  document.title = `${Math.floor(100 * state.steps / state.steps_asked)} % ${state.title}`;
  field('method').textContent = `${state.method}, n = ${state.n}, m = ${state.m}; ${state.record}`;
  field('done').value = state.steps / state.steps_asked;
  showNumbers(state);
  showCurves(state);
}

async function ask() {
  try {
    const answer = await fetch('state.json');
    const state = await answer.json();
    if (state.state) show(state);
    if (state.state === 'ended' || state.state === 'lost') return;
  } catch (reason) {
    field('state').textContent = 'rattle watch has ended';
    return;
  }
  setTimeout(ask, 1000);
}

window.addEventListener('resize', () => last && last.curves && showCurves(last));
ask();
