//! The environment abstraction layer: started once per process, at the first use, with the caller's affinity, signal
//! handlers and output left as they were. It is never cleaned up: DPDK cannot start twice in a process, and its threads
//! outlive a cleanup anyway.

use crate::manners::Manners;
use crate::{Error, logging};
use std::ffi::{CString, c_char};
use std::sync::OnceLock;

/// Memory that EAL takes at the start with hugepages, in MiB; it takes more when it needs more.
const HUGE_MEGABYTES: usize = 128;
/// Memory without hugepages, in MiB: fixed, but only what is used becomes real.
const SMALL_MEGABYTES: usize = 512;

/// What the environment is to know.
#[derive(Clone, Debug, Default)]
pub struct EalConfig {
    /// Devices on the PCI bus will be used. Without, the bus is not even looked at.
    pub pci: bool,
    /// Further arguments of EAL; where one is about something that is decided here, it wins.
    pub extra_args: Vec<String>,
}

/// Where DPDK's memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Anonymous hugepages: neither a mount nor root is needed.
    Hugepages,
    /// Ordinary pages.
    SmallPages,
}

/// Proof that EAL runs.
#[derive(Debug)]
pub struct Eal {
    memory: Memory,
}

static EAL: OnceLock<Result<Eal, Error>> = OnceLock::new();

impl Eal {
    /// Starts EAL, or gives the running one, whatever its configuration. A failure is final for the process.
    pub fn init(config: &EalConfig) -> Result<&'static Eal, Error> {
        EAL.get_or_init(|| start(config)).as_ref().map_err(Clone::clone)
    }

    /// The running EAL, if it has been started.
    pub fn running() -> Option<&'static Eal> {
        EAL.get()?.as_ref().ok()
    }

    /// Where DPDK's memory comes from.
    pub fn memory(&self) -> Memory {
        self.memory
    }
}

fn start(config: &EalConfig) -> Result<Eal, Error> {
    let manners = Manners::remember();
    logging::redirect();
    let args = arguments(config, manners.cpus(), hugepages_available(HUGE_MEGABYTES));
    let text = args[1..].join(" ");
    log::debug!("EAL arguments: {text}");
    let mut argv: Vec<*mut c_char> = Vec::with_capacity(args.len() + 1);
    for arg in args {
        // EAL keeps pointers into its arguments: they are never freed.
        argv.push(CString::new(arg.clone()).map_err(|_| Error::Nul(arg))?.into_raw());
    }
    let count = argv.len() as i32;
    argv.push(std::ptr::null_mut());
    // SAFETY: a NULL-terminated vector of writable strings; called once per process (OnceLock).
    let ret = unsafe { dpdk_sys::rte_eal_init(count, argv.leak().as_mut_ptr()) };
    drop(manners);
    if ret < 0 {
        return Err(Error::Eal { args: text, errno: crate::error::rte_errno() });
    }
    // SAFETY: EAL runs.
    let huge = unsafe { dpdk_sys::rte_eal_has_hugepages() } != 0;
    Ok(Eal { memory: if huge { Memory::Hugepages } else { Memory::SmallPages } })
}

