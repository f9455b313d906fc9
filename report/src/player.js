// Time that runs: which clip is shown, where it is, how fast it plays.
import { Signal } from './signal.js';

const clipNames = ['beginning', 'whole run', 'end'];

// A number rounded to 1, 2 or 5 times a power of ten.
export function round(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  const part = value / unit;
  return (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * unit;
}

export class Player {
  constructor(runs, time) {
    this.runs = runs.filter((run) => run.motion);
    this.time = time;
    this.playing = new Signal(false);
    this.clip = new Signal(0);
    this.rate = new Signal(1);
    this.direction = 1; // -1: back in time
    this.loops = false;
    this.frame = this.frame.bind(this);
  }
  // The names of the clips there are: the longest list of any run.
  get clips() {
    return this.runs.some((run) => run.motion.clips.length > 1) ? clipNames : [];
  }
  clipOf(run) {
    const { clips } = run.motion;
    return clips[Math.min(this.clip.value, clips.length - 1)];
  }
  get extent() {
    const times = this.runs.map((run) => this.clipOf(run).time);
    return [Math.min(...times.map((t) => t[0])), Math.max(...times.map((t) => t[t.length - 1]))];
  }
  // The median time between frames.
  get spacing() {
    const { time } = this.clipOf(this.runs[0]);
    return time.length > 1 ? (time[time.length - 1] - time[0]) / (time.length - 1) : 0;
  }
  choose(clip) {
    this.clip.set(clip);
    this.seek(this.extent[0]);
  }
  seek(time) {
    const [first, last] = this.extent;
    this.time.set(Math.min(Math.max(time, first), last));
  }
  // A time that a chart was clicked at: in whichever clip it lies in.
  visit(time) {
    const holds = (clip) => this.runs.some(({ motion: { clips } }) => {
      const times = clips[Math.min(clip, clips.length - 1)].time;
      return time >= times[0] && time <= times[times.length - 1];
    });
    if (this.clips.length && !holds(this.clip.value)) this.clip.set([0, 2, 1].find(holds) ?? 1);
    this.seek(time);
  }
  toggle() {
    if (this.playing.value) this.playing.set(false);
    else this.play();
  }
  play(direction = 1) {
    const [first, last] = this.extent;
    if (!(last > first)) return;
    const end = direction > 0 ? last : first;
    if ((this.time.value - end) * direction >= 0) this.time.set(first + last - end);
    this.direction = direction;
    const goes = this.playing.value;
    this.before = null;
    this.playing.set(true);
    if (!goes) requestAnimationFrame(this.frame);
  }
  frame(now) {
    if (!this.playing.value) return;
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    const [first, last] = this.extent;
    const end = this.direction > 0 ? last : first;
    const time = this.time.value + passed * this.rate.value * this.direction;
    const over = (time - end) * this.direction >= 0;
    if (over && this.loops) this.time.set(first + last - end);
    else this.time.set(over ? end : time);
    if (over && !this.loops) this.playing.set(false);
    else requestAnimationFrame(this.frame);
  }
  stepBy(frames) {
    this.playing.set(false);
    this.seek(this.time.value + frames * this.spacing);
  }
}
