// What ran: the expression, the formula of each part, where it comes from.
import { breakable, h } from '../dom.js';
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
  if (run.m && run.solver) parts.push(`multipliers from the ${run.solver} solver`);
  parts.push(`derivatives from the ${run.evaluator} evaluator`);
  return `${parts.join(', ')}.`;
}

// One method; parts that were shown before are omitted.
function one(run, shown) {
  const about = run.about_method;
  if (!about) return [h('p', {}, h('code', {}, breakable(run.method))), h('p', { class: 'note' }, 'The version of rattle that made this page does not know this method.')];
  const text = Object.fromEntries(about.parts.map((part) => [part.name, part.text]));
  const parts = formulas(about.formulas).filter(([name, formula]) => shown.get(name) !== formula);
  for (const [name, formula] of parts) shown.set(name, formula);
  return [h('p', { class: 'expression' }, h('code', {}, breakable(about.text))), parts.map(([name, formula]) => h('div', { class: 'formula' },
    h('p', {}, h('code', {}, name), text[name] ? h('small', {}, plain(text[name])) : null), formula.split(/;\s+/).map((line) => h('p', { class: 'math' }, math(line)))))];
}

// What all of them are applied to.
function note(all) {
  const [run] = all;
  const alike = all.every((other) => other.m === run.m && other.n === run.n && other.solver === run.solver && other.evaluator === run.evaluator && other.kind === run.kind);
  return h('p', { class: 'note' }, run.m ? ['g = 0 are the constraints, ψ = {g, H} = 0 the hidden constraints, ', math('X_F'), ' is the Hamiltonian field of F. '] : null,
    (alike ? [run] : all).map((each) => `${alike || !each.label ? 'The problem' : each.label} is ${each.kind}, with n = ${whole(each.n)} pairs and m = ${whole(each.m)} constraints; ${solver(each)} `));
}

export const citations = (runs) => {
  const found = new Map();
  for (const run of runs) for (const part of run.about_method?.parts ?? []) if (part.citation) found.set(part.name, part.citation);
  return [...found];
};

// The methods of a study, as what one() shows of a run.
const ofStudy = (study) => study.methods.map((method) => ({ ...method, kind: study.problem, n: study.n, m: study.m, evaluator: study.evaluator }));

function sources(all, version) {
  const list = citations(all);
  if (list.length === 0) return null;
  const text = list.map(([name, citation]) => `${name}: ${citation}.`).join('\n');
  return [h('h3', {}, 'To cite ', copyButton(`${text}\nrattle ${version}\n`, 'copy all')),
    h('ul', { class: 'sources' }, list.map(([name, citation]) => h('li', {}, h('code', {}, name), ' ', citation, '.')))];
}

export default {
  id: 'method',
  title: 'Method',
  several: 'Methods',
  always: true,
  wide: true,
  shows: () => true,
  build(report) {
    const posed = [...report.runs, ...report.studies.flatMap(ofStudy)];
    const all = [...posed, ...report.samplings];
    const seen = new Map();
    for (const run of all) if (!seen.has(run.method)) seen.set(run.method, run);
    const shown = new Map();
    return h('div', {}, [...seen.values()].map((run) => h('div', { class: 'method' }, one(run, shown))), posed.length > 0 && note(posed), sources(all, report.version));
  },
};
