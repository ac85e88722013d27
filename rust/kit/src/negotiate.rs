//! Hints against offers, once for all providers: what fits becomes a result, what does not is named.

use crate::offer::Offer;
use crate::{addr, info};
use std::ffi::CStr;
use std::fmt;
use std::mem::offset_of;

/// The first attribute that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// As users write it: `tx_attr->inject_size`.
    pub attr: &'static str,
    pub wanted: String,
    pub offered: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: hints ask for {}, offered is {}", self.attr, self.wanted, self.offered)
    }
}

type Fit = Result<(), Mismatch>;

fn no(attr: &'static str, wanted: impl fmt::Display, offered: impl fmt::Display) -> Fit {
    Err(Mismatch { attr, wanted: wanted.to_string(), offered: offered.to_string() })
}

/// Bits asked for must all be offered.
fn subset(attr: &'static str, wanted: u64, offered: u64) -> Fit {
    if wanted & !offered == 0 {
        Ok(())
    } else {
        no(attr, format_args!("{wanted:#x}"), format_args!("{offered:#x}"))
    }
}

/// A number asked for must not be larger than the offered one.
fn at_most<T: PartialOrd + fmt::Display>(attr: &'static str, wanted: T, offered: T) -> Fit {
    if wanted <= offered { Ok(()) } else { no(attr, wanted, offered) }
}

fn same_name(attr: &'static str, wanted: *const libc::c_char, offered: &str) -> Fit {
    if wanted.is_null() {
        return Ok(());
    }
    // SAFETY: names in hints are C strings by the API's contract.
    let w = unsafe { CStr::from_ptr(wanted) }.to_string_lossy();
    if w.eq_ignore_ascii_case(offered) { Ok(()) } else { no(attr, w, offered) }
}

const DIRECTIONS_MSG: u64 = abi::FI_SEND | abi::FI_RECV;
const DIRECTIONS_RMA: u64 = abi::FI_READ | abi::FI_WRITE | abi::FI_REMOTE_READ | abi::FI_REMOTE_WRITE;

/// Adds the directions that a capability implies when none is named: `FI_MSG` alone means both ways.
pub fn with_directions(caps: u64) -> u64 {
    let mut c = caps;
    if c & (abi::FI_MSG | abi::FI_TAGGED) != 0 && c & DIRECTIONS_MSG == 0 {
        c |= DIRECTIONS_MSG;
    }
    if c & (abi::FI_RMA | abi::FI_ATOMIC) != 0 && c & DIRECTIONS_RMA == 0 {
        c |= DIRECTIONS_RMA;
    }
    c
}

const TX_CAPS: u64 =
    abi::FI_MSG | abi::FI_TAGGED | abi::FI_RMA | abi::FI_ATOMIC | abi::FI_SEND | abi::FI_READ | abi::FI_WRITE;
const RX_CAPS: u64 = abi::FI_MSG
    | abi::FI_TAGGED
    | abi::FI_RMA
    | abi::FI_ATOMIC
    | abi::FI_RECV
    | abi::FI_REMOTE_READ
    | abi::FI_REMOTE_WRITE
    | abi::FI_DIRECTED_RECV
    | abi::FI_SOURCE
    | abi::FI_SOURCE_ERR
    | abi::FI_MULTI_RECV
    | abi::FI_RMA_EVENT
    | abi::FI_VARIABLE_MSG;

