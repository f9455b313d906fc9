//! Runs, failures and samples against what the physics says.
use librattle::*;
use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI32, Ordering};

const PENDULUM: &str = "local weight = parameter('weight', 2)
local x, px = pair('x') local y, py = pair('y')
hamiltonian((px^2 + py^2)/2 + weight*y)
constrain('rod', x^2 + y^2 - 1)
observe('angle', atan2(x, -y))
event('lowest', x)
start { x = 1, py = -2 }";

fn pendulum() -> Problem {
    Problem::new(&Model::parse(PENDULUM, &[("weight", 1.0)]).unwrap()).unwrap()
}

#[test]
fn a_run_keeps_energy_and_constraints() {
    let problem = pendulum();
    assert_eq!((problem.n(), problem.m(), problem.constraint(0).as_str()), (2, 1, "rod"));
    let run = Run::new(&problem, "kahan_li8(rattle(verlet))").step(0.05).stop(10.02).every(10).go().unwrap();
    let last = run.len() - 1;
    assert_eq!(run.time()[last], 10.02);
    for k in 0..run.len() {
        let (q, p) = (run.q(k), run.p(k));
        assert!((q[0] * q[0] + q[1] * q[1] - 1.0).abs() < 1e-13);
        assert!((run.energy()[k] - 2.0).abs() < 1e-9 && (problem.energy(q, p).unwrap() - 2.0).abs() < 1e-9);
        // the force of the rod: p' = -V_q - lambda g_q, |q''| = v^2 towards the centre
        let v2 = p[0] * p[0] + p[1] * p[1];
        assert!((run.multipliers(k)[0] - (v2 - q[1]) / 2.0).abs() < 1e-9);
        assert!((run.observed(k)[0] - q[0].atan2(-q[1])).abs() < 1e-13);
    }
    assert!(run.summary().energy_max_error < 1e-9);
    // the energy lets it go round: the lowest point comes once in each turn, at speed sqrt(6), and the highest at sqrt(2)
    let lowest = run.event("lowest");
    assert!(lowest.len() > 4);
    for (_, q, p) in &lowest {
        assert!(q[0].abs() < 1e-12 && (p[0].abs() - (4.0 - 2.0 * q[1]).sqrt()).abs() < 1e-9);
    }
    assert!(run.event("highest").is_empty());
}

#[test]
fn steps_by_hand_are_those_of_a_run() {
    let problem = pendulum();
    let (q, p) = problem.start(false).unwrap();
    let mut steps = Integrator::new(&problem, "rattle(verlet)").unwrap();
    let mut state = State::new(q, p, 0.01);
    steps.step(&mut state, 100).unwrap();
    let run = Run::new(&problem, "rattle(verlet)").step(0.01).steps(100).go().unwrap();
    assert_eq!((run.q(100), run.p(100)), (&state.q[..], &state.p[..]));
    assert_eq!((state.step, steps.time(&state)), (100, 1.0));
    // a step that is far too long fails, and changes nothing
    let before = State { h: 50.0, ..state };
    let mut after = before.clone();
    let failed = steps.step(&mut after, 1).unwrap_err();
    assert!(!failed.message.is_empty() && after == before, "{failed}");
}

