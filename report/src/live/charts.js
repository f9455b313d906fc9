// The charts beside a live motion: energy, constraints, a phase portrait, any quantity; drawn anew with each answer.
import { choice, h, list } from '../dom.js';
import { TimeChart, lineOf } from '../chart.js';
import { energyName, find, labelled, menu, title } from '../quantities.js';
import { Scatter } from '../scatter.js';
import { Signal } from '../signal.js';
import { phaseStart } from '../panels/phase.js';
import { runColour } from '../theme.js';

const shade = (run) => () => runColour(run.number);
const lines = (runs, kind) => runs.filter((run) => run.of(kind).length).map((run) => lineOf(run, run.of(kind)[0], run.label || title(run.of(kind)[0]), shade(run)));
// What there is to draw, which a parameter may change.
const namesOf = (runs) => JSON.stringify([runs.some(({ m }) => m > 0), menu(runs)]);

export class Charts {
  // runs: at first; context: as for panels
  constructor(runs, context) {
    Object.assign(this, { runs, names: namesOf(runs), cards: [], redraws: [], time: new Signal(context.time.value) });
    context = { ...context, time: this.time, range: new Signal(null) }; // their own, and gone with them
    this.energy(context);
    if (runs.some(({ m }) => m > 0)) this.constraints(context);
    this.phase(context);
    this.quantity(context);
  }
  card(name, tools, ...body) {
    this.cards.push(h('section', { class: `card ${name.split(' ')[0].toLowerCase()}` }, h('header', {}, h('h2', {}, name), h('div', { class: 'panel-tools' }, tools)), body));
  }
  // Whether they can show these runs: those before them, with the same quantities.
  fits(runs) {
    return namesOf(runs) === this.names;
  }
  show(runs) {
    this.runs = runs;
    for (const redraw of this.redraws) redraw();
  }
  chart(name, id, spec, context, tools = []) {
    const chart = new TimeChart({ name: id, title: name, ...spec() }, context);
    this.redraws.push(() => chart.draw(spec()));
    this.card(name, [tools, chart.tools], chart.figure);
  }
  energy(context) {
    let log = false;
    const spec = () => {
      const name = energyName(this.runs[0]);
      return { lines: lines(this.runs, 'energy'), log, label: labelled(this.runs[0].of('energy')[0], log ? `|${name}|` : name) };
    };
    const redraw = (on) => {
      log = on;
      this.redraws[0]();
    };
    this.chart('Energy error', 'energy', spec, context, choice('scale', [[true, 'log'], [false, 'linear']], false, redraw));
  }
  constraints(context) {
    let kind = 'constraint';
    const name = { constraint: '|g|', hidden: '|ψ|' };
    const at = this.redraws.length;
    const choose = (wanted) => {
      kind = wanted;
      this.redraws[at]();
    };
    this.chart('Constraints', 'constraints', () => ({ lines: lines(this.runs, kind), log: true, label: name[kind] }), context,
      choice('residual', [['constraint', 'g'], ['hidden', 'ψ = {g, H}']], kind, choose));
  }
  phase(context) {
    const chosen = phaseStart(this.runs[0]);
    const spec = () => {
      const pairs = this.runs.map((run) => [run, ...chosen.map((wanted) => find(run, wanted))]).filter(([, x, y]) => x && y);
      const [, x, y] = pairs[pairs.length - 1];
      return { name: 'phase', title: `${title(y)} against ${title(x)}`, x: labelled(x), y: labelled(y),
        sets: pairs.map(([run, a, b]) => ({ name: run.label, colour: shade(run), times: run.portraitTime, joined: true, xs: a.values, ys: b.values })) };
    };
    const chart = new Scatter(spec(), context);
    this.redraws.push(() => chart.draw(spec()));
    const axis = (i, name) => h('label', { class: 'axis' }, name, list(`${name} axis`, menu(this.runs), chosen[i], (wanted) => {
      chosen[i] = wanted;
      chart.draw(spec());
    }));
    this.card('Phase portrait', chart.tools, h('div', { class: 'bar' }, h('span', { class: 'axes' }, axis(0, 'across'), axis(1, 'up'))), chart.figure);
  }
  quantity(context) {
    const choices = menu(this.runs);
    let wanted = choices[0][1][0][0];
    const at = this.redraws.length;
    const spec = () => {
      const found = this.runs.map((run) => find(run, wanted)).filter(Boolean);
      return { lines: found.map((channel) => lineOf(channel.run, channel, channel.run.label || title(channel), shade(channel.run))), log: false, label: labelled(found[0]) };
    };
    const which = list('quantity', choices, wanted, (key) => {
      wanted = key;
      this.redraws[at]();
    });
    this.chart('Quantities', 'quantities', spec, context, which);
  }
}
