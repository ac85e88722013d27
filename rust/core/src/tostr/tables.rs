//! Names of values and flag bits.

use crate::log::{LEVELS, SUBSYSTEMS};

/// Names of flag bits, in the order in which they are printed: that of every libfabric, whatever the bits' places.
pub(super) struct Bits(&'static [(u64, &'static str)]);

impl Bits {
    /// The names of the set bits, separated by commas. Bits without a name add nothing.
    pub(super) fn join(&self, value: u64) -> String {
        let named: Vec<&str> =
            self.0.iter().filter(|(bit, _)| value & bit != 0).map(|(_, name)| *name).collect();
        named.join(", ")
    }

    /// The set bits that have no name here.
    pub(super) fn unnamed(&self, value: u64) -> u64 {
        self.0.iter().fold(value, |rest, (bit, _)| rest & !bit)
    }
}

/// Names of the values of an enumeration.
pub(super) struct Values {
    known: &'static [(u32, &'static str)],
    /// Whether values with the top bit belong to providers.
    provider_specific: bool,
}

/// The bit that marks a provider's own formats and protocols.
const PROVIDER_SPECIFIC: u32 = 1 << 31;

impl Values {
    pub(super) fn name(&self, value: u32) -> &'static str {
        if let Some((_, name)) = self.known.iter().find(|(v, _)| *v == value) {
            return name;
        }
        if self.provider_specific && value & PROVIDER_SPECIFIC != 0 { "Provider specific" } else { "Unknown" }
    }
}

macro_rules! bits {
    ($($name:ident)*) => { Bits(&[$((abi::$name as u64, stringify!($name))),*]) };
}
macro_rules! table {
    ($($name:ident)*) => { Values { known: &[$((abi::$name as u32, stringify!($name))),*], provider_specific: false } };
}

pub(super) const CAPS: Bits = bits! {
    FI_MSG FI_RMA FI_TAGGED FI_ATOMIC FI_MULTICAST FI_COLLECTIVE FI_READ FI_WRITE FI_RECV FI_SEND FI_REMOTE_READ
    FI_REMOTE_WRITE FI_MULTI_RECV FI_REMOTE_CQ_DATA FI_TRIGGER FI_FENCE FI_RMA_PMEM FI_SOURCE_ERR FI_LOCAL_COMM
    FI_REMOTE_COMM FI_SHARED_AV FI_RMA_EVENT FI_SOURCE FI_NAMED_RX_CTX FI_DIRECTED_RECV FI_HMEM FI_PEER_TRANSFER
    FI_AV_USER_ID FI_FIREWALL_ADDR FI_PEER FI_TAGGED_DIRECTED_RECV FI_TAGGED_MULTI_RECV FI_EXACT_DIRECTED_RECV
};

pub(super) const OP_FLAGS: Bits = bits! {
    FI_MULTICAST FI_MULTI_RECV FI_REMOTE_CQ_DATA FI_MORE FI_PEEK FI_TRIGGER FI_FENCE FI_COMPLETION FI_INJECT
    FI_INJECT_COMPLETE FI_TRANSMIT_COMPLETE FI_DELIVERY_COMPLETE FI_COMMIT_COMPLETE FI_MATCH_COMPLETE FI_AFFINITY
    FI_CLAIM FI_DISCARD FI_PEER_TRANSFER FI_AUTH_KEY
};

pub(super) const ORDER: Bits = bits! {
    FI_ORDER_RAR FI_ORDER_RAW FI_ORDER_RAS FI_ORDER_WAR FI_ORDER_WAW FI_ORDER_WAS FI_ORDER_SAR FI_ORDER_SAW
    FI_ORDER_SAS FI_ORDER_RMA_RAR FI_ORDER_RMA_RAW FI_ORDER_RMA_WAR FI_ORDER_RMA_WAW FI_ORDER_ATOMIC_RAR
    FI_ORDER_ATOMIC_RAW FI_ORDER_ATOMIC_WAR FI_ORDER_ATOMIC_WAW
};

/// Completion order has one more bit than message order.
pub(super) const COMP_ORDER: Bits = bits! {
    FI_ORDER_RAR FI_ORDER_RAW FI_ORDER_RAS FI_ORDER_WAR FI_ORDER_WAW FI_ORDER_WAS FI_ORDER_SAR FI_ORDER_SAW
    FI_ORDER_SAS FI_ORDER_DATA
};

pub(super) const MODE: Bits = bits! {
    FI_CONTEXT FI_MSG_PREFIX FI_ASYNC_IOV FI_RX_CQ_DATA FI_LOCAL_MR FI_CONTEXT2
};

pub(super) const MR_MODE: Bits = bits! {
    FI_MR_BASIC FI_MR_SCALABLE FI_MR_LOCAL FI_MR_RAW FI_MR_VIRT_ADDR FI_MR_ALLOCATED FI_MR_PROV_KEY
    FI_MR_MMU_NOTIFY FI_MR_RMA_EVENT FI_MR_ENDPOINT FI_MR_HMEM FI_MR_COLLECTIVE
};

