// librattle in a worker: one order after the other; a worker that breaks or takes too long is ended, and the next order has a new one.

const kinds = { d: Float64Array, f: Float32Array, w: Uint16Array, i: Int32Array };

function bytesOf(text) {
  const binary = atob(text);
  return Uint8Array.from(binary, (c) => c.charCodeAt(0)).buffer;
}

// References ["f", at, count] become arrays.
function resolve(value, buffer) {
  if (Array.isArray(value)) {
    const [kind, at, count] = value;
    if (value.length === 3 && kinds[kind] && typeof at === 'number') return new kinds[kind](buffer, at, count);
    return value.map((item) => resolve(item, buffer));
  }
  if (value && typeof value === 'object') for (const key of Object.keys(value)) value[key] = resolve(value[key], buffer);
  return value;
}

// Numbers in a unit of their own, each with all its digits.
const restore = (values, { base, scale }) => Float64Array.from(values, (v) => base + scale * v);

function seriesOf({ series, portrait }) {
  const of = (channel, i) => ({ name: channel.name, kind: channel.kind, values: restore(portrait ? portrait.values[i] : channel.low, channel) });
  return { times: Float64Array.from(portrait ? portrait.time : series.time), series: series.channels.map(of) };
}

function orderOf(text, { parameters = {}, starts = {}, method = null, step = null, stop = null, samples = 1000, milliseconds = 1e9 }) {
  return { text, parameters, starts, method, step, stop, room: Math.max(1, Math.min(samples, 1500)), budget: milliseconds };
}

export class RattleError extends Error {
  name = 'RattleError';
}

export class Librattle {
  #platform;
  #patience;
  #worker = null;
  #waiting = Promise.resolve();

  // platform: { hire(hear): a worker, compile(): the module }; patience: ms of an order
  constructor(platform, { patience = 60000 } = {}) {
    this.#platform = platform;
    this.#patience = patience;
  }
  async #hire() {
    const { hire, compile } = this.#platform;
    const worker = { port: await hire((data) => worker.hear?.(data), (why) => worker.breaks?.(why)) };
    await this.#exchange(worker, { module: await (this.#platform.module ??= compile()) });
    return worker;
  }
  #exchange(worker, order) {
    return new Promise((done, fail) => {
      const end = (sentence) => {
        clearTimeout(timer);
        worker.port.end();
        if (this.#worker === worker) this.#worker = null;
        fail(new RattleError(sentence));
      };
      const timer = setTimeout(() => end(`there was no answer within ${this.#patience / 1000} s, and the worker was ended`), this.#patience);
      worker.breaks = (why) => end(`the calculation broke off: ${why}`);
      worker.hear = (data) => {
        if (data.broken) return end(`the calculation broke off: ${data.broken}`);
        clearTimeout(timer);
        worker.port.rest?.();
        return done(data);
      };
      worker.port.send(order);
    });
  }
  // One after the other, whatever became of the one before.
  #ask(order) {
    const answer = this.#waiting.then(async () => {
      this.#worker ??= await this.#hire();
      const data = await this.#exchange(this.#worker, { id: 1, ...order });
      if (data.failed && !data.run) throw new RattleError(data.failed);
      return data;
    });
    this.#waiting = answer.catch(() => {});
    return answer;
  }

  async run(text, settings = {}) {
    const data = await this.#ask(orderOf(text, settings));
    const run = resolve(JSON.parse(data.run), bytesOf(data.numbers));
    const { method, solver, n, m, steps, figures } = run;
    return { method, solver, n, m, steps, step: data.step, time: data.time, complete: !data.cut && !data.failed, failed: data.failed ?? null, figures, about: data.about, ...seriesOf(run) };
  }
  async advance(text, steps, settings = {}) {
    const { about, point, time } = await this.#ask({ ...orderOf(text, { ...settings, samples: 2 }), last: steps });
    const n = about.coordinates.length;
    return { coordinates: about.coordinates, momenta: about.momenta, q: Float64Array.from(point.slice(0, n)), p: Float64Array.from(point.slice(n)), time };
  }
  async check(text, settings = {}) {
    return (await this.#ask({ ...orderOf(text, settings), check: true })).check;
  }
  end() {
    this.#worker?.port.end();
    this.#worker = null;
  }
}
