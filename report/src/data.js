// What the page holds: runs with their channels, ranges and frames, studies, samples, and sweeps.
import { Sampling } from './sampling.js';
import { Study } from './study.js';
import { Sweep } from './sweep.js';

const kinds = { d: Float64Array, f: Float32Array, w: Uint16Array, i: Int32Array };

function decode(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// References ["f", at, count] anywhere in the object become arrays.
function resolve(value, buffer) {
  if (Array.isArray(value)) {
    const [kind, at, count] = value;
    if (value.length === 3 && typeof kind === 'string' && typeof at === 'number' && kinds[kind]) {
      return new kinds[kind](buffer, at, count);
    }
    return value.map((item) => resolve(item, buffer));
  }
  if (value && typeof value === 'object') {
    for (const key of Object.keys(value)) value[key] = resolve(value[key], buffer);
  }
  return value;
}

// Numbers of a channel in its own unit; what is not finite becomes null, which charts leave out.
function restore(values, channel) {
  const { base, scale } = channel;
  return Array.from(values, (v) => (Number.isFinite(v) ? base + scale * v : null));
}

class Channel {
  constructor(run, given, index) {
    Object.assign(this, given);
    this.run = run;
    this.place = index; // in the portrait
    this.raw = { low: given.low, high: given.high };
    this.kept = {};
  }
  lazy(name, make) {
    return (this.kept[name] ??= make());
  }
  get isRange() {
    return Boolean(this.raw.high);
  }
  get lows() {
    return this.lazy('lows', () => restore(this.raw.low, this));
  }
  get highs() {
    return this.isRange ? this.lazy('highs', () => restore(this.raw.high, this)) : this.lows;
  }
  // Values at the times of run.portraitTime: every sample, or every so many.
  get values() {
    const { portrait } = this.run;
    return portrait ? this.lazy('values', () => restore(portrait.values[this.place], this)) : this.lows;
  }
  // Values at the times of run.end: the last samples, each of them.
  get lastValues() {
    return this.lazy('lastValues', () => restore(this.run.end.values[this.place], this));
  }
  get extremes() {
    const { portrait } = this.run;
    return portrait ? this.lazy('extremes', () => restore(portrait.extremes[this.place], this)) : [];
  }
}

// A run with a negative step, turned round: charts want times that grow.
function turn(run) {
  const { time, channels } = run.series;
  if (!(time[time.length - 1] < time[0])) return;
  time.reverse();
  for (const { low, high } of channels) [low, high].forEach((values) => values?.reverse());
  for (const { time: times, values: columns } of [run.portrait, run.end].filter(Boolean)) [times, ...columns].forEach((values) => values.reverse());
  if (run.margin) [run.margin.time, run.margin.smallest, run.margin.condition].forEach((values) => values.reverse());
  for (const clip of run.motion?.clips ?? []) {
    const { columns } = run.motion;
    clip.time.reverse();
    const frames = clip.values.slice();
    for (let f = 0; f < clip.count; f++) clip.values.set(frames.subarray(f * columns, (f + 1) * columns), (clip.count - 1 - f) * columns);
  }
  run.backwards = true;
}

class Run {
  constructor(given, index, count) {
    turn(given);
    Object.assign(this, given);
    this.number = index;
    this.label = count > 1 ? this.file.replace(/\.h5$/, '') : '';
    this.times = Array.from(this.series.time);
    this.width = this.series.width;
    this.events = (this.events ?? []).map((event) => ({ ...event, columns: event.columns.map((column) => ({ ...column, values: restore(column.values, column) })) }));
    this.channels = this.series.channels.map((channel, i) => new Channel(this, channel, i));
  }
  of(kind) {
    return this.channels.filter((channel) => channel.kind === kind);
  }
  get portraitTime() {
    return this.portrait ? this.portrait.time : this.series.time;
  }
  get failed() {
    return this.closed && this.status !== 'OK' && this.status !== 'INTERRUPTED';
  }
}

// A run that is made in the page, from what the module gives (wasm/answers.c).
export function runOf(json, numbers, number) {
  const given = resolve(JSON.parse(json), decode(numbers));
  return Object.assign(new Run({ ...given, file: '', units: {}, closed: true, status: 'OK' }, 0, 1), { number });
}

export function load() {
  const text = (id) => document.getElementById(id)?.textContent;
  const [json, numbers] = [text('data'), text('numbers')];
  if (!json) throw new Error('this page contains no data: it is the template that `rattle report` fills');
  const report = JSON.parse(json);
  const buffer = decode(numbers ?? '');
  report.runs = resolve(report.runs, buffer).map((run, i, all) => new Run(run, i, all.length));
  report.studies = resolve(report.studies ?? [], buffer).map((study, i) => new Study(study, i));
  report.samplings = resolve(report.samplings ?? [], buffer).map((sampling, i) => new Sampling(sampling, i, restore));
  report.sweeps = resolve(report.sweeps ?? [], buffer).map((sweep, i) => new Sweep(sweep, i));
  return report;
}
