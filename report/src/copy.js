// Text to take along: a block with a button that copies it.
import { h, tool } from './dom.js';
import { save } from './image.js';

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { value: text, class: 'aside' });
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function copyButton(text, label = 'copy') {
  const button = tool(label, `${label} to the clipboard`, async () => {
    button.textContent = (await toClipboard(text)) ? 'copied' : 'select and copy';
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

export const saveButton = (text, name) =>
  tool('save', `save as ${name}`, () => save(new Blob([text], { type: 'text/plain' }), name));

export function block(text, ...buttons) {
  return h('div', { class: buttons.length ? 'block several' : 'block' }, h('pre', { tabindex: 0 }, text), h('span', { class: 'tools' }, copyButton(text), buttons));
}
