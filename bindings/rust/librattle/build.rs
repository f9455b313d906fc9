//! Tests and examples find the library where it was linked.
fn main() {
    if let Ok(folder) = std::env::var("DEP_RATTLE_FOLDER") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
