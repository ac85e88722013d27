//! Discovery and the root objects: `fi_info` and its attributes, `fid`, fabrics, capability and mode bits.
//!
//! The C side is `rdma/fabric.h`; names, values and layouts are the same.
#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use libc::{c_char, c_int, c_uint, c_void};

/// What `fi_addr_t` values of an address vector are.
pub type fi_av_type = u32;
pub const FI_AV_UNSPEC: fi_av_type = 0;
pub const FI_AV_MAP: fi_av_type = 1;
pub const FI_AV_TABLE: fi_av_type = 2;

/// Who drives operations forward.
pub type fi_progress = u32;
pub const FI_PROGRESS_UNSPEC: fi_progress = 0;
pub const FI_PROGRESS_AUTO: fi_progress = 1;
pub const FI_PROGRESS_MANUAL: fi_progress = 2;
pub const FI_PROGRESS_CONTROL_UNIFIED: fi_progress = 3;

/// What the application promises about threads.
pub type fi_threading = u32;
pub const FI_THREAD_UNSPEC: fi_threading = 0;
pub const FI_THREAD_SAFE: fi_threading = 1;
pub const FI_THREAD_FID: fi_threading = 2;
pub const FI_THREAD_DOMAIN: fi_threading = 3;
pub const FI_THREAD_COMPLETION: fi_threading = 4;
pub const FI_THREAD_ENDPOINT: fi_threading = 5;

/// Who guards against overruns.
pub type fi_resource_mgmt = u32;
pub const FI_RM_UNSPEC: fi_resource_mgmt = 0;
pub const FI_RM_DISABLED: fi_resource_mgmt = 1;
pub const FI_RM_ENABLED: fi_resource_mgmt = 2;

/// Kind of endpoint.
pub type fi_ep_type = u32;
pub const FI_EP_UNSPEC: fi_ep_type = 0;
pub const FI_EP_MSG: fi_ep_type = 1;
pub const FI_EP_DGRAM: fi_ep_type = 2;
pub const FI_EP_RDM: fi_ep_type = 3;

pub type fi_bus_type = u32;
pub const FI_BUS_UNSPEC: fi_bus_type = 0;
pub const FI_BUS_UNKNOWN: fi_bus_type = 0;
pub const FI_BUS_PCI: fi_bus_type = 1;

pub type fi_link_state = u32;
pub const FI_LINK_UNKNOWN: fi_link_state = 0;
pub const FI_LINK_DOWN: fi_link_state = 1;
pub const FI_LINK_UP: fi_link_state = 2;

/// What `fi_tostr` prints.
pub type fi_type = u32;
pub const FI_TYPE_INFO: fi_type = 0;
pub const FI_TYPE_EP_TYPE: fi_type = 1;
pub const FI_TYPE_CAPS: fi_type = 2;
pub const FI_TYPE_OP_FLAGS: fi_type = 3;
pub const FI_TYPE_ADDR_FORMAT: fi_type = 4;
pub const FI_TYPE_TX_ATTR: fi_type = 5;
pub const FI_TYPE_RX_ATTR: fi_type = 6;
pub const FI_TYPE_EP_ATTR: fi_type = 7;
pub const FI_TYPE_DOMAIN_ATTR: fi_type = 8;
pub const FI_TYPE_FABRIC_ATTR: fi_type = 9;
pub const FI_TYPE_THREADING: fi_type = 10;
pub const FI_TYPE_PROGRESS: fi_type = 11;
pub const FI_TYPE_PROTOCOL: fi_type = 12;
pub const FI_TYPE_MSG_ORDER: fi_type = 13;
pub const FI_TYPE_MODE: fi_type = 14;
pub const FI_TYPE_AV_TYPE: fi_type = 15;
pub const FI_TYPE_ATOMIC_TYPE: fi_type = 16;
pub const FI_TYPE_ATOMIC_OP: fi_type = 17;
pub const FI_TYPE_VERSION: fi_type = 18;
pub const FI_TYPE_EQ_EVENT: fi_type = 19;
pub const FI_TYPE_CQ_EVENT_FLAGS: fi_type = 20;
pub const FI_TYPE_MR_MODE: fi_type = 21;
pub const FI_TYPE_OP_TYPE: fi_type = 22;
pub const FI_TYPE_FID: fi_type = 23;
pub const FI_TYPE_COLLECTIVE_OP: fi_type = 24;
pub const FI_TYPE_HMEM_IFACE: fi_type = 25;
pub const FI_TYPE_CQ_FORMAT: fi_type = 26;
pub const FI_TYPE_LOG_LEVEL: fi_type = 27;
pub const FI_TYPE_LOG_SUBSYS: fi_type = 28;
pub const FI_TYPE_AV_ATTR: fi_type = 29;
pub const FI_TYPE_CQ_ATTR: fi_type = 30;
pub const FI_TYPE_MR_ATTR: fi_type = 31;
pub const FI_TYPE_CNTR_ATTR: fi_type = 32;
pub const FI_TYPE_CQ_ERR_ENTRY: fi_type = 33;
pub const FI_TYPE_CQ_WAIT_COND: fi_type = 34;
pub const FI_TYPE_WAIT_OBJ: fi_type = 35;

