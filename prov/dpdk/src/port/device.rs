//! From a port's description to a started device: DPDK's arguments for it, and errors that say what to do.

#![forbid(unsafe_code)]

use crate::config::{Device, KernelDriver};
use crate::settings::Settings;
use crate::spec::{AF_XDP_MTU, KernelPort, PortSpec};
use dpdk::{Eal, EalConfig, Error, PortConfig, StartedPort};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of a frame around the IP packet: Ethernet header, VLAN tag, FCS.
const FRAME_OVERHEAD: usize = 14 + 4 + 4;
/// Bytes that the kernel puts in front of a frame in a ring of AF_PACKET (TPACKET2_HDRLEN and alignment, generously).
const PACKET_HEADER: usize = 128;
/// Frames in a ring of AF_PACKET.
const PACKET_FRAMES: usize = 512;
/// Bytes that the kernel keeps free in front of a frame (XDP_PACKET_HEADROOM).
const XDP_HEADROOM: usize = 256;
/// How long a connection that was accepted may take to come up, and how often that is looked at.
const LINK_PATIENCE: Duration = Duration::from_millis(500);
const LINK_LOOK: Duration = Duration::from_millis(2);
/// The socket of a memif when none is named.
const MEMIF_SOCKET: &str = "/run/memif.sock";
/// Bytes of a memif's buffers when nothing is said.
const MEMIF_BUFFER: usize = 2048;
/// Kernel drivers that share a device with DPDK instead of giving it up.
const SHARING_DRIVERS: [&str; 3] = ["mlx5_core", "mlx4_core", "mana"];
/// Kernel drivers that hand a device to user space.
const HANDING_DRIVERS: [&str; 3] = ["vfio-pci", "uio_pci_generic", "igb_uio"];
/// Pause between attempts to reach the other side of a virtual device.
const RETRY: Duration = Duration::from_millis(50);

/// Starts EAL for the configured ports, or gives the running one.
pub fn eal(settings: &Settings) -> Result<&'static Eal, kit::Error> {
    let ports = settings.ports.as_deref().unwrap_or_default();
    let config = EalConfig {
        pci: ports.iter().any(|p| matches!(p.device, Device::Pci { .. })),
        extra_args: settings.eal_args.clone(),
    };
    Eal::init(&config).map_err(|e| {
        log::warn!(
            target: "domain",
            "{e}; check FI_DPDK_EAL_ARGS, or see DPDK's messages with FI_LOG_LEVEL=debug"
        );
        kit::Error::new(abi::FI_ENODEV)
    })
}

/// Opens and starts the device of a port. Each failure is logged once, with its remedy. Errors: `FI_ENODEV` unknown,
/// `FI_EBUSY` in use, `FI_EINVAL` arguments or MTU, `FI_EACCES` privileges, `FI_ENOMEM`.
pub fn start(eal: &'static Eal, spec: &PortSpec, settings: &Settings) -> Result<StartedPort, kit::Error> {
    check(spec)?;
    let arguments = arguments(spec);
    let config = PortConfig {
        mtu: spec.mtu,
        rx_descriptors: settings.rx_ring,
        tx_descriptors: settings.tx_ring,
        spare_mbufs: settings.spare_mbufs,
        least_room: match spec.kernel.map(|k| k.driver) {
            // Mbufs for whole slots of the ring.
            Some(KernelDriver::AfPacket) => packet_ring(spec.mtu, page_size()).0,
            // Mbufs are the kernel's frames, each a page with all headers, of which it takes room for itself.
            Some(KernelDriver::AfXdp) => usize::from(AF_XDP_MTU) + FRAME_OVERHEAD + XDP_HEADROOM,
            None => 0,
        },
        // What fault injection corrupts or doubles must have its checksum before.
        checksum_offload: settings.checksum_offload && settings.faults.is_none(),
        all_multicast: spec.address.ip.is_ipv6(),
        promiscuous: false,
        mac: if spec.kernel.is_some() { None } else { spec.mac.map(|m| m.0) },
    };
    let begin = Instant::now();
    let mut told = false;
    loop {
        let result = dpdk::Device::attach(eal, &arguments).and_then(|device| device.start(eal, &config));
        let late = begin.elapsed() >= settings.link_timeout;
        let error = match result {
            // A memif client whose connection met a server that was not ready yet is never connected: only a new start
            // tries again. A side that comes later still is waited for by nobody.
            Ok(port) if late || !waits_for_peer(&arguments) || comes_up(&port) => return Ok(port),
            Ok(_) => continue,
            Err(error) => error,
        };
        let waits = match error {
            Error::Start { step: "start", .. } => waits_for_peer(&arguments),
            // DPDK cannot tell a socket that nobody listens on yet from a wrong one.
            Error::BadArguments { .. } => connects_to_vhost(&arguments),
            _ => false,
        };
        if !waits || late {
            return Err(explain(spec, &error));
        }
        if !told {
            told = true;
            log::info!(target: "domain", "port '{}': waiting for the other side ({error})", spec.name());
        }
        std::thread::sleep(RETRY);
    }
}

