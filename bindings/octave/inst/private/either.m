## value = either (condition, a, b): a where the condition holds, otherwise b

function value = either (condition, a, b)

  value = b;
  if (condition)
    value = a;
  endif

endfunction
