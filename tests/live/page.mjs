// Live pages in a browser: sliders, rings and links give results, hostile models leave the page alive, nothing is requested, nothing is said on the console.
//   node page.mjs RATTLE SOURCE_DIR
import { readFileSync, writeFileSync } from 'node:fs';
import { start } from '../report/browser.mjs';
import { assert, at, command, example, finish, model, record, test } from '../report/check.mjs';

const browser = await start();
const made = (name, file, ...options) => (command('live', file, '-o', at(`${name}.html`), '--quiet', ...options), at(`${name}.html`));
const opened = async (path, options) => {
  const { page, faults } = await browser.open(path, options);
  await page.waitForSelector('.live-charts .card');
  return { page, faults };
};
const legend = (page) => page.locator('.play-area .legend').innerText();
const slide = (page, name, value) => page.$eval(`input[type=range][aria-label="${name}"]`, (bar, to) => {
  bar.value = to;
  bar.dispatchEvent(new Event('input'));
}, value);
const figure = (page, name) => page.locator('.tiles > div', { hasText: name }).first().locator('b').innerText();
const changed = (page) => page.waitForFunction(() => document.querySelector('.play-area .legend').textContent.includes('changed'));

const pendulum = made('pendulum', model('swing', `title "Swing"
local length = parameter("length", 1, { range = {0.5, 2} })
local gravity = parameter("gravity", 9.81)
local x, px = pair("x")
local y, py = pair("y")
mass(x, 1) mass(y, 1)
potential(gravity*y)
constrain("rod", x^2 + y^2 - length^2)
start { x = length, y = 0 }
observe("angle", turning_angle(x, -y))
integrate { method = "rattle(verlet)", step = 0.005, stop = 10 }
`));
const { page, faults } = await opened(pendulum);

await test('it runs, and has at most 2 MB', async () => {
  assert.ok(readFileSync(pendulum).length <= 2e6);
  assert.equal(await figure(page, 'Steps'), '2\u202f000');
  assert.match(await legend(page), /^as written$/);
});

await test('a mechanism has at most 2 MB too: the module of the page ships the parts', () => {
  const stewart = made('stewart', example('stewart'));
  assert.ok(readFileSync(stewart).length <= 2e6);
});

