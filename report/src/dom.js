// Elements. Text goes in as text nodes only: nothing in this page is made by parsing markup.

// h('button', { class: 'x', onclick: f, 'aria-label': 'y' }, child, 'text', ...)
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'list' && name !== 'form') element[name === 'class' ? 'className' : name] = value;
    else element.setAttribute(name === 'className' ? 'class' : name, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(element, ...children) {
  element.textContent = '';
  add(element, children);
}

// A row of buttons of which one is pressed. options: [[value, text], ...]
export function choice(label, options, value, onchange) {
  const buttons = options.map(([key, text]) =>
    h('button', { type: 'button', 'aria-pressed': String(key === value), onclick: () => press(key) }, text));
  function press(key) {
    options.forEach(([other], i) => buttons[i].setAttribute('aria-pressed', String(other === key)));
    onchange(key);
  }
  return h('span', { class: 'choice', role: 'group', 'aria-label': label }, buttons);
}

// A drop-down list. groups: [[group label or '', [[value, text], ...]], ...]
export function list(label, groups, value, onchange) {
  const option = ([key, text]) => h('option', { value: String(key), selected: String(key) === String(value) }, text);
  const select = h('select', { 'aria-label': label, onchange: () => onchange(select.value) },
    groups.map(([name, options]) => (name ? h('optgroup', { label: name }, options.map(option)) : options.map(option))));
  return select;
}

export function tool(text, label, onclick) {
  return h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, onclick }, text);
}

// An expression that may be broken after a bracket or a comma.
export const breakable = (text) => text.split(/(?<=[(,])/).map((part) => [part, h('wbr')]);
