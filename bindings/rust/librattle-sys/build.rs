//! Finds the library: in the folder RATTLE_LIB_DIR, or where pkg-config knows `rattle` of this version.
use std::env;
use std::process::Command;

fn pkg_config(question: &str) -> Option<String> {
    let answer = Command::new(env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into()))
        .args([question, "rattle"])
        .output()
        .ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    Some(text.trim().to_string()).filter(|_| answer.status.success())
}

fn folder() -> Result<String, String> {
    if let Ok(given) = env::var("RATTLE_LIB_DIR") {
        return Ok(given);
    }
    let wanted = env!("CARGO_PKG_VERSION");
    let version = pkg_config("--modversion").ok_or(
        "librattle is not found: set PKG_CONFIG_PATH to the folder of its rattle.pc, or RATTLE_LIB_DIR to that of librattle.so",
    )?;
    if version != wanted {
        return Err(format!(
            "pkg-config finds librattle {version}, and this crate is for {wanted}: install that version of one of them"
        ));
    }
    pkg_config("--variable=libdir").ok_or_else(|| "rattle.pc has no libdir".into())
}

fn main() {
    for name in ["RATTLE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let folder = folder().unwrap_or_else(|sentence| panic!("{sentence}"));
    println!("cargo:rustc-link-search=native={folder}");
    for library in ["rattle_io", "rattle", "rattle_bonds"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    println!("cargo:folder={folder}"); // DEP_RATTLE_FOLDER of the build scripts of crates that depend on this one
}
