//! The numbers of `fi_info`: what tests set them to, and what a result must keep of them.

use abi::fi_info;

/// One number of the hints.
pub struct Attribute {
    pub name: &'static str,
    /// Values around what providers offer.
    pub values: &'static [u64],
    pub set: fn(&mut fi_info, u64),
    /// Whether the second, a result, keeps what the first asks for.
    pub holds: fn(&fi_info, &fi_info) -> bool,
}

/// Values that fit nothing in particular.
pub const WILD: &[u64] = &[1, 2, 3, 255, 1 << 16, u32::MAX as u64, 1 << 31, 1 << 63, u64::MAX, u64::MAX - 1];

/// Bits that are asked for are granted.
fn granted(asked: u64, got: u64) -> bool {
    asked & !got == 0
}

/// A size that is asked for is there.
fn enough(asked: u64, got: u64) -> bool {
    asked <= got
}

/// A choice that is made is kept; zero leaves it open.
fn same(asked: u64, got: u64) -> bool {
    asked == 0 || asked == got
}

/// Nothing is demanded of the application that it does not have.
fn demanded(has: u64, got: u64) -> bool {
    got & !has == 0
}

/// Without a bearing on the result, in what is offered here.
fn free(_: u64, _: u64) -> bool {
    true
}

/// What each kind of communication must be asked for, and which ways of it.
const PRIMARY: u64 = abi::FI_MSG
    | abi::FI_TAGGED
    | abi::FI_RMA
    | abi::FI_ATOMIC
    | abi::FI_MULTICAST
    | abi::FI_COLLECTIVE
    | abi::FI_NAMED_RX_CTX
    | abi::FI_DIRECTED_RECV
    | abi::FI_HMEM;
const WAYS: u64 = abi::FI_SEND | abi::FI_RECV;

/// Everything that was asked for, and of what costs something nothing else.
fn caps(asked: u64, got: u64) -> bool {
    let more = got & !asked;
    asked == 0 || granted(asked, got) && more & PRIMARY == 0 && (asked & WAYS == 0 || more & WAYS == 0)
}

/// Of one side's capabilities only those that concern this side; the rest is the endpoint's.
fn sending(asked: u64, got: u64) -> bool {
    granted(asked & (abi::FI_MSG | abi::FI_TAGGED | abi::FI_RMA | abi::FI_ATOMIC | abi::FI_SEND), got)
}

/// As [`sending`].
fn receiving(asked: u64, got: u64) -> bool {
    let side = abi::FI_MSG | abi::FI_TAGGED | abi::FI_RECV | abi::FI_DIRECTED_RECV | abi::FI_SOURCE;
    granted(asked & side, got)
}

fn format(asked: u64, got: u64) -> bool {
    let ip = [abi::FI_SOCKADDR_IN.into(), abi::FI_SOCKADDR_IN6.into()];
    let any = asked == abi::FI_SOCKADDR.into() || asked == abi::FI_SOCKADDR_IP.into();
    same(asked, got) || any && ip.contains(&got)
}

/// Progress that happens by itself also serves whoever drives it.
fn progress(asked: u64, got: u64) -> bool {
    same(asked, got) || got == abi::FI_PROGRESS_AUTO.into()
}

/// Protection that was not asked for does no harm.
fn protection(asked: u64, got: u64) -> bool {
    same(asked, got) || got == abi::FI_RM_ENABLED.into()
}

/// The two kinds of before version 1.5 are kept; else nothing is demanded that the application does not do.
fn mr_mode(asked: u64, got: u64) -> bool {
    asked == got || demanded(asked, got & !(abi::FI_MR_SCALABLE as u64))
}

macro_rules! top {
    ($member:ident, $rule:expr, $values:expr) => {
        Attribute {
            name: stringify!($member),
            values: $values,
            set: |h, v| h.$member = v as _,
            holds: |h, r| $rule(h.$member as u64, r.$member as u64),
        }
    };
}

macro_rules! at {
    ($part:ident, $member:ident, $rule:expr, $values:expr) => {
        Attribute {
            name: concat!(stringify!($part), "->", stringify!($member)),
            values: $values,
            // SAFETY (both): attributes are NULL or valid; those of results are never NULL.
            set: |h, v| {
                if let Some(a) = unsafe { h.$part.as_mut() } {
                    a.$member = v as _;
                }
            },
            // SAFETY: as above.
            holds: |h, r| unsafe {
                h.$part.as_ref().is_none_or(|a| $rule(a.$member as u64, (*r.$part).$member as u64))
            },
        }
    };
}

const CAPS: &[u64] = &[
    0,
    abi::FI_MSG,
    abi::FI_MSG | abi::FI_SEND,
    abi::FI_MSG | abi::FI_RECV | abi::FI_SOURCE,
    abi::FI_TAGGED,
    abi::FI_TAGGED | abi::FI_DIRECTED_RECV,
    abi::FI_LOCAL_COMM,
    abi::FI_MSG | abi::FI_REMOTE_COMM,
    abi::FI_RMA | abi::FI_READ,
    abi::FI_ATOMIC,
    abi::FI_SEND,
];
const MODES: &[u64] = &[0, u64::MAX, abi::FI_CONTEXT, abi::FI_CONTEXT2, abi::FI_MSG_PREFIX];
const ORDERS: &[u64] = &[0, abi::FI_ORDER_SAS, abi::FI_ORDER_SAS | abi::FI_ORDER_RAR, abi::FI_ORDER_RMA_WAW];
const TX_FLAGS: &[u64] = &[
    0,
    abi::FI_COMPLETION,
    abi::FI_INJECT,
    abi::FI_TRANSMIT_COMPLETE,
    abi::FI_DELIVERY_COMPLETE,
    abi::FI_FENCE,
];
const RX_FLAGS: &[u64] = &[0, abi::FI_COMPLETION, abi::FI_MULTI_RECV];
const SIZES: &[u64] = &[0, 1, 64, 1024, 1025, 16_384, 65_536, 65_537];
const LIMITS: &[u64] = &[0, 1, 2, 4, 8, 100];
const COUNTS: &[u64] = &[0, 1, 2, 1000];
const PROGRESS: &[u64] = &[0, 1, 2, 3, 4];

