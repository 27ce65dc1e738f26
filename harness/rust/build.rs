//! Tells the harness which compiler made it: it answers so to `hello`.
use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("cargo names the compiler in RUSTC");
    let output = Command::new(rustc).arg("--version").output().expect("the compiler starts");
    let version = String::from_utf8(output.stdout).expect("the compiler's version is text");
    println!("cargo:rustc-env=COMPILER={}", version.trim());
    println!("cargo:rerun-if-changed=build.rs");
}
