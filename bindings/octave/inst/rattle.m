## Copyright (C) the authors of librattle
##
## Part of librattle, under its licence (LICENSE); see COPYING-octave.

## -*- texinfo -*-
## @deftypefn  {} {[@var{t_next}, @var{x_next}] =} rattle (@var{f}, @var{t}, @var{x}, @var{dt}, @var{options})
## @deftypefnx {} {[@var{t_next}, @var{x_next}, @var{err}] =} rattle (@dots{})
## One step of RATTLE for a Hamiltonian system with constraints g(q) = 0.
##
## @var{f}(t, x) returns [H_p; -H_q] at @var{x} = [q; p].  @var{options} is a structure, as @code{odeset} makes it, with the fields
## @code{ConstraintFcn}, @code{ConstraintGradFcn}, @code{ConstraintHessFcn}, @code{ConstraintsNb} and @code{HamiltonianHessFcn}, which
## @code{odeRATTLE} describes.
##
## @var{x_next} has g(q) = 0 and G(q) H_p = 0 to round-off.  @var{err} estimates the error of two steps of @var{dt}/2: the norm of their
## difference from @var{x_next}, times 1/3.  @var{x_next} is the one step of @var{dt}, with @var{err} or without.
##
## A step without a solution is an error with the identifier @code{rattle:}@var{STATUS}, such as @code{rattle:DEGENERATE}.
## @seealso{odeRATTLE, odeSHAKE, rattle_run}
## @end deftypefn

function [t_next, x_next, err] = rattle (f, t, x, dt, options = struct ())

  if (nargin < 4)
    print_usage ();
  endif
  if (ischar (f))
    f = str2func (f);
  endif
  if (nargout > 2)
    [x_next, err] = __rattle__ ("stepper", f, options, "rattle(verlet)", t, x, dt, true);
  else
    x_next = __rattle__ ("stepper", f, options, "rattle(verlet)", t, x, dt, false);
  endif
  t_next = t + dt;

endfunction
