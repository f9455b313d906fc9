//! A pendulum, its largest error of the energy, and when it passes the lowest point.
//!
//!     cargo run --example pendulum
use librattle::{Error, Model, Problem, Run};

fn main() -> Result<(), Error> {
    let model = Model::parse(
        "local weight = parameter('weight', 1)
         local x, px = pair('x') local y, py = pair('y')
         hamiltonian((px^2 + py^2)/2 + weight*y)
         constrain('rod', x^2 + y^2 - 1)
         event('lowest', x)
         start { x = 1, py = -2 }",
        &[("weight", 1.0)],
    )?;
    let problem = Problem::new(&model)?;
    let run = Run::new(&problem, "kahan_li8(rattle(verlet))").step(0.05).stop(10.0).go()?;
    let last = run.len() - 1;
    println!("t = {}: x = {:.9}, y = {:.9}", run.time()[last], run.q(last)[0], run.q(last)[1]);
    println!("{} passages, the first at {:.9}", run.event("lowest").len(), run.event("lowest")[0].0);
    println!("largest error of the energy {:.0e}", run.summary().energy_max_error);

    // a step that is far too long fails, with a sentence
    if let Err(error) = Run::new(&problem, "rattle(verlet)").step(50.0).steps(1).go() {
        println!("{error}");
    }
    Ok(())
}
