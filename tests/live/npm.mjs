// The npm package, installed in a clean folder: in node its points are those of the command, orders that never end are ended; in a browser it runs too.
//   node npm.mjs RATTLE SOURCE_DIR LIVE_MODULE
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { start } from '../report/browser.mjs';
import { assert, at, command, example, finish, folder, test } from '../report/check.mjs';

const [, , , source, module] = process.argv;
const built = dirname(module);
const packed = execFileSync(join(source, 'tools/npm'), [built], { encoding: 'utf8' }).split(':')[0];
const home = join(folder, 'program');
mkdirSync(home);
writeFileSync(join(home, 'package.json'), '{ "name": "program", "version": "1.0.0", "type": "module", "private": true }');
execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', packed], { cwd: home, env: { ...process.env, npm_config_cache: join(folder, 'cache') } });

// What a program prints as JSON; it must end by itself.
const program = (text) => {
  writeFileSync(join(home, 'program.js'), `import { readFileSync } from 'node:fs';\nimport { Librattle, RattleError } from 'librattle';\n${text}`);
  return JSON.parse(execFileSync(process.execPath, ['program.js'], { cwd: home, encoding: 'utf8', timeout: 120000 }));
};

await test('points in node are those of the command, to the bit', () => {
  const text = JSON.stringify(readFileSync(example('pendulum'), 'utf8'));
  const point = program(`const point = await new Librattle().advance(${text}, 200, { parameters: { gravity: 2 } });\nconsole.log(JSON.stringify({ ...point, q: [...point.q], p: [...point.p] }));`);
  command('run', example('pendulum'), '-P', 'gravity=2', '--evaluator', 'block', '--steps', '200', '--every', '200', '--csv', at('states.csv'), '--quiet');
  const [head, ...rows] = readFileSync(at('states.csv'), 'utf8').trim().split('\n').filter((line) => !line.startsWith('#')).map((line) => line.split(','));
  const wanted = (names) => names.map((name) => Number(rows[rows.length - 1][head.indexOf(name)]));
  assert.deepEqual(point.q, wanted(point.coordinates));
  assert.deepEqual(point.p, wanted(point.momenta));
});

const OSCILLATOR = `'local x, px = pair("x")\\nhamiltonian((px^2 + x^2)/2)\\nstart { x = 1 }\\nintegrate { method = "gauss(4)", step = 0.1, stop = 10 }'`;
await test('a run has its quantities at its times: the cosine of an oscillator', () => {
  const { times, x } = program(`const run = await new Librattle().run(${OSCILLATOR}, { samples: 60 });\nconsole.log(JSON.stringify({ times: [...run.times], x: [...run.series.find(({ name }) => name === 'x').values] }));`);
  assert.ok(times.length > 30 && times.length <= 61 && times[0] === 0 && Math.abs(times[times.length - 1] - 10) < 1e-9);
  // samples of quantities are kept as 32-bit parts of their range
  times.forEach((t, i) => assert.ok(Math.abs(x[i] - Math.cos(t)) < 1e-6, `${t} ${x[i]}`));
});

await test('mistakes and orders without end are errors with a sentence, and the next order is worked on', () => {
  const said = program(`const rattle = new Librattle({ patience: 8000 });
const said = [];
for (const [text, settings] of [['hamiltonian(nosuch)'], ['while true do end'], [${OSCILLATOR}, { step: -1 }], [${OSCILLATOR}, { step: 1e-9, stop: 1e6 }], [${OSCILLATOR}, {}]]) {
  try { said.push((await rattle.run(text, settings)).steps); } catch (error) { said.push(error instanceof RattleError ? error.message : 'another error: ' + error); }
}
console.log(JSON.stringify(said));`);
  assert.match(said[0], /model\.lua:1/);
  assert.match(said[1], /time|instructions|limit/);
  assert.match(said[2], /leads away from the end time/);
  assert.match(said[3], /no answer within 8 s, and the worker was ended/);
  assert.equal(said[4], 100);
});

await test('a check in node is that of the command', () => {
  const text = JSON.stringify(readFileSync(example('pendulum'), 'utf8'));
  const found = program(`console.log(JSON.stringify(await new Librattle().check(${text})));`);
  const wanted = JSON.parse(command('check', example('pendulum'), '--json'));
  assert.equal(found.class, wanted.class);
});

await test('in a browser', async () => {
  const types = { js: 'text/javascript', wasm: 'application/wasm', html: 'text/html' };
  const server = createServer((request, response) => {
    try {
      const bytes = request.url === '/' ? '<!doctype html><title>program</title>' : readFileSync(join(home, 'node_modules/librattle', request.url.slice(1)));
      response.setHeader('content-type', types[request.url.split('.')[1]] ?? types.html);
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await start();
  const page = await browser.context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const steps = await page.evaluate(async (text) => {
    const { Librattle } = await import('/index.js');
    return (await new Librattle().run(text)).steps;
  }, OSCILLATOR.slice(1, -1).replaceAll('\\n', '\n'));
  assert.equal(steps, 100);
  await browser.stop();
  server.close();
});

finish();
