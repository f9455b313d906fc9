// The rows: what was varied in a case, and what came of it.
import { h, replace } from '../../dom.js';
import { number, whole } from '../../format.js';

const [MOST_ROWS, MOST_COLUMNS] = [100, 12];

export default {
  id: 'cases',
  title: () => 'Cases',
  wide: true,
  shows: (sweep) => sweep.numbers.length > 0,
  build(sweep) {
    const columns = [...sweep.inputs, ...sweep.results].slice(0, MOST_COLUMNS);
    let [by, down] = [null, false];
    const body = h('tbody');
    const head = h('tr');
    const note = h('p', { class: 'note' });
    const show = () => {
      const order = Array.from(sweep.numbers.keys());
      const least = down ? -Infinity : Infinity; // what is not there comes last
      const of = (i) => (by ? by.values[i] ?? least : sweep.numbers[i]);
      order.sort((a, b) => ((down ? of(b) - of(a) : of(a) - of(b)) || a - b));
      const sign = (column) => (column === by ? (down ? ' ↓' : ' ↑') : '');
      replace(head, [null, ...columns].map((column) => h('th', { scope: 'col', 'aria-sort': column === by ? (down ? 'descending' : 'ascending') : 'none' },
        h('button', { type: 'button', class: 'plain', onclick: () => {
          down = column === by && !down;
          by = column;
          show();
        } }, `${column ? column.label : 'case'}${sign(column)}`))));
      replace(body, order.slice(0, MOST_ROWS).map((i) => h('tr', {}, h('th', { scope: 'row' }, whole(sweep.numbers[i])), columns.map((column) => {
        const value = column.values[i];
        return h('td', {}, value === null ? (column.input ? '–' : sweep.failed[i] ? 'failed' : '–') : column.input ? sweep.written(column, value) : number(value, 5));
      }))));
      note.textContent = [order.length > MOST_ROWS || sweep.every > 1 ? `${Math.min(order.length, MOST_ROWS)} of ${whole(sweep.cases)} cases; rattle info --csv gives all.` : '',
        sweep.inputs.length + sweep.results.length > MOST_COLUMNS ? `The first ${MOST_COLUMNS} of ${sweep.inputs.length + sweep.results.length} quantities.` : ''].filter(Boolean).join(' ');
    };
    show();
    return [h('div', { class: 'scroll rows' }, h('table', { class: 'claims' }, h('thead', {}, head), body)), note];
  },
};