/// Holds one offer against the hints; the result is what `fi_getinfo` returns.
///
/// # Safety
/// `hints` and all it points to are valid.
pub unsafe fn negotiate(
    version: u32,
    hints: Option<&abi::fi_info>,
    offer: &Offer,
) -> Result<Offer, Mismatch> {
    let mut out = offer.clone();
    let Some(h) = hints else {
        out.tx.caps = offer.caps & TX_CAPS;
        out.rx.caps = offer.caps & RX_CAPS;
        finish(&mut out, version);
        return Ok(out);
    };

    subset("caps", h.caps, offer.caps)?;
    if h.caps != 0 {
        out.caps = with_directions(h.caps) & offer.caps | offer.free_caps;
    }
    // The other way round: a mode that the provider needs and the application lacks.
    if offer.mode & !h.mode != 0 {
        no("mode", format_args!("{:#x}", h.mode), format_args!("{:#x}", offer.mode))?;
    }
    format_fits(h.addr_format, offer)?;
    if h.addr_format == abi::FI_ADDR_STR
        || h.addr_format == abi::FI_SOCKADDR
        || h.addr_format == abi::FI_SOCKADDR_IP
    {
        out.addr_format = h.addr_format;
    }
    // SAFETY: attribute pointers in hints are NULL or valid (this function's contract), all below.
    if let Some(a) = unsafe { h.ep_attr.as_ref() } {
        if a.r#type != abi::FI_EP_UNSPEC && a.r#type != offer.ep.r#type {
            no("ep_attr->type", a.r#type, offer.ep.r#type)?;
        }
        if a.protocol != 0 && a.protocol != offer.ep.protocol {
            no("ep_attr->protocol", a.protocol, offer.ep.protocol)?;
        }
        at_most("ep_attr->protocol_version", a.protocol_version, offer.ep.protocol_version)?;
        at_most("ep_attr->max_msg_size", a.max_msg_size, offer.ep.max_msg_size)?;
        at_most("ep_attr->max_order_raw_size", a.max_order_raw_size, offer.ep.max_order_raw_size)?;
        at_most("ep_attr->max_order_war_size", a.max_order_war_size, offer.ep.max_order_war_size)?;
        at_most("ep_attr->max_order_waw_size", a.max_order_waw_size, offer.ep.max_order_waw_size)?;
        let shared = abi::FI_SHARED_CONTEXT as usize;
        if a.tx_ctx_cnt == shared || a.rx_ctx_cnt == shared {
            no("ep_attr->tx_ctx_cnt", "shared contexts", "none")?;
        }
        at_most("ep_attr->tx_ctx_cnt", a.tx_ctx_cnt, offer.domain.max_ep_tx_ctx)?;
        at_most("ep_attr->rx_ctx_cnt", a.rx_ctx_cnt, offer.domain.max_ep_rx_ctx)?;
        if a.auth_key_size != 0 {
            no("ep_attr->auth_key_size", a.auth_key_size, 0)?;
        }
        tag_format_fits(a.mem_tag_format, offer)?;
    }
    tx_fits(h, offer, &mut out)?;
    rx_fits(h, offer, &mut out)?;
    // SAFETY: see above.
    if let Some(a) = unsafe { h.domain_attr.as_ref() } {
        domain_fits(a, version, offer, &mut out)?;
    }
    // SAFETY: see above.
    if let Some(a) = unsafe { h.fabric_attr.as_ref() } {
        same_name("fabric_attr->name", a.name, &offer.fabric_name)?;
    }
    finish(&mut out, version);
    Ok(out)
}

/// What depends on the caller's API version rather than on hints.
fn finish(out: &mut Offer, version: u32) {
    if out.domain.av_type == abi::FI_AV_UNSPEC {
        out.domain.av_type = abi::FI_AV_TABLE;
    }
    if version < abi::FI_VERSION(1, 5) && out.domain.mr_mode == abi::FI_MR_UNSPEC {
        // Before 1.5 a domain was one of two kinds; ours wants nothing, which is the scalable kind.
        out.domain.mr_mode = abi::FI_MR_SCALABLE;
    }
}

fn format_fits(wanted: u32, offer: &Offer) -> Fit {
    let ok = wanted == abi::FI_FORMAT_UNSPEC
        || wanted == abi::FI_SOCKADDR
        || wanted == abi::FI_SOCKADDR_IP
        || wanted == abi::FI_ADDR_STR
        || wanted == offer.addr_format;
    if ok { Ok(()) } else { no("addr_format", wanted, offer.addr_format) }
}

/// A tag format is a mask of fields; it fits when every bit that the application names is ours too.
fn tag_format_fits(wanted: u64, offer: &Offer) -> Fit {
    if wanted == 0 || offer.ep.mem_tag_format == 0 {
        return Ok(());
    }
    let top = 64 - wanted.leading_zeros();
    let ours = 64 - offer.ep.mem_tag_format.leading_zeros();
    if top <= ours.max(1) {
        Ok(())
    } else {
        no(
            "ep_attr->mem_tag_format",
            format_args!("{wanted:#x}"),
            format_args!("{:#x}", offer.ep.mem_tag_format),
        )
    }
}

/// Capabilities of one side of an endpoint. Those of the other side are no wish: hints that name nothing else ask for
/// all that the endpoint has, as no capability at all would mean when the result is given back as hints.
fn one_side(wanted: u64, endpoint: u64, side: u64) -> u64 {
    let wanted = wanted & side;
    endpoint & side & if wanted != 0 { with_directions(wanted) } else { !0 }
}