/// Waits a moment for the link of a device whose other side is there.
fn comes_up(port: &StartedPort) -> bool {
    let begin = Instant::now();
    loop {
        if port.rx.link_up() {
            return true;
        }
        if begin.elapsed() >= LINK_PATIENCE {
            return false;
        }
        std::thread::sleep(LINK_LOOK);
    }
}

/// DPDK's text for the device.
fn arguments(spec: &PortSpec) -> String {
    match (&spec.device, spec.kernel) {
        (Device::Kernel { name }, Some(KernelPort { driver: KernelDriver::AfXdp, index, .. })) => {
            format!("net_af_xdp_fi{index},iface={name},start_queue=0,queue_count=1")
        }
        (Device::Kernel { name }, kernel) => {
            let (frame, block) = packet_ring(spec.mtu, page_size());
            let index = kernel.map_or(0, |k| k.index);
            format!(
                "net_af_packet_fi{index},iface={name},qpairs=1,blocksz={block},framesz={frame},framecnt={PACKET_FRAMES}"
            )
        }
        (device, _) => with_large_buffers(device.to_string(), spec.mtu),
    }
}

/// A memif with buffers for whole frames. Frames that take several buffers are garbled by DPDK's driver (22.11) as soon as
/// shorter ones come between them: it leaves the mark "continued" in ring slots. The client's buffers count; the server's
/// argument does no harm.
fn with_large_buffers(arguments: String, mtu: u16) -> String {
    let frame = usize::from(mtu) + FRAME_OVERHEAD;
    let own = arguments.split(',').any(|a| a.starts_with("bsize="));
    if !arguments.starts_with("net_memif") || own || frame <= MEMIF_BUFFER {
        return arguments;
    }
    format!("{arguments},bsize={}", frame.next_multiple_of(64).min(usize::from(u16::MAX)))
}

/// Frame and block size of a ring for AF_PACKET: a block is whole frames and whole pages.
fn packet_ring(mtu: u16, page: usize) -> (usize, usize) {
    let need = usize::from(mtu) + FRAME_OVERHEAD + PACKET_HEADER;
    let frame = if need <= 2048 { 2048 } else { need.next_multiple_of(1024) };
    let mut block = frame.next_multiple_of(page);
    while block % frame != 0 {
        block += page;
    }
    (frame, block)
}

fn page_size() -> usize {
    // 64 KiB pages are the largest in use; a block of whole such pages is one of whole smaller pages too, but larger than
    // needed, so that the real size is asked for where the system says it.
    auxiliary_page_size().unwrap_or(65536)
}

