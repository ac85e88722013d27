//! Writes the provider's public C header, `rdma/fi_ext_dpdk.h`, from this crate's source when the build system asks for it
//! by naming a directory.

use std::env;
use std::path::PathBuf;

/// Where public items of C stand.
const SOURCES: [&str; 1] = ["src/ini.rs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cbindgen.toml");
    println!("cargo::rerun-if-env-changed=FI_GENERATED_INCLUDE_DIR");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    let Some(dir) = env::var_os("FI_GENERATED_INCLUDE_DIR").map(PathBuf::from) else {
        return;
    };

    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml"))
        .unwrap_or_else(|e| panic!("prov/dpdk/cbindgen.toml: {e}"));
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root.join(source));
    }
    let header = dir.join("rdma").join("fi_ext_dpdk.h");
    std::fs::create_dir_all(dir.join("rdma")).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    builder.generate().expect("a C header from the crate's public items").write_to_file(header);
}
