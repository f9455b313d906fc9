// In browsers.
import { Librattle as Core } from './core.js';

async function compile() {
  const answer = await fetch(new URL('./rattle.wasm', import.meta.url));
  if (!answer.ok) throw new Error(`rattle.wasm: ${answer.status} ${answer.statusText}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}
function hire(hear, breaks) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = ({ message }) => breaks(message || 'the worker ended');
  return { send: (order) => worker.postMessage(order), end: () => worker.terminate() };
}
const platform = { compile, hire };

export class Librattle extends Core {
  constructor(options) {
    super(platform, options);
  }
}
export { RattleError } from './core.js';