/// Type of an environment parameter.
pub type fi_param_type = u32;
pub const FI_PARAM_STRING: fi_param_type = 0;
pub const FI_PARAM_INT: fi_param_type = 1;
pub const FI_PARAM_BOOL: fi_param_type = 2;
pub const FI_PARAM_SIZE_T: fi_param_type = 3;

pub const FI_NAME_MAX: c_int = 64;
pub const FI_ATOMIC_OP_LAST: c_int = 19;
pub const FI_DATATYPE_LAST: c_int = 14;

pub const FI_FORMAT_UNSPEC: u32 = 0;
pub const FI_SOCKADDR: u32 = 1;
pub const FI_SOCKADDR_IN: u32 = 2;
pub const FI_SOCKADDR_IN6: u32 = 3;
pub const FI_SOCKADDR_IB: u32 = 4;
pub const FI_ADDR_PSMX: u32 = 5;
pub const FI_ADDR_GNI: u32 = 6;
pub const FI_ADDR_BGQ: u32 = 7;
pub const FI_ADDR_MLX: u32 = 8;
pub const FI_ADDR_STR: u32 = 9;
pub const FI_ADDR_PSMX2: u32 = 10;
pub const FI_ADDR_IB_UD: u32 = 11;
pub const FI_ADDR_EFA: u32 = 12;
pub const FI_ADDR_PSMX3: u32 = 13;
pub const FI_ADDR_OPX: u32 = 14;
pub const FI_ADDR_CXI: u32 = 15;
pub const FI_ADDR_UCX: u32 = 16;
pub const FI_SOCKADDR_IP: u32 = 17;

pub const FI_PROTO_UNSPEC: u32 = 0;
pub const FI_PROTO_RDMA_CM_IB_RC: u32 = 1;
pub const FI_PROTO_IWARP: u32 = 2;
pub const FI_PROTO_IB_UD: u32 = 3;
pub const FI_PROTO_PSMX: u32 = 4;
pub const FI_PROTO_UDP: u32 = 5;
pub const FI_PROTO_SOCK_TCP: u32 = 6;
pub const FI_PROTO_MXM: u32 = 7;
pub const FI_PROTO_IWARP_RDM: u32 = 8;
pub const FI_PROTO_IB_RDM: u32 = 9;
pub const FI_PROTO_GNI: u32 = 10;
pub const FI_PROTO_RXM: u32 = 11;
pub const FI_PROTO_RXD: u32 = 12;
pub const FI_PROTO_MLX: u32 = 13;
pub const FI_PROTO_NETWORKDIRECT: u32 = 14;
pub const FI_PROTO_PSMX2: u32 = 15;
pub const FI_PROTO_SHM: u32 = 16;
pub const FI_PROTO_MRAIL: u32 = 17;
pub const FI_PROTO_RSTREAM: u32 = 18;
pub const FI_PROTO_RDMA_CM_IB_XRC: u32 = 19;
pub const FI_PROTO_EFA: u32 = 20;
pub const FI_PROTO_PSMX3: u32 = 21;
pub const FI_PROTO_RXM_TCP: u32 = 22;
pub const FI_PROTO_OPX: u32 = 23;
pub const FI_PROTO_CXI: u32 = 24;
pub const FI_PROTO_XNET: u32 = 25;
pub const FI_PROTO_COLL: u32 = 26;
pub const FI_PROTO_UCX: u32 = 27;
pub const FI_PROTO_SM2: u32 = 28;
pub const FI_PROTO_CXI_RNR: u32 = 29;
pub const FI_PROTO_LPP: u32 = 30;
pub const FI_PROTO_LNX: u32 = 31;

