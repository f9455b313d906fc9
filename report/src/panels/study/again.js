// How to make the study again.
import { h } from '../../dom.js';
import { exact } from '../../format.js';
import { block, saveButton } from '../../copy.js';
import { quoted } from '../reproduce.js';

// The parameter of a family of equilibria, and from where to where it goes.
function range(study) {
  const family = study.figure('to') === null ? null : study.tables.get('family');
  const name = family?.names[0].replace(/^set:/, '');
  return { name, words: family ? ['--along', `${name}=${exact(family.column(family.names[0])[0])}:${exact(study.figure('to'))}`] : [] };
}

function command(study) {
  const words = ['rattle', 'study', study.kind, study.model_file || 'model.lua'];
  const along = range(study);
  for (const { name, value } of study.parameters) if (name !== along.name) words.push('-P', `${name}=${exact(value)}`);
  for (const [name, { value }] of study.figures) if (name.startsWith('steady:')) words.push('--steady', name.slice(7) === along.name ? along.name : `${name.slice(7)}=${exact(value)}`);
  words.push(...along.words);
  for (const { method } of study.methods) words.push('--method', method);
  if (study.methods.length) words.push('--stop', exact(study.stop));
  if (study.figure('nearest')) words.push('--nearest');
  if (study.kind === 'advise') words.push('--error', exact(study.figure('error_wanted')));
  if (['drift', 'compare'].includes(study.kind)) for (const name of ['step', 'every']) if (study.figure(name) !== null) words.push(`--${name}`, exact(study.figure(name)));
  if (study.reference.method) words.push('--reference', study.reference.method);
  words.push('-o', study.file);
  return words.map((word) => quoted(String(word))).join(' ');
}

export default {
  id: 'again',
  title: () => 'Study it again',
  wide: true,
  shows: () => true,
  build(study) {
    if (!study.model_text) return h('p', {}, 'The file contains no model text: the study was made by a program, and only that program can repeat it.');
    const file = study.model_file || 'model.lua';
    return h('div', {}, block(command(study)), h('p', { class: 'note' }, `rattle ${study.version}, ${study.evaluator} evaluator. Results other than CPU times are reproducible.`),
      h('details', { open: study.model_text.length < 3000 }, h('summary', {}, `The model, ${file}`), block(study.model_text, saveButton(study.model_text, file))));
  },
};
