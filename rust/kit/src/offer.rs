//! What a provider offers: a whole `fi_info` as a Rust value, before it is held against an application's hints.

use std::net::SocketAddr;

/// One way to communicate. Field names and meanings are those of fi_getinfo(3) and fi_endpoint(3).
///
/// The C attribute structs are used as they are, for their numbers only: their pointers stay NULL, and names and
/// addresses stand beside them as Rust values.
#[derive(Clone)]
pub struct Offer {
    /// Every capability that can be granted.
    pub caps: u64,
    /// Those of them that are granted even when not asked for, since they cost nothing.
    pub free_caps: u64,
    /// Modes that the application must support.
    pub mode: u64,
    /// `FI_SOCKADDR_IN` or `FI_SOCKADDR_IN6`, after the source address.
    pub addr_format: u32,
    pub src: Option<SocketAddr>,
    pub dest: Option<SocketAddr>,
    /// `size` and `op_flags` are the defaults.
    pub tx: abi::fi_tx_attr,
    pub rx: abi::fi_rx_attr,
    pub ep: abi::fi_ep_attr,
    pub domain: abi::fi_domain_attr,
    /// Largest `size` that an application may ask for.
    pub max_tx_size: usize,
    pub max_rx_size: usize,
    /// Operation flags that may be asked for as defaults.
    pub tx_op_flags: u64,
    pub rx_op_flags: u64,
    pub domain_name: String,
    pub fabric_name: String,
    pub nic: Option<Nic>,
}

/// Facts about the hardware behind an offer, for `fi_info -v`.
#[derive(Clone, Debug, Default)]
pub struct Nic {
    pub name: String,
    pub driver: String,
    /// `domain:bus:device.function`.
    pub pci: Option<(u16, u8, u8, u8)>,
    /// Link address as text.
    pub address: String,
    pub mtu: usize,
    /// Bits per second; 0 unknown.
    pub speed: usize,
    /// None: not known.
    pub up: Option<bool>,
}

impl Offer {
    /// An offer of nothing; the provider fills it. Counts that the kit itself serves are set.
    pub fn new(ep_type: abi::fi_ep_type) -> Offer {
        // SAFETY: the attribute structs are plain numbers and pointers, for which zero bytes are valid.
        let (tx, rx, mut ep, mut domain): (
            abi::fi_tx_attr,
            abi::fi_rx_attr,
            abi::fi_ep_attr,
            abi::fi_domain_attr,
        ) = unsafe { std::mem::zeroed() };
        ep.r#type = ep_type;
        (ep.tx_ctx_cnt, ep.rx_ctx_cnt) = (1, 1);
        domain.threading = abi::FI_THREAD_SAFE;
        domain.control_progress = abi::FI_PROGRESS_MANUAL;
        domain.data_progress = abi::FI_PROGRESS_MANUAL;
        domain.resource_mgmt = abi::FI_RM_ENABLED;
        domain.av_type = abi::FI_AV_UNSPEC;
        domain.mr_key_size = std::mem::size_of::<u64>();
        domain.cq_data_size = std::mem::size_of::<u64>();
        domain.cq_cnt = 1 << 16;
        domain.ep_cnt = 1 << 15;
        domain.tx_ctx_cnt = 1 << 15;
        domain.rx_ctx_cnt = 1 << 15;
        (domain.max_ep_tx_ctx, domain.max_ep_rx_ctx) = (1, 1);
        domain.mr_iov_limit = crate::IOV_LIMIT;
        domain.mr_cnt = 1 << 16;
        domain.max_err_data = 0;
        Offer {
            caps: 0,
            free_caps: 0,
            mode: 0,
            addr_format: abi::FI_SOCKADDR_IN,
            src: None,
            dest: None,
            tx,
            rx,
            ep,
            domain,
            max_tx_size: 0,
            max_rx_size: 0,
            tx_op_flags: 0,
            rx_op_flags: 0,
            domain_name: String::new(),
            fabric_name: String::new(),
            nic: None,
        }
    }

    /// Sets the source address and the format that follows from it.
    pub fn with_src(mut self, src: SocketAddr) -> Offer {
        self.addr_format = match src {
            SocketAddr::V4(_) => abi::FI_SOCKADDR_IN,
            SocketAddr::V6(_) => abi::FI_SOCKADDR_IN6,
        };
        self.src = Some(src);
        self
    }
}