pub const FI_TAG_BITS: c_int = 0;
pub const FI_TAG_MPI: c_int = 1;
pub const FI_TAG_CCL: c_int = 2;
pub const FI_TAG_MAX_FORMAT: c_int = 1 << 16;

pub const FI_TC_UNSPEC: c_int = 0;
pub const FI_TC_DSCP: c_int = 256;
pub const FI_TC_LABEL: c_int = 512;
pub const FI_TC_BEST_EFFORT: c_int = 512;
pub const FI_TC_LOW_LATENCY: c_int = 513;
pub const FI_TC_DEDICATED_ACCESS: c_int = 514;
pub const FI_TC_BULK_DATA: c_int = 515;
pub const FI_TC_SCAVENGER: c_int = 516;
pub const FI_TC_NETWORK_CTRL: c_int = 517;

pub const FI_CLASS_UNSPEC: c_int = 0;
pub const FI_CLASS_FABRIC: c_int = 1;
pub const FI_CLASS_DOMAIN: c_int = 2;
pub const FI_CLASS_EP: c_int = 3;
pub const FI_CLASS_SEP: c_int = 4;
pub const FI_CLASS_RX_CTX: c_int = 5;
pub const FI_CLASS_SRX_CTX: c_int = 6;
pub const FI_CLASS_TX_CTX: c_int = 7;
pub const FI_CLASS_STX_CTX: c_int = 8;
pub const FI_CLASS_PEP: c_int = 9;
pub const FI_CLASS_INTERFACE: c_int = 10;
pub const FI_CLASS_AV: c_int = 11;
pub const FI_CLASS_MR: c_int = 12;
pub const FI_CLASS_EQ: c_int = 13;
pub const FI_CLASS_CQ: c_int = 14;
pub const FI_CLASS_CNTR: c_int = 15;
pub const FI_CLASS_WAIT: c_int = 16;
pub const FI_CLASS_POLL: c_int = 17;
pub const FI_CLASS_CONNREQ: c_int = 18;
pub const FI_CLASS_MC: c_int = 19;
pub const FI_CLASS_NIC: c_int = 20;
pub const FI_CLASS_AV_SET: c_int = 21;
pub const FI_CLASS_MR_CACHE: c_int = 22;
pub const FI_CLASS_MEM_MONITOR: c_int = 23;
pub const FI_CLASS_PEER_CQ: c_int = 24;
pub const FI_CLASS_PEER_SRX: c_int = 25;
pub const FI_CLASS_LOG: c_int = 26;
pub const FI_CLASS_PEER_AV: c_int = 27;
pub const FI_CLASS_PEER_AV_SET: c_int = 28;
pub const FI_CLASS_PEER_CNTR: c_int = 29;
pub const FI_CLASS_PROFILE: c_int = 30;

pub const FI_GETFIDFLAG: c_int = 0;
pub const FI_SETFIDFLAG: c_int = 1;
pub const FI_GETOPSFLAG: c_int = 2;
pub const FI_SETOPSFLAG: c_int = 3;
pub const FI_ALIAS: c_int = 4;
pub const FI_GETWAIT: c_int = 5;
pub const FI_ENABLE: c_int = 6;
pub const FI_BACKLOG: c_int = 7;
pub const FI_GET_RAW_MR: c_int = 8;
pub const FI_MAP_RAW_MR: c_int = 9;
pub const FI_UNMAP_KEY: c_int = 10;
pub const FI_QUEUE_WORK: c_int = 11;
pub const FI_CANCEL_WORK: c_int = 12;
pub const FI_FLUSH_WORK: c_int = 13;
pub const FI_REFRESH: c_int = 14;
pub const FI_DUP: c_int = 15;
pub const FI_GETWAITOBJ: c_int = 16;
pub const FI_GET_VAL: c_int = 17;
pub const FI_SET_VAL: c_int = 18;
pub const FI_EXPORT_FID: c_int = 19;
pub const FI_GET_FD: c_int = 20;