#[test]
fn failures_have_sentences() {
    let problem = pendulum();
    let wrong = Model::parse("pair('x') hamiltonian(y)", &[]).err().unwrap();
    assert_eq!(wrong.status, Status::BAD_MODEL);
    assert!(wrong.place.starts_with("model:1") || wrong.message.contains("model:1"), "{wrong:?}");
    assert!(Model::load("/no/such.lua", &[]).err().unwrap().message.contains("/no/such.lua"));
    assert_eq!(Model::parse(PENDULUM, &[("wait", 1.0)]).err().unwrap().status, Status::BAD_MODEL);
    assert_eq!(Integrator::new(&problem, "rattle(verlett)").err().unwrap().status, Status::BAD_METHOD);
    assert_eq!(Integrator::new(&problem, "verlet").err().unwrap().status, Status::UNSUITABLE);
    assert!(problem.energy(&[1.0], &[0.0, 0.0]).unwrap_err().message.contains("each has 2"));
    assert_eq!(Run::new(&problem, "rattle(verlet)").step(0.1).go().err().unwrap().status, Status::BAD_ARGUMENT);
    let given = Run::new(&problem, "rattle(verlet)").step(0.1).steps(1).start(vec![1.0, 0.0], vec![0.0, 0.0]);
    assert!(given.go().err().unwrap().message.contains("Model::start"));
    let rod = Problem::of(Rod(Default::default())).unwrap();
    let off = Run::new(&rod, "rattle(verlet)").step(0.1).steps(1).start(vec![1.0, 1.0], vec![0.0, 0.0]);
    assert_eq!(off.go().err().unwrap().status, Status::OFF_CONSTRAINTS);
    let model = Model::parse("local x, px = pair('x') hamiltonian(px^2/2) constrain('g', x - 1) start { x = 2 }", &[]).unwrap();
    let start = Problem::new(&model).unwrap().start(false).unwrap_err();
    assert_eq!((start.status, start.status.remedy().is_empty()), (Status::OFF_CONSTRAINTS, false));
}

