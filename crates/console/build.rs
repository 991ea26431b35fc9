//! Builds the crate again when a file is added to `dist/`, which the compiler does not notice by itself.

fn main() {
    println!("cargo:rerun-if-changed=dist");
}
