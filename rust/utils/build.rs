//! The tools are linked to libfabric by its name; the build system says where the one is that was just made.

fn main() {
    println!("cargo:rerun-if-env-changed=FI_LIB_DIR");
    if let Ok(dir) = std::env::var("FI_LIB_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
    }
    println!("cargo:rustc-link-lib=dylib=fabric");
}
