// Pages of samples: what the chains say, their traces, distributions and autocorrelations.
import { start } from './browser.mjs';
import { assert, at, colourOf, command, example, finish, frames, model, pixels, record, report, test } from './check.mjs';

import { density } from '../../report/src/density.js';

const browser = await start();
function samples(name, of, ...options) {
  command('sample', of, '-o', at(`${name}.h5`), ...options);
  return at(`${name}.h5`);
}
const torus = samples('torus', example('torus'), '--samples', '2000', '--seed', '3');
const info = JSON.parse(command('info', torus, '--json'));
// 7.65·10⁻⁴ as well as 0.0123
const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const power = (text) => text.replace(/·10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (all, sign, exponent) => `e${sign ? '-' : ''}${[...exponent].map((c) => digits.indexOf(c)).join('')}`);
const cells = async (page, i) => (await page.locator('#chains tbody tr').nth(i).locator('th, td').allTextContents()).map((text) => text.replaceAll('−', '-').replaceAll('\u202f', ''));

await test('the table has the numbers of rattle info', async () => {
  const { path, samplings, records } = report('torus', torus);
  assert.deepEqual([samplings, records], [1, 0]);
  const { page, faults } = await browser.open(path);
  assert.equal(await page.locator('#chains tbody tr').count(), info.columns.length);
  for (const [i, column] of info.columns.entries()) {
    const [name, mean, error, rhat, effective, tails, sd, low, median, high] = await cells(page, i);
    assert.equal(name, column.name);
    if (column.rhat === null) { // V, which is 0 everywhere
      assert.deepEqual([mean, error, effective, tails, rhat], ['0', '–', '–', '–', '–']);
      continue;
    }
    assert.ok(Math.abs(Number(power(mean)) - column.mean) < 0.05 * column.error, `${name}: ${mean} and ${column.mean}`);
    assert.ok(Number(effective) > 0.5 * column.effective && Number(effective) < 2 * column.effective, `${name}: ${effective}`);
    assert.equal(rhat, column.rhat.toFixed(4));
    assert.ok(Number(low) < Number(median) && Number(median) < Number(high) && Number(power(sd)) > 0 && Number(tails) > 100);
  }
  assert.match(await page.textContent('#chains'), /hmc\(rattle\(verlet\)\), 4 chains of 2\u202f000 samples after a warm-up of 1\u202f000/);
  assert.match(await page.textContent('#method'), /Zappa|Lelievre|Duane|Brubaker|Neal/);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('each chain has a line in every chart, and the list changes the quantity', async () => {
  const { page, faults } = await browser.open(at('torus.html'));
  for (const id of ['traces', 'distribution', 'autocorrelation']) {
    for (const chain of [1, 2, 3, 4]) {
      const seen = await pixels(page, `#${id} .uplot canvas`, await colourOf(page, `run-${chain}`));
      assert.ok(seen.near > 60, `${id}, chain ${chain}: ${JSON.stringify(seen)}`);
    }
    assert.deepEqual((await page.locator(`#${id} .legend .entry > span:nth-child(2)`).allTextContents()).filter((name) => name !== 'all chains'), ['chain 0', 'chain 1', 'chain 2', 'chain 3']);
    const before = await page.locator(`#${id} .uplot canvas`).screenshot();
    await page.locator(`#${id} select`).selectOption('z');
    assert.ok(!before.equals(await page.locator(`#${id} .uplot canvas`).screenshot()), id);
  }
  // V never changes: it has a trace, and neither a distribution nor a memory
  assert.ok((await page.locator('#traces option').allTextContents()).includes('V'));
  assert.ok(!(await page.locator('#distribution option, #autocorrelation option').allTextContents()).includes('V'));
  const before = await page.locator('#distribution .uplot canvas').screenshot();
  await page.locator('#distribution .choice button', { hasText: 'histogram' }).click();
  assert.ok(!before.equals(await page.locator('#distribution .uplot canvas').screenshot()));
  await page.locator('#distribution .choice button', { hasText: 'ranks' }).click();
  assert.ok(!before.equals(await page.locator('#distribution .uplot canvas').screenshot()));
  assert.match(await page.textContent('#distribution .note'), /spread evenly/);
  assert.deepEqual(faults, []);
  await page.setViewportSize({ width: 390, height: 844 });
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.close();
});

await test('the bulk size is that of ranks: the same for a rising function of a quantity, whose mean has another one', async () => {
  const skewed = model('skewed', `local x, px = pair("x")\nlocal y, py = pair("y")\nhamiltonian((px^2 + py^2)/2)\nconstrain("ring", x^2 + y^2 - 1)
observe("steep", exp(6*x))\nstart { x = 1 }\nintegrate { step = 0.2 }`);
  const { path } = report('skewed', samples('skewed', skewed, '--samples', '1000', '--method', 'random_walk', '--step', '0.3'));
  const { page } = await browser.open(path);
  const rows = await Promise.all([0, 1, 2, 3].map((i) => cells(page, i)));
  const [x, steep] = ['x', 'steep'].map((name) => rows.find(([of]) => of === name));
  assert.equal(x[4], steep[4]);
  const [of, by] = ['x', 'steep'].map((name) => JSON.parse(command('info', at('skewed.h5'), '--json')).columns.find((column) => column.name === name).effective);
  assert.ok(Math.abs(of - by) > 5, `${of}, ${by}`);
  assert.notEqual(Math.round(by), Number(steep[4]));
  await page.close();
});

await test('densities: they integrate to 1, and are those of the normal and of the even law', async () => {
  const bins = 160;
  const normal = Array.from({ length: bins }, (_, i) => 1e6 * Math.exp(-(((i + 0.5 - bins / 2) / 16) ** 2) / 2)); // from -5 to 5
  const even = new Array(bins).fill(1000);
  for (const [counts, low, high, about, law] of [[normal, -5, 5, { sd: 1, q05: -1.645, q95: 1.645 }, (x) => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)],
    [even, 2, 4, { sd: 2 / Math.sqrt(12), q05: 2.1, q95: 3.9 }, () => 0.5]]) {
    const { places, heights } = density(counts, low, high, about);
    assert.ok(Math.abs(heights.reduce((sum, v) => sum + v, 0) * ((high - low) / bins) - 1) < 1e-9);
    places.forEach((x, i) => assert.ok(Math.abs(heights[i] - law(x)) < 0.01, `${x}: ${heights[i]}`));
  }
});

await test('pairs: draws below the diagonal, in the colours of their chains; densities; correlations', async () => {
  const { page, faults } = await browser.open(at('torus.html'));
  assert.equal(await page.locator('#pairs .pairs > div').count(), 16); // x, y, z, cos_theta; V does not vary
  assert.equal(await page.locator('#pairs canvas').count(), 10);
  const seen = await pixels(page, '#pairs canvas[aria-label="y against x"]', await colourOf(page, 'run-1'));
  assert.ok(seen.drawn > 2000, JSON.stringify(seen));
  // nobody stands in the hole of the torus, of half the width of its whole: a disc of a twelfth of the picture
  const hole = await page.evaluate(() => {
    const canvas = document.querySelector('#pairs canvas[aria-label="y against x"]');
    const { data } = canvas.getContext('2d').getImageData(canvas.width * 0.42, canvas.height * 0.42, canvas.width * 0.16, canvas.height * 0.16);
    return data.filter((v, i) => i % 4 === 3 && v > 0).length;
  });
  assert.equal(hole, 0);
  for (const text of await page.locator('#pairs span').allTextContents()) assert.ok(Math.abs(Number(power(text).replace('−', '-'))) < 0.25, text);
  assert.deepEqual(faults, []);
  await page.close();
});

await test('chains on two surfaces that never meet are not to be trusted, and their ranks part', async () => {
  const two = model('two', `local x, px = pair("x")\nlocal y, py = pair("y")\nhamiltonian((px^2 + py^2)/2)\nconstrain("rings", (x^2 + y^2 - 1)*((x - 6)^2 + y^2 - 1))
start { x = 1 }\nintegrate { step = 0.2 }`);
  const { path } = report('two', samples('two', two, '--samples', '400', '--starts', 'x=1,1,5,5'));
  const { page } = await browser.open(path);
  assert.match(await page.textContent('#chains .notice.failed'), /R-hat is above 1\.01/);
  assert.ok((await page.locator('#chains tbody tr').first().locator('.verdict.bad').count()) >= 1);
  assert.match(await page.textContent('#resample'), /starts of their own/);
  await page.locator('#distribution .choice button', { hasText: 'ranks' }).click();
  for (const [chain, from, to] of [[1, 0.55, 1], [3, 0, 0.45]]) {
    const [inside, outside] = [await pixels(page, '#distribution .uplot canvas', await colourOf(page, `run-${chain}`), 0.12, 1), await pixels(page, '#distribution .uplot canvas', await colourOf(page, `run-${chain}`), Math.max(from, 0.12), to)];
    assert.ok(inside.near > 60 && outside.rows < 12, JSON.stringify([chain, inside, outside])); // a line at 0 where it never is
  }
  await page.close();
});

await test('the command that is shown draws the same samples', async () => {
  const { page } = await browser.open(at('torus.html'));
  const words = (await page.locator('#resample pre').first().textContent()).match(/'[^']*'|\S+/g).map((word) => word.replaceAll("'", ''));
  assert.deepEqual(words.slice(0, 2), ['rattle', 'sample']);
  command(...words.slice(1, -1), at('again.h5'));
  const again = JSON.parse(command('info', at('again.h5'), '--json'));
  assert.deepEqual(again.columns, info.columns);
  await page.close();
});

await test('samples stand next to a record', async () => {
  const { path, samplings, records } = report('both', torus, record('run', example('pendulum'), '--stop', '20'));
  assert.deepEqual([samplings, records], [1, 1]);
  const { page, faults } = await browser.open(path);
  assert.equal(await page.locator('#energy, #traces, #chains, #reproduce, #resample').count(), 5);
  assert.deepEqual(faults, []);
  await page.close();
});

await browser.stop();
finish();
