use crate::error::{c_string, call, text, Error};
use librattle_sys as sys;
use std::cell::Cell;
use std::ffi::CString;
use std::os::raw::c_int;
use std::ptr::{null, null_mut};

/// A model: a file or a text in the language of docs/models.md.
pub struct Model {
    c: *mut sys::rattle_model,
    is_used: Cell<bool>, // by a problem, which holds it: its start stays
}

unsafe impl Send for Model {}

impl Model {
    /// Reads a model file, with values of its parameters.
    pub fn load(path: impl AsRef<std::path::Path>, parameters: &[(&str, f64)]) -> Result<Model, Error> {
        let path = c_string(&path.as_ref().to_string_lossy(), "the path")?;
        Model::read(parameters, |model, options, error| unsafe { sys::rattle_model_load(model, path.as_ptr(), options, error) })
    }

    /// Reads a model text.
    pub fn parse(text: &str, parameters: &[(&str, f64)]) -> Result<Model, Error> {
        let text = c_string(text, "the text")?;
        let name = c_string("model", "the name")?;
        Model::read(parameters, |model, options, error| unsafe {
            sys::rattle_model_parse(model, text.as_ptr(), name.as_ptr(), options, error)
        })
    }

    fn read(
        parameters: &[(&str, f64)],
        by: impl FnOnce(*mut *mut sys::rattle_model, *const sys::rattle_model_options, *mut sys::rattle_error) -> sys::rattle_status,
    ) -> Result<Model, Error> {
        let names = parameters.iter().map(|p| c_string(p.0, "the name of a parameter")).collect::<Result<Vec<CString>, _>>()?;
        let given: Vec<_> =
            names.iter().zip(parameters).map(|(name, p)| sys::rattle_parameter { name: name.as_ptr(), value: p.1 }).collect();
        let mut options = sys::sized::<sys::rattle_model_options>();
        options.parameters = given.as_ptr();
        options.parameter_count = given.len() as c_int;
        let mut model = null_mut();
        call(|error| by(&mut model, &options, error))?;
        Ok(Model { c: model, is_used: Cell::new(false) })
    }

    /// The start value of a coordinate or a momentum, in place of that of the model; before a problem is made of it.
    pub fn start(&mut self, name: &str, value: f64) -> Result<(), Error> {
        if self.is_used.get() {
            return Err(Error::argument(format!("a problem has been made of the model: give {name} its start before, or read it again")));
        }
        let name = c_string(name, "the name")?;
        call(|error| unsafe { sys::rattle_model_start_variable(self.c, name.as_ptr(), value, error) })
    }

    pub fn title(&self) -> String {
        unsafe { text(sys::rattle_model_title(self.c)) }
    }

    /// Names of the coordinates, and of what is observed.
    pub fn coordinates(&self) -> Vec<String> {
        let count = unsafe { sys::rattle_model_pairs(self.c) };
        (0..count).map(|i| unsafe { text(sys::rattle_model_coordinate_name(self.c, i)) }).collect()
    }

    pub fn observables(&self) -> Vec<String> {
        let count = unsafe { sys::rattle_model_observables(self.c) };
        (0..count).map(|i| unsafe { text(sys::rattle_model_observable_name(self.c, i)) }).collect()
    }

    pub fn as_ptr(&self) -> *mut sys::rattle_model {
        self.c
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { sys::rattle_model_destroy(&mut self.c) }
    }
}

/// H and g with their derivatives: of a model, or of a [`System`](crate::System). Clones are handles of the same problem.
pub struct Problem(*mut sys::rattle_problem);

unsafe impl Send for Problem {}
unsafe impl Sync for Problem {}

impl Problem {
    pub fn new(model: &Model) -> Result<Problem, Error> {
        let mut problem = null_mut();
        model.is_used.set(true);
        call(|error| unsafe { sys::rattle_problem_create(&mut problem, model.c, null(), error) })?;
        Ok(Problem(problem))
    }

    pub(crate) unsafe fn from_c(problem: *mut sys::rattle_problem) -> Problem {
        Problem(problem)
    }

