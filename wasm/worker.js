// The worker of live pages, after the glue of the module (rattleModule): one model at a time, in a thread that the page can end.
//   in    { module }                                                    once
//         { id, text, parameters, starts, method, step, stop, room, budget }
//           or with last: a number of steps, after which the answer has the point (q, p) besides; with check: no run
//         starts and parameters: { name: value }; method, step, stop: null for those of the model; room: samples; budget: ms
//   out   { ready } or { broken: sentence }                             once
//         { id, about, run, numbers, cut, failed, steps, time, milliseconds, memory }; or { id, failed: sentence }
//           to an order with check: { id, check }, what the doctor finds, which may take longer than a run
// A trap leaves the module undefined: { id, broken: sentence }, and the page ends the worker.
const LIMITS = [5, 256e6, 2e9]; // of a model's text: seconds, bytes, instructions
let module;

// f(...texts and numbers), texts as UTF-8
function call(f, ...given) {
  const held = [];
  const args = given.map((value) => {
    if (typeof value !== 'string') return value;
    const size = module.lengthBytesUTF8(value) + 1;
    const at = module._malloc(size);
    module.stringToUTF8(value, at, size);
    held.push(at);
    return at;
  });
  const result = f(...args);
  held.forEach((at) => module._free(at));
  return result;
}
const text = (pointer) => module.UTF8ToString(pointer);
const sentence = () => text(module._live_error());

function read({ text: model, parameters, starts }) {
  module._live_limits(...LIMITS);
  for (const [kind, settings] of [parameters, starts].entries()) {
    for (const [name, value] of Object.entries(settings ?? {})) call(module._live_set, kind, name, value);
  }
  return call(module._live_read, model);
}

// Steps until the time is up or the budget is spent; samples are those of a run in one piece.
function advance({ steps, every, stop, budget, forward }) {
  const until = performance.now() + budget;
  let done = 0;
  let piece = every;
  while (done < steps && (module._live_time() - stop) * forward < 0 && !module._live_ended()) {
    const before = performance.now();
    if (before > until) return { cut: true };
    const now = Math.min(piece, Math.ceil((steps - done) / every) * every);
    if (module._live_advance(now)) return { failed: sentence() };
    done += now;
    // the next piece takes an eighth of the budget at most
    const spent = Math.max(performance.now() - before, 0.05);
    piece = every * Math.max(1, Math.min(Math.floor((now / every) * (budget / 8 / spent)), 8 * Math.ceil(now / every)));
  }
  return {};
}

const check = () => JSON.parse(text(module._live_check()));

// A model that says no step has the one that the doctor advises.
function plan(order, about) {
  const step = order.step ?? (about.step || check().step);
  if (!step) return { failed: 'There is no time step: give one in the box, or write integrate { step = ... } in the model.' };
  const begin = about.begin ?? 0;
  const stop = order.last ? step * Infinity : order.stop ?? about.stop ?? begin + (about.steps > 0 ? about.steps : 1000) * step;
  const steps = order.last ?? module._live_steps(step, stop);
  if (!steps) return { failed: sentence() };
  return { step, stop, steps, every: Math.max(1, Math.ceil(steps / order.room)), budget: order.budget, forward: Math.sign(step) };
}

function work(order) {
  const { id } = order;
  const began = performance.now();
  if (read(order)) return { id, failed: sentence() };
  if (order.check) {
    const found = check();
    return found.class ? { id, check: found } : { id, failed: sentence() };
  }
  const about = JSON.parse(text(module._live_about()));
  const planned = plan(order, about);
  if (planned.failed) return { id, about, failed: planned.failed };
  if (call(module._live_begin, order.method ?? '', planned.step, planned.stop, planned.every)) return { id, about, failed: sentence() };
  const outcome = advance(planned);
  const run = text(module._live_run());
  if (!run) return { id, about, failed: outcome.failed ?? sentence() };
  return {
    id, about, run, numbers: text(module._live_numbers()), ...outcome, stop: planned.stop, step: planned.step, time: module._live_time(),
    point: order.last ? [...new Float64Array(module.HEAPU8.buffer, module._live_point(), 2 * module._live_pairs())] : undefined,
    milliseconds: performance.now() - began, memory: module.HEAPU8.length,
  };
}

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      module = await rattleModule({
        instantiateWasm: (imports, use) => {
          WebAssembly.instantiate(data.module, imports).then((instance) => use(instance), (error) => postMessage({ broken: error.message }));
          return {};
        },
        print: () => {}, printErr: () => {},
      });
      postMessage({ ready: true });
    } else {
      postMessage(work(data));
    }
  } catch (error) {
    postMessage({ id: data.id, broken: error.message });
  }
};