#[test]
fn runs_end_when_asked() {
    let problem = pendulum();
    let mut seen = 0;
    let run = Run::new(&problem, "rattle(verlet)").step(0.01).stop(1e6).watch(|sample| {
        seen += 1;
        if sample.q[1] < -0.99 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let run = run.go().unwrap();
    assert_eq!(seen, run.len());
    assert!(run.q(run.len() - 1)[1] < -0.99 && run.q(run.len() - 2)[1] >= -0.99);

    let flag = AtomicI32::new(0);
    let ended = std::thread::scope(|threads| {
        let run = threads.spawn(|| Run::new(&problem, "rattle(verlet)").step(0.01).stop(1e9).every(1 << 40).interrupt(&flag).go());
        flag.store(1, Ordering::Relaxed);
        run.join().unwrap().err().unwrap()
    });
    assert_eq!(ended.status, Status::INTERRUPTED);

    let panics = std::panic::catch_unwind(|| {
        let problem = pendulum();
        Run::new(&problem, "rattle(verlet)").step(0.01).steps(9).watch(|_| panic!("seen")).go().map(|_| ())
    });
    assert_eq!(*panics.unwrap_err().downcast::<&str>().unwrap(), "seen");
}

#[test]
fn starts_and_continued_runs() {
    let mut model = Model::parse(PENDULUM, &[("weight", 1.0)]).unwrap();
    assert_eq!((model.coordinates(), model.observables()), (vec!["x".to_string(), "y".into()], vec!["angle".to_string()]));
    assert!(model.start("z", 1.0).unwrap_err().message.contains("z"));
    model.start("x", 0.6).unwrap();
    model.start("y", -0.8).unwrap();
    model.start("py", 0.0).unwrap();
    let problem = Problem::new(&model).unwrap();
    assert_eq!(problem.start(false).unwrap().0, [0.6, -0.8]);
    assert!(model.start("x", 1.0).is_err());
    let whole = Run::new(&problem, "rattle(verlet)").step(0.01).stop(2.0).go().unwrap();
    let half = Run::new(&problem, "rattle(verlet)").step(0.01).stop(1.0).go().unwrap();
    let rest = Run::new(&problem, "rattle(verlet)").step(0.01).stop(2.0).after(&half).go().unwrap();
    assert_eq!((rest.time()[0], rest.time()[100]), (1.0, 2.0));
    assert_eq!((rest.q(100), rest.p(100)), (whole.q(200), whole.p(200)));
}

/// The same pendulum as functions; it counts its ends.
struct Rod(std::sync::Arc<AtomicI32>);
impl System for Rod {
    fn n(&self) -> usize {
        2
    }
    fn m(&self) -> usize {
        1
    }
    fn hamiltonian(&self, q: &[f64], p: &[f64], by_q: &mut [f64], by_p: &mut [f64]) -> f64 {
        assert!(q[1] < 10.0, "too high");
        by_q[1] = 1.0;
        by_p.copy_from_slice(p);
        (p[0] * p[0] + p[1] * p[1]) / 2.0 + q[1]
    }
    fn constraint(&self, q: &[f64], g: &mut [f64], by_q: &mut [f64]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
        by_q.copy_from_slice(&[2.0 * q[0], 2.0 * q[1]]);
    }
    fn inverse_mass(&self) -> Option<Vec<f64>> {
        Some(vec![1.0, 1.0])
    }
}
impl Drop for Rod {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn functions_are_a_problem_too() {
    let ends = std::sync::Arc::new(AtomicI32::new(0));
    let problem = Problem::of(Rod(ends.clone())).unwrap();
    let (q, p) = problem.start_from(&[2.0, 0.0], &[1.0, -2.0], true).unwrap();
    assert!((q[0] - 1.0).abs() < 1e-14 && p[0].abs() < 1e-14 && (p[1] + 2.0).abs() < 1e-14);
    let run = Run::new(&problem, "rattle(verlet)").step(0.01).steps(500).start(q, p).go().unwrap();
    let model = pendulum();
    let same = Run::new(&model, "rattle(verlet)").step(0.01).steps(500).go().unwrap();
    assert!((run.q(500)[0] - same.q(500)[0]).abs() < 1e-11);
    let panicked = problem.energy(&[0.0, 20.0], &[0.0, 0.0]).unwrap_err();
    assert_eq!(panicked.status, Status::CALLBACK);
    let other = problem.clone();
    drop(problem);
    assert_eq!(ends.load(Ordering::Relaxed), 0);
    drop(other);
    assert_eq!(ends.load(Ordering::Relaxed), 1);
    assert!(Problem::of(Masses).is_err());
}

struct Masses;
impl System for Masses {
    fn n(&self) -> usize {
        2
    }
    fn hamiltonian(&self, _: &[f64], _: &[f64], _: &mut [f64], _: &mut [f64]) -> f64 {
        0.0
    }
    fn inverse_mass(&self) -> Option<Vec<f64>> {
        Some(vec![1.0])
    }
}

/// By area the mean of the cosine of the angle around the tube is r/(2R).
#[test]
fn a_torus_is_sampled_by_its_area() {
    let torus = Model::parse(
        "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 + pz^2)/2)
         constrain('torus', (x^2 + y^2 + z^2 + 0.75)^2 - 4*(x^2 + y^2)) observe('cos', (sqrt(x^2 + y^2) - 1)*2) start { x = 1.5 }",
        &[],
    );
    let problem = Problem::new(&torus.unwrap()).unwrap();
    let samples = Sampler::new(&problem, "hmc(rattle(verlet))").samples(4000).go().unwrap();
    assert_eq!(samples.columns(), ["x", "y", "z", "cos", "V"]);
    let cos = samples.estimate("cos").unwrap();
    assert!((cos.mean - 0.25).abs() < 5.0 * cos.error && cos.error < 0.02, "{cos:?}");
    assert!(samples.estimate("sin").is_none());
    let row = samples.row(3, 3999);
    assert!((((row[0] * row[0] + row[1] * row[1]).sqrt() - 1.0).hypot(row[2]) - 0.5).abs() < 1e-12);
    let angle = row[1].atan2(row[0]);
    assert!(angle.abs() <= PI);
    let still = Sampler::new(&problem, "hmc(rattle(verlet))").step(1e3).samples(50).warmup(0).spread(0).go().unwrap();
    assert!(!still.doubts().is_empty());
}

/// Functions that change their mind about n after the problem was made.
struct Growing(AtomicI32);

impl System for Growing {
    fn n(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed) as usize
    }
    fn hamiltonian(&self, q: &[f64], p: &[f64], by_q: &mut [f64], by_p: &mut [f64]) -> f64 {
        assert_eq!((q.len(), p.len(), by_q.len(), by_p.len()), (1, 1, 1, 1));
        by_q[0] = q[0];
        by_p[0] = p[0];
        (q[0] * q[0] + p[0] * p[0]) / 2.0
    }
}

#[test]
fn numbers_of_a_system_are_those_of_its_problem() {
    let problem = Problem::of(Growing(AtomicI32::new(1))).unwrap();
    let run = Run::new(&problem, "midpoint").step(0.1).steps(10).start(vec![1.0], vec![0.0]).go().unwrap();
    assert!((run.q(10)[0] - 1f64.cos()).abs() < 1e-2);
}