pub const FI_MAJOR_VERSION: c_int = 2;
pub const FI_MINOR_VERSION: c_int = 6;
pub const FI_REVISION_VERSION: c_int = 0;

pub const FI_MSG: u64 = 2;
pub const FI_RMA: u64 = 4;
pub const FI_TAGGED: u64 = 8;
pub const FI_ATOMIC: u64 = 16;
pub const FI_ATOMICS: u64 = 16;
pub const FI_MULTICAST: u64 = 32;
pub const FI_COLLECTIVE: u64 = 64;
pub const FI_READ: u64 = 256;
pub const FI_WRITE: u64 = 512;
pub const FI_RECV: u64 = 1 << 10;
pub const FI_SEND: u64 = 1 << 11;
pub const FI_TRANSMIT: u64 = 1 << 11;
pub const FI_REMOTE_READ: u64 = 1 << 12;
pub const FI_REMOTE_WRITE: u64 = 1 << 13;
pub const FI_MULTI_RECV: u64 = 1 << 16;
pub const FI_REMOTE_CQ_DATA: u64 = 1 << 17;
pub const FI_MORE: u64 = 1 << 18;
pub const FI_PEEK: u64 = 1 << 19;
pub const FI_TRIGGER: u64 = 1 << 20;
pub const FI_FENCE: u64 = 1 << 21;
pub const FI_COMPLETION: u64 = 1 << 24;
pub const FI_EVENT: u64 = 1 << 24;
pub const FI_INJECT: u64 = 1 << 25;
pub const FI_INJECT_COMPLETE: u64 = 1 << 26;
pub const FI_TRANSMIT_COMPLETE: u64 = 1 << 27;
pub const FI_DELIVERY_COMPLETE: u64 = 1 << 28;
pub const FI_AFFINITY: u64 = 1 << 29;
pub const FI_COMMIT_COMPLETE: u64 = 1 << 30;
pub const FI_MATCH_COMPLETE: u64 = 1 << 31;
pub const FI_RESCAN: u64 = 1 << 35;
pub const FI_PEER_TRANSFER: u64 = 1 << 36;
pub const FI_AV_USER_ID: u64 = 1 << 41;
pub const FI_FIREWALL_ADDR: u64 = 1 << 42;
pub const FI_PEER: u64 = 1 << 43;
pub const FI_TAGGED_DIRECTED_RECV: u64 = 1 << 45;
pub const FI_TAGGED_MULTI_RECV: u64 = 1 << 46;
pub const FI_HMEM: u64 = 1 << 47;
pub const FI_EXACT_DIRECTED_RECV: u64 = 1 << 48;
pub const FI_RMA_PMEM: u64 = 1 << 49;
pub const FI_SOURCE_ERR: u64 = 1 << 50;
pub const FI_LOCAL_COMM: u64 = 1 << 51;
pub const FI_REMOTE_COMM: u64 = 1 << 52;
pub const FI_SHARED_AV: u64 = 1 << 53;
pub const FI_PROV_ATTR_ONLY: u64 = 1 << 54;
pub const FI_NUMERICHOST: u64 = 1 << 55;
pub const FI_RMA_EVENT: u64 = 1 << 56;
pub const FI_SOURCE: u64 = 1 << 57;
pub const FI_NAMED_RX_CTX: u64 = 1 << 58;
pub const FI_DIRECTED_RECV: u64 = 1 << 59;
pub const FI_CLAIM: u64 = 1 << 59;
pub const FI_DISCARD: u64 = 1 << 58;
pub const FI_AUTH_KEY: u64 = 1 << 57;

