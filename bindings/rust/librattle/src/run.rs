use crate::error::{call, numbers, Error};
use crate::integrator::{Integrator, State};
use crate::model::Problem;
use librattle_sys as sys;
use std::ops::ControlFlow;
use std::os::raw::{c_int, c_longlong, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicI32;

const MOST_STEPS: c_longlong = 9_000_000_000_000_000; // of a run whose end is a time

type Watch<'a> = Box<dyn FnMut(&Sample) -> ControlFlow<()> + 'a>;

/// What is to be run, built by its methods; [`go`](Run::go) runs it.
pub struct Run<'a> {
    problem: &'a Problem,
    method: String,
    h: f64,
    stop: Option<f64>,
    steps: Option<i64>,
    every: i64,
    start: From,
    interrupt: Option<&'a AtomicI32>,
    watch: Option<Watch<'a>>,
}

impl<'a> Run<'a> {
    pub fn new(problem: &'a Problem, method: &str) -> Run<'a> {
        Run { problem, method: method.into(), h: 0.0, stop: None, steps: None, every: 1, start: From::Model, interrupt: None, watch: None }
    }

    /// The time step, not 0.
    pub fn step(mut self, h: f64) -> Self {
        self.h = h;
        self
    }

    /// The time of the last sample.
    pub fn stop(mut self, time: f64) -> Self {
        self.stop = Some(time);
        self
    }

    /// So many steps, in place of a time.
    pub fn steps(mut self, steps: i64) -> Self {
        self.steps = Some(steps);
        self
    }

    /// A sample every so many steps.
    pub fn every(mut self, steps: i64) -> Self {
        self.every = steps;
        self
    }

    /// Where it begins, of a problem from a [`System`](crate::System); it must satisfy the constraints.
    pub fn start(mut self, q: Vec<f64>, p: Vec<f64>) -> Self {
        self.start = From::Point(q, p);
        self
    }

    /// It begins at the last sample of another run of the problem, and at its time.
    pub fn after(mut self, run: &Trajectory) -> Self {
        let last = run.len() - 1;
        self.start = From::End(run.q(last).to_vec(), run.p(last).to_vec(), run.time()[last]);
        self
    }

    /// A flag that another thread sets to end the run: [`Status::INTERRUPTED`](crate::Status::INTERRUPTED).
    pub fn interrupt(mut self, flag: &'a AtomicI32) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// A function that sees each sample, the start first; `Break` ends the run, which is then no failure.
    pub fn watch(mut self, watch: impl FnMut(&Sample) -> ControlFlow<()> + 'a) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Runs. A failure says why; what was reached before it is seen by [`watch`](Run::watch).
    pub fn go(self) -> Result<Trajectory, Error> {
        let Run { problem, method, h, stop, steps, every, start, interrupt, watch } = self;
        if !(h != 0.0 && h.is_finite()) || stop.is_none() == steps.is_none() {
            return Err(Error::argument("a run has a step other than 0, and either stop, a time, or steps, their number".into()));
        }
        let (q, p, t0) = match start {
            From::End(q, p, time) => (q, p, time),
            From::Point(q, p) => at_zero(problem.start_from(&q, &p, false)?),
            From::Model => {
                let (q, p) = problem.start(false)?;
                (q, p, problem.start_time())
            }
        };
        problem.fits(&q, &p)?;
        let integrator = Integrator::new(problem, &method)?;
        let mut state = State { t0, ..State::new(q, p, h) };
        let mut at = state.lend();
        let mut kept = null_mut();
        call(|error| unsafe { sys::rattle_trajectory_create(&mut kept, problem.as_ptr(), error) })?;
        let mut trajectory = Trajectory { c: kept, summary: Summary::default() };

        let end = stop.unwrap_or(0.0);
        let mut events = sys::sized::<sys::rattle_events>();
        events.end = if stop.is_some() { &end } else { null() };
        let mut options = sys::sized::<sys::rattle_run_options>();
        options.steps = steps.unwrap_or(MOST_STEPS);
        options.every = every;
        options.initial_energy = f64::NAN;
        options.events = &events;
        options.interrupt = interrupt.map_or(null(), |flag| flag as *const AtomicI32 as *const c_int);

        let mut watching = Watching { watch, ended: false, panic: None, n: problem.n(), m: problem.m() };
        let mut observer = sys::sized::<sys::rattle_observer>();
        observer.self_ = &mut watching as *mut Watching as *mut c_void;
        observer.record = Some(record);
        let observers: [*const sys::rattle_observer; 2] = [unsafe { sys::rattle_trajectory_observer(kept) }, &observer];
        let mut summary = sys::sized::<sys::rattle_summary>();
        let watched = watching.watch.is_some() as c_int;
        let done = call(|error| unsafe {
            sys::rattle_run(integrator.c, &mut at, &options, observers.as_ptr() as *const _, 1 + watched, &mut summary, error)
        });
        if let Some(panic) = watching.panic.take() {
            resume_unwind(panic);
        }
        if !watching.ended {
            done?;
        }
        trajectory.summary = Summary::from_c(&summary);
        Ok(trajectory)
    }
}

/// Where a run begins.
enum From {
    Model,
    Point(Vec<f64>, Vec<f64>),
    End(Vec<f64>, Vec<f64>, f64),
}

fn at_zero((q, p): (Vec<f64>, Vec<f64>)) -> (Vec<f64>, Vec<f64>, f64) {
    (q, p, 0.0)
}

struct Watching<'a> {
    watch: Option<Watch<'a>>,
    ended: bool,
    panic: Option<Box<dyn std::any::Any + Send>>,
    n: usize,
    m: usize,
}

unsafe extern "C" fn record(self_: *mut c_void, sample: *const sys::rattle_sample, _: *mut sys::rattle_error) -> sys::rattle_status {
    let (watching, s) = (&mut *(self_ as *mut Watching), &*sample);
    let seen = Sample {
        step: s.step,
        time: s.time,
        energy: s.energy,
        q: numbers(s.q, watching.n),
        p: numbers(s.p, watching.n),
        multipliers: numbers(s.multipliers, watching.m),
    };
    let watch = watching.watch.as_mut().expect("an observer that is called has a function");
    match catch_unwind(AssertUnwindSafe(|| watch(&seen))) {
        Ok(ControlFlow::Continue(())) => return sys::RATTLE_OK,
        Ok(ControlFlow::Break(())) => watching.ended = true,
        Err(panic) => watching.panic = Some(panic),
    }
    sys::RATTLE_INTERRUPTED
}

/// One sample as a function that watches a run sees it.
pub struct Sample<'a> {
    pub step: i64,
    pub time: f64,
    pub energy: f64,
    pub q: &'a [f64],
    pub p: &'a [f64],
    pub multipliers: &'a [f64],
}

/// What a run found, over all its steps.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub steps: i64,
    /// The time of the last sample.
    pub stop: f64,
    pub energy_initial: f64,
    pub energy_final: f64,
    pub energy_max_error: f64,
    /// Largest |g_i| and |psi_i|.
    pub g_max: f64,
    pub psi_max: f64,
    /// The event of the model that ended the run.
    pub ended_by: Option<usize>,
}

