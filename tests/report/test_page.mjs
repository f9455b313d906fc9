// The page of one record: it opens from a file, draws, plays, zooms, exports, and neither fails nor asks for anything.
import { readFileSync, writeFileSync } from 'node:fs';
import { start } from './browser.mjs';
import { assert, at, brokenWords, colourOf, command, example, finish, pixels, record, report, test, frames } from './check.mjs';

const browser = await start();
const { path, bytes } = report('pendulum', record('pendulum', example('pendulum')));
const { page, faults } = await browser.open(path);

await test('a small run makes a file of about a megabyte', () => {
  assert.ok(bytes < 1.15e6, `${bytes} bytes`);
  assert.match(command('info', path.replace(/html$/, 'h5')), /4093/);
});

await test('the policy allows one script and one style, and nothing from elsewhere', () => {
  const text = readFileSync(path, 'utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)[1];
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data: blob:;/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(text.match(/<script>/g).length, 1);
});

await test('the title and the figures are there', async () => {
  assert.equal(await page.title(), 'Planar pendulum');
  assert.equal(await page.textContent('h1'), 'Planar pendulum');
  const text = await page.textContent('#summary');
  for (const part of ['rattle(verlet)', 'order 2, symmetric, symplectic', '0 to 1023', '8.6·10⁻⁴']) assert.ok(text.includes(part), part);
});

await test('the energy error is drawn over the whole width', async () => {
  const seen = await pixels(page, '#energy canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.columns > 0.7 * seen.width, JSON.stringify(seen));
  assert.ok(seen.rows > 0.4 * seen.height, JSON.stringify(seen));
});

const stage = '.stage canvas';
const play = '.controls .play';
await test('the motion is drawn: a ball and its path', async () => {
  const seen = await pixels(page, stage, await colourOf(page, 'run-1'));
  assert.ok(seen.drawn > 2000 && seen.drawn < 0.2 * seen.width * seen.height, JSON.stringify(seen));
});

const clock = () => page.textContent('.clock');
await test('it plays, and pauses', async () => {
  const [before, picture] = [await clock(), await page.locator(stage).screenshot()];
  await page.click(play);
  await page.waitForFunction((old) => document.querySelector('.clock').textContent !== old, before);
  while (picture.equals(await page.locator(stage).screenshot())) await frames(page); // ctest has a limit
  await page.click(play);
  const paused = await clock();
  assert.notEqual(paused, before);
  await frames(page);
  assert.equal(await clock(), paused);
});

await test('space plays too, and the bar scrubs', async () => {
  await page.locator('h1').click();
  const before = await clock();
  await page.keyboard.press('Space');
  await page.waitForFunction((old) => document.querySelector('.clock').textContent !== old, before);
  await page.keyboard.press('Space');
  await page.locator('.controls input').fill('1000');
  assert.equal(await clock(), 't = 174.75');
});

await test('a chart zooms by dragging and by keys', async () => {
  const overlay = page.locator('#energy .u-over');
  await overlay.scrollIntoViewIfNeeded();
  const box = await overlay.boundingBox();
  const look = () => page.locator('#energy canvas').screenshot();
  const whole = await look();
  await page.mouse.move(box.x + 100, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(5, 5);
  const near = await look();
  assert.ok(!near.equals(whole), 'dragging has not zoomed');
  await page.locator('#energy .chart').focus();
  await page.keyboard.press('0');
  assert.ok((await look()).equals(whole), '0 has not gone back');
  await page.keyboard.press('+');
  assert.ok(!(await look()).equals(whole), '+ has not zoomed');
  await page.keyboard.press('0');
});

for (const [name, button, file] of [
  ['a chart', '#energy button[title*="PNG"]', 'planar-pendulum-energy.png'],
  ['the motion', '#motion button[title*="PNG"]', 'planar-pendulum-motion.png'],
]) {
  await test(`${name} is saved as PNG`, async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    assert.equal(download.suggestedFilename(), file);
    const image = readFileSync(await download.path());
    assert.equal(image.subarray(1, 4).toString(), 'PNG');
    assert.ok(image.length > 5000 && image.readUInt32BE(16) > 400, `${image.length} bytes`);
  });
}

await test('light and dark', async () => {
  const light = await colourOf(page, 'card');
  await page.click('button[title="switch to dark colours"]');
  assert.notEqual(await colourOf(page, 'card'), light);
  const seen = await pixels(page, '#energy canvas', await colourOf(page, 'run-1'));
  assert.ok(seen.near > 1000, JSON.stringify(seen));
});

await test('every panel is there, and each picture in it is drawn', async () => {
  const titles = await page.locator('h2').allTextContents();
  assert.deepEqual(titles, ['Motion', 'The run', 'From the model', 'Phase portrait', 'Energy error', 'Constraints', 'Multipliers', 'Nondegeneracy', 'Quantities',
    'Spectrum', 'Claims and measurements', 'Method', 'Run it again']);
  for (const id of ['phase', 'energy', 'constraints', 'multipliers', 'nondegeneracy', 'quantities', 'spectrum']) {
    // |psi| is drawn over |g|
    const seen = await pixels(page, `#${id} canvas`, await colourOf(page, id === 'constraints' ? 'run-2' : 'run-1'));
    assert.ok(seen.near > 300 && seen.columns > 0.3 * seen.width, `${id}: ${JSON.stringify(seen)}`);
  }
});

await test('the spectrum has the frequency of the pendulum, 0.302 in the literature', async () => {
  assert.match(await page.textContent('#spectrum .note'), /f = 0\.30[12]\d? /);
});

await test('another quantity and other axes are drawn when they are chosen', async () => {
  for (const [select, wanted] of [['#quantities select', 'momentum:py'], ['#phase select >> nth=1', 'coordinate:y']]) {
    const canvas = page.locator(`${select.split(' ')[0]} canvas`);
    const before = await canvas.screenshot();
    await page.locator(select).selectOption(wanted);
    assert.ok(!before.equals(await canvas.screenshot()), wanted);
  }
  assert.equal(await page.getAttribute('#phase figure', 'aria-label'), 'y against x');
});

await test('the claims are held against the run', async () => {
  const rows = await page.locator('#claims tbody tr').allTextContents();
  assert.match(rows[1], /^g = 0yes✓ heldat most 4\.44·10⁻¹⁶/);
  assert.match(rows[3], /^symplecticyes✓ no drift observed/);
});

await test('the method stands there with its formulas and its sources', async () => {
  const text = await page.textContent('#method');
  for (const part of ['Rh = exp(∑i σi Xgi) ∘ φh ∘ exp(∑i λi Xgi)', 'q1 = q0 + h/2', 'H. C. Andersen', 'L. Verlet']) assert.ok(text.includes(part), part);
});

await test('the command that is shown makes the same run again', async () => {
  const words = (await page.locator('#reproduce pre').first().textContent()).replace(/'/g, '').split(' ').slice(1);
  writeFileSync(at('pendulum.lua'), await page.locator('#reproduce details pre').textContent());
  words[words.indexOf('-o') + 1] = at('again.h5');
  command(...words.map((word) => (word === 'pendulum.lua' ? at(word) : word)), '--quiet');
  const [first, again] = ['pendulum.h5', 'again.h5'].map((name) => JSON.parse(command('info', at(name), '--json')));
  assert.equal(again.model_hash, first.model_hash);
  assert.deepEqual([again.samples, again.energy], [first.samples, first.energy]);
});

await test('a click on a chart takes the motion there', async () => {
  const box = await page.locator('#multipliers .u-over').boundingBox();
  await page.locator('#multipliers .u-over').click({ position: { x: box.width / 2, y: 40 } });
  const time = Number((await clock()).replace('t = ', ''));
  assert.ok(Math.abs(time - 511.5) < 6, await clock());
});

await test('on paper it is light, and back again', async () => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await colourOf(page, 'card'), '#ffffff');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await background(), dark);
  // and where nothing announces the printing
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ media: 'print', colorScheme });
    assert.deepEqual([await colourOf(page, 'ink'), await colourOf(page, 'card')], ['#1c2126', '#ffffff']);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
  }
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  assert.equal(await background(), dark);
  assert.ok((await page.pdf({ format: 'A4' })).length > 50000);
});

await test('nothing runs over the edge of a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

await test('a long expression breaks after brackets and commas alone', async () => {
  const long = record('long', example('pendulum'), '--method', 'sofroniou_spaletta6_11(rattle(verlet))', '--step', '0.1', '--stop', '2');
  const { page: side, faults: mine } = await browser.open(report('long', long).path, { width: 400 });
  assert.deepEqual(await brokenWords(side, '.expression code, #summary code, .claims code'), []);
  assert.equal(await side.evaluate(() => document.documentElement.scrollWidth), 400);
  assert.match(await side.locator('.formula .math').first().innerHTML(), /<i>c<\/i><sub>11<\/sub>/);
  assert.deepEqual(mine, []);
  await side.close();
});

await test('no error, no request', () => assert.deepEqual(faults, []));
await browser.stop();
finish();
