//! Links the tools to libfabric: the one in the directory that the build system names, else the one the linker finds.
//! No search path is written into them; which library runs is the user's choice.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FI_LIB_DIR");
    if let Ok(dir) = std::env::var("FI_LIB_DIR") {
        println!("cargo::rustc-link-search=native={dir}");
    }
    println!("cargo::rustc-link-lib=dylib=fabric");
}
