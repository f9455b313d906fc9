// The tools at the top of every page.
import { tool } from './dom.js';
import { isDark, onTheme, setTheme } from './theme.js';

export const printTool = () => tool('print', 'print this page', () => window.print());

export function themeTool() {
  const dark = tool('', '', () => setTheme(isDark() ? 'light' : 'dark'));
  const label = () => {
    dark.textContent = isDark() ? 'light' : 'dark';
    dark.title = `switch to ${dark.textContent} colours`;
    dark.setAttribute('aria-label', dark.title);
  };
  label();
  onTheme(label);
  return dark;
}
