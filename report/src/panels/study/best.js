// The cheapest method for each error.
import { breakable, h } from '../../dom.js';
import { number, power, seconds } from '../../format.js';

export default {
  id: 'cheapest',
  title: () => 'The cheapest method for an error',
  wide: true,
  shows: (study) => study.tables.get('best')?.rows > 0,
  build(study) {
    const table = study.tables.get('best');
    const column = (name) => table.column(name);
    const who = (i) => {
      const method = i === null ? null : study.methods[i];
      return method ? [h('i', { class: 'swatch', 'data-run': method.number }), h('code', {}, breakable(method.method))] : '–';
    };
    const [errors, byGradient, gradients, byTime, times] = ['error', 'method_by_gradient', 'gradient', 'method_by_cpu', 'cpu_seconds'].map(column);
    const rows = errors.map((error, i) => h('tr', {}, h('th', { scope: 'row' }, power(Math.round(Math.log10(error)))), h('td', {}, who(byGradient[i])), h('td', {}, number(gradients[i])),
      h('td', {}, who(byTime[i])), h('td', {}, times[i] === null ? '–' : seconds(times[i]))));
    return h('div', { class: 'scroll' }, h('table', { class: 'claims' },
      h('thead', {}, h('tr', {}, ['error', 'fewest gradients', 'gradients', 'least time', 'CPU time'].map((name) => h('th', { scope: 'col' }, name)))), h('tbody', {}, rows)));
  },
};
