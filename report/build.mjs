// Makes template.html, the page that `rattle report` fills: bundles src/main.js and src/style.css, and puts both into
// src/page.html with a content security policy that allows these and nothing else.
//
//   node build.mjs            writes template.html
//   node build.mjs --check    exit status 1 where template.html is not what the sources give
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const read = (name) => readFileSync(here(name), 'utf8');

async function bundle(entry, options) {
  const result = await build({
    absWorkingDir: here('.'),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// The licences of what is bundled, as they ask.
function licences() {
  const text = ['uplot', 'three'].map((name) => {
    const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
    return `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}`;
  });
  return `<!--\nThis page contains\n\n${text.join('\n\n')}\n-->`.replace(/[^\x00-\x7f]/g, '');
}

async function template() {
  const script = (await bundle('src/main.js', { format: 'iife', target: 'es2020' })).replaceAll('</script', '<\\/script');
  const style = await bundle('src/style.css', { target: 'es2020' });
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const parts = { policy, style, script, licences: licences() };
  const page = read('src/page.html').replace(/@(\w+)@/g, (whole, name) => parts[name] ?? whole);
  if (/[^\x00-\x7f]/.test(page)) throw new Error('the template is not ASCII');
  return page;
}

const page = await template();
if (process.argv.includes('--check')) {
  if (page !== read('template.html')) {
    console.error('report/template.html is not what report/src gives: run `npm ci && npm run build` in report/ and commit it');
    process.exit(1);
  }
} else {
  writeFileSync(here('template.html'), page);
  console.log(`template.html: ${Math.ceil(page.length / 1000)} kB`);
}
