// The module and the command make the same states of the examples: to the bit, or where a model calls functions of the C library, to round-off.
// With musl's functions in the command too (tools/libm) they are the same to the bit.
//   node bits.mjs RATTLE SOURCE_DIR
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worker } from './module.mjs';

const [, , rattle, source] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'rattle-live-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const command = (...words) => execFileSync(rattle, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
// musl's functions, where its package is there; and the examples that differ with them too: bonds have stages of their own in the command,
// and ranks are those of another LAPACK
const OTHERWISE = ['alkane.lua', 'bennett.lua'];
let musl = null;
try {
  musl = execFileSync(join(source, 'tools', 'libm'), [join(folder, 'libmusl_m.so')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
} catch {
  console.log('without musl-dev: not compared to the bit where functions are called');
}
const STEPS = 200;
// of a model, or of a module that it requires
const CALLS = /\b(sin|cos|tan|asin|acos|atan|atan2|exp|log|sinh|cosh|tanh|pow|erf|erfc|expm1|log1p)\s*\(/;

command('live', join(source, 'examples', 'pendulum.lua'), '-o', join(folder, 'page.html'), '--quiet');
const ask = await worker(readFileSync(join(folder, 'page.html'), 'utf8'));

let [same, near, alike, faults] = [0, 0, 0, []];
for (const file of readdirSync(join(source, 'examples')).filter((name) => name.endsWith('.lua'))) {
  const model = join(source, 'examples', file);
  const text = readFileSync(model, 'utf8');
  const answer = await ask({ text, parameters: file === 'chain.lua' ? { N: 20 } : {}, last: STEPS });
  if (answer.broken || (answer.failed && !answer.about)) {
    faults.push(`${file}: ${answer.broken ?? answer.failed}`);
    continue;
  }
  const { coordinates, momenta } = answer.about;
  // the states of the command and of the module; of a model with a time of its own, its coordinate and momentum are no columns
  const states = (evaluator, env) => {
    const csv = join(folder, 'states.csv');
    execFileSync(rattle, ['run', model, '--evaluator', evaluator, '--steps', String(STEPS), '--every', String(STEPS), '--csv', csv, '--force', '--quiet',
      ...(file === 'chain.lua' ? ['-P', 'N=20'] : [])], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    const [head, ...rows] = readFileSync(csv, 'utf8').trim().split('\n').filter((line) => !line.startsWith('#')).map((line) => line.split(','));
    const last = rows[rows.length - 1];
    const columns = [...coordinates, ...momenta].map((name) => head.findIndex((column) => column.replaceAll('"', '') === name));
    return [columns.map((c) => Number(last[c])), answer.point].map((values) => values.filter((value, i) => columns[i] >= 0));
  };
  const [wanted, point] = states('block');
  assert.ok(point.length >= 2 * coordinates.length - 2, file);
  if (musl && !OTHERWISE.includes(file)) {
    const [theirs] = states('block', { LD_PRELOAD: musl });
    if (point.every((value, i) => Object.is(value, theirs[i]))) alike++;
    else faults.push(`${file}: with musl's functions states differ`);
  }
  const misses = point.map((value, i) => Math.abs(value - wanted[i]) / Math.max(1, Math.abs(wanted[i])));
  const worst = Math.max(...misses);
  const calls = CALLS.test(text) || /require/.test(text);
  if (point.every((value, i) => Object.is(value, wanted[i]))) same++;
  else if (calls && worst < 1e-9) near++;
  else faults.push(`${file}: states differ by ${worst}`);
}
console.log(`${same} examples are the same to the bit, ${near} to round-off; with musl's functions ${alike} to the bit`);
assert.deepEqual(faults, []);
assert.ok(same >= 20);
