use crate::error::{c_string, call, Error};
use crate::model::Problem;
use librattle_sys as sys;
use std::os::raw::c_longlong;
use std::ptr::null_mut;

/// A point, and the step that leads on: the time is t0 + step h.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub q: Vec<f64>,
    pub p: Vec<f64>,
    pub h: f64,
    pub t0: f64,
    pub step: i64,
}

impl State {
    pub fn new(q: Vec<f64>, p: Vec<f64>, h: f64) -> State {
        State { q, p, h, t0: 0.0, step: 0 }
    }

    /// For functions that write to it.
    pub(crate) fn lend(&mut self) -> sys::rattle_state {
        let (q, p) = (self.q.as_mut_ptr(), self.p.as_mut_ptr());
        self.with(q, p)
    }

    /// For functions that read it.
    fn view(&self) -> sys::rattle_state {
        self.with(self.q.as_ptr() as *mut f64, self.p.as_ptr() as *mut f64)
    }

    fn with(&self, q: *mut f64, p: *mut f64) -> sys::rattle_state {
        let mut state = sys::sized::<sys::rattle_state>();
        state.q = q;
        state.p = p;
        state.h = self.h;
        state.t0 = self.t0;
        state.step = self.step;
        state
    }
}

/// A method for a problem, which it holds.
pub struct Integrator {
    pub(crate) c: *mut sys::rattle_integrator,
    pub(crate) problem: Problem,
}

unsafe impl Send for Integrator {}

impl Integrator {
    pub fn new(problem: &Problem, method: &str) -> Result<Integrator, Error> {
        let method = c_string(method, "the method")?;
        let mut c = null_mut();
        call(|error| unsafe { sys::rattle_integrator_create(&mut c, problem.as_ptr(), method.as_ptr(), error) })?;
        Ok(Integrator { c, problem: problem.clone() })
    }

    /// So many steps. After a failure the state is that of the last good step.
    pub fn step(&mut self, state: &mut State, steps: u64) -> Result<(), Error> {
        self.problem.fits(&state.q, &state.p)?;
        let mut c = state.lend();
        let done = call(|error| unsafe { sys::rattle_integrator_step(self.c, &mut c, steps as c_longlong, error) });
        state.step = c.step;
        done
    }

    /// The time of the state; also of methods that adapt their steps.
    pub fn time(&self, state: &State) -> f64 {
        unsafe { sys::rattle_integrator_time(self.c, &state.view()) }
    }

    pub fn as_ptr(&self) -> *mut sys::rattle_integrator {
        self.c
    }
}

impl Drop for Integrator {
    fn drop(&mut self) {
        unsafe { sys::rattle_integrator_destroy(&mut self.c) }
    }
}
