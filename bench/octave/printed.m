## [t_next, x_next] = printed (f, t, x, dt, options)
## One step of RATTLE in Octave alone: the equations of Hairer, Lubich and Wanner (VII.1.3) as one system for fsolve, with its default
## tolerances and, where the second derivatives are given, its Jacobian. Arguments are those of rattle().

function [t_next, x_next] = printed (f, t, x, dt, options)

  n = numel (x)/2;
  m = options.ConstraintsNb;
  given = isfield (options, "HamiltonianHessFcn") && isfield (options, "ConstraintHessFcn");
  system_ = @(y) equations (y, f, options, n, m, t, dt, x, given);
  y = fsolve (system_, [x; x(n+1:end); zeros(2*m, 1)], optimset ("Jacobian", ifelse_ (given, "on", "off")));
  t_next = t + dt;
  x_next = y([1:n, 2*n+1:3*n]);

endfunction

function value = ifelse_ (condition, a, b)

  value = b;
  if (condition)
    value = a;
  endif

endfunction

## y = (q1, p at the half step, p1, lambda, mu)
function [r, J] = equations (y, f, o, n, m, t, h, x, given)

  q0 = x(1:n);
  q = y(1:n);
  half = y(n+1:2*n);
  p = y(2*n+1:3*n);
  lambda = y(3*n+1:3*n+m);
  mu = y(3*n+m+1:end);
  f0 = f (t, [q0; half]);
  f1 = f (t + h, [q; half]);
  velocity = f (t + h, [q; p])(1:n);
  G0 = o.ConstraintGradFcn (q0);
  G = o.ConstraintGradFcn (q);
  r = [q - q0 - h/2*(f0(1:n) + f1(1:n))
       half - x(n+1:end) - h/2*(f0(n+1:end) - G0.'*lambda)
       p - half - h/2*(f1(n+1:end) - G.'*mu)
       o.ConstraintFcn(q)
       G*velocity];
  if (nargout < 2)
    return;
  endif
  a = 1:n;
  b = n+1:2*n;
  H0 = o.HamiltonianHessFcn (t, [q0; half]);
  H1 = o.HamiltonianHessFcn (t + h, [q; half]);
  H2 = o.HamiltonianHessFcn (t + h, [q; p]);
  second = reshape (o.ConstraintHessFcn (q), n, n, m);
  by_mu = zeros (n);
  turned = zeros (m, n);
  for k = 1:m
    by_mu += mu(k)*second(:,:,k);
    turned(k,:) = (second(:,:,k)*velocity).';
  endfor
  I = eye (n);
  O = zeros (n);
  none = zeros (n, m);
  J = [I - h/2*H1(b,a), -h/2*(H0(b,b) + H1(b,b)), O, none, none
       O, I + h/2*H0(a,b), O, h/2*G0.', none
       h/2*(H1(a,a) + by_mu), -I + h/2*H1(a,b), I, none, h/2*G.'
       G, zeros(m, 2*n + 2*m)
       turned + G*H2(b,a), zeros(m, n), G*H2(b,b), zeros(m, 2*m)];

endfunction