fn tx_fits(h: &abi::fi_info, offer: &Offer, out: &mut Offer) -> Fit {
    out.tx.caps = out.caps & TX_CAPS;
    // SAFETY: NULL or valid by negotiate's contract.
    let Some(a) = (unsafe { h.tx_attr.as_ref() }) else { return Ok(()) };
    subset("tx_attr->caps", a.caps, offer.caps)?;
    if a.caps != 0 {
        let base = if h.caps != 0 { h.caps } else { offer.caps };
        subset("tx_attr->caps", a.caps, with_directions(base) | offer.free_caps)?;
        out.tx.caps = one_side(a.caps, out.caps, TX_CAPS);
    }
    subset("tx_attr->op_flags", a.op_flags, offer.tx_op_flags)?;
    subset("tx_attr->msg_order", a.msg_order, offer.tx.msg_order)?;
    subset("tx_attr->comp_order", a.comp_order, offer.tx.comp_order)?;
    at_most("tx_attr->inject_size", a.inject_size, offer.tx.inject_size)?;
    at_most("tx_attr->size", a.size, offer.max_tx_size)?;
    at_most("tx_attr->iov_limit", a.iov_limit, offer.tx.iov_limit)?;
    at_most("tx_attr->rma_iov_limit", a.rma_iov_limit, offer.tx.rma_iov_limit)?;
    if a.op_flags != 0 {
        out.tx.op_flags = a.op_flags;
    }
    if a.size != 0 {
        out.tx.size = a.size;
    }
    Ok(())
}

fn rx_fits(h: &abi::fi_info, offer: &Offer, out: &mut Offer) -> Fit {
    out.rx.caps = out.caps & RX_CAPS;
    // SAFETY: NULL or valid by negotiate's contract.
    let Some(a) = (unsafe { h.rx_attr.as_ref() }) else { return Ok(()) };
    subset("rx_attr->caps", a.caps, offer.caps)?;
    if a.caps != 0 {
        let base = if h.caps != 0 { h.caps } else { offer.caps };
        subset("rx_attr->caps", a.caps, with_directions(base) | offer.free_caps)?;
        out.rx.caps = one_side(a.caps, out.caps, RX_CAPS);
    }
    subset("rx_attr->op_flags", a.op_flags, offer.rx_op_flags)?;
    subset("rx_attr->msg_order", a.msg_order, offer.rx.msg_order)?;
    subset("rx_attr->comp_order", a.comp_order, offer.rx.comp_order)?;
    at_most("rx_attr->total_buffered_recv", a.total_buffered_recv, offer.rx.total_buffered_recv)?;
    at_most("rx_attr->size", a.size, offer.max_rx_size)?;
    at_most("rx_attr->iov_limit", a.iov_limit, offer.rx.iov_limit)?;
    if a.op_flags != 0 {
        out.rx.op_flags = a.op_flags;
    }
    if a.size != 0 {
        out.rx.size = a.size;
    }
    Ok(())
}

fn domain_fits(a: &abi::fi_domain_attr, version: u32, offer: &Offer, out: &mut Offer) -> Fit {
    let d = &offer.domain;
    same_name("domain_attr->name", a.name, &offer.domain_name)?;
    // Every level is served, as each but FI_THREAD_DOMAIN is served by the lock of FI_THREAD_SAFE.
    if a.threading != abi::FI_THREAD_UNSPEC {
        at_most("domain_attr->threading", a.threading, abi::FI_THREAD_ENDPOINT)?;
        out.domain.threading = a.threading;
    }
    if a.control_progress == abi::FI_PROGRESS_CONTROL_UNIFIED {
        // A promise, as threading levels are: the application drives control operations and data together.
        out.domain.control_progress = a.control_progress;
    } else {
        progress_fits("domain_attr->control_progress", a.control_progress, d.control_progress)?;
    }
    progress_fits("domain_attr->data_progress", a.data_progress, d.data_progress)?;
    if a.resource_mgmt != abi::FI_RM_UNSPEC {
        at_most("domain_attr->resource_mgmt", a.resource_mgmt, abi::FI_RM_ENABLED)?;
        // Protection that was not asked for does no harm.
        out.domain.resource_mgmt = abi::FI_RM_ENABLED;
    }
    if a.av_type != abi::FI_AV_UNSPEC {
        at_most("domain_attr->av_type", a.av_type, abi::FI_AV_TABLE)?;
        out.domain.av_type = a.av_type;
    }
    mr_mode_fits(a.mr_mode, version, offer, out)?;
    at_most("domain_attr->mr_key_size", a.mr_key_size, d.mr_key_size)?;
    at_most("domain_attr->cq_data_size", a.cq_data_size, d.cq_data_size)?;
    at_most("domain_attr->cq_cnt", a.cq_cnt, d.cq_cnt)?;
    at_most("domain_attr->ep_cnt", a.ep_cnt, d.ep_cnt)?;
    at_most("domain_attr->tx_ctx_cnt", a.tx_ctx_cnt, d.tx_ctx_cnt)?;
    at_most("domain_attr->rx_ctx_cnt", a.rx_ctx_cnt, d.rx_ctx_cnt)?;
    at_most("domain_attr->max_ep_tx_ctx", a.max_ep_tx_ctx, d.max_ep_tx_ctx)?;
    at_most("domain_attr->max_ep_rx_ctx", a.max_ep_rx_ctx, d.max_ep_rx_ctx)?;
    at_most("domain_attr->max_ep_stx_ctx", a.max_ep_stx_ctx, d.max_ep_stx_ctx)?;
    at_most("domain_attr->max_ep_srx_ctx", a.max_ep_srx_ctx, d.max_ep_srx_ctx)?;
    // Members that callers of an older version do not have read as zero here, which asks for nothing.
    at_most("domain_attr->cntr_cnt", a.cntr_cnt, d.cntr_cnt)?;
    at_most("domain_attr->mr_iov_limit", a.mr_iov_limit, d.mr_iov_limit)?;
    subset("domain_attr->caps", a.caps, d.caps)?;
    if a.auth_key_size != 0 {
        no("domain_attr->auth_key_size", a.auth_key_size, 0)?;
    }
    at_most("domain_attr->mr_cnt", a.mr_cnt, d.mr_cnt)?;
    at_most("domain_attr->max_err_data", a.max_err_data, d.max_err_data)?;
    newer_members_fit(a, d, info::domain_attr_size(info::core_version()))
}

