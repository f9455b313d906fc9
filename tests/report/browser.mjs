// A headless Chromium for the tests of the page, and what every page must do: no console error, no request.
import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const report = fileURLToPath(new URL('../../report/', import.meta.url));
const chromium = [process.env.RATTLE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path && existsSync(path));
export const SKIP = 77;

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--enable-unsafe-swiftshader', '--hide-scrollbars'];

// Starts the browser; where there is none, or no playwright-core, the test is skipped.
export async function start() {
  if (!chromium || !existsSync(join(report, 'node_modules', 'playwright-core'))) {
    console.log('skipped: this needs chromium, and `npm ci` in report/');
    process.exit(SKIP);
  }
  const { chromium: engine } = createRequire(join(report, 'package.json'))('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'rattle-report-'));
  const context = await engine.launchPersistentContext(profile, {
    executablePath: chromium, args: flags, headless: true, viewport: { width: 1280, height: 900 }, acceptDownloads: true,
  });
  return {
    context,
    // Opens a page from file:// and waits until it is drawn; init is run in it before. faults: what it said or asked for that it must not.
    async open(path, { width = 1280, height = 900, dark = false, init = null } = {}) {
      const page = await context.newPage();
      page.setDefaultTimeout(600000); // ctest has a limit
      if (init) await page.addInitScript(init);
      const faults = [];
      // the software driver of WebGL remarks upon its own speed when the test looks at pixels
      page.on('console', (message) => ['error', 'warning'].includes(message.type())
        && !message.text().includes('GL Driver Message') && faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('dialog', (dialog) => (faults.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
      const address = pathToFileURL(path).href;
      page.on('request', (request) => {
        const url = request.url();
        if (url.split('#')[0] !== address && !/^(blob|data):/.test(url)) faults.push(`request: ${url}`);
      });
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
      await page.goto(address);
      await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return { page, faults };
    },
    async stop() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