/// The kernel's page size, from the auxiliary vector (AT_PAGESZ, type 6).
fn auxiliary_page_size() -> Option<usize> {
    let auxv = std::fs::read("/proc/self/auxv").ok()?;
    let word = |bytes: &[u8]| bytes.try_into().map(usize::from_ne_bytes).ok();
    let size = size_of::<usize>();
    auxv.chunks_exact(2 * size).find_map(|pair| {
        let (kind, value) = pair.split_at(size);
        (word(kind)? == 6).then(|| word(value))?
    })
}

/// True for devices whose start fails as long as the other side has not started.
fn waits_for_peer(arguments: &str) -> bool {
    let server = |a: &str| matches!(a, "role=server" | "role=master");
    arguments.starts_with("net_memif") && !arguments.split(',').any(server)
}

/// True for a virtio_user device that connects to the socket of a vhost server, which may come up later.
fn connects_to_vhost(arguments: &str) -> bool {
    arguments.starts_with("net_virtio_user")
        && arguments.contains(",path=")
        && !arguments.split(',').any(|a| a == "server=1")
        && !arguments.contains("path=/dev/")
}

/// Looks for what DPDK would report badly or not at all.
fn check(spec: &PortSpec) -> Result<(), kit::Error> {
    match &spec.device {
        Device::Kernel { name } => check_privileges(name),
        Device::Pci { address, .. } => check_pci(address, Path::new("/sys/bus/pci")),
        Device::Vdev { name, args } if name.starts_with("net_memif") => check_memif(name, args),
        Device::Vdev { .. } => Ok(()),
    }
}

/// A memif server's socket must be free: the driver reports one in use like arguments that it does not understand. A file
/// that a killed process left behind is in use by nobody, and goes.
fn check_memif(name: &str, args: &str) -> Result<(), kit::Error> {
    let argument = |key: &str| args.split(',').find_map(|a| a.strip_prefix(key)?.strip_prefix('='));
    if !matches!(argument("role"), Some("server" | "master")) {
        return Ok(());
    }
    let socket = argument("socket").unwrap_or(MEMIF_SOCKET);
    let bound = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    if bound.lines().any(|line| line.split_whitespace().nth(7).is_some_and(|n| is_socket(n, socket))) {
        log::warn!(
            target: "domain",
            "port '{name}': socket '{socket}' is in use by another process: stop that, or name another socket="
        );
        return Err(kit::Error::new(abi::FI_EBUSY));
    }
    let is_file = std::fs::symlink_metadata(socket)
        .is_ok_and(|m| std::os::unix::fs::FileTypeExt::is_socket(&m.file_type()));
    if is_file && argument("socket-abstract") == Some("no") && std::fs::remove_file(socket).is_ok() {
        log::info!(target: "domain", "port '{name}': removed '{socket}', which nobody listens on");
    }
    Ok(())
}

/// True when an entry of /proc/net/unix is a socket of this name: a path, or an abstract name, which is shown with `@` in
/// front and for each NUL byte after it.
fn is_socket(entry: &str, name: &str) -> bool {
    entry == name
        || entry
            .strip_prefix('@')
            .and_then(|e| e.strip_prefix(name))
            .is_some_and(|e| e.bytes().all(|b| b == b'@'))
}

fn check_privileges(name: &str) -> Result<(), kit::Error> {
    match socket2::Socket::new(socket2::Domain::PACKET, socket2::Type::RAW, None) {
        Ok(_) => Ok(()),
        Err(e) => {
            log::warn!(
                target: "domain",
                "port '{name}': packet sockets are not allowed ({e}); run as root, give the program CAP_NET_RAW and \
                 CAP_NET_ADMIN, or use a network namespace of your own (unshare -rn)"
            );
            Err(kit::Error::new(abi::FI_EACCES))
        }
    }
}

