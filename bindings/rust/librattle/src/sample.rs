use crate::error::{c_string, call, numbers, text, Error};
use crate::model::Problem;
use librattle_sys as sys;
use std::os::raw::{c_char, c_int};
use std::ptr::null_mut;

/// Markov chains on the constraints: what is to be drawn, built by its methods; [`go`](Sampler::go) draws it.
pub struct Sampler<'a> {
    problem: &'a Problem,
    method: String,
    step: f64,
    samples: i64,
    warmup: i64,
    every: i64,
    chains: usize,
    seed: u64,
    spread: i64,
    start: Option<(Vec<f64>, Vec<f64>)>,
}

impl<'a> Sampler<'a> {
    /// A method such as `hmc(rattle(verlet))` or `nuts(rattle(verlet), measure=delta)`, as docs/sampling.md has them.
    pub fn new(problem: &'a Problem, method: &str) -> Sampler<'a> {
        Sampler {
            problem,
            method: method.into(),
            step: 0.0,
            samples: 1000,
            warmup: 1000,
            every: 1,
            chains: 4,
            seed: 1,
            spread: 100,
            start: None,
        }
    }

    /// The time step with which the warm-up begins; without it each chain finds one at its start.
    pub fn step(mut self, h: f64) -> Self {
        self.step = h;
        self
    }

    /// Samples of each chain.
    pub fn samples(mut self, samples: i64) -> Self {
        self.samples = samples;
        self
    }

    pub fn warmup(mut self, transitions: i64) -> Self {
        self.warmup = transitions;
        self
    }

    /// A sample every so many transitions.
    pub fn every(mut self, transitions: i64) -> Self {
        self.every = transitions;
        self
    }

    pub fn chains(mut self, chains: usize) -> Self {
        self.chains = chains;
        self
    }

    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Moves by which each chain leaves the start; 0: none.
    pub fn spread(mut self, moves: i64) -> Self {
        self.spread = moves;
        self
    }

    /// Where chains begin, in place of the start of the model.
    pub fn start(mut self, q: Vec<f64>, p: Vec<f64>) -> Self {
        self.start = Some((q, p));
        self
    }

    pub fn go(self) -> Result<Samples, Error> {
        let method = c_string(&self.method, "the method")?;
        let mut chain = sys::sized::<sys::rattle_chain_options>();
        chain.method = method.as_ptr();
        chain.step = self.step;
        chain.seed = self.seed;
        chain.warmup = self.warmup;
        chain.spread = self.spread;
        if let Some((q, p)) = &self.start {
            self.problem.fits(q, p)?;
            chain.q = q.as_ptr();
            chain.p = p.as_ptr();
        }
        let mut options = sys::sized::<sys::rattle_sampling_options>();
        options.chain = &chain;
        options.chains = c_int::try_from(self.chains).map_err(|_| Error::argument("too many chains".into()))?;
        options.draws = self.samples;
        options.every = self.every;
        let mut c = null_mut();
        call(|error| unsafe { sys::rattle_sampling_create(&mut c, self.problem.as_ptr(), &options, error) })?;
        Ok(Samples(c))
    }
}

/// Estimate of a mean over all chains: `error` is its standard error, `effective` the effective sample size, `rhat` near 1 where
/// chains agree; NaN for what does not vary.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub mean: f64,
    pub sd: f64,
    pub error: f64,
    pub effective: f64,
    pub rhat: f64,
}

/// What chains have drawn.
pub struct Samples(*mut sys::rattle_sampling);

unsafe impl Send for Samples {}
unsafe impl Sync for Samples {}

impl Samples {
    fn result(&self) -> &sys::rattle_sampling_result {
        unsafe { &*sys::rattle_sampling_result_of(self.0) }
    }

    /// Coordinates, observables, V.
    pub fn columns(&self) -> Vec<String> {
        let r = self.result();
        unsafe { numbers(r.column, r.columns as usize) }.iter().map(|name| unsafe { text(*name) }).collect()
    }

    pub fn chains(&self) -> usize {
        self.result().chains as usize
    }

    /// Samples of each chain.
    pub fn len(&self) -> usize {
        self.result().draws as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns of one sample. Panics beyond the last.
    pub fn row(&self, chain: usize, sample: usize) -> &[f64] {
        assert!(chain < self.chains() && sample < self.len());
        let width = self.result().columns as usize;
        let at = (chain * self.len() + sample) * width;
        let all = unsafe { numbers(self.result().value, self.chains() * self.len() * width) };
        &all[at..at + width]
    }

    /// Of a column by its name; `None`: there is no such column.
    pub fn estimate(&self, column: &str) -> Option<Estimate> {
        let at = self.columns().iter().position(|name| name == column)?;
        let e = unsafe { &*self.result().estimate.add(at) };
        Some(Estimate { mean: e.mean, sd: e.sd, error: e.error, effective: e.effective, rhat: e.rhat })
    }

    /// Sentences on results not to be trusted.
    pub fn doubts(&self) -> Vec<String> {
        let mut room = [0 as c_char; 400];
        let mut found = Vec::new();
        while !unsafe { sys::rattle_sampling_doubt(self.result(), found.len() as c_int, room.as_mut_ptr(), room.len()) }.is_null() {
            found.push(unsafe { text(room.as_ptr()) });
        }
        found
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        unsafe { sys::rattle_sampling_destroy(&mut self.0) }
    }
}
