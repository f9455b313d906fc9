// The page of the gallery: it opens from a file, every figure is drawn, nothing comes from elsewhere, and it fits a phone.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { start } from './browser.mjs';
import { assert, at, colourOf, command, finish, test } from './check.mjs';

const browser = await start();
command('gallery', '-o', at('gallery'), '--quiet', '--only', 'geometric_pendulum', '--only', 'integrators', '--only', 'harmonic_constraint');
const folder = pathToFileURL(at('gallery')).href;
const page = await browser.context.newPage();
const faults = [];
page.on('console', (message) => faults.push(message.text()));
page.on('pageerror', (error) => faults.push(String(error)));
page.on('request', (request) => request.url().startsWith(`${folder}/`) || faults.push(`request: ${request.url()}`));
await page.goto(`${folder}/index.html`);

await test('it has the colours of reports, light and dark, and says what a 1 means', async () => {
  const css = readFileSync(new URL('../../report/src/looks.css', import.meta.url), 'utf-8');
  const papers = [...css.matchAll(/--paper: #(..)(..)(..);/g)].map((found) => `rgb(${found.slice(1).map((hex) => parseInt(hex, 16)).join(', ')})`);
  for (const [i, colorScheme] of ['light', 'dark'].entries()) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), papers[i]);
  }
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  assert.match(await page.locator('body').innerText(), /it is 1 if the statement was found to be true/);
  const widths = await page.$$eval('figure', (figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().width)));
  assert.equal(new Set(widths).size, 1, `${widths}`);
});

await test('every figure is there and is drawn', async () => {
  const sizes = await page.$$eval('figure svg', (drawings) => drawings.map((drawing) => drawing.getBoundingClientRect().width));
  assert.ok(sizes.length >= 4 && sizes.every((width) => width > 100), JSON.stringify(sizes));
});

// The colours of what is drawn, as the browser has them: of curves, letters and axes, and of what is behind them.
const colours = () => page.$$eval('figure svg', (drawings) => drawings.map((drawing) => {
  const all = [...drawing.querySelectorAll('path, text, use, polygon')].filter((element) => !element.closest('defs'));
  const seen = (property) => all.map((element) => getComputedStyle(element)[property]);
  return { drawn: [...new Set([...seen('stroke'), ...seen('fill')])].filter((colour) => colour !== 'none'),
    back: getComputedStyle(drawing.querySelector('rect')).fill };
}));
const rgb = (hex) => `rgb(${[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(', ')})`;

await test('drawings take the colours of the page, light, dark and on paper', async () => {
  const grounds = new Set();
  for (const [media, scheme] of [['screen', 'light'], ['screen', 'dark'], ['print', 'dark']]) {
    await page.emulateMedia({ media, colorScheme: scheme });
    const names = ['ink', 'card', ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `run-${i}`)];
    const allowed = Object.fromEntries(await Promise.all(names.map(async (name) => [rgb(await colourOf(page, name)), name])));
    for (const { drawn, back } of await colours()) {
      assert.equal(back, 'none');
      const strange = drawn.filter((colour) => !(colour in allowed) || allowed[colour] === 'card');
      assert.deepEqual(strange, [], `${media}, ${scheme}`);
      assert.ok(drawn.some((colour) => allowed[colour] === 'ink') && drawn.some((colour) => allowed[colour] === 'run-1'), `${drawn}`);
    }
    grounds.add(`${await page.evaluate(() => getComputedStyle(document.body).color)}`);
  }
  assert.equal(grounds.size, 2); // paper is light
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
});

await test('its button turns it dark, and paper stays light', async () => {
  const ink = () => page.evaluate(() => getComputedStyle(document.querySelector('figure svg text')).fill);
  const light = await ink();
  await page.getByRole('button', { name: 'switch to dark colours' }).click();
  assert.notEqual(await ink(), light);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await ink(), light);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.getByRole('button', { name: 'switch to light colours' }).click();
});

await test('each experiment has a small drawing and a sentence at the top, and its table folded', async () => {
  const entries = await page.$$eval('.contents a', (links) => links.map((link) => ({ to: link.hash, drawn: link.querySelector('svg')?.getBoundingClientRect().height, words: link.textContent.trim() })));
  assert.equal(entries.length, 3);
  for (const { to, drawn, words } of entries) {
    assert.equal(await page.locator(to).count(), 1);
    assert.ok(drawn > 80 && words.length > 60 && words.endsWith('.'), JSON.stringify([to, drawn, words]));
  }
  const table = page.locator('section table').first();
  assert.equal(await table.isVisible(), false);
  await page.locator('section summary').first().click();
  assert.equal(await table.isVisible(), true);
  assert.match(await page.locator('section summary').first().innerText(), /^(\d+) of \1 claims hold$/);
});

await test('formulas are set, in words and in drawings', async () => {
  const set = await page.$$eval('.math', (formulas) => formulas.map((formula) => formula.innerHTML));
  assert.ok(set.some((formula) => formula.includes('dq<sub>1</sub> ∧ dp<sub>1</sub>')), set.join('\n'));
  assert.ok(set.includes('<i>t</i> = 2'), set.join('\n'));
  assert.ok(set.includes('asin(<i>h</i> <i>ω</i>)'), set.join('\n'));
  const text = await page.locator('body').innerText();
  assert.doesNotMatch(text, /\$/);
  const legend = (await page.$$eval('figure svg text', (texts) => texts.map((one) => one.textContent.trim()))).filter((one) => one.startsWith('momentum'));
  assert.deepEqual(legend.map((one) => one.replace(/\s+/g, '')).sort(), ['momentumz1ofRATTLE', 'momentumz1−ofSHAKE']);
});

// How many pixels of the page's image are of strong colour: curves, not axes and letters.
function coloured() {
  const image = document.images[0];
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [low, high] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
    count += data[i + 3] > 128 && high - low > 80;
  }
  return count;
}

await test('curves are drawn in each of them', async () => {
  // a canvas that holds an image from a file may not be read: they are handed over as data
  const names = await page.$$eval('figcaption a', (links) => links.map((link) => link.getAttribute('href')).filter((name) => name.endsWith('.svg')));
  const blank = await browser.context.newPage();
  for (const name of names) {
    const svg = readFileSync(at(`gallery/${name}`)).toString('base64');
    await blank.setContent(`<img src="data:image/svg+xml;base64,${svg}">`);
    await blank.waitForFunction(() => document.images[0].complete);
    const seen = await blank.evaluate(coloured);
    assert.ok(seen > 300, `${name}: ${seen} coloured pixels`);
  }
  await blank.close();
});

await test('the claims are in tables, and all stand', async () => {
  const [rows, no] = [await page.locator('td.yes').count(), await page.locator('td.no').count()];
  assert.ok(rows > 20, `${rows} claims`);
  assert.equal(no, 0);
});

await test('it is no wider than a phone', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const tables = await page.$$eval('.scroll', (parts) => parts.map((part) => part.scrollWidth - part.clientWidth));
  assert.ok(tables.every((over) => over <= 0), `${tables}`);
});

await test('it said nothing and asked for nothing else', () => assert.deepEqual(faults, []));
await browser.stop();
finish();