/// What older cores do not have: such a core passes hints of `bytes` bytes on, which end before them.
fn newer_members_fit(a: &abi::fi_domain_attr, d: &abi::fi_domain_attr, bytes: usize) -> Fit {
    if bytes > offset_of!(abi::fi_domain_attr, max_ep_auth_key) {
        at_most("domain_attr->max_ep_auth_key", a.max_ep_auth_key, d.max_ep_auth_key)?;
    }
    if bytes > offset_of!(abi::fi_domain_attr, max_group_id) {
        at_most("domain_attr->max_group_id", a.max_group_id, d.max_group_id)?;
    }
    if bytes > offset_of!(abi::fi_domain_attr, max_cntr_value) {
        at_most("domain_attr->max_cntr_value", a.max_cntr_value, d.max_cntr_value)?;
        at_most("domain_attr->max_err_cntr_value", a.max_err_cntr_value, d.max_err_cntr_value)?;
    }
    Ok(())
}

fn progress_fits(attr: &'static str, wanted: abi::fi_progress, offered: abi::fi_progress) -> Fit {
    // A provider that makes progress by itself also serves an application that drives it.
    if wanted == abi::FI_PROGRESS_UNSPEC || wanted == offered || offered == abi::FI_PROGRESS_AUTO {
        return Ok(());
    }
    no(attr, wanted, offered)
}

fn mr_mode_fits(wanted: libc::c_int, version: u32, offer: &Offer, out: &mut Offer) -> Fit {
    if wanted == abi::FI_MR_BASIC || wanted == abi::FI_MR_SCALABLE {
        out.domain.mr_mode = wanted;
        return Ok(());
    }
    if version >= abi::FI_VERSION(1, 5) && offer.domain.mr_mode & !wanted != 0 {
        return no(
            "domain_attr->mr_mode",
            format_args!("{wanted:#x}"),
            format_args!("{:#x}", offer.domain.mr_mode),
        );
    }
    Ok(())
}