/// Any source, or an address not known.
pub const FI_ADDR_UNSPEC: u64 = u64::MAX;
/// The address is not in the address vector.
pub const FI_ADDR_NOTAVAIL: u64 = u64::MAX;
pub const FI_KEY_NOTAVAIL: u64 = u64::MAX;
pub const FI_SHARED_CONTEXT: u64 = u64::MAX;
pub const FI_AV_AUTH_KEY: u64 = u64::MAX;

pub const FI_MR_UNSPEC: c_int = 0;
pub const FI_MR_BASIC: c_int = 1;
pub const FI_MR_SCALABLE: c_int = 2;
pub const FI_MR_LOCAL: c_int = 4;
pub const FI_MR_RAW: c_int = 8;
pub const FI_MR_VIRT_ADDR: c_int = 16;
pub const FI_MR_ALLOCATED: c_int = 32;
pub const FI_MR_PROV_KEY: c_int = 64;
pub const FI_MR_MMU_NOTIFY: c_int = 128;
pub const FI_MR_RMA_EVENT: c_int = 256;
pub const FI_MR_ENDPOINT: c_int = 512;
pub const FI_MR_HMEM: c_int = 1 << 10;
pub const FI_MR_COLLECTIVE: c_int = 1 << 11;

pub const FI_ORDER_NONE: u64 = 0;
pub const FI_ORDER_RAR: u64 = 1;
pub const FI_ORDER_RAW: u64 = 2;
pub const FI_ORDER_RAS: u64 = 4;
pub const FI_ORDER_WAR: u64 = 8;
pub const FI_ORDER_WAW: u64 = 16;
pub const FI_ORDER_WAS: u64 = 32;
pub const FI_ORDER_SAR: u64 = 64;
pub const FI_ORDER_SAW: u64 = 128;
pub const FI_ORDER_SAS: u64 = 256;

pub const FI_ORDER_STRICT: c_int = 511;

pub const FI_ORDER_RMA_RAR: u64 = 1 << 32;
pub const FI_ORDER_RMA_RAW: u64 = 1 << 33;
pub const FI_ORDER_RMA_WAR: u64 = 1 << 34;
pub const FI_ORDER_RMA_WAW: u64 = 1 << 35;
pub const FI_ORDER_ATOMIC_RAR: u64 = 1 << 36;
pub const FI_ORDER_ATOMIC_RAW: u64 = 1 << 37;
pub const FI_ORDER_ATOMIC_WAR: u64 = 1 << 38;
pub const FI_ORDER_ATOMIC_WAW: u64 = 1 << 39;
pub const FI_ORDER_DATA: u64 = 1 << 16;
pub const FI_CONTEXT: u64 = 1 << 59;
pub const FI_MSG_PREFIX: u64 = 1 << 58;
pub const FI_ASYNC_IOV: u64 = 1 << 57;
pub const FI_RX_CQ_DATA: u64 = 1 << 56;
pub const FI_LOCAL_MR: u64 = 1 << 55;
pub const FI_CONTEXT2: u64 = 1 << 52;
pub const FI_SELECTIVE_COMPLETION: u64 = 1 << 59;
pub const FI_VARIABLE_MSG: u64 = 0;
pub const FI_NOTIFY_FLAGS_ONLY: u64 = 0;
pub const FI_RESTRICTED_COMP: u64 = 0;

pub const FI_EP_SOCK_STREAM: c_int = 0;

/// A local buffer counted in datatype elements, for atomics.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_ioc {
    pub addr: *mut c_void,
    pub count: usize,
}

/// Attributes of an endpoint's transmit context.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_tx_attr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub inject_size: usize,
    pub size: usize,
    pub iov_limit: usize,
    pub rma_iov_limit: usize,
    pub tclass: u32,
}

/// Attributes of an endpoint's receive context.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_rx_attr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub total_buffered_recv: usize,
    pub size: usize,
    pub iov_limit: usize,
}

