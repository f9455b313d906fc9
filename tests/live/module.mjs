// The module of live pages in node, as its worker has it: the elements that the command puts into pages, without a browser.
import { gunzipSync } from 'node:zlib';

const element = (page, id) => page.match(new RegExp(`<script type="[a-z/-]+" id="${id}">([^]*?)</script>`))[1];

// A worker of the page of that text: order => answer.
export async function worker(page) {
  const answers = [];
  const text = element(page, 'live-worker').replace('onmessage = async', 'const take = async');
  // as in a worker of a browser
  const take = new Function('postMessage', 'self', 'importScripts', 'process', `${text}\nreturn take;`)((answer) => answers.push(answer), { location: { href: 'blob:' } }, () => {});
  const ask = async (data) => {
    await take({ data });
    return answers.pop();
  };
  const ready = await ask({ module: await WebAssembly.compile(gunzipSync(Buffer.from(element(page, 'live-module'), 'base64'))) });
  if (!ready?.ready) throw new Error(ready?.broken ?? 'the module says nothing');
  return (order) => ask({ id: 1, parameters: {}, starts: {}, method: null, step: null, stop: null, room: 1e9, budget: 1e9, check: false, ...order });
}