fn check_pci(address: &str, bus: &Path) -> Result<(), kit::Error> {
    let device = bus.join("devices").join(address);
    if !device.exists() {
        log::warn!(
            target: "domain",
            "port '{address}': no such PCI device; `dpdk-devbind.py --status-dev net` lists those there are"
        );
        return Err(kit::Error::new(abi::FI_ENODEV));
    }
    let driver = std::fs::read_link(device.join("driver")).ok();
    let driver = driver.as_deref().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or("none");
    if !SHARING_DRIVERS.contains(&driver) && !HANDING_DRIVERS.contains(&driver) {
        log::warn!(
            target: "domain",
            "port '{address}': bound to kernel driver '{driver}', which does not give it to user space; run \
             `dpdk-devbind.py --bind=vfio-pci {address}`"
        );
        return Err(kit::Error::new(abi::FI_ENODEV));
    }
    // A VFIO group can be opened by one process only; DPDK reports this like a missing device.
    let group = std::fs::read_link(device.join("iommu_group")).ok();
    if let Some(group) = group.as_deref().and_then(Path::file_name).filter(|_| driver == "vfio-pci") {
        let file = Path::new("/dev/vfio").join(group);
        if let Err(e) = std::fs::OpenOptions::new().read(true).write(true).open(&file) {
            let (errno, remedy) = match e.raw_os_error() {
                Some(libc::EBUSY) => {
                    (abi::FI_EBUSY, "another process uses it: stop that, or name another port")
                }
                Some(libc::EACCES | libc::EPERM) => (abi::FI_EACCES, "give your user access to the file"),
                _ => return Ok(()),
            };
            log::warn!(target: "domain", "port '{address}': {} cannot be opened ({e}); {remedy}", file.display());
            return Err(kit::Error::new(errno));
        }
    }
    Ok(())
}