    /// Pairs of a coordinate and its momentum.
    pub fn n(&self) -> usize {
        unsafe { sys::rattle_problem_n(self.0) as usize }
    }

    /// Constraints.
    pub fn m(&self) -> usize {
        unsafe { sys::rattle_problem_m(self.0) as usize }
    }

    pub fn constraint(&self, i: usize) -> String {
        unsafe { text(sys::rattle_problem_constraint_name(self.0, i as c_int)) }
    }

    /// The start (q, p) of the model. With `project` it is moved onto the constraints; else one that violates them is
    /// [`Status::OFF_CONSTRAINTS`](crate::Status::OFF_CONSTRAINTS).
    pub fn start(&self, project: bool) -> Result<(Vec<f64>, Vec<f64>), Error> {
        if unsafe { sys::rattle_problem_model(self.0) }.is_null() {
            return Err(Error::argument("a problem of a System has no start: give q and p".into()));
        }
        self.project(vec![0.0; self.n()], vec![0.0; self.n()], project)
    }

    /// The time at which the model starts.
    pub(crate) fn start_time(&self) -> f64 {
        unsafe { (*sys::rattle_model_wishes(sys::rattle_problem_model(self.0))).start_time }
    }

    /// Of a problem from a [`System`](crate::System): q and p as a start. With `project` they are moved onto the constraints; else
    /// they must satisfy them.
    pub fn start_from(&self, q: &[f64], p: &[f64], project: bool) -> Result<(Vec<f64>, Vec<f64>), Error> {
        self.fits(q, p)?;
        if !unsafe { sys::rattle_problem_model(self.0) }.is_null() {
            return Err(Error::argument("the start of a model is set by Model::start, before the problem is made".into()));
        }
        self.project(q.to_vec(), p.to_vec(), project)
    }

    fn project(&self, mut q: Vec<f64>, mut p: Vec<f64>, project: bool) -> Result<(Vec<f64>, Vec<f64>), Error> {
        call(|error| unsafe { sys::rattle_problem_start(self.0, project as c_int, q.as_mut_ptr(), p.as_mut_ptr(), null_mut(), error) })?;
        Ok((q, p))
    }

    /// H at a point.
    pub fn energy(&self, q: &[f64], p: &[f64]) -> Result<f64, Error> {
        let mut energy = 0.0;
        self.fits(q, p)?;
        call(|error| unsafe { sys::rattle_problem_energy(self.0, q.as_ptr(), p.as_ptr(), &mut energy, error) })?;
        Ok(energy)
    }

    /// g, and the hidden constraints psi = dg/dt, at a point.
    pub fn residuals(&self, q: &[f64], p: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let (mut g, mut psi) = (vec![0.0; self.m()], vec![0.0; self.m()]);
        self.fits(q, p)?;
        call(|error| unsafe { sys::rattle_problem_residuals(self.0, q.as_ptr(), p.as_ptr(), g.as_mut_ptr(), psi.as_mut_ptr(), error) })?;
        Ok((g, psi))
    }

    /// The multipliers of the equations of motion at a point.
    pub fn multipliers(&self, q: &[f64], p: &[f64]) -> Result<Vec<f64>, Error> {
        let mut lambda = vec![0.0; self.m()];
        self.fits(q, p)?;
        call(|error| unsafe { sys::rattle_problem_multipliers(self.0, q.as_ptr(), p.as_ptr(), lambda.as_mut_ptr(), error) })?;
        Ok(lambda)
    }

    pub(crate) fn fits(&self, q: &[f64], p: &[f64]) -> Result<(), Error> {
        if q.len() == self.n() && p.len() == self.n() {
            return Ok(());
        }
        Err(Error::argument(format!("q and p have {} and {} numbers: each has {}", q.len(), p.len(), self.n())))
    }

    pub fn as_ptr(&self) -> *mut sys::rattle_problem {
        self.0
    }
}

impl Clone for Problem {
    fn clone(&self) -> Problem {
        Problem(unsafe { sys::rattle_problem_retain(self.0) })
    }
}

impl Drop for Problem {
    fn drop(&mut self) {
        unsafe { sys::rattle_problem_destroy(&mut self.0) }
    }
}
