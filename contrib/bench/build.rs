//! `fi_measure` is linked to the library that the build system names.

fn main() {
    println!("cargo:rerun-if-env-changed=FI_LIB_DIR");
    if let Ok(dir) = std::env::var("FI_LIB_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
    }
}