pub const ATTRIBUTES: &[Attribute] = &[
    top!(caps, caps, CAPS),
    top!(mode, demanded, MODES),
    top!(addr_format, format, &[0, 1, 2, 3, 9, 17, 4, 12]),
    at!(tx_attr, caps, sending, CAPS),
    at!(tx_attr, mode, free, MODES),
    at!(tx_attr, op_flags, granted, TX_FLAGS),
    at!(tx_attr, msg_order, granted, ORDERS),
    at!(tx_attr, comp_order, granted, &[0, 1 << 31, 2]),
    at!(tx_attr, inject_size, enough, &[0, 1, 64, 1472, 4096, 4097, 65_507]),
    at!(tx_attr, size, enough, SIZES),
    at!(tx_attr, iov_limit, enough, LIMITS),
    at!(tx_attr, rma_iov_limit, enough, &[0, 1]),
    at!(tx_attr, tclass, free, &[0, 256, 512, 513]),
    at!(rx_attr, caps, receiving, CAPS),
    at!(rx_attr, mode, free, MODES),
    at!(rx_attr, op_flags, granted, RX_FLAGS),
    at!(rx_attr, msg_order, granted, ORDERS),
    at!(rx_attr, comp_order, granted, &[0, 1 << 31, 2]),
    at!(rx_attr, total_buffered_recv, enough, &[0, 1 << 20]),
    at!(rx_attr, size, enough, SIZES),
    at!(rx_attr, iov_limit, enough, LIMITS),
    at!(ep_attr, r#type, same, &[0, 1, 2, 3, 4]),
    at!(ep_attr, protocol, same, &[0, abi::FI_PROTO_UDP as u64, 1 << 31 | 0x4650, 7]),
    at!(ep_attr, protocol_version, enough, &[0, 1]),
    at!(ep_attr, max_msg_size, enough, &[0, 1, 1472, 1473, 8972, 65_507, 1 << 20, 1 << 40]),
    at!(ep_attr, msg_prefix_size, free, &[0, 8]),
    at!(ep_attr, max_order_raw_size, enough, &[0, 1]),
    at!(ep_attr, max_order_war_size, enough, &[0, 1]),
    at!(ep_attr, max_order_waw_size, enough, &[0, 1]),
    at!(ep_attr, mem_tag_format, free, &[0, 1, 0xaaaa_aaaa_aaaa_aaaa, 0x00ff_ff00, u64::MAX]),
    at!(ep_attr, tx_ctx_cnt, enough, COUNTS),
    at!(ep_attr, rx_ctx_cnt, enough, COUNTS),
    at!(domain_attr, threading, same, &[0, 1, 2, 3, 4, 5, 6]),
    at!(domain_attr, control_progress, progress, PROGRESS),
    at!(domain_attr, data_progress, progress, PROGRESS),
    at!(domain_attr, resource_mgmt, protection, &[0, 1, 2, 3]),
    at!(domain_attr, av_type, same, &[0, 1, 2, 3]),
    at!(domain_attr, mr_mode, mr_mode, &[0, 1, 2, 3, 4, 0x7c, 0xffff_fffc, u64::MAX]),
    at!(domain_attr, mr_key_size, enough, LIMITS),
    at!(domain_attr, cq_data_size, enough, LIMITS),
    at!(domain_attr, cq_cnt, enough, COUNTS),
    at!(domain_attr, ep_cnt, enough, COUNTS),
    at!(domain_attr, tx_ctx_cnt, enough, COUNTS),
    at!(domain_attr, rx_ctx_cnt, enough, COUNTS),
    at!(domain_attr, max_ep_tx_ctx, enough, COUNTS),
    at!(domain_attr, max_ep_rx_ctx, enough, COUNTS),
    at!(domain_attr, max_ep_stx_ctx, enough, &[0, 1]),
    at!(domain_attr, max_ep_srx_ctx, enough, &[0, 1]),
    at!(domain_attr, cntr_cnt, enough, &[0, 1]),
    at!(domain_attr, mr_iov_limit, enough, LIMITS),
    at!(domain_attr, caps, granted, &[0, abi::FI_LOCAL_COMM, abi::FI_REMOTE_COMM, abi::FI_SHARED_AV]),
    at!(domain_attr, mode, free, MODES),
    at!(domain_attr, max_err_data, enough, &[0, 1]),
    at!(domain_attr, mr_cnt, enough, COUNTS),
    at!(domain_attr, tclass, free, &[0, 256, 512]),
    at!(domain_attr, max_ep_auth_key, enough, &[0, 1]),
    at!(domain_attr, max_group_id, enough, &[0, 1]),
    at!(domain_attr, max_cntr_value, enough, &[0, 1]),
    at!(domain_attr, max_err_cntr_value, enough, &[0, 1]),
];