/// Bytes of the result's addresses, in its format.
pub(crate) fn address_bytes(out: &Offer, a: &std::net::SocketAddr) -> Vec<u8> {
    addr::to_format(a, out.addr_format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer() -> Offer {
        let mut o = Offer::new(abi::FI_EP_RDM).with_src("10.0.0.1:0".parse().unwrap());
        o.caps = abi::FI_MSG | abi::FI_TAGGED | abi::FI_SEND | abi::FI_RECV | abi::FI_SOURCE;
        o.tx.inject_size = 256;
        o.tx.iov_limit = 4;
        (o.tx.size, o.max_tx_size) = (128, 1024);
        o.ep.max_msg_size = 1 << 30;
        (o.domain_name, o.fabric_name) = ("net_memif0".into(), "10.0.0.0/24".into());
        o
    }

    fn ask(edit: impl FnOnce(&mut abi::fi_info)) -> Result<Offer, Mismatch> {
        // SAFETY: plain data, and everything that hints points to lives through the call.
        unsafe {
            let (mut i, mut tx, mut rx, mut ep, mut d, mut f): (
                abi::fi_info,
                abi::fi_tx_attr,
                abi::fi_rx_attr,
                abi::fi_ep_attr,
                abi::fi_domain_attr,
                abi::fi_fabric_attr,
            ) = std::mem::zeroed();
            (i.tx_attr, i.rx_attr, i.ep_attr, i.domain_attr, i.fabric_attr) =
                (&mut tx, &mut rx, &mut ep, &mut d, &mut f);
            edit(&mut i);
            negotiate(abi::API_VERSION, Some(&i), &offer())
        }
    }

    #[test]
    fn empty_hints_get_everything() {
        let o = ask(|_| ()).unwrap();
        assert_eq!(o.caps, offer().caps);
        assert_eq!(o.tx.caps, abi::FI_MSG | abi::FI_TAGGED | abi::FI_SEND);
        assert_eq!(o.domain.av_type, abi::FI_AV_TABLE);
    }

    #[test]
    fn asked_caps_come_back_with_their_directions() {
        let o = ask(|h| h.caps = abi::FI_MSG).unwrap();
        assert_eq!(o.caps, abi::FI_MSG | abi::FI_SEND | abi::FI_RECV);
        assert_eq!(ask(|h| h.caps = abi::FI_MSG | abi::FI_SEND).unwrap().caps, abi::FI_MSG | abi::FI_SEND);
    }

    #[test]
    fn the_attribute_that_does_not_fit_is_named() {
        type Edit = fn(&mut abi::fi_info);
        // SAFETY (all): the attribute pointers are set by `ask`.
        let cases: &[(&str, Edit)] = &[
            ("caps", |h| h.caps = abi::FI_ATOMIC),
            ("addr_format", |h| h.addr_format = abi::FI_ADDR_IB_UD),
            // SAFETY: see above.
            ("ep_attr->type", |h| unsafe { (*h.ep_attr).r#type = abi::FI_EP_MSG }),
            // SAFETY: see above.
            ("tx_attr->inject_size", |h| unsafe { (*h.tx_attr).inject_size = 257 }),
            // SAFETY: see above.
            ("tx_attr->size", |h| unsafe { (*h.tx_attr).size = 1025 }),
            // SAFETY: see above.
            ("tx_attr->op_flags", |h| unsafe { (*h.tx_attr).op_flags = abi::FI_FENCE }),
            // SAFETY: see above.
            ("domain_attr->data_progress", |h| unsafe {
                (*h.domain_attr).data_progress = abi::FI_PROGRESS_AUTO
            }),
            // SAFETY: see above.
            ("domain_attr->max_group_id", |h| unsafe { (*h.domain_attr).max_group_id = 1 }),
            // SAFETY: see above.
            ("ep_attr->protocol_version", |h| unsafe { (*h.ep_attr).protocol_version = 1 }),
            // SAFETY: see above.
            ("domain_attr->name", |h| unsafe { (*h.domain_attr).name = c"eth0".as_ptr() as *mut _ }),
            // SAFETY: see above.
            ("fabric_attr->name", |h| unsafe { (*h.fabric_attr).name = c"10.0.0.0/8".as_ptr() as *mut _ }),
        ];
        for (attr, edit) in cases {
            assert_eq!(ask(edit).map(|_| ()).unwrap_err().attr, *attr);
        }
    }

    #[test]
    fn a_size_asked_for_is_a_size_given() {
        // SAFETY: the attribute pointers are set by `ask`.
        let o = ask(|h| unsafe { (*h.tx_attr).size = 64 }).unwrap();
        assert_eq!((o.tx.size, o.tx.inject_size), (64, 256));
    }

    #[test]
    fn a_sides_capabilities_are_those_of_its_side() {
        // SAFETY: the attribute pointers are set by `ask`.
        let rx = |caps| ask(|h| unsafe { (*h.rx_attr).caps = caps }).unwrap().rx.caps;
        let all = abi::FI_MSG | abi::FI_TAGGED | abi::FI_RECV | abi::FI_SOURCE;
        assert_eq!(rx(0), all);
        assert_eq!(rx(abi::FI_SEND), all, "only the other side's are named");
        assert_eq!(rx(abi::FI_MSG | abi::FI_SEND), abi::FI_MSG | abi::FI_RECV);
    }

    #[test]
    fn a_promise_about_control_operations_is_taken() {
        let unified = abi::FI_PROGRESS_CONTROL_UNIFIED;
        // SAFETY: the attribute pointers are set by `ask`.
        let o = ask(|h| unsafe { (*h.domain_attr).control_progress = unified }).unwrap();
        assert_eq!(o.domain.control_progress, unified);
    }
}
