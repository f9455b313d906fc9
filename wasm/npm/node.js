// In node.
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { Librattle as Core } from './core.js';

const compile = async () => WebAssembly.compile(await readFile(new URL('./rattle.wasm', import.meta.url)));
function hire(hear, breaks) {
  const worker = new Worker(new URL('./node_worker.js', import.meta.url));
  worker.unref(); // a program ends when it has nothing else to wait for
  worker.on('message', hear);
  worker.on('error', (error) => breaks(error.message));
  return {
    send(order) {
      worker.ref();
      worker.postMessage(order);
    },
    rest: () => worker.unref(),
    end: () => worker.terminate(),
  };
}
const platform = { compile, hire };

export class Librattle extends Core {
  constructor(options) {
    super(platform, options);
  }
}
export { RattleError } from './core.js';