/// Attributes of an endpoint: type, protocol, limits, ordering bounds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_ep_attr {
    pub r#type: fi_ep_type,
    pub protocol: u32,
    pub protocol_version: u32,
    pub max_msg_size: usize,
    pub msg_prefix_size: usize,
    pub max_order_raw_size: usize,
    pub max_order_war_size: usize,
    pub max_order_waw_size: usize,
    pub mem_tag_format: u64,
    pub tx_ctx_cnt: usize,
    pub rx_ctx_cnt: usize,
    pub auth_key_size: usize,
    pub auth_key: *mut u8,
}

/// Attributes and limits of a domain.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_domain_attr {
    pub domain: *mut fid_domain,
    pub name: *mut c_char,
    pub threading: fi_threading,
    pub control_progress: fi_progress,
    /// Data progress model. The same four bytes are also named `progress` in C since 2.0.
    pub data_progress: fi_progress,
    pub resource_mgmt: fi_resource_mgmt,
    pub av_type: fi_av_type,
    pub mr_mode: c_int,
    pub mr_key_size: usize,
    pub cq_data_size: usize,
    pub cq_cnt: usize,
    pub ep_cnt: usize,
    pub tx_ctx_cnt: usize,
    pub rx_ctx_cnt: usize,
    pub max_ep_tx_ctx: usize,
    pub max_ep_rx_ctx: usize,
    pub max_ep_stx_ctx: usize,
    pub max_ep_srx_ctx: usize,
    pub cntr_cnt: usize,
    pub mr_iov_limit: usize,
    pub caps: u64,
    pub mode: u64,
    pub auth_key: *mut u8,
    pub auth_key_size: usize,
    pub max_err_data: usize,
    pub mr_cnt: usize,
    pub tclass: u32,
    pub max_ep_auth_key: usize,
    pub max_group_id: u32,
    pub max_cntr_value: u64,
    pub max_err_cntr_value: u64,
}

/// Attributes of a fabric and the provider behind it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_fabric_attr {
    pub fabric: *mut fid_fabric,
    pub name: *mut c_char,
    pub prov_name: *mut c_char,
    pub prov_version: u32,
    pub api_version: u32,
}

/// One way to communicate that a provider offers, or a caller's hints. Lists are linked through `next`; C frees it, so C's allocator made it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_info {
    pub next: *mut fi_info,
    pub caps: u64,
    pub mode: u64,
    pub addr_format: u32,
    pub src_addrlen: usize,
    pub dest_addrlen: usize,
    pub src_addr: *mut c_void,
    pub dest_addr: *mut c_void,
    pub handle: *mut fid,
    pub tx_attr: *mut fi_tx_attr,
    pub rx_attr: *mut fi_rx_attr,
    pub ep_attr: *mut fi_ep_attr,
    pub domain_attr: *mut fi_domain_attr,
    pub fabric_attr: *mut fi_fabric_attr,
    pub nic: *mut fid_nic,
}

/// Identity of a device.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_device_attr {
    pub name: *mut c_char,
    pub device_id: *mut c_char,
    pub device_version: *mut c_char,
    pub vendor_id: *mut c_char,
    pub driver: *mut c_char,
    pub firmware: *mut c_char,
}

/// Where a device sits on the PCI bus.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_pci_attr {
    pub domain_id: u16,
    pub bus_id: u8,
    pub device_id: u8,
    pub function_id: u8,
}

/// The union member `attr` of [`fi_bus_attr`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union fi_bus_attr_attr {
    pub pci: fi_pci_attr,
}

/// The bus a device is on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_bus_attr {
    pub bus_type: fi_bus_type,
    pub attr: fi_bus_attr_attr,
}

/// State and speed of a link.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_link_attr {
    pub address: *mut c_char,
    pub mtu: usize,
    pub speed: usize,
    pub state: fi_link_state,
    pub network_type: *mut c_char,
}

