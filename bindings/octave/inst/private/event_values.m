## [value, terminal, direction] = event_values (events, t, x, extra): rows

function [value, terminal, direction] = event_values (events, t, x, extra)

  [value, terminal, direction] = events (t, x, extra{:});
  value = value(:).';
  terminal = logical (terminal(:).');
  direction = direction(:).';

endfunction
