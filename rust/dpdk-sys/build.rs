//! Finds libdpdk, compiles the C shim for its inline functions and generates bindings to the rest.

use std::env;
use std::path::PathBuf;

/// Oldest DPDK whose interfaces the bindings are written for.
const OLDEST: &str = "22.11";

/// The libraries whose functions are called. Drivers are plugins that EAL loads; everything else stays out.
const LIBRARIES: [&str; 4] = ["rte_ethdev", "rte_mbuf", "rte_mempool", "rte_eal"];
/// Since DPDK 23.11 the log lives in a library of its own.
const LOG_LIBRARY: &str = "rte_log";

fn main() {
    println!("cargo::rerun-if-changed=shim.c");
    println!("cargo::rerun-if-changed=shim.h");
    println!("cargo::rerun-if-changed=build.rs");

    let dpdk = pkg_config::Config::new()
        .atleast_version(OLDEST)
        .cargo_metadata(false)
        .probe("libdpdk")
        .unwrap_or_else(|e| {
            panic!(
                "libdpdk {OLDEST} or newer is needed: install libdpdk-dev (Debian, Ubuntu) or dpdk-devel (Fedora, \
                 RHEL), or point PKG_CONFIG_PATH to its libdpdk.pc\n{e}"
            )
        });
    for path in &dpdk.link_paths {
        println!("cargo::rustc-link-search=native={}", path.display());
    }

    let includes: Vec<String> = dpdk.include_paths.iter().map(|p| format!("-I{}", p.display())).collect();

    let mut shim = cc::Build::new();
    shim.file("shim.c").flag("-include").flag("rte_config.h").warnings(true).extra_warnings(false);
    // DPDK's inline functions are written for a baseline above the compiler's own (its libdpdk.pc says -march=corei7).
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64") {
        shim.flag("-march=corei7");
    }
    // Interfaces that DPDK marks as experimental (hotplug of vdevs is not among them) are not used.
    for path in &dpdk.include_paths {
        shim.flag("-isystem").flag(path.to_str().expect("include path is UTF-8"));
    }
    shim.opt_level(3).compile("dpdk_shim");

    // After the shim, which needs them.
    for library in LIBRARIES {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
    if dpdk.libs.iter().any(|l| l == LOG_LIBRARY) {
        println!("cargo::rustc-link-lib=dylib={LOG_LIBRARY}");
    }

    let bindings = bindgen::Builder::default()
        .header("shim.h")
        .clang_args(&includes)
        .clang_args(["-include", "rte_config.h"])
        .clang_args((env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64")).then_some("-march=corei7"))
        .allowlist_function("shim_.*")
        .allowlist_function("rte_eal_(init|cleanup|has_hugepages|iova_mode)")
        .allowlist_function("rte_dev_(probe|remove|dma_map|dma_unmap)")
        .allowlist_function("rte_eth_dev_(info_get|configure|start|stop|close|get_mtu|set_mtu|socket_id)")
        .allowlist_function("rte_eth_dev_(get_port_by_name|get_name_by_port|is_valid_port)")
        .allowlist_function("rte_eth_dev_(default_mac_addr_set|set_link_up|adjust_nb_rx_tx_desc)")
        .allowlist_function("rte_eth_(rx|tx)_queue_setup")
        .allowlist_function(
            "rte_eth_(macaddr_get|promiscuous_enable|allmulticast_enable|link_get_nowait|stats_get)",
        )
        .allowlist_function("rte_pktmbuf_pool_create")
        .allowlist_function("rte_mempool_(free|avail_count|in_use_count)")
        .allowlist_function("rte_extmem_(register|unregister)")
        .allowlist_function("rte_thread_(register|unregister)")
        .allowlist_function("rte_(openlog_stream|log_set_global_level|strerror|get_tsc_hz)")
        .allowlist_function("rte_log_set_level_pattern")
        .allowlist_type("rte_(mbuf|mempool|eth_dev_info|eth_conf|eth_stats|eth_link|ether_addr)")
        .allowlist_var("RTE_ETH_(RX|TX)_OFFLOAD_.*|RTE_MBUF_F_.*|RTE_PKTMBUF_HEADROOM|RTE_MAX_ETHPORTS")
        .allowlist_var("SHIM_.*|RTE_ETH_MQ_.*|RTE_LOG_.*|RTE_ETH_LINK_.*")
        .opaque_type("rte_mempool|rte_eth_.*_conf|rte_ether_hdr|rte_arp.*|rte_l2tpv2.*|rte_gtp.*")
        .no_copy("rte_mbuf")
        .derive_default(true)
        .layout_tests(false)
        .generate_comments(false)
        .generate()
        .expect(
            "bindings to libdpdk's headers; libclang is needed (Debian: libclang-dev, Fedora: clang-devel)",
        );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindings.write_to_file(out.join("bindings.rs")).expect("OUT_DIR is writable");
}
