// Written by bindings/rust/generate.py from the public headers, whose comments say what each means.
use std::os::raw::{c_char, c_int, c_longlong, c_schar, c_uint, c_void};

pub type rattle_status = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_error {
    pub status: rattle_status,
    pub step: c_longlong,
    pub time: f64,
    pub iterations: c_int,
    pub residual: f64,
    pub constraint: c_int,
    pub r#where: [c_char; 264],
    pub message: [c_char; 1024],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_topology {
    pub struct_size: usize,
    pub atoms: c_longlong,
    pub bonds: c_longlong,
    pub pairs: *const c_int,
    pub lengths: *const f64,
    pub masses: *const f64,
    pub angles: c_longlong,
    pub angle_atoms: *const c_int,
    pub angle_values: *const f64,
    pub bodies: c_longlong,
    pub body_first: *const c_longlong,
    pub body_atoms: *const c_int,
    pub body_places: *const f64,
}

unsafe impl crate::Sized_ for rattle_bonds_topology {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_options {
    pub struct_size: usize,
    pub tolerance: f64,
    pub instructions: *const c_char,
    pub solver: *const c_char,
    pub lincs_order: c_int,
    pub lincs_iterations: c_int,
    pub threads: c_int,
}

unsafe impl crate::Sized_ for rattle_bonds_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_solver {
    pub name: *const c_char,
    pub clusters: *const c_char,
    pub source: *const c_char,
    pub text: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_box {
    pub edge: [[f64; 3]; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_summary {
    pub struct_size: usize,
    pub atoms: c_longlong,
    pub bonds: c_longlong,
    pub clusters: c_longlong,
    pub shapes: c_longlong,
    pub largest: c_longlong,
    pub rings: c_longlong,
    pub width: c_int,
    pub instructions: *const c_char,
    pub repeated: c_longlong,
    pub lines: c_longlong,
    pub rigid: c_longlong,
}

unsafe impl crate::Sized_ for rattle_bonds_summary {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_half_step {
    pub struct_size: usize,
    pub f: *const f64,
    pub by: f64,
    pub scale: f64,
    pub x0: *mut f64,
    pub forces: *mut f64,
}

unsafe impl crate::Sized_ for rattle_bonds_half_step {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_outputs {
    pub struct_size: usize,
    pub multipliers: *mut f64,
    pub forces: *mut f64,
    pub virial: *mut f64,
    pub scale: f64,
}

unsafe impl crate::Sized_ for rattle_bonds_outputs {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_bonds_rule {
    pub name: *const c_char,
    pub source: *const c_char,
    pub text: *const c_char,
}

pub type rattle_expr = u32;

pub type rattle_op = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_parameter {
    pub name: *const c_char,
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_model_options {
    pub struct_size: usize,
    pub parameters: *const rattle_parameter,
    pub parameter_count: c_int,
    pub max_instructions: c_longlong,
    pub max_memory: usize,
    pub cotangent: c_int,
    pub max_seconds: f64,
    pub old_names: c_int,
    pub inputs: *const *const c_char,
    pub input_count: c_int,
    pub interrupt: *const c_int,
    pub branches: c_int,
}

unsafe impl crate::Sized_ for rattle_model_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_controller {
    pub struct_size: usize,
    pub every: f64,
    pub start: f64,
    pub count: c_int,
    pub names: *const *const c_char,
    pub starts: *const f64,
}

unsafe impl crate::Sized_ for rattle_controller {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_switch {
    pub struct_size: usize,
    pub name: *const c_char,
    pub constraints: *const *const c_char,
    pub count: c_int,
    pub active: c_int,
    pub begins: rattle_expr,
    pub ends: rattle_expr,
    pub restitution: f64,
    pub one_sided: c_int,
    pub hold: c_int,
    pub either: c_int,
}

unsafe impl crate::Sized_ for rattle_switch {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_tableau {
    pub stages: c_int,
    pub A: *const f64,
    pub b: *const f64,
    pub Ahat: *const f64,
    pub bhat: *const f64,
    pub order: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_splitting {
    pub stages: c_int,
    pub c: *const f64,
    pub d: *const f64,
    pub order: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_coefficients {
    pub name: *const c_char,
    pub kind: *const c_char,
    pub stages: c_int,
    pub order: c_int,
    pub symmetric: c_int,
    pub symplectic: c_int,
    pub explicit_: c_int,
    pub partitioned: c_int,
    pub separable_order: c_int,
    pub separable_symplectic: c_int,
    pub fails: *const c_char,
    pub reserved: [c_int; 8],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_pair_special {
    pub kind: [c_int; 2],
    pub epsilon: f64,
    pub sigma: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_pair_potential {
    pub struct_size: usize,
    pub kind: *const c_char,
    pub epsilon: f64,
    pub sigma: f64,
    pub cutoff: f64,
    pub from: f64,
    pub smooth: c_int,
    pub r#box: [f64; 3],
    pub beads: c_longlong,
    pub pairs: *const c_int,
    pub excluded: c_longlong,
    pub exclusions: *const c_int,
    pub kinds: c_int,
    pub bead_kind: *const c_int,
    pub epsilons: *const f64,
    pub sigmas: *const f64,
    pub mixing: *const c_char,
    pub specials: c_int,
    pub special: *const rattle_pair_special,
    pub scaled: c_longlong,
    pub scaled_pairs: *const c_int,
    pub scale: f64,
}

unsafe impl crate::Sized_ for rattle_pair_potential {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_wishes {
    pub struct_size: usize,
    pub method: *mut c_char,
    pub step: f64,
    pub start_time: f64,
    pub stop: f64,
    pub steps: c_longlong,
    pub every: c_longlong,
    pub project: c_int,
    pub compensated: c_int,
    pub cotangent: c_int,
    pub at: *const f64,
    pub at_count: c_int,
    pub at_step: f64,
    pub exact: c_int,
    pub certify: c_int,
}

unsafe impl crate::Sized_ for rattle_wishes {}

pub type rattle_problem_flag = c_uint;

pub type rattle_evaluator = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_problem_options {
    pub struct_size: usize,
    pub evaluator: rattle_evaluator,
    pub steps: c_longlong,
}

unsafe impl crate::Sized_ for rattle_problem_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_callbacks {
    pub struct_size: usize,
    pub n: c_int,
    pub m: c_int,
    pub context: *mut c_void,
    pub flags: c_int,
    pub inverse_mass: *const f64,
    pub hamiltonian: Option<unsafe extern "C" fn(context: *mut c_void, z: *const f64, H: *mut f64, gradient: *mut f64) -> c_int>,
    pub hamiltonian_hessian: Option<unsafe extern "C" fn(context: *mut c_void, z: *const f64, hessian: *mut f64) -> c_int>,
    pub constraint: Option<unsafe extern "C" fn(context: *mut c_void, z: *const f64, g: *mut f64, jacobian: *mut f64) -> c_int>,
    pub constraint_hessian: Option<unsafe extern "C" fn(context: *mut c_void, z: *const f64, w: *const f64, hessian: *mut f64) -> c_int>,
    pub coordinate_names: *const *const c_char,
    pub constraint_names: *const *const c_char,
    pub force: Option<unsafe extern "C" fn(context: *mut c_void, z: *const f64, f: *mut f64, jacobian: *mut f64) -> c_int>,
    pub clock: c_int,
    pub release: Option<unsafe extern "C" fn(context: *mut c_void)>,
    pub coordinate_name_count: c_int,
    pub constraint_name_count: c_int,
}

unsafe impl crate::Sized_ for rattle_callbacks {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_equations {
    pub struct_size: usize,
    pub n: c_int,
    pub kind: c_int,
    pub problem: *const rattle_problem,
    pub gradient: Option<unsafe extern "C" fn(H: *const rattle_equations, z: *const f64, gradient: *mut f64) -> c_int>,
    pub force: Option<unsafe extern "C" fn(H: *const rattle_equations, q: *const f64, V_q: *mut f64) -> c_int>,
    pub velocity: Option<unsafe extern "C" fn(H: *const rattle_equations, p: *const f64, T_p: *mut f64) -> c_int>,
}

unsafe impl crate::Sized_ for rattle_equations {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_base_map {
    pub struct_size: usize,
    pub name: *const c_char,
    pub text: *const c_char,
    pub citation: *const c_char,
    pub formula: *const c_char,
    pub order: c_int,
    pub symmetric: c_int,
    pub symplectic: c_int,
    pub explicit_: c_int,
    pub needs: c_int,
    pub create: Option<unsafe extern "C" fn(self_: *mut *mut c_void, H: *const rattle_equations) -> c_int>,
    pub destroy: Option<unsafe extern "C" fn(self_: *mut c_void)>,
    pub step: Option<unsafe extern "C" fn(self_: *mut c_void, H: *const rattle_equations, h: f64, z0: *const f64, z1: *mut f64) -> c_int>,
    pub tangent: Option<unsafe extern "C" fn(self_: *mut c_void, H: *const rattle_equations, h: f64, z0: *const f64, count: c_int, W: *mut f64) -> c_int>,
}

unsafe impl crate::Sized_ for rattle_base_map {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_cases_column {
    pub name: *const c_char,
    pub width: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_cases_about {
    pub struct_size: usize,
    pub title: *const c_char,
    pub model_file: *const c_char,
    pub model_text: *const c_char,
    pub plan: *const c_char,
    pub list: *const c_char,
    pub cases: c_longlong,
    pub columns: c_int,
    pub column: *const rattle_cases_column,
    pub version: *const c_char,
    pub created: *const c_char,
}

unsafe impl crate::Sized_ for rattle_cases_about {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_claims {
    pub order: c_int,
    pub symmetric: c_int,
    pub symplectic: c_int,
    pub explicit_: c_int,
    pub keeps_g: c_int,
    pub keeps_psi: c_int,
    pub pure: c_int,
    pub stages: c_int,
    pub keeps_energy: c_int,
    pub proved: c_int,
    pub reserved: [c_int; 6],
}

pub type rattle_parameter_type = c_uint;

pub type rattle_parameter_effect = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_method_parameter {
    pub name: *const c_char,
    pub r#type: rattle_parameter_type,
    pub option: c_int,
    pub choices: *const c_char,
    pub fallback: *const c_char,
    pub minimum: f64,
    pub maximum: f64,
    pub otherwise: *const c_char,
    pub text: *const c_char,
    pub effect: rattle_parameter_effect,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_method_row {
    pub name: *const c_char,
    pub kind: *const c_char,
    pub parameters: *const c_char,
    pub parameter: [rattle_method_parameter; 13],
    pub claims: rattle_claims,
    pub needs: *const c_char,
    pub citation: *const c_char,
    pub text: *const c_char,
    pub formula: *const c_char,
    pub reserved: [*const c_void; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_state {
    pub struct_size: usize,
    pub q: *mut f64,
    pub p: *mut f64,
    pub t0: f64,
    pub h: f64,
    pub step: c_longlong,
}

unsafe impl crate::Sized_ for rattle_state {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_counts {
    pub steps: c_longlong,
    pub gradient: c_longlong,
    pub hessian: c_longlong,
    pub constraint: c_longlong,
    pub jacobian: c_longlong,
    pub factorisation: c_longlong,
    pub newton_iterations: c_longlong,
    pub position_projections: c_longlong,
    pub momentum_projections: c_longlong,
    pub followed: c_longlong,
    pub proven: c_longlong,
    pub tracked: c_longlong,
    pub reserved: [c_longlong; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_residuals {
    pub g: f64,
    pub psi: f64,
    pub iteration_residual: f64,
    pub reserved: [f64; 5],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_certificate {
    pub struct_size: usize,
    pub steps: c_longlong,
    pub substeps: c_longlong,
    pub one_piece: c_longlong,
    pub tracked: c_longlong,
    pub open: c_longlong,
    pub wrong: c_longlong,
    pub pieces: c_longlong,
    pub most_pieces: c_longlong,
    pub radius: f64,
    pub units: f64,
    pub step: c_longlong,
    pub substep: c_int,
    pub is_wrong: c_int,
    pub reached: f64,
    pub row: c_int,
    pub margin: f64,
    pub singular_value: f64,
}

unsafe impl crate::Sized_ for rattle_certificate {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_control {
    pub struct_size: usize,
    pub sample: Option<unsafe extern "C" fn(self_: *mut c_void, controller: c_int, time: f64, q: *const f64, p: *const f64, observed: *const f64, values: *mut f64) -> c_int>,
    pub self_: *mut c_void,
}

unsafe impl crate::Sized_ for rattle_control {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_doctor_options {
    pub struct_size: usize,
    pub seed: u64,
    pub samples: c_int,
    pub no_trial: c_int,
    pub q: *const f64,
    pub p: *const f64,
    pub project: c_int,
}

unsafe impl crate::Sized_ for rattle_doctor_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_generation {
    pub count: c_int,
    pub name: *const *const c_char,
    pub expression: *const *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_refusal {
    pub method: *const c_char,
    pub reason: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_diagnosis {
    pub title: *const c_char,
    pub kind: *const c_char,
    pub n: c_int,
    pub m: c_int,
    pub dof: f64,
    pub class_: *const c_char,
    pub index: c_int,
    pub generations: c_int,
    pub generation: *const rattle_generation,
    pub redundants: c_int,
    pub redundant: *const *const c_char,
    pub redundant_sentence: *const *const c_char,
    pub first_class_count: c_int,
    pub second_class_count: c_int,
    pub commuting: c_int,
    pub pair: [*const c_char; 2],
    pub pair_expression: *const c_char,
    pub pair_value: f64,
    pub min_singular_value: f64,
    pub condition: f64,
    pub worst_singular_value: f64,
    pub worst_condition: f64,
    pub points: c_int,
    pub degenerate_points: c_int,
    pub start_is_degenerate: c_int,
    pub on_constraints: c_int,
    pub on_hidden: c_int,
    pub residual_constraints: f64,
    pub residual_hidden: f64,
    pub fibre: *const c_char,
    pub valid_methods: c_int,
    pub valid_method: *const *const c_char,
    pub refusals: c_int,
    pub refusal: *const rattle_refusal,
    pub advice_method: *const c_char,
    pub advice_why: *const c_char,
    pub advice_step: f64,
    pub frequency: f64,
    pub cost_gradients: f64,
    pub cost_newton_iterations: f64,
    pub cost_nanoseconds: f64,
    pub trial_energy_error: f64,
    pub symmetries: c_int,
    pub symmetry: *const *const c_char,
    pub refused: *const c_char,
    pub note: *const c_char,
    pub velocity_constraints: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_drawing {
    pub struct_size: usize,
    pub kind: *const c_char,
    pub at: [[rattle_expr; 3]; 2],
    pub axes: [rattle_expr; 9],
    pub size: [f64; 3],
    pub colour: *const c_char,
    pub zero: rattle_expr,
    pub over: [c_int; 3],
}

unsafe impl crate::Sized_ for rattle_drawing {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sample {
    pub step: c_longlong,
    pub time: f64,
    pub q: *const f64,
    pub p: *const f64,
    pub energy: f64,
    pub g: *const f64,
    pub psi: *const f64,
    pub multipliers: *const f64,
    pub observed: *const f64,
    pub state_q: *const f64,
    pub state_p: *const f64,
    pub extra: *const f64,
    pub extra_size: c_int,
    pub energy_scale: f64,
    pub work: f64,
    pub fraction: f64,
    pub supplied: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_event {
    pub struct_size: usize,
    pub name: *const c_char,
    pub value: Option<unsafe extern "C" fn(self_: *mut c_void, time: f64, q: *const f64, p: *const f64, e: *mut f64) -> c_int>,
    pub self_: *mut c_void,
    pub direction: c_int,
    pub count: c_longlong,
    pub stop: c_int,
    pub reserved: [*mut c_void; 2],
}

unsafe impl crate::Sized_ for rattle_event {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_events {
    pub struct_size: usize,
    pub event: *const rattle_event,
    pub count: c_int,
    pub times: *const f64,
    pub time_count: c_int,
    pub time_step: f64,
    pub end: *const f64,
    pub counts: *const c_longlong,
    pub last: *const f64,
}

unsafe impl crate::Sized_ for rattle_events {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_occurrence {
    pub event: c_int,
    pub name: *const c_char,
    pub number: c_longlong,
    pub direction: c_int,
    pub ends: c_int,
    pub fraction: f64,
    pub sample: *const rattle_sample,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_summary {
    pub struct_size: usize,
    pub steps: c_longlong,
    pub step: f64,
    pub start: f64,
    pub stop: f64,
    pub shortest_step: f64,
    pub longest_step: f64,
    pub wall_seconds: f64,
    pub energy_initial: f64,
    pub energy_final: f64,
    pub energy_max_error: f64,
    pub energy_max_relative_error: f64,
    pub g_max: f64,
    pub g_final: f64,
    pub psi_max: f64,
    pub psi_final: f64,
    pub min_singular_value: f64,
    pub min_singular_time: f64,
    pub counts: rattle_counts,
    pub status: rattle_status,
    pub error: rattle_error,
    pub energy_scale: f64,
    pub ended_by: c_int,
    pub work: f64,
}

unsafe impl crate::Sized_ for rattle_summary {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_observer {
    pub struct_size: usize,
    pub self_: *mut c_void,
    pub begin: Option<unsafe extern "C" fn(self_: *mut c_void, integrator: *const rattle_integrator, start: *const rattle_sample, error: *mut rattle_error) -> rattle_status>,
    pub record: Option<unsafe extern "C" fn(self_: *mut c_void, sample: *const rattle_sample, error: *mut rattle_error) -> rattle_status>,
    pub end: Option<unsafe extern "C" fn(self_: *mut c_void, summary: *const rattle_summary, error: *mut rattle_error) -> rattle_status>,
    pub progress: Option<unsafe extern "C" fn(self_: *mut c_void, so_far: *const rattle_summary, steps_in_all: c_longlong)>,
    pub event: Option<unsafe extern "C" fn(self_: *mut c_void, occurrence: *const rattle_occurrence, error: *mut rattle_error) -> rattle_status>,
}

unsafe impl crate::Sized_ for rattle_observer {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_extreme {
    pub least: f64,
    pub least_time: f64,
    pub peak: f64,
    pub peak_time: f64,
    pub mean: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_run_options {
    pub struct_size: usize,
    pub steps: c_longlong,
    pub every: c_longlong,
    pub initial_energy: f64,
    pub interrupt: *const c_int,
    pub until: *const f64,
    pub events: *const rattle_events,
    pub extremes: *mut rattle_extreme,
}

unsafe impl crate::Sized_ for rattle_run_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_samples {
    pub n: c_int,
    pub m: c_int,
    pub observables: c_int,
    pub count: c_longlong,
    pub step: *const c_longlong,
    pub time: *const f64,
    pub energy: *const f64,
    pub q: *const f64,
    pub p: *const f64,
    pub g: *const f64,
    pub psi: *const f64,
    pub multipliers: *const f64,
    pub observed: *const f64,
    pub name: *const c_char,
    pub direction: *const c_int,
    pub work: *const f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_case {
    pub number: c_longlong,
    pub problem: *const rattle_problem,
    pub parameter: *const rattle_parameter,
    pub parameters: c_int,
    pub method: *const c_char,
    pub start: f64,
    pub step: f64,
    pub steps: c_longlong,
    pub until: *const f64,
}

pub type rattle_keep = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_errors {
    pub energy_max_error: f64,
    pub g_max: f64,
    pub psi_max: f64,
    pub H: f64,
    pub work: f64,
    pub balance: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_chaos {
    pub megno: f64,
    pub sali: f64,
    pub exponent: f64,
}

pub type rattle_wished = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_outcome {
    pub of: *const rattle_case,
    pub problem: *const rattle_problem,
    pub status: rattle_status,
    pub error: *const rattle_error,
    pub n: c_int,
    pub q0: *const f64,
    pub p0: *const f64,
    pub q: *const f64,
    pub p: *const f64,
    pub time: f64,
    pub steps: c_longlong,
    pub summary: *const rattle_summary,
    pub trajectory: *const rattle_trajectory,
    pub observed: *const f64,
    pub chaos: *const rattle_chaos,
    pub errors: *const rattle_errors,
    pub extremes: *const rattle_extreme,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_ensemble_options {
    pub struct_size: usize,
    pub cases: c_longlong,
    pub threads: c_int,
    pub keep: c_int,
    pub every: c_longlong,
    pub events: *const rattle_events,
    pub method: *const c_char,
    pub start: f64,
    pub step: f64,
    pub steps: c_longlong,
    pub until: *const f64,
    pub project: c_int,
    pub trusted: c_int,
    pub parse: Option<unsafe extern "C" fn(model: *mut *mut rattle_model, text: *const c_char, name: *const c_char, options: *const rattle_model_options, error: *mut rattle_error) -> rattle_status>,
    pub evaluator: rattle_evaluator,
    pub describe: Option<unsafe extern "C" fn(self_: *mut c_void, c: *mut rattle_case, error: *mut rattle_error) -> rattle_status>,
    pub begin: Option<unsafe extern "C" fn(self_: *mut c_void, c: *const rattle_case, problem: *const rattle_problem, q: *mut f64, p: *mut f64, error: *mut rattle_error) -> rattle_status>,
    pub end: Option<unsafe extern "C" fn(self_: *mut c_void, outcome: *const rattle_outcome, error: *mut rattle_error) -> rattle_status>,
    pub claim: Option<unsafe extern "C" fn(self_: *mut c_void, first: *mut c_longlong, count: *mut c_longlong, error: *mut rattle_error) -> rattle_status>,
    pub self_: *mut c_void,
    pub interrupt: *const c_int,
    pub progress: Option<unsafe extern "C" fn(self_: *mut c_void, ended: c_longlong, seconds: f64)>,
    pub lanes: c_int,
    pub wished: c_int,
    pub certify: c_int,
}

unsafe impl crate::Sized_ for rattle_ensemble_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_equilibrium_options {
    pub struct_size: usize,
    pub nearest: c_int,
    pub interrupt: *const c_int,
    pub modes: c_int,
    pub steady: *const rattle_parameter,
    pub steadies: c_int,
}

unsafe impl crate::Sized_ for rattle_equilibrium_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_equilibrium_result {
    pub n: c_int,
    pub m: c_int,
    pub degrees: c_int,
    pub q: *const f64,
    pub omitted: c_int,
    pub multipliers: *const f64,
    pub energy: f64,
    pub residual: f64,
    pub iterations: c_int,
    pub stable: c_int,
    pub softest: f64,
    pub modes: c_int,
    pub real: *const f64,
    pub imaginary: *const f64,
    pub shape: *const f64,
    pub shape_imaginary: *const f64,
    pub basis: *const f64,
    pub stiffness: *const f64,
    pub damping: *const f64,
    pub p: *const f64,
    pub places: c_int,
}

pub type rattle_equilibria_event = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_equilibria_options {
    pub struct_size: usize,
    pub first: *const rattle_equilibrium_options,
    pub parameter: *const c_char,
    pub to: f64,
    pub points: c_int,
}

unsafe impl crate::Sized_ for rattle_equilibria_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_equilibria_point {
    pub parameter: f64,
    pub arclength: f64,
    pub event: rattle_equilibria_event,
    pub stable: c_int,
    pub negative: c_int,
    pub loads: c_int,
    pub modes: c_int,
    pub energy: f64,
    pub softest: f64,
    pub q: *const f64,
    pub multipliers: *const f64,
    pub real: *const f64,
    pub imaginary: *const f64,
    pub p: *const f64,
    pub reserved: [f64; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_fit_data {
    pub struct_size: usize,
    pub name: *const c_char,
    pub count: c_int,
    pub columns: c_int,
    pub time: *const f64,
    pub column: *const *const c_char,
    pub value: *const f64,
    pub sigma: *const f64,
}

unsafe impl crate::Sized_ for rattle_fit_data {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_fit_parameter {
    pub name: *const c_char,
    pub low: f64,
    pub high: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_fit_options {
    pub struct_size: usize,
    pub method: *const c_char,
    pub step: f64,
    pub vary: *const rattle_fit_parameter,
    pub vary_count: c_int,
    pub vary_start: *const *const c_char,
    pub vary_start_count: c_int,
    pub most_steps: c_int,
    pub interrupt: *const c_int,
}

unsafe impl crate::Sized_ for rattle_fit_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_fit_result {
    pub quantities: c_int,
    pub parameters: c_int,
    pub name: *const *const c_char,
    pub value: *const f64,
    pub error: *const f64,
    pub covariance: *const f64,
    pub data: c_int,
    pub unknowns: c_int,
    pub weighted: c_int,
    pub chi2: f64,
    pub reduction: f64,
    pub gradient: f64,
    pub steps: c_int,
    pub trajectories: c_int,
    pub ended: c_int,
    pub undetermined: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_objective {
    pub struct_size: usize,
    pub add: Option<unsafe extern "C" fn(self_: *mut c_void, step: c_longlong, q: *const f64, p: *const f64, value: *mut f64, gradient: *mut f64) -> c_int>,
    pub self_: *mut c_void,
    pub every: c_longlong,
}

unsafe impl crate::Sized_ for rattle_objective {}

pub type rattle_orbit_held = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_orbit_options {
    pub struct_size: usize,
    pub method: *const c_char,
    pub start_time: f64,
    pub period: f64,
    pub span: f64,
    pub step: f64,
    pub arcs: c_int,
    pub held: rattle_orbit_held,
    pub interrupt: *const c_int,
}

unsafe impl crate::Sized_ for rattle_orbit_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_orbit_result {
    pub n: c_int,
    pub d: c_int,
    pub q: *const f64,
    pub p: *const f64,
    pub period: f64,
    pub energy: f64,
    pub steps: c_longlong,
    pub arcs: c_int,
    pub iterations: c_int,
    pub residual: f64,
    pub period_error: f64,
    pub start_error: f64,
    pub radius: f64,
    pub radius_error: f64,
    pub amplitude_q: f64,
    pub amplitude_p: f64,
    pub multipliers: c_int,
    pub trivial: c_int,
    pub real: *const f64,
    pub imaginary: *const f64,
    pub trivial_defect: f64,
    pub pairing_defect: f64,
    pub repeats: c_int,
    pub verdict: *const c_char,
    pub why: *const c_char,
}

pub type rattle_family_along = c_uint;

pub type rattle_family_event = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_family_options {
    pub struct_size: usize,
    pub orbit: *const rattle_orbit_options,
    pub along: rattle_family_along,
    pub to: f64,
    pub points: c_int,
    pub parameter: *const c_char,
    pub parse: Option<unsafe extern "C" fn(model: *mut *mut rattle_model, text: *const c_char, name: *const c_char, options: *const rattle_model_options, error: *mut rattle_error) -> rattle_status>,
}

unsafe impl crate::Sized_ for rattle_family_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_family_point {
    pub arclength: f64,
    pub energy: f64,
    pub period: f64,
    pub radius: f64,
    pub event: rattle_family_event,
    pub z: *const f64,
    pub real: *const f64,
    pub imaginary: *const f64,
    pub parameter: f64,
    pub reserved: [f64; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_plugin_observer {
    pub struct_size: usize,
    pub name: *const c_char,
    pub text: *const c_char,
    pub create: Option<unsafe extern "C" fn(observer: *mut rattle_observer, problem: *const rattle_problem, argument: *const c_char, error: *mut rattle_error) -> rattle_status>,
    pub destroy: Option<unsafe extern "C" fn(observer: *mut rattle_observer)>,
}

unsafe impl crate::Sized_ for rattle_plugin_observer {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_plugin {
    pub struct_size: usize,
    pub name: *const c_char,
    pub version: *const c_char,
    pub maps: c_int,
    pub observers: c_int,
    pub map: *const *const rattle_base_map,
    pub observer: *const *const rattle_plugin_observer,
}

unsafe impl crate::Sized_ for rattle_plugin {}

pub type rattle_plugin_function = unsafe extern "C" fn() -> *const rattle_plugin;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_record_options {
    pub struct_size: usize,
    pub force: c_int,
    pub method: *const c_char,
    pub step: f64,
    pub start_time: f64,
    pub stop: f64,
    pub steps: c_longlong,
    pub every: c_longlong,
    pub flush_seconds: f64,
    pub events: *const rattle_events,
    pub interrupt: *const c_int,
}

unsafe impl crate::Sized_ for rattle_record_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_record_info {
    pub title: *const c_char,
    pub method: *const c_char,
    pub kind: *const c_char,
    pub version: *const c_char,
    pub model_text: *const c_char,
    pub model_file: *const c_char,
    pub model_hash: *const c_char,
    pub created: *const c_char,
    pub n: c_int,
    pub m: c_int,
    pub observables: c_int,
    pub samples: c_longlong,
    pub steps_asked: c_longlong,
    pub every: c_longlong,
    pub last_step: c_longlong,
    pub step: f64,
    pub start_time: f64,
    pub last_time: f64,
    pub initial_energy: f64,
    pub energy_max_error: f64,
    pub energy_max_relative_error: f64,
    pub g_max: f64,
    pub psi_max: f64,
    pub status_name: *const c_char,
    pub message: *const c_char,
    pub closed: c_int,
    pub coordinate_names: *const *const c_char,
    pub momentum_names: *const *const c_char,
    pub constraint_names: *const *const c_char,
    pub observable_names: *const *const c_char,
    pub parameters: c_int,
    pub parameter: *const rattle_parameter,
    pub status: rattle_status,
    pub solver: *const c_char,
    pub evaluator: *const c_char,
    pub wall_seconds: f64,
    pub min_singular_value: f64,
    pub min_singular_time: f64,
    pub counts: rattle_counts,
    pub stop_asked: f64,
    pub adapts: c_int,
    pub written: c_int,
    pub plugin: *const c_char,
    pub events: c_int,
    pub event_names: *const *const c_char,
    pub events_so_far: *const rattle_events,
    pub unit_length: *const c_char,
    pub unit_time: *const c_char,
    pub unit_energy: *const c_char,
    pub unit_position: *const c_char,
    pub unit_momentum: *const c_char,
    pub has_work: c_int,
    pub warnings: c_int,
    pub warning_texts: *const *const c_char,
}

pub type rattle_quantity = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_column {
    pub quantity: rattle_quantity,
    pub index: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_record_export {
    pub struct_size: usize,
    pub force: c_int,
    pub format: *const c_char,
    pub length: *const c_char,
    pub time: *const c_char,
    pub r#box: [f64; 3],
    pub bonds: c_longlong,
    pub bond: *const c_int,
}

unsafe impl crate::Sized_ for rattle_record_export {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_chain_options {
    pub struct_size: usize,
    pub method: *const c_char,
    pub step: f64,
    pub seed: u64,
    pub chain: c_longlong,
    pub warmup: c_longlong,
    pub acceptance: f64,
    pub q: *const f64,
    pub p: *const f64,
    pub spread: c_longlong,
    pub parts: *const f64,
    pub part_count: c_int,
}

unsafe impl crate::Sized_ for rattle_chain_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_chain_counts {
    pub transitions: c_longlong,
    pub accepted: c_longlong,
    pub energy: c_longlong,
    pub unsolved: c_longlong,
    pub not_reversible: c_longlong,
    pub domain: c_longlong,
    pub reserved: [c_longlong; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_estimate {
    pub mean: f64,
    pub sd: f64,
    pub error: f64,
    pub effective: f64,
    pub rhat: f64,
    pub reserved: [f64; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_draws {
    pub x: *const f64,
    pub chains: c_longlong,
    pub draws: c_longlong,
    pub chain_stride: c_longlong,
    pub stride: c_longlong,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sampling_result {
    pub method: *const c_char,
    pub chains: c_int,
    pub columns: c_int,
    pub draws: c_longlong,
    pub column: *const *const c_char,
    pub value: *const f64,
    pub estimate: *const rattle_estimate,
    pub counts: *const rattle_chain_counts,
    pub step: *const f64,
    pub temperature: f64,
    pub energy: *const f64,
    pub acceptance: *const f64,
    pub fate: *const c_int,
    pub at_floor: *const c_int,
    pub off: *const c_char,
    pub first_step: *const f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sampling_draw {
    pub chain: c_int,
    pub number: c_longlong,
    pub value: *const f64,
    pub state: *const f64,
    pub counts: rattle_chain_counts,
    pub step: f64,
    pub energy: f64,
    pub acceptance: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sampling_record {
    pub struct_size: usize,
    pub begin: Option<unsafe extern "C" fn(self_: *mut c_void, result: *const rattle_sampling_result, state_size: c_int, error: *mut rattle_error) -> rattle_status>,
    pub known: Option<unsafe extern "C" fn(self_: *mut c_void, chain: c_int, draws: *mut c_longlong, value: *mut f64, state: *mut f64, counts: *mut rattle_chain_counts, error: *mut rattle_error) -> rattle_status>,
    pub drawn: Option<unsafe extern "C" fn(self_: *mut c_void, draw: *const rattle_sampling_draw, error: *mut rattle_error) -> rattle_status>,
    pub self_: *mut c_void,
}

unsafe impl crate::Sized_ for rattle_sampling_record {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sampling_options {
    pub struct_size: usize,
    pub chain: *const rattle_chain_options,
    pub chains: c_int,
    pub draws: c_longlong,
    pub every: c_longlong,
    pub multipliers: c_int,
    pub threads: c_int,
    pub interrupt: *const c_int,
    pub starts: *const f64,
    pub record: *const rattle_sampling_record,
    pub lanes: c_int,
}

unsafe impl crate::Sized_ for rattle_sampling_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_sites_list {
    pub struct_size: usize,
    pub atoms: c_longlong,
    pub sites: c_longlong,
    pub site: *const c_int,
    pub first: *const c_longlong,
    pub parent: *const c_int,
    pub weights: *const f64,
    pub lengths: *const f64,
}

unsafe impl crate::Sized_ for rattle_sites_list {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_site_kind {
    pub name: *const c_char,
    pub parents: c_int,
    pub numbers: c_int,
    pub section: c_int,
    pub function: c_int,
    pub text: *const c_char,
}

pub type rattle_study_kind = c_uint;

pub type rattle_study_quantity = c_uint;

pub type rattle_study_window = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_progress {
    pub stage: *const c_char,
    pub runs: c_longlong,
    pub runs_most: c_longlong,
    pub maps: f64,
    pub seconds: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_options {
    pub struct_size: usize,
    pub method: *const *const c_char,
    pub methods: c_int,
    pub reference: *const c_char,
    pub q: *const f64,
    pub p: *const f64,
    pub error: f64,
    pub project: c_int,
    pub start: f64,
    pub stop: f64,
    pub quantity: rattle_study_quantity,
    pub step: f64,
    pub every: c_longlong,
    pub spectrum: *const *const c_char,
    pub spectra: c_int,
    pub window: rattle_study_window,
    pub effort: f64,
    pub threads: c_int,
    pub interrupt: *const c_int,
    pub progress: Option<unsafe extern "C" fn(self_: *mut c_void, so_far: *const rattle_study_progress)>,
    pub self_: *mut c_void,
    pub period: f64,
    pub arcs: c_int,
    pub held: rattle_orbit_held,
    pub along: rattle_family_along,
    pub to: f64,
    pub points: c_int,
    pub parameter: *const c_char,
    pub nearest: c_int,
    pub lowest: c_int,
    pub steady: *const rattle_parameter,
    pub steadies: c_int,
}

unsafe impl crate::Sized_ for rattle_study_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_table {
    pub name: *const c_char,
    pub rows: c_int,
    pub columns: c_int,
    pub column: *const *const c_char,
    pub value: *const f64,
    pub bulk: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_fit {
    pub name: *const c_char,
    pub slope: f64,
    pub uncertainty: f64,
    pub low: f64,
    pub high: f64,
    pub points: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_figure {
    pub name: *const c_char,
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_method {
    pub method: *const c_char,
    pub claims: rattle_claims,
    pub status: rattle_status,
    pub message: *const c_char,
    pub verdict: *const c_char,
    pub why: *const c_char,
    pub figures: c_int,
    pub fits: c_int,
    pub tables: c_int,
    pub figure: *const rattle_study_figure,
    pub fit: *const rattle_study_fit,
    pub table: *const rattle_study_table,
    pub reserved: [*const c_void; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_reference {
    pub method: *const c_char,
    pub step: f64,
    pub steps: c_longlong,
    pub error: f64,
    pub scale_q: f64,
    pub scale_p: f64,
    pub scale_energy: f64,
    pub reserved: [f64; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_study_result {
    pub kind: rattle_study_kind,
    pub kind_name: *const c_char,
    pub title: *const c_char,
    pub model_file: *const c_char,
    pub model_text: *const c_char,
    pub problem: *const c_char,
    pub evaluator: *const c_char,
    pub version: *const c_char,
    pub created: *const c_char,
    pub n: c_int,
    pub m: c_int,
    pub parameters: c_int,
    pub parameter: *const rattle_parameter,
    pub start: f64,
    pub stop: f64,
    pub frequency: f64,
    pub reference: rattle_study_reference,
    pub methods: c_int,
    pub method: *const rattle_study_method,
    pub figures: c_int,
    pub figure: *const rattle_study_figure,
    pub tables: c_int,
    pub table: *const rattle_study_table,
    pub verdict: *const c_char,
    pub why: *const c_char,
    pub status: rattle_status,
    pub note: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_verify_options {
    pub struct_size: usize,
    pub interrupt: *const c_int,
    pub progress: Option<unsafe extern "C" fn(self_: *mut c_void, method: *const c_char, problem: *const c_char)>,
    pub self_: *mut c_void,
}

unsafe impl crate::Sized_ for rattle_verify_options {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_verdict {
    pub method: *const c_char,
    pub problem: *const c_char,
    pub claim: *const c_char,
    pub claimed: f64,
    pub measured: f64,
    pub bound: f64,
    pub holds: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rattle_verification_result {
    pub verdicts: c_int,
    pub refuted: c_int,
    pub verdict: *const rattle_verdict,
    pub methods: c_int,
    pub problems: c_int,
    pub refusals: c_int,
    pub note: *const c_char,
}

#[repr(C)]
pub struct rattle_bonds {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_cases {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_certifier {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_chain {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_csv {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_doctor {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_equilibria {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_equilibrium {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_family {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_fit {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_graph {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_integrator {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_method {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_model {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_orbit {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_problem {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_record {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_sampling {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_sites {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_slider {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_study {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_tangent {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_trajectory {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_verification {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rattle_warnings {
    _private: [u8; 0],
}

pub const RATTLE_OK: rattle_status = 0;
pub const RATTLE_NO_MEMORY: rattle_status = 1;
pub const RATTLE_BAD_ARGUMENT: rattle_status = 2;
pub const RATTLE_BAD_METHOD: rattle_status = 3;
pub const RATTLE_UNSUITABLE: rattle_status = 4;
pub const RATTLE_BAD_MODEL: rattle_status = 5;
pub const RATTLE_OFF_CONSTRAINTS: rattle_status = 6;
pub const RATTLE_NOT_REGULAR: rattle_status = 7;
pub const RATTLE_NOT_CONVERGED: rattle_status = 8;
pub const RATTLE_SINGULAR: rattle_status = 9;
pub const RATTLE_DOMAIN: rattle_status = 10;
pub const RATTLE_CALLBACK: rattle_status = 11;
pub const RATTLE_INTERRUPTED: rattle_status = 12;
pub const RATTLE_IO: rattle_status = 13;
pub const RATTLE_EXISTS: rattle_status = 14;
pub const RATTLE_BAD_RECORD: rattle_status = 15;
pub const RATTLE_NEWER_RECORD: rattle_status = 16;
pub const RATTLE_DEGENERATE: rattle_status = 17;
pub const RATTLE_STATUS_COUNT: rattle_status = 18;
pub const RATTLE_OP_CONSTANT: rattle_op = 0;
pub const RATTLE_OP_VARIABLE: rattle_op = 1;
pub const RATTLE_OP_ADD: rattle_op = 2;
pub const RATTLE_OP_SUB: rattle_op = 3;
pub const RATTLE_OP_MUL: rattle_op = 4;
pub const RATTLE_OP_DIV: rattle_op = 5;
pub const RATTLE_OP_POW: rattle_op = 6;
pub const RATTLE_OP_POWI: rattle_op = 7;
pub const RATTLE_OP_ATAN2: rattle_op = 8;
pub const RATTLE_OP_LT: rattle_op = 9;
pub const RATTLE_OP_WHEN: rattle_op = 10;
pub const RATTLE_OP_MIN: rattle_op = 11;
pub const RATTLE_OP_MAX: rattle_op = 12;
pub const RATTLE_OP_ATLEAST: rattle_op = 13;
pub const RATTLE_OP_ATMOST: rattle_op = 14;
pub const RATTLE_OP_NEG: rattle_op = 15;
pub const RATTLE_OP_SQRT: rattle_op = 16;
pub const RATTLE_OP_EXP: rattle_op = 17;
pub const RATTLE_OP_LOG: rattle_op = 18;
pub const RATTLE_OP_SIN: rattle_op = 19;
pub const RATTLE_OP_COS: rattle_op = 20;
pub const RATTLE_OP_TAN: rattle_op = 21;
pub const RATTLE_OP_ASIN: rattle_op = 22;
pub const RATTLE_OP_ACOS: rattle_op = 23;
pub const RATTLE_OP_ATAN: rattle_op = 24;
pub const RATTLE_OP_SINH: rattle_op = 25;
pub const RATTLE_OP_COSH: rattle_op = 26;
pub const RATTLE_OP_TANH: rattle_op = 27;
pub const RATTLE_OP_EXPM1: rattle_op = 28;
pub const RATTLE_OP_LOG1P: rattle_op = 29;
pub const RATTLE_OP_ERF: rattle_op = 30;
pub const RATTLE_OP_ERFC: rattle_op = 31;
pub const RATTLE_OP_ABS: rattle_op = 32;
pub const RATTLE_OP_SIGN: rattle_op = 33;
pub const RATTLE_OP_HELD: rattle_op = 34;
pub const RATTLE_OP_COUNT: rattle_op = 35;
pub const RATTLE_VELOCITY: c_uint = 1073741824;
pub const RATTLE_SWITCH_ON: c_uint = 0;
pub const RATTLE_SWITCH_LOST: c_uint = 1;
pub const RATTLE_SWITCH_SIDE: c_uint = 2;
pub const RATTLE_SWITCH_VALUES: c_uint = 3;
pub const RATTLE_LAMBDA: c_uint = 1610612736;
pub const RATTLE_SEPARABLE: rattle_problem_flag = 1;
pub const RATTLE_NATURAL: rattle_problem_flag = 2;
pub const RATTLE_HOLONOMIC: rattle_problem_flag = 4;
pub const RATTLE_QUADRATIC_G: rattle_problem_flag = 8;
pub const RATTLE_MOMENTUM_G: rattle_problem_flag = 16;
pub const RATTLE_QUADRATIC_H: rattle_problem_flag = 32;
pub const RATTLE_SECOND_CLASS: rattle_problem_flag = 64;
pub const RATTLE_FORCED: rattle_problem_flag = 128;
pub const RATTLE_DIRAC: rattle_problem_flag = 256;
pub const RATTLE_VAKONOMIC: rattle_problem_flag = 256;
pub const RATTLE_EVALUATOR_AUTO: rattle_evaluator = 0;
pub const RATTLE_EVALUATOR_BLOCK: rattle_evaluator = 1;
pub const RATTLE_EVALUATOR_NATIVE: rattle_evaluator = 2;
pub const RATTLE_TAKES_MAP: rattle_parameter_type = 0;
pub const RATTLE_TAKES_WORD: rattle_parameter_type = 1;
pub const RATTLE_TAKES_INTEGER: rattle_parameter_type = 2;
pub const RATTLE_TAKES_NUMBER: rattle_parameter_type = 3;
pub const RATTLE_TAKES_FIELD: rattle_parameter_type = 4;
pub const RATTLE_TAKES_NAME: rattle_parameter_type = 5;
pub const RATTLE_TAKES_SOLVER: rattle_parameter_type = 6;
pub const RATTLE_NO_EFFECT: rattle_parameter_effect = 0;
pub const RATTLE_LOOSENS: rattle_parameter_effect = 1;
pub const RATTLE_DIVIDES: rattle_parameter_effect = 2;
pub const RATTLE_REMEMBERS: rattle_parameter_effect = 3;
pub const RATTLE_KEEP_SUMMARY: rattle_keep = 1;
pub const RATTLE_KEEP_EVENTS: rattle_keep = 2;
pub const RATTLE_KEEP_SAMPLES: rattle_keep = 4;
pub const RATTLE_KEEP_OBSERVABLES: rattle_keep = 8;
pub const RATTLE_KEEP_CHAOS: rattle_keep = 16;
pub const RATTLE_KEEP_ERRORS: rattle_keep = 32;
pub const RATTLE_KEEP_EXTREMES: rattle_keep = 64;
pub const RATTLE_WISHED_METHOD: rattle_wished = 1;
pub const RATTLE_WISHED_STEP: rattle_wished = 2;
pub const RATTLE_WISHED_TIMES: rattle_wished = 4;
pub const RATTLE_EQUILIBRIUM_GYROSCOPIC: c_uint = 2;
pub const RATTLE_EQUILIBRIA_NONE: rattle_equilibria_event = 0;
pub const RATTLE_EQUILIBRIA_END: rattle_equilibria_event = 1;
pub const RATTLE_EQUILIBRIA_FOLD: rattle_equilibria_event = 2;
pub const RATTLE_EQUILIBRIA_BRANCH: rattle_equilibria_event = 3;
pub const RATTLE_EQUILIBRIA_FLUTTER: rattle_equilibria_event = 4;
pub const RATTLE_FIT_AT_ROUND_OFF: c_uint = 0;
pub const RATTLE_FIT_NO_LOWER: c_uint = 1;
pub const RATTLE_FIT_MOST_STEPS: c_uint = 2;
pub const RATTLE_ORBIT_HOLD_DEFAULT: rattle_orbit_held = 0;
pub const RATTLE_ORBIT_HOLD_ENERGY: rattle_orbit_held = 1;
pub const RATTLE_ORBIT_HOLD_PERIOD: rattle_orbit_held = 2;
pub const RATTLE_ORBIT_HOLD_NOTHING: rattle_orbit_held = 3;
pub const RATTLE_FAMILY_ENERGY: rattle_family_along = 0;
pub const RATTLE_FAMILY_PERIOD: rattle_family_along = 1;
pub const RATTLE_FAMILY_PARAMETER: rattle_family_along = 2;
pub const RATTLE_FAMILY_NONE: rattle_family_event = 0;
pub const RATTLE_FAMILY_END: rattle_family_event = 1;
pub const RATTLE_FAMILY_FOLD_ENERGY: rattle_family_event = 2;
pub const RATTLE_FAMILY_FOLD_PERIOD: rattle_family_event = 3;
pub const RATTLE_FAMILY_BRANCH: rattle_family_event = 4;
pub const RATTLE_FAMILY_DOUBLING: rattle_family_event = 5;
pub const RATTLE_FAMILY_COLLISION: rattle_family_event = 6;
pub const RATTLE_FAMILY_FOLD_PARAMETER: rattle_family_event = 7;
pub const RATTLE_FAMILY_TORUS: rattle_family_event = 8;
pub const RATTLE_STEP_NUMBER: rattle_quantity = 0;
pub const RATTLE_TIME: rattle_quantity = 1;
pub const RATTLE_ENERGY: rattle_quantity = 2;
pub const RATTLE_CONSTRAINT: rattle_quantity = 3;
pub const RATTLE_HIDDEN: rattle_quantity = 4;
pub const RATTLE_MULTIPLIER: rattle_quantity = 5;
pub const RATTLE_COORDINATE: rattle_quantity = 6;
pub const RATTLE_MOMENTUM: rattle_quantity = 7;
pub const RATTLE_OBSERVABLE: rattle_quantity = 8;
pub const RATTLE_DIRECTION: rattle_quantity = 9;
pub const RATTLE_WORK: rattle_quantity = 10;
pub const RATTLE_HAMILTONIAN: rattle_quantity = 11;
pub const RATTLE_STUDY_ORDER: rattle_study_kind = 0;
pub const RATTLE_STUDY_DRIFT: rattle_study_kind = 1;
pub const RATTLE_STUDY_WORK: rattle_study_kind = 2;
pub const RATTLE_STUDY_COMPARE: rattle_study_kind = 3;
pub const RATTLE_STUDY_ADVISE: rattle_study_kind = 4;
pub const RATTLE_STUDY_LYAPUNOV: rattle_study_kind = 5;
pub const RATTLE_STUDY_ORBIT: rattle_study_kind = 6;
pub const RATTLE_STUDY_FAMILY: rattle_study_kind = 7;
pub const RATTLE_STUDY_EQUILIBRIUM: rattle_study_kind = 8;
pub const RATTLE_STUDY_MODES: rattle_study_kind = 9;
pub const RATTLE_STUDY_SOLUTION: rattle_study_quantity = 0;
pub const RATTLE_STUDY_ENERGY: rattle_study_quantity = 1;
pub const RATTLE_STUDY_HANN: rattle_study_window = 0;
pub const RATTLE_STUDY_NO_WINDOW: rattle_study_window = 1;
pub const RATTLE_ORDER_EXACT: c_int = 1000;
pub const RATTLE_CHAIN_FATE_COUNT: c_int = 5;
pub const RATTLE_EFFECTIVE_LIMIT: c_int = 100;
pub const RATTLE_VERSION_MAJOR: c_int = 0;
pub const RATTLE_VERSION_MINOR: c_int = 2;
pub const RATTLE_VERSION_PATCH: c_int = 0;

extern "C" {
    pub fn rattle_status_name(status: rattle_status) -> *const c_char;
    pub fn rattle_status_text(status: rattle_status) -> *const c_char;
    pub fn rattle_status_remedy(status: rattle_status) -> *const c_char;
    pub fn rattle_status_exit(status: rattle_status) -> c_int;
    pub fn rattle_version() -> *const c_char;
    pub fn rattle_abi() -> c_int;
    pub fn rattle_interrupt(interrupt: *mut c_int);
    pub fn rattle_bonds_solver_of(index: c_int) -> *const rattle_bonds_solver;
    pub fn rattle_bonds_create(bonds: *mut *mut rattle_bonds, topology: *const rattle_bonds_topology, options: *const rattle_bonds_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_destroy(bonds: *mut *mut rattle_bonds);
    pub fn rattle_bonds_repeated(bonds: *const rattle_bonds, count: *mut c_longlong) -> *const c_int;
    pub fn rattle_bonds_chosen(bonds: *const rattle_bonds, solver: *mut c_int);
    pub fn rattle_bonds_summarise(bonds: *const rattle_bonds, summary: *mut rattle_bonds_summary, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_positions(bonds: *mut rattle_bonds, x0: *const f64, x: *mut f64, v: *mut f64, h: f64, r#box: *const rattle_bonds_box, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_velocities(bonds: *mut rattle_bonds, x: *const f64, v: *mut f64, r#box: *const rattle_bonds_box, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_velocities_ahead(bonds: *mut rattle_bonds, x: *const f64, v: *mut f64, half: *const rattle_bonds_half_step, r#box: *const rattle_bonds_box, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_positions_out(bonds: *mut rattle_bonds, x0: *const f64, x: *mut f64, v: *mut f64, h: f64, r#box: *const rattle_bonds_box, outputs: *const rattle_bonds_outputs, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_velocities_out(bonds: *mut rattle_bonds, x: *const f64, v: *mut f64, r#box: *const rattle_bonds_box, outputs: *const rattle_bonds_outputs, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_positions_float(bonds: *mut rattle_bonds, x0: *const f32, x: *mut f32, v: *mut f32, h: f64, r#box: *const rattle_bonds_box, outputs: *const rattle_bonds_outputs, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_velocities_float(bonds: *mut rattle_bonds, x: *const f32, v: *mut f32, r#box: *const rattle_bonds_box, outputs: *const rattle_bonds_outputs, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_taken(bonds: *const rattle_bonds, taken: *mut f64);
    pub fn rattle_bonds_removed(bonds: *const rattle_bonds, group: *const c_int, groups: c_int, removed: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_bonds_rule_of(index: c_int) -> *const rattle_bonds_rule;
    pub fn rattle_bonds_repartition(rule: *const c_char, value: f64, topology: *const rattle_bonds_topology, hydrogen: *const c_char, masses: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_graph_create(graph: *mut *mut rattle_graph, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_graph_destroy(graph: *mut *mut rattle_graph);
    pub fn rattle_expr_constant(graph: *mut rattle_graph, value: f64) -> rattle_expr;
    pub fn rattle_expr_variable(graph: *mut rattle_graph, index: i32) -> rattle_expr;
    pub fn rattle_expr_unary(graph: *mut rattle_graph, op: rattle_op, a: rattle_expr) -> rattle_expr;
    pub fn rattle_expr_binary(graph: *mut rattle_graph, op: rattle_op, a: rattle_expr, b: rattle_expr) -> rattle_expr;
    pub fn rattle_expr_where(graph: *mut rattle_graph, condition: rattle_expr, a: rattle_expr, b: rattle_expr) -> rattle_expr;
    pub fn rattle_expr_table(graph: *mut rattle_graph, e: rattle_expr, count: c_int, x: *const f64, y: *const f64, error: *mut rattle_error) -> rattle_expr;
    pub fn rattle_expr_op(graph: *const rattle_graph, e: rattle_expr) -> rattle_op;
    pub fn rattle_expr_operand(graph: *const rattle_graph, e: rattle_expr, which: c_int) -> rattle_expr;
    pub fn rattle_expr_value(graph: *const rattle_graph, e: rattle_expr) -> f64;
    pub fn rattle_expr_index(graph: *const rattle_graph, e: rattle_expr) -> i32;
    pub fn rattle_graph_count(graph: *const rattle_graph) -> u32;
    pub fn rattle_expr_derivative(graph: *mut rattle_graph, e: rattle_expr, index: i32) -> rattle_expr;
    pub fn rattle_expr_evaluate(graph: *const rattle_graph, e: rattle_expr, x: *const f64) -> f64;
    pub fn rattle_expr_print(graph: *const rattle_graph, e: rattle_expr, name: Option<unsafe extern "C" fn(context: *mut c_void, index: i32) -> *const c_char>, context: *mut c_void, buffer: *mut c_char, size: usize) -> *mut c_char;
    pub fn rattle_model_load(model: *mut *mut rattle_model, path: *const c_char, options: *const rattle_model_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_parse(model: *mut *mut rattle_model, text: *const c_char, name: *const c_char, options: *const rattle_model_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_create(model: *mut *mut rattle_model, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_destroy(model: *mut *mut rattle_model);
    pub fn rattle_model_retain(model: *const rattle_model) -> *mut rattle_model;
    pub fn rattle_model_graph(model: *mut rattle_model) -> *mut rattle_graph;
    pub fn rattle_model_add_pair(model: *mut rattle_model, name: *const c_char, momentum: *const c_char, pair: *mut c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_free(model: *mut rattle_model, name: *const c_char, pair: *mut c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_time(model: *mut rattle_model, t: *mut rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_clock(model: *const rattle_model) -> c_int;
    pub fn rattle_model_turning_angle(model: *mut rattle_model, y: rattle_expr, x: rattle_expr, angle: *mut rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_count_turns(model: *mut rattle_model, pair: c_int, angle: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_hamiltonian(model: *mut rattle_model, e: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_force(model: *mut rattle_model, pair: c_int, e: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_constraint(model: *mut rattle_model, name: *const c_char, e: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_dirac(model: *mut rattle_model, constraint: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_vakonomic(model: *mut rattle_model, constraint: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_velocity(model: *mut rattle_model, pair: c_int, velocity: *mut rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_velocity_constraint(model: *mut rattle_model, name: *const c_char, e: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_controller(model: *mut rattle_model, controller: *const rattle_controller, values: *mut rattle_expr, number: *mut c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_sample(model: *mut rattle_model, controller: c_int, next: *const rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_controllers(model: *const rattle_model) -> c_int;
    pub fn rattle_model_add_switch(model: *mut rattle_model, given: *const rattle_switch, value: *mut rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_switches(model: *const rattle_model) -> c_int;
    pub fn rattle_model_multiplier(model: *mut rattle_model, constraint: *const c_char, multiplier: *mut rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_observable(model: *mut rattle_model, name: *const c_char, e: rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_observe_cotangent(model: *mut rattle_model, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_event(model: *mut rattle_model, name: *const c_char, e: rattle_expr, direction: c_int, count: c_longlong, stop: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_omit_redundant(model: *mut rattle_model, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_eliminate_massless(model: *mut rattle_model, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_omitted(model: *const rattle_model, i: c_int) -> *const c_char;
    pub fn rattle_model_set_start(model: *mut rattle_model, pair: c_int, q: f64, p: f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_velocity(model: *mut rattle_model, pair: c_int, velocity: f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_start_variable(model: *mut rattle_model, name: *const c_char, value: f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_fibre(model: *mut rattle_model, image: *const rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_flow(model: *mut rattle_model, image: *const rattle_expr, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_tableau(model: *mut rattle_model, name: *const c_char, tableau: *const rattle_tableau, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_splitting(model: *mut rattle_model, name: *const c_char, splitting: *const rattle_splitting, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_coefficients(model: *const rattle_model, i: c_int, set: *mut rattle_coefficients) -> c_int;
    pub fn rattle_model_add_pair_potential(model: *mut rattle_model, potential: *const rattle_pair_potential, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_pair_potentials(model: *const rattle_model) -> c_int;
    pub fn rattle_model_smoothness(model: *const rattle_model) -> c_int;
    pub fn rattle_model_order_left(model: *const rattle_model, text: *mut c_char, size: usize) -> c_int;
    pub fn rattle_model_set_title(model: *mut rattle_model, title: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_metadata(model: *mut rattle_model, key: *const c_char, value: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_set_wishes(model: *mut rattle_model, wishes: *const rattle_wishes, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_title(model: *const rattle_model) -> *const c_char;
    pub fn rattle_model_text(model: *const rattle_model) -> *const c_char;
    pub fn rattle_model_wishes(model: *const rattle_model) -> *const rattle_wishes;
    pub fn rattle_model_pairs(model: *const rattle_model) -> c_int;
    pub fn rattle_model_constraints(model: *const rattle_model) -> c_int;
    pub fn rattle_model_observables(model: *const rattle_model) -> c_int;
    pub fn rattle_model_velocity_constraints(model: *const rattle_model) -> c_int;
    pub fn rattle_model_velocity_constraint_name(model: *const rattle_model, constraint: c_int) -> *const c_char;
    pub fn rattle_model_velocity_constraint_expr(model: *const rattle_model, constraint: c_int) -> rattle_expr;
    pub fn rattle_model_coordinate_name(model: *const rattle_model, pair: c_int) -> *const c_char;
    pub fn rattle_model_momentum_name(model: *const rattle_model, pair: c_int) -> *const c_char;
    pub fn rattle_model_constraint_name(model: *const rattle_model, constraint: c_int) -> *const c_char;
    pub fn rattle_model_observable_name(model: *const rattle_model, observable: c_int) -> *const c_char;
    pub fn rattle_model_events(model: *const rattle_model) -> c_int;
    pub fn rattle_model_event_name(model: *const rattle_model, event: c_int) -> *const c_char;
    pub fn rattle_model_parameters(model: *const rattle_model, parameters: *mut *const rattle_parameter) -> c_int;
    pub fn rattle_model_parameter_range(model: *const rattle_model, parameter: c_int, range: *mut f64) -> c_int;
    pub fn rattle_model_metadata(model: *const rattle_model, i: c_int, key: *mut *const c_char, value: *mut *const c_char) -> c_int;
    pub fn rattle_model_hamiltonian(model: *const rattle_model) -> rattle_expr;
    pub fn rattle_model_force(model: *const rattle_model, pair: c_int) -> rattle_expr;
    pub fn rattle_model_constraint_expr(model: *const rattle_model, constraint: c_int) -> rattle_expr;
    pub fn rattle_problem_create(problem: *mut *mut rattle_problem, model: *mut rattle_model, options: *const rattle_problem_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_with_parameters(other: *mut *mut rattle_problem, problem: *const rattle_problem, parameters: *const rattle_parameter, count: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_set_parameters(problem: *mut rattle_problem, parameters: *const rattle_parameter, count: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_create_callbacks(problem: *mut *mut rattle_problem, callbacks: *const rattle_callbacks, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_destroy(problem: *mut *mut rattle_problem);
    pub fn rattle_problem_retain(problem: *const rattle_problem) -> *mut rattle_problem;
    pub fn rattle_problem_n(problem: *const rattle_problem) -> c_int;
    pub fn rattle_problem_m(problem: *const rattle_problem) -> c_int;
    pub fn rattle_problem_velocity_constraints(problem: *const rattle_problem) -> c_int;
    pub fn rattle_problem_implied(problem: *const rattle_problem, i: c_int) -> *const c_char;
    pub fn rattle_problem_kind(problem: *const rattle_problem) -> c_int;
    pub fn rattle_problem_kind_name(problem: *const rattle_problem) -> *const c_char;
    pub fn rattle_problem_model(problem: *const rattle_problem) -> *const rattle_model;
    pub fn rattle_problem_constraint_name(problem: *const rattle_problem, constraint: c_int) -> *const c_char;
    pub fn rattle_problem_evaluator(problem: *const rattle_problem) -> *const c_char;
    pub fn rattle_problem_energy(problem: *const rattle_problem, q: *const f64, p: *const f64, H: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_residuals(problem: *const rattle_problem, q: *const f64, p: *const f64, g: *mut f64, psi: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_multipliers(problem: *const rattle_problem, q: *const f64, p: *const f64, multipliers: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_observe(problem: *const rattle_problem, q: *const f64, p: *const f64, observed: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_nondegeneracy(problem: *const rattle_problem, q: *const f64, p: *const f64, smallest: *mut f64, condition: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_start(problem: *const rattle_problem, project: c_int, q: *mut f64, p: *mut f64, moved: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_problem_not_integrable(problem: *const rattle_problem, q: *const f64, p: *const f64, constraint: *mut c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_create(cases: *mut *mut rattle_cases, path: *const c_char, about: *const rattle_cases_about, force: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_append(cases: *mut *mut rattle_cases, path: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_open(cases: *mut *mut rattle_cases, path: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_about_of(cases: *const rattle_cases) -> *const rattle_cases_about;
    pub fn rattle_cases_width(cases: *const rattle_cases) -> c_int;
    pub fn rattle_cases_put(cases: *mut rattle_cases, number: c_longlong, row: *const f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_flush(cases: *mut rattle_cases, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_get(cases: *const rattle_cases, first: c_longlong, count: c_longlong, row: *mut f64, there: *mut c_schar, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_cases_written(cases: *const rattle_cases) -> c_int;
    pub fn rattle_cases_close(cases: *mut *mut rattle_cases, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_method_parse(method: *mut *mut rattle_method, expression: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_method_destroy(method: *mut *mut rattle_method);
    pub fn rattle_method_text(method: *const rattle_method) -> *const c_char;
    pub fn rattle_method_compensate(method: *mut rattle_method);
    pub fn rattle_method_claims(method: *const rattle_method) -> rattle_claims;
    pub fn rattle_method_adapts(method: *const rattle_method) -> c_int;
    pub fn rattle_method_samples(method: *const rattle_method) -> c_int;
    pub fn rattle_method_explain(method: *const rattle_method, buffer: *mut c_char, size: usize) -> *mut c_char;
    pub fn rattle_method_formula(method: *const rattle_method, buffer: *mut c_char, size: usize) -> *mut c_char;
    pub fn rattle_method_rows(rows: *mut *const rattle_method_row) -> c_int;
    pub fn rattle_method_resolve(method: *mut rattle_method, problem: *const rattle_problem, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_default_method(problem: *const rattle_problem) -> *const c_char;
    pub fn rattle_integrator_create(integrator: *mut *mut rattle_integrator, problem: *const rattle_problem, method: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_create_by(integrator: *mut *mut rattle_integrator, problem: *const rattle_problem, method: *const rattle_method, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_destroy(integrator: *mut *mut rattle_integrator);
    pub fn rattle_integrator_step(integrator: *mut rattle_integrator, state: *mut rattle_state, steps: c_longlong, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_output(integrator: *mut rattle_integrator, state: *const rattle_state, q_out: *mut f64, p_out: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_time(integrator: *const rattle_integrator, state: *const rattle_state) -> f64;
    pub fn rattle_integrator_step_lengths(integrator: *const rattle_integrator, shortest: *mut f64, longest: *mut f64);
    pub fn rattle_integrator_work(integrator: *const rattle_integrator, state: *const rattle_state) -> f64;
    pub fn rattle_integrator_has_work(integrator: *const rattle_integrator) -> c_int;
    pub fn rattle_integrator_method(integrator: *const rattle_integrator) -> *const rattle_method;
    pub fn rattle_integrator_claims(integrator: *const rattle_integrator) -> rattle_claims;
    pub fn rattle_integrator_counts(integrator: *const rattle_integrator) -> rattle_counts;
    pub fn rattle_integrator_residuals(integrator: *const rattle_integrator) -> rattle_residuals;
    pub fn rattle_integrator_reset(integrator: *mut rattle_integrator);
    pub fn rattle_integrator_extra(integrator: *const rattle_integrator) -> c_int;
    pub fn rattle_integrator_get_extra(integrator: *const rattle_integrator, extra: *mut f64);
    pub fn rattle_integrator_set_extra(integrator: *mut rattle_integrator, extra: *const f64);
    pub fn rattle_integrator_evaluator(integrator: *const rattle_integrator) -> *const c_char;
    pub fn rattle_integrator_solver(integrator: *const rattle_integrator) -> *const c_char;
    pub fn rattle_integrator_kernel(integrator: *const rattle_integrator) -> *const c_char;
    pub fn rattle_integrator_followed(integrator: *const rattle_integrator) -> c_int;
    pub fn rattle_certifier_create(certifier: *mut *mut rattle_certifier, problem: *const rattle_problem, method: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_certifier_destroy(certifier: *mut *mut rattle_certifier);
    pub fn rattle_certifier_integrator(certifier: *mut rattle_certifier) -> *mut rattle_integrator;
    pub fn rattle_certifier_step(certifier: *mut rattle_certifier, state: *mut rattle_state, steps: c_longlong, certificate: *mut rattle_certificate, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_certifier_check(certifier: *mut rattle_certifier, h: f64, q0: *const f64, p0: *const f64, q1: *const f64, certificate: *mut rattle_certificate, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_certify(integrator: *mut rattle_integrator, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_certificate(integrator: *const rattle_integrator, certificate: *mut rattle_certificate) -> c_int;
    pub fn rattle_integrator_set_control(integrator: *mut rattle_integrator, control: *const rattle_control, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_controller_value(model: *const rattle_model, controller: c_int, value: c_int) -> *const c_char;
    pub fn rattle_doctor_create(doctor: *mut *mut rattle_doctor, model: *mut rattle_model, problem: *const rattle_problem, options: *const rattle_doctor_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_doctor_destroy(doctor: *mut *mut rattle_doctor);
    pub fn rattle_doctor_diagnosis(doctor: *const rattle_doctor) -> *const rattle_diagnosis;
    pub fn rattle_doctor_step(problem: *const rattle_problem, q: *const f64, p: *const f64, step: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_doctor_derivatives(problem: *const rattle_problem, q: *const f64, p: *const f64, sentence: *mut c_char, room: usize, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_add_drawing(model: *mut rattle_model, drawing: *const rattle_drawing, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_drawing(model: *const rattle_model, i: c_int, drawing: *mut rattle_drawing) -> c_int;
    pub fn rattle_model_add_angle(model: *mut rattle_model, pair: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_model_is_angle(model: *const rattle_model, pair: c_int) -> c_int;
    pub fn rattle_run(integrator: *mut rattle_integrator, state: *mut rattle_state, options: *const rattle_run_options, observers: *const *mut rattle_observer, observer_count: c_int, summary: *mut rattle_summary, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_trajectory_create(trajectory: *mut *mut rattle_trajectory, problem: *const rattle_problem, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_trajectory_observer(trajectory: *mut rattle_trajectory) -> *mut rattle_observer;
    pub fn rattle_trajectory_samples(trajectory: *const rattle_trajectory) -> *const rattle_samples;
    pub fn rattle_trajectory_events(trajectory: *const rattle_trajectory) -> c_int;
    pub fn rattle_trajectory_event(trajectory: *const rattle_trajectory, event: c_int) -> *const rattle_samples;
    pub fn rattle_trajectory_destroy(trajectory: *mut *mut rattle_trajectory);
    pub fn rattle_ensemble(problem: *const rattle_problem, options: *const rattle_ensemble_options, ended: *mut c_longlong, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_equilibrium_create(found: *mut *mut rattle_equilibrium, problem: *const rattle_problem, q: *const f64, options: *const rattle_equilibrium_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_equilibrium_destroy(found: *mut *mut rattle_equilibrium);
    pub fn rattle_equilibrium_result_of(found: *const rattle_equilibrium) -> *const rattle_equilibrium_result;
    pub fn rattle_equilibria_create(family: *mut *mut rattle_equilibria, problem: *const rattle_problem, q: *const f64, options: *const rattle_equilibria_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_equilibria_destroy(family: *mut *mut rattle_equilibria);
    pub fn rattle_equilibria_points(family: *const rattle_equilibria) -> c_int;
    pub fn rattle_equilibria_point_of(family: *const rattle_equilibria, i: c_int) -> rattle_equilibria_point;
    pub fn rattle_equilibria_why(family: *const rattle_equilibria) -> *const c_char;
    pub fn rattle_equilibria_event_name(event: rattle_equilibria_event) -> *const c_char;
    pub fn rattle_fit_create(fit: *mut *mut rattle_fit, problem: *const rattle_problem, data: *const rattle_fit_data, runs: c_int, options: *const rattle_fit_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_fit_destroy(fit: *mut *mut rattle_fit);
    pub fn rattle_fit_result_of(fit: *const rattle_fit) -> *const rattle_fit_result;
    pub fn rattle_fit_values(fit: *const rattle_fit, run: c_int) -> *const f64;
    pub fn rattle_fit_start(fit: *const rattle_fit, run: c_int) -> *const f64;
    pub fn rattle_csv_create(csv: *mut *mut rattle_csv, path: *const c_char, problem: *const rattle_problem, force: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_csv_observer(csv: *mut rattle_csv) -> *mut rattle_observer;
    pub fn rattle_csv_destroy(csv: *mut *mut rattle_csv);
    pub fn rattle_tangent_create(tangent: *mut *mut rattle_tangent, problem: *const rattle_problem, method: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_tangent_destroy(tangent: *mut *mut rattle_tangent);
    pub fn rattle_tangent_integrator(tangent: *mut rattle_tangent) -> *mut rattle_integrator;
    pub fn rattle_tangent_step(tangent: *mut rattle_tangent, state: *mut rattle_state, steps: c_longlong, count: c_int, W: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_tangent_project(tangent: *mut rattle_tangent, q: *const f64, p: *const f64, count: c_int, W: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_tangent_basis(tangent: *mut rattle_tangent, q: *const f64, p: *const f64, dimension: *mut c_int, W: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_tangent_gradient(tangent: *mut rattle_tangent, state: *mut rattle_state, steps: c_longlong, objective: *const rattle_objective, value: *mut f64, gradient: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_tangent_gradient_memory(tangent: *const rattle_tangent, steps: c_longlong) -> usize;
    pub fn rattle_orbit_create(orbit: *mut *mut rattle_orbit, problem: *const rattle_problem, q: *const f64, p: *const f64, options: *const rattle_orbit_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_orbit_destroy(orbit: *mut *mut rattle_orbit);
    pub fn rattle_orbit_result_of(orbit: *const rattle_orbit) -> *const rattle_orbit_result;
    pub fn rattle_orbit_monodromy(orbit: *const rattle_orbit, M: *mut f64, basis: *mut f64);
    pub fn rattle_family_create(family: *mut *mut rattle_family, problem: *const rattle_problem, q: *const f64, p: *const f64, options: *const rattle_family_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_family_destroy(family: *mut *mut rattle_family);
    pub fn rattle_family_points(family: *const rattle_family) -> c_int;
    pub fn rattle_family_multipliers(family: *const rattle_family) -> c_int;
    pub fn rattle_family_point_of(family: *const rattle_family, i: c_int) -> rattle_family_point;
    pub fn rattle_family_why(family: *const rattle_family) -> *const c_char;
    pub fn rattle_family_event_name(event: rattle_family_event) -> *const c_char;
    pub fn rattle_plugin_add(plugin: *const rattle_plugin, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_plugin_load(path: *const c_char, plugin: *mut *const rattle_plugin, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_plugin_row(i: c_int) -> *const rattle_method_row;
    pub fn rattle_method_plugin(method: *const rattle_method) -> *const rattle_plugin;
    pub fn rattle_plugin_find_observer(name: *const c_char) -> *const rattle_plugin_observer;
    pub fn rattle_warnings_create(warnings: *mut *mut rattle_warnings, integrator: *const rattle_integrator, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_warnings_observer(warnings: *mut rattle_warnings, state: *const rattle_state) -> *mut rattle_observer;
    pub fn rattle_warnings_count(warnings: *const rattle_warnings) -> c_int;
    pub fn rattle_warnings_text(warnings: *const rattle_warnings, index: c_int) -> *const c_char;
    pub fn rattle_warnings_destroy(warnings: *mut *mut rattle_warnings);
    pub fn rattle_record_create(record: *mut *mut rattle_record, path: *const c_char, problem: *const rattle_problem, options: *const rattle_record_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_append(record: *mut *mut rattle_record, path: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_open(record: *mut *mut rattle_record, path: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_close(record: *mut *mut rattle_record);
    pub fn rattle_record_observer(record: *mut rattle_record) -> *mut rattle_observer;
    pub fn rattle_record_keep_warnings(record: *mut rattle_record, warnings: *const rattle_warnings);
    pub fn rattle_record_info_of(record: *const rattle_record) -> *const rattle_record_info;
    pub fn rattle_record_refresh(record: *mut rattle_record, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_state(record: *const rattle_record, q: *mut f64, p: *mut f64, extra: *mut f64, extra_size: c_int, step: *mut c_longlong, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_read(record: *const rattle_record, first: c_longlong, count: c_longlong, time: *mut f64, energy: *mut f64, q: *mut f64, p: *mut f64, multipliers: *mut f64, observed: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_find_column(record: *const rattle_record, name: *const c_char, column: *mut rattle_column, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_read_column(record: *const rattle_record, column: rattle_column, first: c_longlong, count: c_longlong, values: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_read_event(record: *const rattle_record, event: c_int, column: rattle_column, first: c_longlong, count: c_longlong, values: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_write(record: *const rattle_record, path: *const c_char, with: *const rattle_record_export, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_record_recover(path: *const c_char, samples: *mut c_longlong, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_chain_create(chain: *mut *mut rattle_chain, problem: *const rattle_problem, options: *const rattle_chain_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_chain_destroy(chain: *mut *mut rattle_chain);
    pub fn rattle_chain_advance(chain: *mut rattle_chain, transitions: c_longlong, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_chain_point(chain: *const rattle_chain, q: *mut *const f64, p: *mut *const f64);
    pub fn rattle_chain_potential(chain: *const rattle_chain) -> f64;
    pub fn rattle_chain_log_delta(chain: *mut rattle_chain, log_delta: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_chain_step(chain: *const rattle_chain) -> f64;
    pub fn rattle_chain_temperature(chain: *const rattle_chain) -> f64;
    pub fn rattle_chain_method(chain: *const rattle_chain) -> *const c_char;
    pub fn rattle_chain_counts_of(chain: *const rattle_chain) -> rattle_chain_counts;
    pub fn rattle_chain_state_size(chain: *const rattle_chain) -> c_int;
    pub fn rattle_chain_get_state(chain: *const rattle_chain, state: *mut f64);
    pub fn rattle_chain_set_state(chain: *mut rattle_chain, state: *const f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_estimate_of(draws: *const rattle_draws, estimate: *mut rattle_estimate, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_autocorrelation_of(draws: *const rattle_draws, chain: c_longlong, most: c_longlong, rho: *mut f64) -> c_longlong;
    pub fn rattle_sampling_doubt(result: *const rattle_sampling_result, which: c_int, text: *mut c_char, size: usize) -> *const c_char;
    pub fn rattle_sampling_create(sampling: *mut *mut rattle_sampling, problem: *const rattle_problem, options: *const rattle_sampling_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_sampling_destroy(sampling: *mut *mut rattle_sampling);
    pub fn rattle_sampling_result_of(sampling: *const rattle_sampling) -> *const rattle_sampling_result;
    pub fn rattle_site_kind_of(index: c_int) -> *const rattle_site_kind;
    pub fn rattle_site_weights(kind: *const c_char, parents: c_int, numbers: *const f64, weights: *mut f64, lengths: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_sites_create(sites: *mut *mut rattle_sites, list: *const rattle_sites_list, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_sites_destroy(sites: *mut *mut rattle_sites);
    pub fn rattle_sites_positions(sites: *mut rattle_sites, x: *mut f64, v: *mut f64, r#box: *const rattle_bonds_box, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_sites_forces(sites: *mut rattle_sites, x: *const f64, f: *mut f64, virial: *mut f64, r#box: *const rattle_bonds_box, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_slider_create(slider: *mut *mut rattle_slider, problem: *const rattle_problem, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_slider_destroy(slider: *mut *mut rattle_slider);
    pub fn rattle_slider_place(slider: *mut rattle_slider, q: *mut f64, p: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_slider_momenta(slider: *mut rattle_slider, q: *mut f64, p: *mut f64, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_record_impulses(integrator: *mut rattle_integrator, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_integrator_impulses(integrator: *const rattle_integrator, impulse: *mut f64, virial: *mut f64);
    pub fn rattle_expr_lgamma(graph: *mut rattle_graph, a: rattle_expr) -> rattle_expr;
    pub fn rattle_expr_logaddexp(graph: *mut rattle_graph, a: rattle_expr, b: rattle_expr) -> rattle_expr;
    pub fn rattle_study_create(study: *mut *mut rattle_study, problem: *const rattle_problem, kind: rattle_study_kind, options: *const rattle_study_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_study_destroy(study: *mut *mut rattle_study);
    pub fn rattle_study_result_of(study: *const rattle_study) -> *const rattle_study_result;
    pub fn rattle_study_save(study: *const rattle_study, path: *const c_char, force: c_int, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_study_load(study: *mut *mut rattle_study, path: *const c_char, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_study_find_table(method: *const rattle_study_method, name: *const c_char) -> *const rattle_study_table;
    pub fn rattle_study_find_fit(method: *const rattle_study_method, name: *const c_char) -> *const rattle_study_fit;
    pub fn rattle_study_find_figure(method: *const rattle_study_method, name: *const c_char) -> f64;
    pub fn rattle_study_entry(table: *const rattle_study_table, row: c_int, column: *const c_char) -> f64;
    pub fn rattle_verification_create(verification: *mut *mut rattle_verification, method: *const c_char, options: *const rattle_verify_options, error: *mut rattle_error) -> rattle_status;
    pub fn rattle_verification_destroy(verification: *mut *mut rattle_verification);
    pub fn rattle_verification_result_of(verification: *const rattle_verification) -> *const rattle_verification_result;
}
