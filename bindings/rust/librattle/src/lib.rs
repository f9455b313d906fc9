//! Constrained Hamiltonian systems by librattle: models, runs, trajectories, steps by hand and samples.
//!
//! ```
//! use librattle::{Model, Problem, Run};
//!
//! # fn main() -> Result<(), librattle::Error> {
//! let model = Model::parse(
//!     "local x, px = pair('x') local y, py = pair('y')
//!      hamiltonian((px^2 + py^2)/2 + y) constrain('rod', x^2 + y^2 - 1) start { x = 1, py = -2 }",
//!     &[],
//! )?;
//! let problem = Problem::new(&model)?;
//! let run = Run::new(&problem, "rattle(verlet)").step(0.025).stop(1023.0).every(10).go()?;
//! assert_eq!(run.len(), 4093);
//! assert!((run.q(4092)[0] - 0.7672949210450674).abs() < 1e-9);
//! println!("largest error of the energy: {:.2e}", run.summary().energy_max_error);
//! # Ok(())
//! # }
//! ```
//!
//! Failures are [`Error`]s, which say in a sentence what happened and what to do. A handle holds what it was made from, and ends by
//! itself. A [`Problem`] may be shared by threads; integrators and runs go with one thread at a time. What is not here can be called
//! through [`sys`] with the handles that `as_ptr` gives.
mod callbacks;
mod error;
mod integrator;
mod model;
mod run;
mod sample;

pub use callbacks::System;
pub use error::{Error, Status};
pub use integrator::{Integrator, State};
pub use librattle_sys as sys;
pub use model::{Model, Problem};
pub use run::{Run, Sample, Summary, Trajectory};
pub use sample::{Estimate, Sampler, Samples};

/// The programs of the page.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/rust.md")]
struct Page;

/// The version of the library.
pub fn version() -> String {
    unsafe { error::text(sys::rattle_version()) }
}
