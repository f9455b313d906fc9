use crate::error::{call, Error};
use crate::model::Problem;
use librattle_sys as sys;
use std::os::raw::{c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// A problem as functions. Several threads may call them at once. A value that is not finite makes the step fail with
/// [`Status::DOMAIN`](crate::Status::DOMAIN), a panic ends the run with [`Status::CALLBACK`](crate::Status::CALLBACK).
pub trait System: Send + Sync + 'static {
    /// Pairs of a coordinate and its momentum.
    fn n(&self) -> usize;

    /// Constraints.
    fn m(&self) -> usize {
        0
    }

    /// H, and its derivatives by q and p [n], which are 0 where nothing is written.
    fn hamiltonian(&self, q: &[f64], p: &[f64], by_q: &mut [f64], by_p: &mut [f64]) -> f64;

    /// g [m] and its derivatives by q [m n], row by row, which are 0 where nothing is written.
    fn constraint(&self, _q: &[f64], _g: &mut [f64], _by_q: &mut [f64]) {}

    /// The diagonal of M^-1 of H = p^T M^-1 p/2 + V(q), which methods such as `verlet` need; `None`: H is another one.
    fn inverse_mass(&self) -> Option<Vec<f64>> {
        None
    }
}

/// What C holds: the numbers are those of the start, whatever the functions say later.
struct Held<T> {
    system: T,
    n: usize,
    m: usize,
}

unsafe extern "C" fn hamiltonian<T: System>(context: *mut c_void, z: *const f64, value: *mut f64, gradient: *mut f64) -> c_int {
    let Held { system, n, .. } = &*(context as *const Held<T>);
    let n = *n;
    let (q, p) = from_raw_parts(z, 2 * n).split_at(n);
    std::ptr::write_bytes(gradient, 0, 2 * n);
    let (by_q, by_p) = from_raw_parts_mut(gradient, 2 * n).split_at_mut(n);
    match catch_unwind(AssertUnwindSafe(|| system.hamiltonian(q, p, by_q, by_p))) {
        Ok(found) => {
            *value = found;
            0
        }
        Err(_) => -1,
    }
}

unsafe extern "C" fn constraint<T: System>(context: *mut c_void, z: *const f64, g: *mut f64, jacobian: *mut f64) -> c_int {
    let Held { system, n, m } = &*(context as *const Held<T>);
    let (n, m) = (*n, *m);
    let mut by_q = vec![0.0; m * n];
    std::ptr::write_bytes(g, 0, m);
    let (q, g) = (from_raw_parts(z, n), from_raw_parts_mut(g, m));
    if catch_unwind(AssertUnwindSafe(|| system.constraint(q, g, &mut by_q))).is_err() {
        return -1;
    }
    std::ptr::write_bytes(jacobian, 0, m * 2 * n);
    for i in 0..m {
        std::ptr::copy_nonoverlapping(by_q.as_ptr().add(i * n), jacobian.add(i * 2 * n), n);
    }
    0
}

unsafe extern "C" fn release<T: System>(context: *mut c_void) {
    drop(Box::from_raw(context as *mut Held<T>));
}

impl Problem {
    /// The problem of functions. They live until nothing holds the problem any more.
    pub fn of<T: System>(system: T) -> Result<Problem, Error> {
        let mut callbacks = sys::sized::<sys::rattle_callbacks>();
        let (n, m, mass) = (system.n(), system.m(), system.inverse_mass());
        if let Some(mass) = &mass {
            if mass.len() != n {
                return Err(Error::argument(format!("inverse_mass has {} numbers for {} pairs", mass.len(), n)));
            }
            callbacks.inverse_mass = mass.as_ptr();
        }
        let count = |number: usize| c_int::try_from(number).map_err(|_| Error::argument(format!("{number} is more than C can count")));
        callbacks.n = count(n)?;
        callbacks.m = count(m)?;
        let kind = sys::RATTLE_HOLONOMIC | if mass.is_some() { sys::RATTLE_NATURAL | sys::RATTLE_SEPARABLE } else { 0 };
        callbacks.flags = kind as c_int;
        callbacks.hamiltonian = Some(hamiltonian::<T>);
        callbacks.constraint = Some(constraint::<T>);
        callbacks.release = Some(release::<T>);
        callbacks.context = Box::into_raw(Box::new(Held { system, n, m })) as *mut c_void;
        let mut problem = std::ptr::null_mut();
        call(|error| unsafe { sys::rattle_problem_create_callbacks(&mut problem, &callbacks, error) })?;
        Ok(unsafe { Problem::from_c(problem) })
    }
}
