## Copyright (C) the authors of librattle
##
## Part of librattle, under its licence (LICENSE); see COPYING-octave.

## -*- texinfo -*-
## @deftypefn  {} {[@var{t}, @var{x}] =} odeSHAKE (@var{f}, @var{tspan}, @var{x0}, @var{options})
## @deftypefnx {} {[@var{t}, @var{x}, @var{te}, @var{xe}, @var{ie}] =} odeSHAKE (@dots{})
## @deftypefnx {} {@var{sol} =} odeSHAKE (@dots{})
## Integrate a Hamiltonian system with constraints g(q) = 0 by SHAKE.
##
## Arguments and results are those of @code{odeRATTLE}.  The positions are those of RATTLE, with g(q) = 0 to round-off; the momenta are
## not projected onto G(q) H_p = 0, where they are off by a part normal to the constraints of the order of the step squared.
## @seealso{odeRATTLE, rattle, rattle_run}
## @end deftypefn

function varargout = odeSHAKE (f, tspan, x0, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  out = solve ("odeSHAKE", "shake(verlet)", nargout, f, tspan, x0, varargin{:});
  [varargout{1:nargout}] = out{1:nargout};

endfunction

%!test # positions are those of RATTLE
%! f = @(t, x) [x(3:4); 0; -1];
%! options = struct ("ConstraintFcn", @(q) q.'*q - 1, "ConstraintGradFcn", @(q) 2*q.', "ConstraintsNb", 1, "TimeStepSize", 0.02);
%! [t, x] = odeSHAKE (f, [0, 4], [1; 0; 0; -2], options);
%! [~, y] = odeRATTLE (f, [0, 4], [1; 0; 0; -2], options);
%! assert (rows (x), 201);
%! assert (x(:,1:2), y(:,1:2), 1e-11);
%! assert (max (abs (sum (x(:,1:2).^2, 2) - 1)) < 1e-14);
%! hidden = max (abs (sum (x(:,1:2) .* x(:,3:4), 2)));
%! assert (hidden > 1e-3 && hidden < 0.1);

%!test # tolerances: p along its fibre is no error
%! options = struct ("ConstraintFcn", @(q) q.'*q - 1, "ConstraintGradFcn", @(q) 2*q.', "RelTol", 1e-5);
%! [t, x] = odeSHAKE (@(t, x) [x(3:4); 0; -1], [0, 2], [1; 0; 0; -2], options);
%! [s, y] = odeRATTLE (@(t, x) [x(3:4); 0; -1], [0, 2], [1; 0; 0; -2], options);
%! assert (numel (t) < 1.5*numel (s));
%! assert (x(end,1:2), y(end,1:2), 1e-3);