impl Summary {
    fn from_c(s: &sys::rattle_summary) -> Summary {
        Summary {
            steps: s.steps,
            stop: s.stop,
            energy_initial: s.energy_initial,
            energy_final: s.energy_final,
            energy_max_error: s.energy_max_error,
            g_max: s.g_max,
            psi_max: s.psi_max,
            ended_by: usize::try_from(s.ended_by).ok(),
        }
    }
}

/// The samples of a run.
pub struct Trajectory {
    c: *mut sys::rattle_trajectory,
    summary: Summary,
}

unsafe impl Send for Trajectory {}
unsafe impl Sync for Trajectory {}

impl Trajectory {
    fn samples(&self) -> &sys::rattle_samples {
        unsafe { &*sys::rattle_trajectory_samples(self.c) }
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples().count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Of each sample the time, and the energy.
    pub fn time(&self) -> &[f64] {
        unsafe { numbers(self.samples().time, self.len()) }
    }

    pub fn energy(&self) -> &[f64] {
        unsafe { numbers(self.samples().energy, self.len()) }
    }

    /// Of sample k: coordinates, momenta, multipliers, what is observed. Panics beyond the last.
    pub fn q(&self, k: usize) -> &[f64] {
        self.row(self.samples().q, self.samples().n, k)
    }

    pub fn p(&self, k: usize) -> &[f64] {
        self.row(self.samples().p, self.samples().n, k)
    }

    pub fn multipliers(&self, k: usize) -> &[f64] {
        self.row(self.samples().multipliers, self.samples().m, k)
    }

    pub fn observed(&self, k: usize) -> &[f64] {
        self.row(self.samples().observed, self.samples().observables, k)
    }

    fn row(&self, from: *const f64, width: c_int, k: usize) -> &[f64] {
        let width = width as usize;
        let all = unsafe { numbers(from, self.len() * width) };
        &all[k * width..(k + 1) * width]
    }

    /// Times and points of the event with this name, in order; empty: it has not happened.
    pub fn event(&self, name: &str) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
        let mut found = Vec::new();
        for i in 0..unsafe { sys::rattle_trajectory_events(self.c) } {
            let s = match unsafe { sys::rattle_trajectory_event(self.c, i).as_ref() } {
                Some(s) => s,
                None => continue,
            };
            if unsafe { crate::error::text(s.name) } != name {
                continue;
            }
            for k in 0..s.count as usize {
                let place = |from: *const f64| Trajectory::row_of(s, from, k);
                found.push((unsafe { *s.time.add(k) }, place(s.q), place(s.p)));
            }
        }
        found
    }

    fn row_of(s: &sys::rattle_samples, from: *const f64, k: usize) -> Vec<f64> {
        let n = s.n as usize;
        let all = unsafe { numbers(from, s.count as usize * n) };
        all[k * n..(k + 1) * n].to_vec()
    }
}

impl Drop for Trajectory {
    fn drop(&mut self) {
        unsafe { sys::rattle_trajectory_destroy(&mut self.c) }
    }
}
