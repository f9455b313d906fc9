## of = problem_of (name, method, f, x, options, extra)
## What a session is made of, from options in the form of odeset. name: of the caller, for messages; extra: more arguments of f.

function of = problem_of (name, method, f, x, options, extra)

  if (ischar (f))
    f = str2func (f);
  endif
  if (! is_function_handle (f))
    error ("Octave:invalid-input-arg", "%s: F must be a function, f(t, x) = [H_p; -H_q]", name);
  endif
  if (! isnumeric (x) || ! isreal (x) || ! isvector (x) || mod (numel (x), 2) || ! all (isfinite (x)))
    error ("Octave:invalid-input-arg", "%s: the state must be a vector [q; p] of an even number of finite real numbers", name);
  endif
  for field = {"Mass", "NonNegative"}   # these change the problem
    if (! isempty (option (options, field{1}, [])))
      error ("Octave:invalid-input-arg", "%s: the option \"%s\" has no meaning for a Hamiltonian system", name, field{1});
    endif
  endfor

  q = x(1:end/2)(:);
  of.f = f;
  of.g = option (options, "ConstraintFcn", []);
  of.G = option (options, "ConstraintGradFcn", []);
  of.g_hessian = option (options, "ConstraintHessFcn", []);
  of.H_hessian = option (options, "HamiltonianHessFcn", []);
  of.m = option (options, "ConstraintsNb", []);
  of.inverse_mass = option (options, "InverseMass", []);
  of.separable = strcmpi (option (options, "Separable", "off"), "on");
  of.method = option (options, "Method", method);
  of.extra = extra;

  if (isempty (of.m))
    of.m = 0;
    if (! isempty (of.g))
      of.m = numel (of.g (q));
    endif
  endif
  if (of.m > 0 && (isempty (of.g) || isempty (of.G)))
    error ("Octave:invalid-input-arg", "%s: %d constraints need the options \"ConstraintFcn\", g(q), and \"ConstraintGradFcn\", its Jacobian", name, of.m);
  endif

endfunction