/// Operations that every object has. `size` counts the bytes of the table that the provider filled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops {
    pub size: usize,
    pub close: Option<unsafe extern "C" fn(fid: *mut fid) -> c_int>,
    pub bind: Option<unsafe extern "C" fn(fid: *mut fid, bfid: *mut fid, flags: u64) -> c_int>,
    pub control: Option<unsafe extern "C" fn(fid: *mut fid, command: c_int, arg: *mut c_void) -> c_int>,
    pub ops_open: Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            name: *const c_char,
            flags: u64,
            ops: *mut *mut c_void,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub tostr: Option<unsafe extern "C" fn(fid: *const fid, buf: *mut c_char, len: usize) -> c_int>,
    pub ops_set: Option<
        unsafe extern "C" fn(
            fid: *mut fid,
            name: *const c_char,
            flags: u64,
            ops: *mut c_void,
            context: *mut c_void,
        ) -> c_int,
    >,
}

/// The common head of every object: its class, the caller's context and the operations all objects share.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid {
    pub fclass: usize,
    pub context: *mut c_void,
    pub ops: *mut fi_ops,
}

/// Operations of a fabric.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_fabric {
    pub size: usize,
    pub domain: Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            dom: *mut *mut fid_domain,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub passive_ep: Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            pep: *mut *mut fid_pep,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub eq_open: Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            attr: *mut fi_eq_attr,
            eq: *mut *mut fid_eq,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub wait_open: Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            attr: *mut fi_wait_attr,
            waitset: *mut *mut fid_wait,
        ) -> c_int,
    >,
    pub trywait:
        Option<unsafe extern "C" fn(fabric: *mut fid_fabric, fids: *mut *mut fid, count: c_int) -> c_int>,
    pub domain2: Option<
        unsafe extern "C" fn(
            fabric: *mut fid_fabric,
            info: *mut fi_info,
            dom: *mut *mut fid_domain,
            flags: u64,
            context: *mut c_void,
        ) -> c_int,
    >,
}

/// A fabric: the set of resources that belong to one network.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_fabric {
    pub fid: fid,
    pub ops: *mut fi_ops_fabric,
    pub api_version: u32,
}

/// Facts about the hardware behind a domain.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_nic {
    pub fid: fid,
    pub device_attr: *mut fi_device_attr,
    pub bus_attr: *mut fi_bus_attr,
    pub link_attr: *mut fi_link_attr,
    pub prov_attr: *mut c_void,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_alias {
    pub fid: *mut *mut fid,
    pub flags: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_fid_var {
    pub name: c_int,
    pub val: *mut c_void,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_mr_raw_attr {
    pub flags: u64,
    pub base_addr: *mut u64,
    pub raw_key: *mut u8,
    pub key_size: *mut usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_mr_map_raw {
    pub flags: u64,
    pub base_addr: u64,
    pub raw_key: *mut u8,
    pub key_size: usize,
    pub key: *mut u64,
}

/// One environment parameter as `fi_getparams` lists it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_param {
    pub name: *const c_char,
    pub r#type: fi_param_type,
    pub help_string: *const c_char,
    pub value: *const c_char,
}

/// Operation context that a provider with mode `FI_CONTEXT` may use until completion.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_context {
    pub internal: [*mut c_void; 4],
}

/// Larger operation context for mode `FI_CONTEXT2`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_context2 {
    pub internal: [*mut c_void; 8],
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_recv_context {
    pub ep: *mut fid_ep,
    pub context: *mut c_void,
}

/// A mapped address: an index or handle that an address vector gives out.
pub type fi_addr_t = u64;
/// Pointer to the common part of every object.
pub type fid_t = *mut fid;

/// Packs an API version: major in the high 16 bits, minor in the low 16.
pub const fn FI_VERSION(major: u32, minor: u32) -> u32 {
    (major << 16) | minor
}
/// The major part of a packed version.
pub const fn FI_MAJOR(version: u32) -> u32 {
    version >> 16
}
/// The minor part of a packed version.
pub const fn FI_MINOR(version: u32) -> u32 {
    version & 0xffff
}
/// True when `v1` is the same version as `v2` or a later one.
pub const fn FI_VERSION_GE(v1: u32, v2: u32) -> bool {
    v1 >= v2
}
/// The API level of this tree.
pub const API_VERSION: u32 = FI_VERSION(FI_MAJOR_VERSION as u32, FI_MINOR_VERSION as u32);