pub(super) const CQ_FLAGS: Bits = bits! {
    FI_SEND FI_RECV FI_RMA FI_ATOMIC FI_MSG FI_TAGGED FI_READ FI_WRITE FI_REMOTE_READ FI_REMOTE_WRITE
    FI_REMOTE_CQ_DATA FI_MULTI_RECV FI_MORE FI_CLAIM FI_COLLECTIVE
};

pub(super) const AV_FLAGS: Bits = bits! { FI_READ FI_EVENT FI_AV_USER_ID FI_SYMMETRIC };
pub(super) const CQ_ATTR_FLAGS: Bits = bits! { FI_PEER FI_AFFINITY };

/// Access rights of a memory region.
pub(super) const ACCESS: Bits = bits! {
    FI_READ FI_WRITE FI_RECV FI_SEND FI_REMOTE_READ FI_REMOTE_WRITE FI_COLLECTIVE
};

pub(super) const RESOURCE_MGMT: Values = table! { FI_RM_UNSPEC FI_RM_DISABLED FI_RM_ENABLED };
pub(super) const CNTR_EVENTS: Values = table! { FI_CNTR_EVENTS_COMP FI_CNTR_EVENTS_BYTES };
pub(super) const BUS: Values = table! { FI_BUS_UNKNOWN FI_BUS_PCI };
pub(super) const LINK_STATE: Values = table! { FI_LINK_UNKNOWN FI_LINK_DOWN FI_LINK_UP };

pub(super) const EP_TYPE: Values = table! { FI_EP_UNSPEC FI_EP_MSG FI_EP_DGRAM FI_EP_RDM };
pub(super) const THREADING: Values = table! {
    FI_THREAD_UNSPEC FI_THREAD_SAFE FI_THREAD_FID FI_THREAD_DOMAIN FI_THREAD_COMPLETION FI_THREAD_ENDPOINT
};
pub(super) const PROGRESS: Values =
    table! { FI_PROGRESS_UNSPEC FI_PROGRESS_AUTO FI_PROGRESS_MANUAL FI_PROGRESS_CONTROL_UNIFIED };
pub(super) const AV_TYPE: Values = table! { FI_AV_UNSPEC FI_AV_MAP FI_AV_TABLE };
pub(super) const CQ_FORMAT: Values = table! {
    FI_CQ_FORMAT_UNSPEC FI_CQ_FORMAT_CONTEXT FI_CQ_FORMAT_MSG FI_CQ_FORMAT_DATA FI_CQ_FORMAT_TAGGED
};
pub(super) const CQ_WAIT_COND: Values = table! { FI_CQ_COND_NONE FI_CQ_COND_THRESHOLD };
pub(super) const WAIT_OBJ: Values = table! {
    FI_WAIT_NONE FI_WAIT_UNSPEC FI_WAIT_SET FI_WAIT_FD FI_WAIT_MUTEX_COND FI_WAIT_YIELD FI_WAIT_POLLFD
};
pub(super) const HMEM: Values = table! {
    FI_HMEM_SYSTEM FI_HMEM_CUDA FI_HMEM_ROCR FI_HMEM_ZE FI_HMEM_NEURON FI_HMEM_SYNAPSEAI
};
pub(super) const ADDR_FORMAT: Values = Values {
    provider_specific: true,
    ..table! {
        FI_FORMAT_UNSPEC FI_SOCKADDR FI_SOCKADDR_IN FI_SOCKADDR_IN6 FI_SOCKADDR_IB FI_ADDR_PSMX FI_ADDR_GNI
        FI_ADDR_BGQ FI_ADDR_MLX FI_ADDR_STR FI_ADDR_PSMX2 FI_ADDR_IB_UD FI_ADDR_EFA FI_ADDR_PSMX3 FI_ADDR_OPX
        FI_ADDR_CXI FI_ADDR_UCX FI_SOCKADDR_IP
    }
};
pub(super) const PROTOCOL: Values = Values {
    provider_specific: true,
    ..table! {
        FI_PROTO_UNSPEC FI_PROTO_RDMA_CM_IB_RC FI_PROTO_IWARP FI_PROTO_IB_UD FI_PROTO_PSMX FI_PROTO_UDP
        FI_PROTO_SOCK_TCP FI_PROTO_MXM FI_PROTO_IWARP_RDM FI_PROTO_IB_RDM FI_PROTO_GNI FI_PROTO_RXM FI_PROTO_RXD
        FI_PROTO_MLX FI_PROTO_NETWORKDIRECT FI_PROTO_PSMX2 FI_PROTO_SHM FI_PROTO_MRAIL FI_PROTO_RSTREAM
        FI_PROTO_RDMA_CM_IB_XRC FI_PROTO_EFA FI_PROTO_PSMX3 FI_PROTO_RXM_TCP FI_PROTO_OPX FI_PROTO_CXI FI_PROTO_XNET
        FI_PROTO_COLL FI_PROTO_UCX FI_PROTO_SM2 FI_PROTO_CXI_RNR FI_PROTO_LPP FI_PROTO_LNX
    }
};
const ATOMIC_TYPE: Values = table! {
    FI_INT8 FI_UINT8 FI_INT16 FI_UINT16 FI_INT32 FI_UINT32 FI_INT64 FI_UINT64 FI_FLOAT FI_DOUBLE FI_FLOAT_COMPLEX
    FI_DOUBLE_COMPLEX FI_LONG_DOUBLE FI_LONG_DOUBLE_COMPLEX FI_INT128 FI_UINT128 FI_FLOAT16 FI_BFLOAT16
    FI_FLOAT8_E4M3 FI_FLOAT8_E5M2 FI_VOID
};
const ATOMIC_OP: Values = table! {
    FI_MIN FI_MAX FI_SUM FI_PROD FI_LOR FI_LAND FI_BOR FI_BAND FI_LXOR FI_BXOR FI_ATOMIC_READ FI_ATOMIC_WRITE
    FI_CSWAP FI_CSWAP_NE FI_CSWAP_LE FI_CSWAP_LT FI_CSWAP_GE FI_CSWAP_GT FI_MSWAP FI_DIFF FI_NOOP
};
const EQ_EVENT: Values = table! {
    FI_NOTIFY FI_CONNREQ FI_CONNECTED FI_SHUTDOWN FI_MR_COMPLETE FI_AV_COMPLETE FI_JOIN_COMPLETE
};
const OP_TYPE: Values = table! {
    FI_OP_RECV FI_OP_SEND FI_OP_TRECV FI_OP_TSEND FI_OP_READ FI_OP_WRITE FI_OP_ATOMIC FI_OP_FETCH_ATOMIC
    FI_OP_COMPARE_ATOMIC FI_OP_CNTR_SET FI_OP_CNTR_ADD
};
const COLLECTIVE_OP: Values = table! {
    FI_BARRIER FI_BROADCAST FI_ALLTOALL FI_ALLREDUCE FI_ALLGATHER FI_REDUCE_SCATTER FI_REDUCE FI_SCATTER FI_GATHER
};
const LOG_LEVEL: Values = Values { known: &numbered(LEVELS), provider_specific: false };
const LOG_SUBSYS: Values = Values { known: &numbered(SUBSYSTEMS), provider_specific: false };

