// What was changed: parameters, starts, method, step and end of the run, and of which model where there are several; in the fragment of the address too, so
// that a link holds them.

const MARK = '#live?';
export const none = () => ({ model: null, parameters: {}, starts: {}, method: null, step: null, stop: null });

export const changes = (settings) => Object.keys(settings.parameters).length + Object.keys(settings.starts).length
  + ['method', 'step', 'stop'].filter((name) => settings[name] !== null).length;

export function write(settings) {
  const words = new URLSearchParams(settings.model === null ? {} : { model: settings.model });
  for (const [name, value] of Object.entries(settings.parameters)) words.set(`P.${name}`, value);
  for (const [name, value] of Object.entries(settings.starts)) words.set(`S.${name}`, value);
  for (const name of ['method', 'step', 'stop']) if (settings[name] !== null) words.set(name, settings[name]);
  const text = String(words);
  return text ? MARK + text : '';
}

export const isOne = (fragment) => fragment.startsWith(MARK);
// An address may have been written by anybody: numbers are numbers, all else is left out.
export function read(fragment) {
  const settings = none();
  if (!isOne(fragment)) return settings;
  for (const [word, text] of new URLSearchParams(fragment.slice(MARK.length))) {
    const value = Number(text);
    const kind = { P: 'parameters', S: 'starts' }[word.slice(0, 2) === 'P.' ? 'P' : word.slice(0, 2) === 'S.' ? 'S' : ''];
    if (word === 'method' || word === 'model') settings[word] = text.slice(0, 1000);
    else if (text === '' || !Number.isFinite(value)) continue;
    else if (kind) settings[kind][word.slice(2)] = value;
    else if (word === 'step' || word === 'stop') settings[word] = value;
  }
  return settings;
}
