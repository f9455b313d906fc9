/* Part of a kernel's text, after run_loop.h and behind lanes_text.h: several trajectories at once.
 * A step that is in doubt in one of them is made in none, and the caller takes it alone there. */

/* `steps` steps of z [2N], each of `stages` substeps h [stages], vectors of LANES numbers, with
 * these inputs. seen [4] (may be NULL): the least and the largest energy, |g| and |psi| are widened
 * by these steps. Returns how many were done; fewer: unusual[lane] is 1 where the next one is in
 * doubt. */
long long KERNEL_NAME(lanes)(const double *h, int stages, long long steps, const double *number,
                             double *z, double *seen, long long *unusual) {
  rattle__emitted_run run = {.self = number};
  REAL *const range = (REAL *)seen;
  const long long done = KERNEL_NAME(run)(&run, (const REAL *)h, stages, steps, (REAL *)z, range);
  if (range) {
    WHERE(run.g > range[2], range[2], run.g);
    WHERE(run.psi > range[3], range[3], run.psi);
  }
  EACH_LANE unusual[l_] = done < steps && !run.is_known[l_];
  return done;
}