// as the package for Python shows it in a notebook: Model.live
await test('it runs in a frame that was made from its text, apart from the page around it', async () => {
  const text = readFileSync(pendulum, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileSync(at('notebook.html'), `<!doctype html><html data-ready="yes"><title>cells</title><iframe sandbox="allow-scripts" srcdoc="${text}"></iframe>`);
  const { page: cells, faults: said } = await browser.open(at('notebook.html'));
  const frame = cells.frames()[1];
  await frame.waitForSelector('.live-charts .card');
  await slide(frame, 'length', 1.44);
  await changed(frame);
  assert.equal(await frame.locator('button', { hasText: 'copy link' }).count(), 0);
  assert.deepEqual(said, []);
  await cells.close();
});

await test('a slider has the range of the model, and gives the run of its value, beside the one as written', async () => {
  const ends = await page.$eval('input[type=range][aria-label="length"]', ({ min, max }) => [min, max]);
  assert.deepEqual(ends, ['0.5', '2']);
  await slide(page, 'length', 1.44);
  await changed(page);
  assert.match(await legend(page), /as written.*changed/s);
  assert.match(await page.locator('.changes').innerText(), /length 1 → 1.44/);
  // the period is longer by the root of the length: 1.2; the angle of the first minimum says so
  const quarter = (of) => page.evaluate((name) => {
    const [live] = window.rattleLive;
    const run = name === 'changed' ? live.current : live.base;
    const { values } = run.of('observed')[0];
    const at = values.findIndex((value) => value < 0);
    return run.portraitTime[at];
  }, of);
  const ratio = (await quarter('changed')) / (await quarter('as written'));
  assert.ok(Math.abs(ratio - 1.2) < 0.01, String(ratio));
});

await test('the address holds the settings, and another page takes them from it', async () => {
  assert.match(page.url(), /#live\?P\.length=1\.44$/);
  const other = await opened(pendulum);
  await other.page.evaluate((hash) => { location.hash = hash; }, new URL(page.url()).hash);
  await changed(other.page);
  assert.equal(await other.page.$eval('input[type=range][aria-label="length"]', (bar) => bar.value), '1.44');
  assert.deepEqual(other.faults, []);
  await other.page.close();
});

await test('a ring that is dragged sets the start, on the constraint', async () => {
  await page.locator('button', { hasText: 'reset' }).click();
  await page.waitForFunction(() => !document.querySelector('.play-area .legend').textContent.includes('changed') || window.rattleLive[0].current.figures.g_max < 1);
  const ring = await page.locator('.handle').boundingBox();
  const [x, y] = [ring.x + ring.width / 2, ring.y + ring.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 120, y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => {
    const { about } = window.rattleLive[0].current;
    return about.start[1] < -0.05;
  });
  const [a, b] = await page.evaluate(() => window.rattleLive[0].current.about.start);
  assert.ok(Math.abs(Math.hypot(a, b) - 1) < 1e-12, `${a} ${b}`);
  assert.match(await page.locator('.changes').innerText(), /start of x, y/);
});

await test('methods of the table run; a step that fails is said with its sentence', async () => {
  await page.locator('select[aria-label="method"]').selectOption({ index: 2 });
  await changed(page);
  assert.equal(await page.locator('.live > .notice:visible').count(), 0);
  await page.locator('input[aria-label="step"]').fill('3');
  await page.locator('input[aria-label="step"]').dispatchEvent('change');
  await page.waitForSelector('.notice.failed:visible');
  assert.match(await page.locator('.notice').first().innerText(), /step/);
});

await test('a page of several models: the list and the address lead to each, and what was changed of one is not that of another', async () => {
  const one = model('one', 'title "One"\nlocal a = parameter("a", 1)\nlocal x, px = pair("x")\nhamiltonian((px^2 + a*x^2)/2)\nstart { x = 1 }\nintegrate { step = 0.05, stop = 10 }\n');
  const path = at('several.html');
  command('live', one, example('slider_crank'), example('pendulum'), '-o', path, '--quiet');
  const { page: several, faults: said } = await opened(path);
  const name = () => several.evaluate(() => [document.querySelector('h1').textContent, document.title, window.rattleLive[0].current?.about.coordinates.length]);
  const until = (words) => several.waitForFunction((text) => document.querySelector('h1').textContent === text && window.rattleLive[0].current, words);
  assert.deepEqual(await name(), ['One', 'One', 1]);
  await slide(several, 'a', 2);
  await changed(several);
  await several.locator('select[aria-label="model"]').selectOption('slider_crank.lua');
  await until('Slider-crank');
  assert.match(several.url(), /#live\?model=slider_crank.lua$/);
  assert.equal(await several.locator('.changes').innerText(), 'All as the model says.');
  const text = await several.locator('.editor textarea').inputValue();
  assert.ok(text.includes('require "mechanics"') && !text.includes('[ module'), 'the text has its modules');
  await several.$eval('.editor', (details) => { details.open = true; });
  await several.locator('.editor button').click(); // as it is, with its modules
  await several.waitForFunction(() => window.rattleLive[0].current);
  assert.equal(await several.locator('.live > .notice:visible').count(), 0);
  await several.evaluate(() => { location.hash = '#live?model=pendulum.lua&step=0.02'; });
  await until('Planar pendulum');
  await changed(several);
  assert.equal(await several.locator('.changes').innerText(), 'Changed: step 0.02');
  await several.evaluate(() => { location.hash = '#live?model=nosuch.lua'; });
  await until('One');
  assert.match(await several.locator('.live .notice:visible').innerText(), /asks for nosuch.lua, which is not in this page/);
  assert.deepEqual(said, []);
  await several.close();
});

const write = async (text) => {
  await page.$eval('.editor', (details) => { details.open = true; });
  await page.locator('.editor textarea').fill(text);
  await page.locator('.editor button').click();
};
const GOOD = 'local x, px = pair("x")\nhamiltonian((px^2 + x^2)/2)\nstart { x = 1 }\nintegrate { step = 0.05, stop = 10 }\n';
const alive = async () => {
  await write(GOOD);
  await page.waitForFunction(() => [...document.querySelectorAll('.slider .name')].some(({ textContent }) => textContent === 'px') && document.querySelector('.notice').hidden);
};

for (const [name, text, sentence] of [
  ['a mistake', 'hamiltonian(nosuch)\n', /model\.lua:1/],
  ['a model that never ends', 'while true do end\n', /time|instructions|limit/],
  ['a function that calls itself without end', 'local function f(n) return 1 + f(n + 1) end\nf(1)\n', /model\.lua:1|stack/],
  ['brackets without end', `hamiltonian(${'('.repeat(20000)}1${')'.repeat(20000)})\n`, /stack overflow/],
  ['an expression of great depth', 'local q, p = pair("q")\nlocal e = q\nfor i = 1, 100000 do e = sin(e) + 1 end\nhamiltonian(p^2 + e)\nstart { q = 1 }\nintegrate { step = 0.1, stop = 1 }\n', /./],
  ['a model that takes all memory', 'local t = {}\nfor i = 1, 1e9 do t[i] = ("x"):rep(1000000) .. i end\n', /limit of/],
  ['steps that never end', `local q, p = pairs_of("q", 300)\nlocal s = 0\nfor i = 1, 300 do for j = 1, i do s = s + (q[i]*q[j])^2 end end\nhamiltonian(sum(p)^2 + s)\n${'start { ["q[1]"] = 1 }\n'}integrate { method = "gauss(3)", step = 0.1, stop = 1e6 }\n`, /longer than|does not end|memory|t = /],
]) {
  await test(`${name} leaves the page alive, with a sentence`, async () => {
    await write(text);
    await page.waitForFunction(() => !document.querySelector('.notice').hidden);
    assert.match(await page.locator('.notice').first().innerText(), sentence);
    await alive();
  });
}

await test('a step that leads away from the end, or is 0, is refused with a sentence', async () => {
  for (const [step, sentence] of [['-0.05', /leads away from the end time/], ['0', /step/]]) {
    await page.locator('input[aria-label="step"]').fill(step);
    await page.locator('input[aria-label="step"]').dispatchEvent('change');
    await page.waitForFunction(() => !document.querySelector('.notice').hidden);
    assert.match(await page.locator('.notice').first().innerText(), sentence);
    await alive();
  }
});

await test('a parameter that changes what there is to draw has its charts; an address that is no setting changes nothing', async () => {
  await write('local N = parameter("N", 1)\nlocal q, p = pairs_of("q", N)\nhamiltonian(sum(p)^2/2 + sum(q)^2/2)\nstart { ["q[1]"] = 1 }\nintegrate { step = 0.05, stop = 5 }\n');
  await page.waitForFunction(() => window.rattleLive[0].current?.about.parameters.length);
  await page.locator('input[aria-label="N, digits"]').fill('3');
  await page.locator('input[aria-label="N, digits"]').dispatchEvent('change');
  await changed(page);
  assert.match(await page.locator('.live-charts').innerText(), /q\[3\]/);
  await page.evaluate(() => { location.hash = '#energy'; });
  await page.waitForTimeout(100);
  assert.match(await page.locator('.changes').innerText(), /N 1 → 3/);
  await alive();
});

await test('a worker that breaks leaves the page alive, with a sentence', async () => {
  // what is no module breaks the worker as a trap does
  await page.evaluate(() => window.rattleLive[0].engine.worker.postMessage({ module: 'nothing' }));
  await page.waitForFunction(() => /broke off/.test(document.querySelector('.notice').textContent));
  await alive();
});

await test('nothing was requested, nothing was said on the console', async () => {
  assert.deepEqual(faults, []);
});

await test('a phone of 400 px has it all', async () => {
  const phone = await opened(pendulum, { width: 400 });
  assert.ok(await phone.page.evaluate(() => document.documentElement.scrollWidth) <= 400);
  assert.deepEqual(phone.faults, []);
});

await test('the page of a record has it too, with what was recorded beside it; other pages have no more rights than before', async () => {
  const run = record('run', example('pendulum'), '--stop', '20');
  command('report', run, '--live', '-o', at('run.html'), '--quiet');
  const with_it = await opened(at('run.html'));
  assert.match(await with_it.page.locator('.play-area .legend').innerText(), /as recorded/);
  // the same method from the same start: the same energy error
  const recorded = await with_it.page.evaluate(() => JSON.parse(document.getElementById('data').textContent).runs[0].figures.energy_max_error);
  assert.equal(await with_it.page.evaluate(() => window.rattleLive[0].base.figures.energy_max_error), recorded);
  assert.deepEqual(with_it.faults, []);
  command('report', run, '-o', at('plain.html'), '--quiet');
  const plain = readFileSync(at('plain.html'), 'utf8');
  assert.ok(!/content="[^"]*(wasm|worker-src)/.test(plain) && !plain.includes('id="live-module"'));
});

await browser.stop();
finish();
