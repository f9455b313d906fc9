## value = option (options, name, default): a field of a struct; the default if it is not there or empty

function value = option (options, name, default)

  value = default;
  if (isfield (options, name) && ! isempty (options.(name)))
    value = options.(name);
  endif

endfunction
