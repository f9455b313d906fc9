// Errors on two logarithmic axes: against the step, against work, or against time.
import { choice, h, list } from '../../dom.js';
import { LogLog } from '../../loglog.js';

const names = { error: 'relative error', error_q: 'error of q', error_p: 'error of p', energy: 'energy error', g: '|g|', psi: '|ψ|' };
const kinds = {
  order: { title: 'Error and step', table: 'points', xs: [['step', 'step h']], ys: ['error', 'error_q', 'error_p', 'energy', 'g', 'psi'] },
  work: { title: 'Error and work', table: 'points', xs: [['gradient', 'gradients of H'], ['cpu_seconds', 'CPU time, s'], ['newton_iterations', 'Newton iterations']], ys: ['error', 'energy'] },
  compare: { title: 'Growth', table: 'growth', xs: [['time', 'time t']], ys: ['energy', 'error', 'g', 'psi'] },
  drift: { title: 'Growth', table: 'growth', xs: [['time', 'time t']], ys: ['energy', 'error', 'g', 'psi'] },
};

// The fitted line through the middle of the points that were used.
function fitted(method, x, y) {
  const fit = method.fits.get(y);
  if (!fit || fit.slope === null || !fit.points) return null;
  const [xs, ys] = [x, y].map((name) => method.tables.get('points')?.column(name) ?? method.tables.get('growth').column(name));
  const used = xs.map((v) => v !== null && v >= fit.low * 0.999999 && v <= fit.high * 1.000001);
  const logs = xs.flatMap((v, i) => (used[i] && ys[i] > 0 ? [[Math.log(v), Math.log(ys[i])]] : []));
  if (logs.length === 0) return null;
  const mean = (k) => logs.reduce((sum, pair) => sum + pair[k], 0) / logs.length;
  const at = (v) => Math.exp(mean(1) + fit.slope * (Math.log(v) - mean(0)));
  return { used, line: [fit.low, at(fit.low), fit.high, at(fit.high)] };
}

export default {
  id: 'errors',
  title: (study) => kinds[study.kind].title,
  wide: true,
  shows: (study) => kinds[study.kind] && study.with(kinds[study.kind].table).length > 0,
  build(study, context) {
    const kind = kinds[study.kind];
    const methods = study.with(kind.table);
    const state = { x: kind.xs[0][0], y: kind.ys[0] };
    const spec = () => ({
      name: `errors-${study.number}`, title: `${kind.title}: ${names[state.y]}`, x: kind.xs.find(([name]) => name === state.x)[1],
      y: kind.table === 'growth' ? `largest so far, ${names[state.y]}` : names[state.y],
      sets: methods.map((method) => {
        const fit = fitted(method, state.x, state.y);
        return { name: method.method, colour: method.colour, xs: method.tables.get(kind.table).column(state.x), ys: method.tables.get(kind.table).column(state.y),
          used: fit?.used ?? null, lines: fit ? [fit.line] : [] };
      }),
    });
    const chart = new LogLog(spec(), context);
    const there = kind.ys.filter((y) => methods.some((method) => method.tables.get(kind.table).column(y).some((v) => v > 0)));
    const up = list('error', [['', there.map((y) => [y, names[y]])]], state.y, (y) => {
      state.y = y;
      chart.draw(spec());
    });
    const across = kind.xs.length > 1 && choice('work', kind.xs.map(([name, text]) => [name, text]), state.x, (x) => {
      state.x = x;
      chart.draw(spec());
    });
    const note = study.kind === 'work' ? 'Each point is a run with its own step; times are CPU times, which other programs can increase.'
      : 'Full points were used for the fit, drawn as a dashed line over their range. Hollow points have too long a step, or are near round-off or the error of the reference.';
    return { tools: [across, up, chart.tools], body: [chart.figure, h('p', { class: 'note' }, note)] };
  },
};
