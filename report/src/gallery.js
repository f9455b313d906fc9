// The page of the gallery, which is whole without this: sets formulas, and adds the tools at the top.
import { printTool, themeTool } from './page_tools.js';
import { math } from './math.js';
import { watchTheme } from './theme.js';

for (const formula of document.querySelectorAll('.math')) formula.replaceChildren(...math(formula.textContent).flat(Infinity));
watchTheme();
document.querySelector('.tools').append(printTool(), themeTool());
window.addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((table) => (table.open = true)));