/// The argument vector, with the program's name first.
fn arguments(config: &EalConfig, cpus: Option<String>, huge: bool) -> Vec<String> {
    let extra = &config.extra_args;
    let given = |names: &[&str]| {
        extra.iter().any(|arg| names.iter().any(|n| arg == n || arg.starts_with(&format!("{n}="))))
    };
    let mut args: Vec<String> = vec!["libfabric".into(), "--no-telemetry".into()];
    let mut add = |words: &[&str]| args.extend(words.iter().map(|w| (*w).to_owned()));
    if !given(&["--lcores", "-l", "-c", "-S"]) {
        // One lcore on all allowed CPUs: pins nobody and starts no worker thread.
        add(&["--lcores", &cpus.map_or("0".into(), |cpus| format!("0@({cpus})"))]);
    }
    let memory_given = given(&["-m", "--socket-mem"]);
    if given(&["--no-huge"]) || (!huge && !given(&["--in-memory", "--huge-dir"])) {
        if !given(&["--no-huge"]) {
            add(&["--no-huge"]);
        }
        // --in-memory is refused together with --no-huge.
        if !given(&["--no-shconf"]) {
            add(&["--no-shconf"]);
        }
        if !memory_given {
            add(&["-m", &SMALL_MEGABYTES.to_string()]);
        }
    } else {
        if !given(&["--in-memory", "--huge-dir"]) {
            add(&["--in-memory"]);
        }
        // Zero-copy memif and vhost-user pass memory by file descriptor, which wants few of them.
        if !given(&["--single-file-segments", "--legacy-mem"]) {
            add(&["--single-file-segments"]);
        }
        if !memory_given {
            add(&["-m", &HUGE_MEGABYTES.to_string()]);
        }
    }
    if !given(&["--iova-mode"]) && !config.pci {
        add(&["--iova-mode=va"]);
    }
    let names_devices = given(&["-a", "--allow", "-b", "--block"]);
    if !config.pci {
        if !names_devices && !given(&["--no-pci"]) {
            add(&["--no-pci"]);
        }
    } else if !names_devices {
        // An allow list with a device that cannot exist: the bus is scanned, but nothing is taken until it is attached.
        add(&["-a", "ffff:ff:1f.7"]);
    }
    args.extend(extra.iter().cloned());
    args
}

/// True when this process can have so much memory in hugepages.
fn hugepages_available(megabytes: usize) -> bool {
    let Some(size) = default_hugepage_bytes() else { return false };
    let bytes = (megabytes << 20).next_multiple_of(size);
    // SAFETY: creates, sizes and closes a file of our own. fallocate reserves the pages: it fails where they are missing
    // or a control group forbids them, while a mapping would succeed and kill the process later.
    unsafe {
        let fd = libc::memfd_create(c"hugepages".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_HUGETLB);
        if fd < 0 {
            return false;
        }
        let ok = libc::fallocate(fd, 0, 0, bytes as libc::off_t) == 0;
        libc::close(fd);
        ok
    }
}

/// Size of the system's default hugepages, from `/proc/meminfo`.
fn default_hugepage_bytes() -> Option<usize> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|l| l.strip_prefix("Hugepagesize:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    (kib != 0).then_some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(config: &EalConfig, huge: bool) -> String {
        arguments(config, Some("0,1".into()), huge).join(" ")
    }

    #[test]
    fn hugepages_are_used_in_memory_and_done_without() {
        let huge = text(&EalConfig::default(), true);
        assert!(huge.contains("--in-memory --single-file-segments") && !huge.contains("--no-huge"), "{huge}");
        let small = text(&EalConfig::default(), false);
        assert!(small.contains("--no-huge --no-shconf") && !small.contains("--in-memory"), "{small}");
        assert!(small.contains("--lcores 0@(0,1)") && small.contains("--no-pci"), "{small}");
    }

    #[test]
    fn extra_arguments_win() {
        let extra = |words: &str| EalConfig {
            extra_args: words.split(' ').map(str::to_owned).collect(),
            ..EalConfig::default()
        };
        let args = text(&extra("--no-huge -m 64"), true);
        assert!(!args.contains("--in-memory") && args.matches("-m ").count() == 1, "{args}");
        assert!(!text(&extra("-l 3"), true).contains("--lcores"));
        assert!(!text(&extra("-a 0000:01:00.0"), true).contains("--no-pci"));
    }

    #[test]
    fn pci_devices_are_found_but_not_taken() {
        let args = text(&EalConfig { pci: true, ..EalConfig::default() }, true);
        assert!(!args.contains("--no-pci") && args.contains("-a ffff:ff:1f.7"), "{args}");
    }
}
