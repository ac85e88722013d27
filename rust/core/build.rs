//! With feature `plain-symbols`, compiles the C half of the core under its plain names into this crate, so that Rust
//! test programs of the kit and of providers find `fi_log` and the like without a libfabric.

fn main() {
    println!("cargo:rerun-if-changed=csrc");
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "plain-symbols")]
    cc::Build::new()
        .define("OFI_PLAIN_SYMBOLS", None)
        .file("csrc/symbols.c")
        .file("csrc/variadic.c")
        .warnings(true)
        .extra_warnings(true)
        .compile("ofi_core_plain");
}
