// The page of the gallery: it opens from a file, every figure is drawn, nothing comes from elsewhere, and it fits a phone.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { start } from './browser.mjs';
import { assert, at, command, finish, test } from './check.mjs';

const browser = await start();
command('gallery', '-o', at('gallery'), '--quiet', '--only', 'geometric_pendulum', '--only', 'integrators');
const folder = pathToFileURL(at('gallery')).href;
const page = await browser.context.newPage();
const faults = [];
page.on('console', (message) => faults.push(message.text()));
page.on('pageerror', (error) => faults.push(String(error)));
page.on('request', (request) => request.url().startsWith(`${folder}/`) || faults.push(`request: ${request.url()}`));
await page.goto(`${folder}/index.html`);

await test('it has the colours of reports, light and dark, and says what a 1 means', async () => {
  const css = readFileSync(new URL('../../report/src/style.css', import.meta.url), 'utf-8');
  const papers = [...css.matchAll(/--paper: #(..)(..)(..);/g)].map((found) => `rgb(${found.slice(1).map((hex) => parseInt(hex, 16)).join(', ')})`);
  for (const [i, colorScheme] of ['light', 'dark'].entries()) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), papers[i]);
  }
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), papers[0]);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  assert.match(await page.locator('body').innerText(), /it is 1 if the statement was found to be true/);
  const widths = await page.$$eval('figure', (figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().width)));
  assert.equal(new Set(widths).size, 1, `${widths}`);
});

await test('every figure is there and has a picture', async () => {
  const sizes = await page.$$eval('img', (images) => images.map((image) => image.complete && image.naturalWidth));
  assert.ok(sizes.length >= 4 && sizes.every((width) => width > 100), JSON.stringify(sizes));
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
  const names = await page.$$eval('img', (images) => images.map((image) => image.getAttribute('src')));
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
});

await test('it said nothing and asked for nothing else', () => assert.deepEqual(faults, []));
await browser.stop();
finish();
