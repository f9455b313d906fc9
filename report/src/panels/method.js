// What ran: the expression, the formula of each part, where it comes from.
import { h } from '../dom.js';
import { whole } from '../format.js';
import { math } from '../math.js';
import { copyButton } from '../copy.js';

// "name: formula" in lines
function formulas(text) {
  return (text ?? '').split('\n').filter(Boolean).map((line) => {
    const at = line.indexOf(': ');
    return [line.slice(0, at), line.slice(at + 2)];
  });
}

// Names of letters in running text.
const plain = (text) => text.replace(/\bpsi\b/g, 'ψ').replace(/\blambda\b/g, 'λ').replace(/Stoermer/g, 'Störmer');

function solver(run) {
  const parts = [];
  if (run.m) parts.push(`multipliers solved for by the ${run.solver} solver`);
  parts.push(`derivatives by the ${run.evaluator} evaluator`);
  return `${parts.join(', ')}.`;
}

function one(run) {
  const about = run.about_method;
  if (!about) return [h('p', {}, h('code', {}, run.method)), h('p', { class: 'note' }, 'This method is not known to the version of rattle that made this page.')];
  const text = Object.fromEntries(about.parts.map((part) => [part.name, part.text]));
  const rows = formulas(about.formulas).map(([name, formula]) => h('div', { class: 'formula' },
    h('p', {}, h('code', {}, name), text[name] ? h('small', {}, plain(text[name])) : null), formula.split(/;\s+/).map((line) => h('p', { class: 'math' }, math(line)))));
  return [h('p', { class: 'expression' }, h('code', {}, about.text)), rows,
    h('p', { class: 'note' }, run.m ? ['g = 0 are the constraints, ψ = {g, H} = 0 the hidden ones, ', math('X_F'), ' is the Hamiltonian field of F. '] : null, `The problem is ${run.kind}, with n = ${whole(run.n)} pairs and m = ${whole(run.m)} constraints; ${solver(run)}`)];
}

export const citations = (runs) => {
  const found = new Map();
  for (const run of runs) for (const part of run.about_method?.parts ?? []) if (part.citation) found.set(part.name, part.citation);
  return [...found];
};

function sources(report) {
  const list = citations(report.runs);
  if (list.length === 0) return null;
  const text = list.map(([name, citation]) => `${name}: ${citation}.`).join('\n');
  return [h('h3', {}, 'To cite ', copyButton(`${text}\nrattle ${report.version}\n`, 'copy all')),
    h('ul', { class: 'sources' }, list.map(([name, citation]) => h('li', {}, h('code', {}, name), ' ', citation, '.')))];
}

export default {
  id: 'method',
  title: 'Method',
  several: 'Methods',
  wide: true,
  shows: () => true,
  build(report) {
    const seen = new Map();
    for (const run of report.runs) if (!seen.has(run.method)) seen.set(run.method, run);
    return h('div', {}, [...seen.values()].map((run) => h('div', { class: 'method' }, one(run))), sources(report));
  },
};
