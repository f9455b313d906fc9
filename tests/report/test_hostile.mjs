// Text that strangers wrote into a model is text; nothing in it runs, and the page can reach nothing.
import { start } from './browser.mjs';
import { assert, finish, model, record, report, test } from './check.mjs';

const browser = await start();
const title = '</title></script><script>alert(1)</script><img src=x onerror=alert(2)><!--<script>';
const path = record('hostile', model('hostile', `-- </script ><svg onload=alert(3)> <!-- <script>
title ${JSON.stringify(title)}
metadata { author = "<iframe srcdoc='<script>alert(4)<\\\\/script>'>" }
local a, pa = pair("x<img src=y onerror=alert(5)>", "p<svg onload=alert(6)>")
local b, pb = pair("__proto__")
hamiltonian((pa^2 + pb^2)/2 + b)
constrain("rod\\"><svg onload=alert(7)>", a^2 + b^2 - 1)
observe("constructor", a*b)
observe("javascript:alert(8)", a)
start { [a] = 1, [pb] = -1 }
integrate { method = "rattle(verlet)", step = 0.05, stop = 20 }`));
const { page, faults } = await browser.open(report('hostile', path).path);

await test('the title is shown as it is written', async () => {
  assert.equal(await page.textContent('h1'), title);
  assert.equal(await page.title(), title);
});

await test('no element came out of text', async () => {
  assert.equal(await page.locator('img, svg, iframe, object, embed, link').count(), 0);
  assert.deepEqual(await page.evaluate(() => [...document.scripts].map((script) => script.type)), ['application/octet-stream', 'application/json', '']);
  assert.match(await page.textContent('#story'), /<svg onload=alert\(3\)>/);
  assert.match(await page.textContent('#multipliers .legend'), /rod"><svg onload=alert\(7\)>/);
});

await test('names that objects have by themselves are names like others', async () => {
  for (const wanted of ['observed:constructor', 'coordinate:__proto__']) await page.locator('#quantities select').selectOption(wanted);
  assert.match(await page.textContent('#quantities .legend'), /__proto__/);
});

await test('nothing of it ran, no error, no request', () => assert.deepEqual(faults, []));

await test('even script in the page could load nothing and send nothing', async () => {
  const reached = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.head.append(script);
    const loaded = await new Promise((done) => {
      const image = new Image();
      image.onload = () => done('image');
      image.onerror = () => done(null);
      image.src = 'https://example.org/x.png';
    });
    const sent = await fetch('https://example.org/').then(() => 'fetch', () => null);
    return { ran: window.ran ?? null, loaded, sent };
  });
  assert.deepEqual(reached, { ran: null, loaded: null, sent: null });
  assert.ok(faults.filter((text) => text.includes('Content Security Policy')).length >= 3, faults.join('\n'));
});

await browser.stop();
finish();
