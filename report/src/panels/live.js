// The model at work in the page: sliders, motion, charts; what it was as the page was made, and what is changed.
import { breakable, h, list, replace, tool } from '../dom.js';
import { runOf } from '../data.js';
import { number, whole } from '../format.js';
import { Charts } from '../live/charts.js';
import { Engine, isThere } from '../live/engine.js';
import { Handles, draggable } from '../live/handles.js';
import * as fragments from '../live/settings.js';
import { Slider, rangeOf, rangeOfStart } from '../live/sliders.js';
import { fit } from '../places.js';
import { Player } from '../player.js';
import { Signal } from '../signal.js';
import { controls, keys, naturalRate, stageFor } from './motion.js';

const ROOM = 1500; // samples of a run, and with twice as many each is still a point of its own
const [QUICK, PATIENT] = [300, 4000]; // ms of a run: while something moves, and when it rests
const [PATIENCE, DOCTOR] = [12000, 60000]; // ms without an answer, of a run and of the check beside it
const MOST_STARTS = 12;
const GREY = 7; // the colour of the run as it was
const MODULES = /^--\[=+\[ module "/m; // where the modules of a text begin, which end it
// A page in a frame that was made from text, as in the cell of a notebook, has no address, which could hold settings.
const hasAddress = location.protocol !== 'about:';

class Live {
  constructor(report) {
    this.report = report;
    this.all = [report.live, ...(report.others ?? [])];
    this.word = report.runs.length ? 'as recorded' : 'as written';
    this.compare = true;
    this.time = new Signal(null);
    this.player = new Player([], this.time);
    this.player.loops = true;
    this.context = { time: this.time, range: new Signal(null), player: this.player, title: report.title, seek: (t) => this.player.seek(t) };
    this.say = h('p', { class: 'notice', role: 'status', 'aria-live': 'polite', hidden: true });
    this.host = h('div');
    this.views = {}; // in the plane and in space: one of each, as a browser has few contexts to draw with
    this.legend = h('div', { class: 'legend' });
    this.bar = h('div');
    this.side = h('div', { class: 'side' });
    this.figures = h('dl', { class: 'tiles' });
    this.charts = h('div', { class: 'live-charts' });
    this.head = h('div');
    this.foot = h('div');
    this.engine = new Engine(PATIENCE, (answer) => this.hear(answer), (on) => this.element.classList.toggle('busy', on));
    this.element = h('div', { class: 'live' }, this.head, this.say,
      h('div', { class: 'play-area' }, h('div', {}, this.legend, this.host, this.bar), this.side), this.figures, this.charts, this.foot);
    addEventListener('hashchange', () => fragments.isOne(location.hash) && this.reset(fragments.read(location.hash)));
    this.time.on((time, from) => this.drawn?.time.set(time, from));
    this.open(fragments.read(location.hash));
  }

  // --- which model ---
  // That of the settings, or the first.
  open(settings) {
    const given = this.all.find(({ file }) => file === settings.model) ?? this.all[0];
    this.begin({ ...settings, model: given === this.all[0] ? null : given.file }, given, given.text);
    replace(this.foot, this.editor());
    if (this.all.length === 1) return;
    const { report } = this;
    const missing = settings.model !== null && settings.model !== given.file;
    report.headline.textContent = document.title = given.title || given.file;
    report.origin.textContent = given.file;
    replace(this.head, h('label', { class: 'row' }, 'model ', list('model', [['', this.all.map(({ file, title }) => [file, title ? `${title} (${file})` : file])]], given.file, (file) => {
      this.open({ ...fragments.none(), model: file });
      this.address();
    })), missing && h('p', { class: 'notice' }, `The address asks for ${settings.model}, which is not in this page; this is the first model.`));
  }
  // All that belongs to the text before goes.
  begin(settings, given, text) {
    this.engine.drop();
    this.doctor?.dismiss();
    Object.assign(this, { settings, given, text, about: null, base: null, current: null, drawn: null, span: null });
    this.ask(fragments.none());
  }
  address() {
    if (hasAddress) history.replaceState(null, '', fragments.write(this.settings) || location.pathname + location.search);
  }

  // --- orders and answers ---
  order(settings, budget) {
    const { given } = this;
    return { text: this.text, parameters: { ...given.parameters, ...settings.parameters }, starts: { ...given.starts, ...settings.starts }, method: settings.method ?? given.method,
      step: settings.step ?? given.step, stop: settings.stop ?? given.stop, room: ROOM, budget, settings, changed: fragments.changes(settings) };
  }
  ask(settings, budget = QUICK) {
    this.engine.ask(this.order(settings, budget));
  }
  change(kind, name, value) {
    if (kind) this.settings[kind][name] = value;
    else this.settings[name] = value;
    this.changed();
  }
  changed() {
    this.address();
    this.ask(this.settings);
    this.tell();
  }
  hear(answer) {
    if (answer.about && !this.about) this.make(answer);
    if (answer.run) this.take(answer);
    if (answer.order?.changed || this.current === this.base) this.complain(answer);
    if (answer.order && !this.engine.wanted) this.goOn(answer);
  }
  // The next order, when nothing else is wanted.
  goOn({ cut, order }) {
    const { base } = this;
    if (cut && order.budget < PATIENT) this.ask(order.settings, PATIENT); // longer than the quick budget: once more, in full
    else if (!order.changed && this.current === base && fragments.changes(this.settings)) this.ask(this.settings); // those of the link, after what they change
    else if (base?.quick) this.ask(fragments.none(), PATIENT); // left behind by a change
  }
  take(answer) {
    const { order } = answer;
    const was = !order.changed;
    const run = runOf(answer.run, answer.numbers, was ? GREY : 0);
    Object.assign(run, { about: answer.about, label: was ? this.word : 'changed', waited: answer.waited, quick: answer.cut && order.budget < PATIENT });
    if (!was || this.current === this.base || !fragments.changes(this.settings)) this.current = run;
    if (was) this.base = run;
    if (!run.motion) run.motion = null;
    this.show();
  }
  complain({ failed, cut, run, time, order }) {
    const late = cut && order?.budget >= PATIENT ? `Shown to t = ${number(time, 4)}: the rest takes longer than ${PATIENT / 1000} s.` : '';
    this.say.hidden = !failed && !late;
    this.say.className = failed ? 'notice failed' : 'notice open';
    this.say.textContent = failed ? `${failed}${run ? ' The motion up to there is shown.' : ''}` : late;
  }

  // --- what is shown ---
  get runs() {
    const { base, current } = this;
    if (!base || base === current) return [current];
    return this.compare ? [base, current] : [current];
  }
  show() {
    const { runs } = this;
    const alone = runs.length === 1;
    for (const run of runs) {
      run.number = run === this.base && !alone ? GREY : 0;
      for (const channel of run.channels) channel.run = run;
    }
    this.player.runs = runs.filter((run) => run.motion);
    this.showLegend(runs);
    this.showMotion();
    this.shownAt = performance.now();
    this.showFigures();
    cancelAnimationFrame(this.later);
    this.later = requestAnimationFrame(() => this.showCharts(runs));
  }
  showLegend(runs) {
    replace(this.legend, runs.map((run) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.style.background = `var(--run-${run.number + 1})`;
      return h('span', { class: 'entry' }, swatch, run.label);
    }), this.base && this.base !== this.current && h('label', { class: 'entry' },
      h('input', { type: 'checkbox', checked: this.compare, onchange: (event) => { this.compare = event.target.checked; this.show(); } }), `show it ${this.word} too`));
  }
  showMotion() {
    const { runs } = this.player;
    this.host.hidden = this.bar.hidden = !runs.length;
    if (!runs.length) {
      this.player.playing.set(false);
      return;
    }
    const frame = fit(runs);
    const flat = runs.every((run) => run.motion.dimension === 2);
    for (const view of Object.values(this.views)) view.host.hidden = view.stage.flat !== flat;
    if (this.views[flat]) this.views[flat].stage.replace(runs, frame); // sees to its size, and draws
    else this.views[flat] = this.makeView(runs, frame);
    Object.assign(this, { stage: this.views[flat].stage, handles: this.views[flat].handles });
    this.rate ??= this.makeBar();
    const [first, last] = this.player.extent;
    if (last - first !== this.span) {
      this.span = last - first;
      this.rate.value = naturalRate(this.player, frame);
      this.rate.on();
    }
    this.player.seek(this.time.value ?? first);
    const { about } = this.current;
    const hint = draggable(this.current).length ? 'Drag a ring to change where a point starts. ' : '';
    this.hint.textContent = `${hint}${flat ? '' : 'Drag the picture to turn it. '}Space plays, “,” and “.” step, + and − zoom.`;
    this.handles.show(this.current, Object.fromEntries(about.coordinates.map((name, i) => [name, about.start[i]])));
  }
  makeView(runs, frame) {
    const host = h('div', { class: 'stage live', tabindex: 0, role: 'img', 'aria-label': 'motion' });
    this.host.append(host);
    this.player.seek(this.player.extent[0]);
    const stage = stageFor(host, runs, frame, this.player);
    host.onkeydown = keys(stage, this.player);
    const handles = new Handles(stage, host, (starts) => {
      Object.assign(this.settings.starts, starts);
      for (const [name, value] of Object.entries(starts)) this.starts?.get(name)?.set(value);
      this.player.playing.set(false);
      this.player.seek(this.player.extent[0]);
      this.changed();
    }, () => this.player.play());
    return { host, stage, handles };
  }
  makeBar() {
    const rate = { value: 1, on: () => {} };
    const back = h('button', { type: 'button', class: 'play', title: 'back in time', 'aria-label': 'play back in time', onclick: () => this.player.play(-1) }, '◀');
    replace(this.bar, controls(this.player, rate, back), this.hint = h('p', { class: 'note' }));
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.player.play();
    return rate;
  }
  showFigures() {
    const { figures, m, steps, step, samples, waited, solver } = this.current;
    const [base] = this.base === this.current ? [] : [this.base];
    const pair = (name) => [number(figures[name]), base && `${this.word} ${number(base.figures[name])}`];
    const tiles = [['Energy error', ...pair('energy_max_error')], ...(m ? [['Constraints |g|', ...pair('g_max')], ['Hidden |ψ|', ...pair('psi_max')],
      ['Smallest singular value of N', ...pair('min_singular_value')]] : []),
    ['Steps', whole(steps), `of ${number(step, 4)}; ${whole(samples)} samples`], ['Answer', `${Math.round(waited)} ms`, solver && `solver ${solver}`]];
    replace(this.figures, tiles.map(([name, value, small]) => h('div', {}, h('dt', {}, name), h('dd', {}, h('b', {}, value), small && h('small', {}, small)))));
  }
  showCharts(runs) {
    if (this.drawn?.fits(runs)) return this.drawn.show(runs);
    this.drawn = new Charts(runs, this.context);
    return replace(this.charts, this.drawn.cards);
  }

  // --- the settings ---
  make(answer) {
    const { about, order } = answer;
    const { given } = this;
    this.about = about;
    this.examine(order);
    const sliders = (numbers, kind) => new Map(numbers.map((of) => [of.name, new Slider(of, (value) => this.change(kind, of.name, value))]));
    this.parameters = sliders(about.parameters.map((of) => ({ ...of, range: rangeOf(of) })), 'parameters');
    const names = [...about.coordinates, ...about.momenta];
    this.starts = sliders(names.length > 2 * MOST_STARTS ? [] : names.map((name, i) => ({ name, value: about.start[i], range: rangeOfStart(about.start[i], about.angles.includes(name)) })), 'starts');
    this.method = h('span');
    this.chooseMethod([]);
    this.step = this.digits('step', answer.step ?? given.step ?? about.step);
    this.stop = this.digits('stop', answer.stop ?? given.stop ?? about.stop);
    this.changes = h('p', { class: 'changes' });
    const elements = (map) => [...map.values()].map(({ element }) => element);
    replace(this.side,
      h('div', { class: 'side-head' }, h('h3', {}, 'Parameters'), h('span', { class: 'tools' }, tool('reset', 'all settings as they were', () => this.reset({ ...fragments.none(), model: this.settings.model })),
        hasAddress && (this.link = tool('copy link', 'copy a link to this page with these settings', () => this.copy())))),
      about.parameters.length ? elements(this.parameters) : h('p', { class: 'note' }, 'The model declares none; parameter("name", value) in it makes a slider.'),
      h('details', { open: !about.parameters.length && this.starts.size > 0 }, h('summary', {}, 'Start'), this.starts.size ? elements(this.starts)
        : h('p', { class: 'note' }, `The ${names.length} numbers of the start are too many for sliders.`), h('p', { class: 'note' }, 'Starts are moved onto the constraints.')),
      h('h3', {}, 'Integrator'), h('label', { class: 'row' }, 'method', this.method), h('div', { class: 'row' }, h('label', {}, 'step ', this.step), h('label', {}, 'until t = ', this.stop)),
      this.changes, this.kept = h('p', { class: 'note' }));
    this.put();
  }
  digits(name, value) {
    const box = h('input', { type: 'number', step: 'any', 'aria-label': name, onchange: () => {
      const given = Number(box.value);
      this.change(null, name, box.value === '' || !Number.isFinite(given) || given === value ? null : given);
    } });
    box.base = value;
    return box;
  }
  chooseMethod(methods) {
    const { settings, about } = this;
    const named = settings.method && !methods.includes(settings.method) ? [settings.method] : [];
    replace(this.method, list('method', [['', [['', `${this.given.method ?? about.method} (${this.word})`]]], ['others', [...named, ...methods].map((name) => [name, name])]],
      settings.method ?? '', (name) => this.change(null, 'method', name || null)));
  }
  // The doctor beside the runs, who may take longer than all of them.
  examine(order) {
    this.doctor?.dismiss();
    const doctor = new Engine(DOCTOR, ({ check, failed }) => {
      doctor.dismiss();
      if (failed) this.kept.textContent = 'Other methods are not listed: the check of the model took too long, or broke off.';
      else this.learn(check);
    });
    this.doctor = doctor;
    doctor.ask({ ...order, check: true });
  }
  learn({ methods, kept, class: kind, index }) {
    if (methods) this.chooseMethod(methods);
    const sentence = [kind && kind !== 'unconstrained' ? `${kind.replace('_', ' ')} constraints${index > 0 ? `, index ${index}` : ''}. ` : '', kept?.length ? `Conserved: ${kept.join(', ')}.` : ''];
    this.kept.textContent = sentence.join('');
  }
  // Sliders and boxes to the settings.
  put() {
    const { settings, about } = this;
    about.parameters.forEach(({ name, value }) => this.parameters.get(name).set(settings.parameters[name] ?? value));
    [...about.coordinates, ...about.momenta].forEach((name, i) => this.starts.get(name)?.set(settings.starts[name] ?? about.start[i]));
    for (const name of ['step', 'stop']) this[name].value = settings[name] ?? this[name].base ?? '';
    const select = this.method.querySelector('select');
    if (select) select.value = settings.method ?? '';
    this.tell();
  }
  // Words for what is changed.
  tell() {
    const { settings, about } = this;
    if (!about) return;
    const was = (name) => about.parameters.find((of) => of.name === name)?.value;
    const words = [...Object.entries(settings.parameters).map(([name, value]) => `${name} ${number(was(name), 5)} → ${number(value, 5)}`),
      ...(Object.keys(settings.starts).length ? [`start of ${Object.keys(settings.starts).slice(0, 6).join(', ')}`] : []),
      ...(settings.method ? [settings.method] : []), ...['step', 'stop'].filter((name) => settings[name] !== null).map((name) => `${name} ${number(settings[name], 5)}`)];
    replace(this.changes, words.length ? [h('b', {}, 'Changed: '), breakable(words.join('; '))] : [`All as the ${this.report.runs.length ? 'record was made' : 'model says'}.`]);
  }
  reset(settings) {
    if (settings.model !== this.settings.model) return this.open(settings);
    this.settings = settings;
    if (this.about) this.put();
    return this.changed();
  }
  copy() {
    const done = (word) => {
      this.link.textContent = word;
      setTimeout(() => { this.link.textContent = 'copy link'; }, 1500);
    };
    navigator.clipboard?.writeText(location.href).then(() => done('copied'), () => done('see the address'));
    if (!navigator.clipboard) done('see the address');
  }
  editor() {
    const end = this.text.search(MODULES);
    const [own, modules] = end < 0 ? [this.text, ''] : [this.text.slice(0, end), this.text.slice(end)];
    const text = h('textarea', { spellcheck: false, 'aria-label': 'the text of the model', rows: Math.min(24, own.split('\n').length + 1) });
    text.value = own;
    const run = h('button', { type: 'button', class: 'tool', onclick: () => {
      this.begin({ ...fragments.none(), model: this.settings.model }, { parameters: {}, starts: {}, method: null, step: null, stop: null }, `${text.value.replace(/\n?$/, '\n')}${modules}`);
      this.address();
    } }, 'run this text');
    return h('details', { class: 'editor' }, h('summary', {}, `The model, ${this.given.file}`), text, h('p', { class: 'note' }, run, ' A link holds settings, not a text that was changed here.'));
  }
}

export default {
  id: 'live',
  title: (report) => (report.runs.length ? 'Try it' : 'Live'),
  short: 'Live',
  wide: true,
  shows: (report) => Boolean(report.live) && isThere(),
  build(report) {
    const live = new Live(report);
    (window.rattleLive ??= []).push(live); // for scripts of notebooks, and tests
    return { body: live.element };
  },
};
