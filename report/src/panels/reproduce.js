// How to get the same run again.
import { h } from '../dom.js';
import { exact } from '../format.js';
import { block, saveButton } from '../copy.js';

export const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function command(run) {
  const words = ['rattle', 'run', run.model_file || 'model.lua'];
  for (const { name, value } of run.parameters) words.push('-P', `${name}=${exact(value)}`);
  words.push('--method', run.method, '--step', exact(run.step), '--steps', exact(run.steps_asked), '--every', exact(run.every));
  if (run.remade.was_projected) words.push('--project');
  if (run.observables.some((name) => name.startsWith('cotangent:'))) words.push('--cotangent');
  words.push('-o', run.file);
  return words.map((word) => quoted(String(word))).join(' ');
}

function one(run, several) {
  const head = several && h('h3', {}, run.label);
  if (!run.model_text) {
    return [head, h('p', {}, 'The record contains no model text: the run was made by a program with C callbacks, and only that program can repeat it.')];
  }
  const file = run.model_file || 'model.lua';
  return [head, block(command(run)),
    h('p', { class: 'note' }, `rattle ${run.version}, ${run.evaluator} evaluator, content hash `, h('code', {}, run.model_hash.slice(0, 16)),
      ' (of model, parameters, method, step and start; rattle info shows it). The same version gives the same result bit for bit. ',
      run.start_time !== 0 ? `The model sets the start time ${exact(run.start_time)}. ` : '',
      run.remade.why ? run.remade.why : ''),
    h('details', { open: !several && run.model_text.length < 3000 }, h('summary', {}, `The model, ${file}`), block(run.model_text, saveButton(run.model_text, file)))];
}

export default {
  id: 'reproduce',
  title: 'Run it again',
  wide: true,
  shows: () => true,
  build: (report) => h('div', {}, report.runs.map((run) => one(run, report.runs.length > 1))),
};