/// One log line with the remedy, and the libfabric number.
fn explain(spec: &PortSpec, error: &Error) -> kit::Error {
    let name = spec.name();
    let (errno, remedy) = match error {
        Error::NotFound { .. } => (
            abi::FI_ENODEV,
            "correct FI_DPDK_PORTS, or install the DPDK driver for it (Debian: librte-net-*)",
        ),
        Error::Busy { .. } => {
            (abi::FI_EBUSY, "another process or port uses it: stop that, or name another device")
        }
        Error::BadArguments { .. } => (
            abi::FI_EINVAL,
            "correct its arguments in FI_DPDK_PORTS; FI_LOG_LEVEL=debug shows what the driver says",
        ),
        Error::TooManyPorts { .. } => (abi::FI_ENOSPC, "close domains that are not needed"),
        Error::Mtu { .. } => (abi::FI_EINVAL, "lower mtu= in FI_DPDK_PORTS"),
        Error::Pool { .. } => (
            abi::FI_ENOMEM,
            "free or add hugepages, give EAL more memory (FI_DPDK_EAL_ARGS=\"-m MEGABYTES\"), or lower FI_DPDK_MBUFS",
        ),
        Error::Start { .. } if waits_for_peer(&spec.device.to_string()) => {
            (abi::FI_ENOTCONN, "start the other side first, with the same socket and role=server")
        }
        Error::Start { errno: libc::EBUSY | libc::EADDRINUSE, .. } => {
            (abi::FI_EBUSY, "another process uses it: stop that, or name another device or socket")
        }
        Error::Driver { errno: libc::EACCES | libc::EPERM, .. }
        | Error::Start { errno: libc::EACCES | libc::EPERM, .. } => {
            (abi::FI_EACCES, "run as root or with the capabilities that the driver needs")
        }
        _ => (
            error.errno().filter(|e| *e > 1).unwrap_or(abi::FI_EIO),
            "is it in use by another process? FI_LOG_LEVEL=debug shows what the driver says",
        ),
    };
    log::warn!(target: "domain", "port '{name}': {error}; {remedy}");
    kit::Error::new(errno)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_list;
    use crate::kernel::LinkFacts;

    #[test]
    fn packet_rings_hold_the_mtu_in_whole_pages() {
        for page in [4096, 16384, 65536] {
            for mtu in [576, 1500, 1900, 3000, 9000, 9216, 16000, 64000, 65535] {
                let (frame, block) = packet_ring(mtu, page);
                assert!(frame >= usize::from(mtu) + FRAME_OVERHEAD + 66, "{mtu}");
                assert!(block % frame == 0 && block % page == 0 && frame % 16 == 0, "{mtu} {page}");
            }
        }
        assert_eq!(packet_ring(1500, 4096), (2048, 4096));
        assert!(page_size().is_power_of_two());
    }

    #[test]
    fn device_texts_are_what_dpdk_expects() {
        let facts = || LinkFacts {
            index: 7,
            mac: crate::config::Mac::parse("02:00:00:00:00:01"),
            mtu: 1500,
            up: true,
            ..LinkFacts::default()
        };
        let text = |entry: &str| {
            let config = &parse_list(entry).unwrap()[0];
            arguments(&PortSpec::resolve(config, |_| Ok(Some(facts()))).unwrap())
        };
        assert_eq!(
            text("net_memif0,role=server,socket=/tmp/x=10.0.0.1/24"),
            "net_memif0,role=server,socket=/tmp/x"
        );
        assert_eq!(text("3:00.0=10.0.0.1/24".replace("3:", "03:").as_str()), "0000:03:00.0");
        assert!(text("veth0=10.0.0.1/24").starts_with("net_af_packet_fi7,iface=veth0,"));
        assert!(text("veth0=10.0.0.1/24,drv=af_xdp").starts_with("net_af_xdp_fi7,iface=veth0,"));
    }

    #[test]
    fn memif_buffers_hold_whole_frames() {
        let text = |args: &str, mtu| with_large_buffers(args.to_owned(), mtu);
        assert_eq!(text("net_memif0,role=client", 1500), "net_memif0,role=client");
        assert_eq!(text("net_memif0,role=client", 9000), "net_memif0,role=client,bsize=9024");
        assert_eq!(text("net_memif0,bsize=4096", 9000), "net_memif0,bsize=4096");
        assert_eq!(text("net_tap0", 9000), "net_tap0");
    }

    #[test]
    fn sockets_are_found_by_path_and_by_abstract_name() {
        assert!(is_socket("/tmp/a", "/tmp/a") && is_socket("@a", "a") && is_socket("@a@@@", "a"));
        assert!(!is_socket("@ab", "a") && !is_socket("/tmp/ab", "/tmp/a") && !is_socket("@", "a"));
    }

    #[test]
    fn memif_clients_wait_for_their_server() {
        assert!(waits_for_peer("net_memif0"));
        assert!(waits_for_peer("net_memif0,role=client,socket=/tmp/x"));
        assert!(!waits_for_peer("net_memif0,role=server"));
        assert!(!waits_for_peer("net_tap0"));
    }

    #[test]
    fn pci_devices_must_exist_and_be_free() {
        let root = std::env::temp_dir().join(format!("fi-pci-{}", std::process::id()));
        let device = root.join("devices/0000:01:00.0");
        std::fs::create_dir_all(&device).unwrap();
        let code = |address: &str| check_pci(address, &root).map_err(|e| e.code());
        assert_eq!(code("0000:02:00.0"), Err(abi::FI_ENODEV));
        assert_eq!(code("0000:01:00.0"), Err(abi::FI_ENODEV), "no driver");
        std::os::unix::fs::symlink("/x/drivers/e1000", device.join("driver")).unwrap();
        assert_eq!(code("0000:01:00.0"), Err(abi::FI_ENODEV), "a kernel driver");
        std::fs::remove_file(device.join("driver")).unwrap();
        std::os::unix::fs::symlink("/x/drivers/vfio-pci", device.join("driver")).unwrap();
        assert_eq!(code("0000:01:00.0"), Ok(()));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
