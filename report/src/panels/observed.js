// Any quantity over time: what the model observes first.
import { h, list, replace } from '../dom.js';
import { number } from '../format.js';
import { TimeChart, lineOf } from '../chart.js';
import { find, labelled, menu, title } from '../quantities.js';
import { runColour } from '../theme.js';

// What hardly changes is shown as its difference from its first value.
function lineFor(run, channel, name, shade) {
  const line = lineOf(run, channel, name, shade);
  const steady = channel.highest - channel.lowest < 1e-5 * Math.abs(channel.first) && channel.first !== null;
  if (!steady) return line;
  const shift = (values) => values.map((v) => (v === null ? null : v - channel.first));
  const lows = shift(channel.lows);
  return { ...line, lows, highs: line.ranged ? shift(channel.highs) : lows, steady: true };
}

export default {
  id: 'quantities',
  title: 'Quantities',
  shows: () => true,
  build(report, context) {
    const { runs } = report;
    const choices = menu(runs);
    const observed = runs.length === 1 ? runs[0].of('observed') : [];
    const groups = observed.length > 1 && observed.length <= 8 ? [['', [['all', 'all observed']]], ...choices] : choices;
    const first = choices[0][1][0][0];
    const note = h('p', { class: 'note' });
    const tell = (lines) => {
      replace(note, lines.map(({ line, channel }) => h('span', { class: lines.length > 1 ? 'each' : undefined }, `${line.name ? `${line.name}: ` : ''}${number(channel.lowest, 5)} to ${number(channel.highest, 5)}`
        + `${channel.trend ? `, trend ${number(channel.trend.slope, 2)} ± ${number(channel.trend.error, 2)} per unit of time` : ''}`
        + `${line.steady ? `; its first value ${number(channel.first, 8)} is subtracted` : ''}`
        + `${channel.missing ? `; ${channel.missing} samples are not finite` : ''}`)));
    };
    const pick = (wanted) => {
      const channels = wanted === 'all' ? observed : runs.map((run) => find(run, wanted)).filter(Boolean);
      const lines = channels.map((channel, i) => ({ channel,
        line: lineFor(channel.run, channel, wanted === 'all' || runs.length === 1 ? title(channel) : channel.run.label, () => runColour(wanted === 'all' ? i : channel.run.number)) }));
      tell(lines);
      const steady = lines.every(({ line }) => line.steady);
      return { lines: lines.map(({ line }) => line), log: false,
        label: wanted === 'all' ? 'observed' : labelled(channels[0], `${title(channels[0])}${steady ? ' − first' : ''}`) };
    };
    const chart = new TimeChart({ name: 'quantities', title: 'Quantities', ...pick(first) }, context);
    const which = list('quantity', groups, first, (wanted) => chart.draw(pick(wanted)));
    return { tools: [which, chart.tools], body: [chart.figure, note] };
  },
};