const fn numbered<const N: usize>(names: [&'static str; N]) -> [(u32, &'static str); N] {
    let mut out = [(0, ""); N];
    let mut i = 0;
    while i < N {
        out[i] = (i as u32, names[i]);
        i += 1;
    }
    out
}

/// The names behind a `FI_TYPE_*` whose data is a word of flags.
pub(super) fn flags(datatype: abi::fi_type) -> Option<Bits> {
    Some(match datatype {
        abi::FI_TYPE_CAPS => CAPS,
        abi::FI_TYPE_OP_FLAGS => OP_FLAGS,
        abi::FI_TYPE_MSG_ORDER => ORDER,
        abi::FI_TYPE_MODE => MODE,
        abi::FI_TYPE_CQ_EVENT_FLAGS => CQ_FLAGS,
        abi::FI_TYPE_MR_MODE => MR_MODE,
        _ => return None,
    })
}

/// The names behind a `FI_TYPE_*` whose data is one 32-bit value.
pub(super) fn values(datatype: abi::fi_type) -> Option<Values> {
    Some(match datatype {
        abi::FI_TYPE_EP_TYPE => EP_TYPE,
        abi::FI_TYPE_ADDR_FORMAT => ADDR_FORMAT,
        abi::FI_TYPE_THREADING => THREADING,
        abi::FI_TYPE_PROGRESS => PROGRESS,
        abi::FI_TYPE_PROTOCOL => PROTOCOL,
        abi::FI_TYPE_AV_TYPE => AV_TYPE,
        abi::FI_TYPE_ATOMIC_TYPE => ATOMIC_TYPE,
        abi::FI_TYPE_ATOMIC_OP => ATOMIC_OP,
        abi::FI_TYPE_EQ_EVENT => EQ_EVENT,
        abi::FI_TYPE_OP_TYPE => OP_TYPE,
        abi::FI_TYPE_COLLECTIVE_OP => COLLECTIVE_OP,
        abi::FI_TYPE_HMEM_IFACE => HMEM,
        abi::FI_TYPE_CQ_FORMAT => CQ_FORMAT,
        abi::FI_TYPE_LOG_LEVEL => LOG_LEVEL,
        abi::FI_TYPE_LOG_SUBSYS => LOG_SUBSYS,
        abi::FI_TYPE_CQ_WAIT_COND => CQ_WAIT_COND,
        abi::FI_TYPE_WAIT_OBJ => WAIT_OBJ,
        _ => return None,
    })
}
