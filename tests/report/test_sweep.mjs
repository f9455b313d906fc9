// Pages of sweeps: results against what was varied, a heat map, rows; a start x0 and a frequency w of x'' = -w^2 x, x(t) = x0 cos(w t).
import { start } from './browser.mjs';
import { assert, at, colourOf, command, finish, model, pixels, report, test } from './check.mjs';

const browser = await start();
const swing = model('swing', `title "Swing"
local w = parameter("w", 1)
local x, px = pair("x")
hamiltonian((px^2 + w^2*x^2)/2)
start { x = 1 }
observe("twice", 2*x)
integrate { method = "kahan_li8(verlet)", step = 0.05, stop = 2 }
`);
function sweep(name, ...options) {
  command('sweep', swing, '-o', at(`${name}.h5`), '--quiet', ...options);
  return report(name, at(`${name}.h5`));
}
const value = (text) => Number(text.replaceAll('−', '-'));
const rows = (page) => page.$$eval('#cases tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

await test('one input: a line through its values, and the rows are those of the closed form', async () => {
  const { path, sweeps } = sweep('line', '--set', 'w=0.5:2:0.25');
  assert.equal(sweeps, 1);
  const { page, faults } = await browser.open(path);
  const seen = await pixels(page, '#against .uplot canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.near > 300, JSON.stringify(seen)); // a line and its marks, not seven dots
  assert.equal(await page.locator('#grid, #spread').count(), 0);
  const all = await rows(page);
  assert.equal(all.length, 7);
  for (const [, w, x, , twice] of all) {
    assert.ok(Math.abs(value(x) - Math.cos(2 * value(w))) < 2e-5, `${w}: ${x}`);
    assert.ok(Math.abs(value(twice) - 2 * Math.cos(2 * value(w))) < 4e-5, `${w}: ${twice}`);
  }
  await page.locator('#cases th button', { hasText: /^w/ }).click();
  await page.locator('#cases th button', { hasText: /^w/ }).click();
  assert.equal((await rows(page))[0][1], '2');
  assert.equal(await page.locator('#each figure').count(), 4); // x, px, twice and the energy error
  assert.match(await page.locator('#resweep pre').first().innerText(), /^rattle sweep .*swing.lua --set w=0.5:2:0.25 -o line.h5/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('a grid: a heat map whose cells have their values, lines for each value of the other input', async () => {
  const { path } = sweep('grid', '--set', 'w=1,1.5,2', '--start', 'x=1:4:1');
  const { page, faults } = await browser.open(path);
  await page.waitForSelector('#grid .uplot');
  const box = await page.locator('#grid .u-over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.1); // w = 1.5, x = 4
  const said = await page.locator('#grid [role=status]').innerText();
  const [, found] = said.match(/^w 1.5, x at the start 4: x (.*)$/) ?? assert.fail(said);
  assert.ok(Math.abs(value(found) - 4 * Math.cos(3)) < 1e-3, said);
  assert.deepEqual(await page.locator('#against .legend .entry').allTextContents(), [1, 2, 3, 4].map((x) => `x at the start = ${x}`));
  for (const line of [1, 2, 3, 4]) assert.ok((await pixels(page, '#against .uplot canvas', await colourOf(page, `run-${line}`))).near > 60, String(line));
  const before = await page.locator('#grid canvas').screenshot();
  await page.locator('#grid select').selectOption('twice');
  assert.match(await page.locator('#grid .legend').innerText(), /^twice:/);
  assert.ok(before.length > 0);
  assert.deepEqual(faults, []);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() => document.querySelector('#grid canvas').getBoundingClientRect().right <= innerWidth);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than a phone');
  await page.close();
});

await test('inputs that are drawn: dots, and how results are spread; failed cases are counted and left out', async () => {
  const { path } = sweep('drawn', '--start', 'x~uniform(0,1)', '--count', '200', '--set', 'w=1,1e200');
  const { page, faults } = await browser.open(path);
  assert.match(await page.locator('#sweep').innerText(), /Cases\s+400[\s\S]*Failed\s+200/);
  assert.match(await page.locator('#sweep .notice.failed').innerText(), /200 cases, the first is case/);
  assert.match(await page.locator('#spread .note').innerText(), /^Of 200 cases\. Cases that failed are left out\./);
  assert.equal((await rows(page)).length, 100);
  assert.match(await page.locator('#cases .note').innerText(), /^100 of 400 cases/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('columns of several numbers are named, and left to other commands', async () => {
  const { path } = sweep('times', '--set', 'w=1,2', '--at', '0.5,1');
  const { page, faults } = await browser.open(path);
  assert.match(await page.locator('#sweep').innerText(), /Not in this page: .*x.*; rattle info --csv writes all\./);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('values as far apart as doubles are, and results that are the same everywhere, leave the page at work', async () => {
  const free = model('free', 'local x, px = pair("x")\nhamiltonian(px^2/2)\nintegrate { method = "verlet", step = 0.01, steps = 1 }\n');
  command('sweep', free, '-o', at('far.h5'), '--quiet', '--start', 'x=1.7e308,-1.7e308,1e308');
  const { page, faults } = await browser.open(report('far', at('far.h5')).path);
  assert.equal(await page.locator('#cases tbody tr').count(), 3);
  command('sweep', free, '-o', at('same.h5'), '--quiet', '--start', 'px=0');
  const same = await browser.open(report('same', at('same.h5')).path);
  assert.match(await same.page.locator('#sweep').innerText(), /Cases\s+1/);
  assert.equal(await same.page.locator('#against').count(), 0);
  assert.deepEqual([...faults, ...same.faults], []);
});

await browser.stop();
finish();
