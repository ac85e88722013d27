//! Why nothing matched: the hints are loosened one attribute at a time, and the first that makes a difference is named
//! in a log line. Runs only when there was no result and messages of level info are wanted.

use crate::getinfo::{self, Question};
use crate::registry::{Entry, Kind};
use crate::{cmem, info, layout, log, tostr};
use abi::fi_info;

/// The parts of a private copy of the hints. Its texts and addresses are C's memory that nothing else points to.
struct Loose<'a> {
    info: &'a mut fi_info,
    tx: &'a mut abi::fi_tx_attr,
    rx: &'a mut abi::fi_rx_attr,
    ep: &'a mut abi::fi_ep_attr,
    domain: &'a mut abi::fi_domain_attr,
    fabric: &'a mut abi::fi_fabric_attr,
}

/// One attribute of the hints.
struct Attribute {
    name: &'static str,
    /// Its value as text, `None` when the application left it open.
    value: fn(&Loose) -> Option<String>,
    /// Leaves it open.
    clear: fn(&mut Loose),
}

/// What stood in the way, for a log line.
///
/// # Safety
/// The question's pointers are those of fi_getinfo(3).
pub(crate) unsafe fn reason(providers: &[Entry], q: &Question) -> String {
    let asked: Vec<&str> =
        providers.iter().filter(|p| !p.hidden && p.kind != Kind::Hook).map(|p| p.name.as_str()).collect();
    if asked.is_empty() {
        return "no provider is registered, or FI_PROVIDER hides all of them".into();
    }
    let nothing = || format!("none of {} has anything to offer on this machine", asked.join(", "));
    // SAFETY: by contract, for all that follows; `loose` is a copy, made for each try and freed after it.
    unsafe {
        let matches =
            |q: &Question| log::quietly(|| getinfo::collect(providers, q).is_ok_and(|l| !l.is_empty()));
        let open = Question { node: std::ptr::null(), service: std::ptr::null(), flags: 0, ..*q };
        if (!q.node.is_null() || !q.service.is_null()) && matches(&open) {
            let part = |p| cmem::text(p).unwrap_or_else(|| "(null)".into());
            return format!(
                "no provider reaches node {} service {} with flags {:#x}; without them there are results",
                part(q.node),
                part(q.service),
                q.flags
            );
        }
        let Some(hints) = q.hints.as_ref() else { return nothing() };
        for a in ATTRIBUTES {
            let loose = whole(hints);
            let Some(mut l) = Loose::new(loose) else { return nothing() };
            let value = (a.value)(&l);
            let found = value.is_some() && {
                (a.clear)(&mut l);
                matches(&Question { hints: loose, ..*q })
            };
            info::free_list(loose);
            if let Some(value) = value.filter(|_| found) {
                return format!("no provider offers {}={value}; without it there are results", a.name);
            }
        }
        if matches(&Question { hints: std::ptr::null(), ..*q }) {
            "no provider matches the hints; more than one attribute stands in the way".into()
        } else {
            nothing()
        }
    }
}

/// A copy of the hints with the attributes that they lack, empty.
///
/// # Safety
/// `hints` is valid.
unsafe fn whole(hints: &fi_info) -> *mut fi_info {
    // SAFETY: by contract.
    unsafe {
        let copy = info::dup(hints, layout::NEWEST);
        let Some(i) = copy.as_mut() else { return copy };
        fn fill<T>(slot: &mut *mut T) -> bool {
            if slot.is_null() {
                *slot = cmem::zeroed();
            }
            !slot.is_null()
        }
        let filled = fill(&mut i.tx_attr)
            && fill(&mut i.rx_attr)
            && fill(&mut i.ep_attr)
            && fill(&mut i.domain_attr)
            && fill(&mut i.fabric_attr);
        if filled {
            return copy;
        }
        info::free_list(copy);
    }
    std::ptr::null_mut()
}

/// A value as `fi_tostr` prints it, with what has no name, which is of interest here, as a number behind; `None` for zero,
/// which leaves it open.
fn shown<T: Copy + Into<u64>>(value: T, datatype: abi::fi_type) -> Option<String> {
    let wide: u64 = value.into();
    if wide == 0 {
        return None;
    }
    // SAFETY: the callers below pass a value of the width that `datatype` is printed from.
    let named = unsafe { tostr::text((&raw const value).cast(), datatype) };
    Some(match tostr::unnamed(wide, datatype) {
        0 => named,
        rest if named.is_empty() => format!("{rest:#x}"),
        rest => format!("{named}, {rest:#x}"),
    })
}

fn number(value: usize) -> Option<String> {
    (value != 0).then(|| value.to_string())
}

impl Loose<'_> {
    /// `None` for NULL.
    ///
    /// # Safety
    /// `info` was made by [`whole`] and has no other user meanwhile.
    unsafe fn new<'a>(info: *mut fi_info) -> Option<Loose<'a>> {
        // SAFETY: `whole` made all attributes, each an allocation of its own.
        unsafe {
            let info = info.as_mut()?;
            Some(Loose {
                tx: info.tx_attr.as_mut()?,
                rx: info.rx_attr.as_mut()?,
                ep: info.ep_attr.as_mut()?,
                domain: info.domain_attr.as_mut()?,
                fabric: info.fabric_attr.as_mut()?,
                info,
            })
        }
    }
}

/// Leaves a text or address of a [`Loose`] open.
fn drop_block<T>(slot: &mut *mut T) {
    // SAFETY: NULL or C's memory that only this slot points to, as the type says.
    unsafe { cmem::free(std::mem::replace(slot, std::ptr::null_mut())) };
}

fn string(p: *const libc::c_char) -> Option<String> {
    // SAFETY: NULL or a C string of a [`Loose`].
    unsafe { cmem::text(p) }
}

macro_rules! attribute {
    ($name:literal, |$l:ident| $value:expr, $clear:expr) => {
        Attribute {
            name: $name,
            value: |$l: &Loose| $value,
            clear: |$l: &mut Loose| {
                $clear;
            },
        }
    };
}

const ATTRIBUTES: &[Attribute] = &[
    attribute!("fabric_attr->prov_name", |l| string(l.fabric.prov_name), {
        drop_block(&mut l.fabric.prov_name);
    }),
    attribute!("ep_attr->type", |l| shown(l.ep.r#type, abi::FI_TYPE_EP_TYPE), l.ep.r#type = 0),
    attribute!("caps", |l| shown(l.info.caps, abi::FI_TYPE_CAPS), {
        l.info.caps = 0;
        l.tx.caps = 0;
        l.rx.caps = 0;
    }),
    attribute!("addr_format", |l| shown(l.info.addr_format, abi::FI_TYPE_ADDR_FORMAT), {
        l.info.addr_format = 0;
        drop_block(&mut l.info.src_addr);
        drop_block(&mut l.info.dest_addr);
        (l.info.src_addrlen, l.info.dest_addrlen) = (0, 0);
    }),
    attribute!("src_addr", |l| number(l.info.src_addrlen).map(|n| format!("({n} bytes)")), {
        drop_block(&mut l.info.src_addr);
        l.info.src_addrlen = 0;
    }),
    attribute!("dest_addr", |l| number(l.info.dest_addrlen).map(|n| format!("({n} bytes)")), {
        drop_block(&mut l.info.dest_addr);
        l.info.dest_addrlen = 0;
    }),
    attribute!("fabric_attr->name", |l| string(l.fabric.name), {
        drop_block(&mut l.fabric.name);
    }),
    attribute!("domain_attr->name", |l| string(l.domain.name), {
        drop_block(&mut l.domain.name);
    }),
    attribute!("ep_attr->protocol", |l| shown(l.ep.protocol, abi::FI_TYPE_PROTOCOL), l.ep.protocol = 0),
    attribute!("ep_attr->max_msg_size", |l| number(l.ep.max_msg_size), l.ep.max_msg_size = 0),
    attribute!(
        "ep_attr->mem_tag_format",
        |l| number(l.ep.mem_tag_format as usize).map(|_| format!("{:#x}", l.ep.mem_tag_format)),
        l.ep.mem_tag_format = 0
    ),
    attribute!("tx_attr->msg_order", |l| shown(l.tx.msg_order, abi::FI_TYPE_MSG_ORDER), {
        l.tx.msg_order = 0;
        l.rx.msg_order = 0;
    }),
    attribute!("rx_attr->msg_order", |l| shown(l.rx.msg_order, abi::FI_TYPE_MSG_ORDER), {
        l.rx.msg_order = 0;
    }),
    attribute!("tx_attr->comp_order", |l| shown(l.tx.comp_order, abi::FI_TYPE_MSG_ORDER), {
        l.tx.comp_order = 0;
        l.rx.comp_order = 0;
    }),
    attribute!("tx_attr->op_flags", |l| shown(l.tx.op_flags, abi::FI_TYPE_OP_FLAGS), l.tx.op_flags = 0),
    attribute!("rx_attr->op_flags", |l| shown(l.rx.op_flags, abi::FI_TYPE_OP_FLAGS), l.rx.op_flags = 0),
    attribute!("tx_attr->inject_size", |l| number(l.tx.inject_size), l.tx.inject_size = 0),
    attribute!("tx_attr->size", |l| number(l.tx.size), l.tx.size = 0),
    attribute!("rx_attr->size", |l| number(l.rx.size), l.rx.size = 0),
    attribute!("tx_attr->iov_limit", |l| number(l.tx.iov_limit), l.tx.iov_limit = 0),
    attribute!("rx_attr->iov_limit", |l| number(l.rx.iov_limit), l.rx.iov_limit = 0),
    attribute!("tx_attr->rma_iov_limit", |l| number(l.tx.rma_iov_limit), l.tx.rma_iov_limit = 0),
    attribute!(
        "domain_attr->threading",
        |l| shown(l.domain.threading, abi::FI_TYPE_THREADING),
        l.domain.threading = 0
    ),
    attribute!(
        "domain_attr->control_progress",
        |l| shown(l.domain.control_progress, abi::FI_TYPE_PROGRESS),
        l.domain.control_progress = 0
    ),
    attribute!(
        "domain_attr->data_progress",
        |l| shown(l.domain.data_progress, abi::FI_TYPE_PROGRESS),
        l.domain.data_progress = 0
    ),
    attribute!(
        "domain_attr->av_type",
        |l| shown(l.domain.av_type, abi::FI_TYPE_AV_TYPE),
        l.domain.av_type = 0
    ),
    attribute!(
        "domain_attr->resource_mgmt",
        |l| number(l.domain.resource_mgmt as usize),
        l.domain.resource_mgmt = 0
    ),
    attribute!("domain_attr->mr_mode", |l| Some(mr_mode(l.domain.mr_mode)), l.domain.mr_mode = !3),
    attribute!("domain_attr->mr_key_size", |l| number(l.domain.mr_key_size), l.domain.mr_key_size = 0),
    attribute!("domain_attr->cq_data_size", |l| number(l.domain.cq_data_size), l.domain.cq_data_size = 0),
    attribute!("domain_attr->caps", |l| shown(l.domain.caps, abi::FI_TYPE_CAPS), l.domain.caps = 0),
    attribute!("mode", |l| Some(shown(l.info.mode, abi::FI_TYPE_MODE).unwrap_or_else(|| "0".into())), {
        // Modes are what the application can live with: more of them is looser.
        l.info.mode = u64::MAX;
        l.domain.mode = u64::MAX;
        l.tx.mode = u64::MAX;
        l.rx.mode = u64::MAX;
    }),
];

fn mr_mode(mode: libc::c_int) -> String {
    shown(mode as u32, abi::FI_TYPE_MR_MODE).unwrap_or_else(|| "0".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::getinfo::fake;

    /// The reason for a question whose hints `change` makes.
    fn why(node: Option<&std::ffi::CStr>, change: impl FnOnce(&mut Loose)) -> String {
        let hints = info::alloc();
        // SAFETY: `hints` has all attributes and is freed after its last use.
        unsafe {
            change(&mut Loose::new(hints).unwrap());
            let node = node.map_or(std::ptr::null(), |n| n.as_ptr());
            let q = Question { version: abi::API_VERSION, node, service: std::ptr::null(), flags: 0, hints };
            let providers = [fake::entry(c"why")];
            assert!(getinfo::collect(&providers, &q).unwrap().is_empty());
            let reason = reason(&providers, &q);
            info::free_list(hints);
            reason
        }
    }

    #[test]
    fn the_attribute_that_stands_in_the_way_is_named() {
        let text = why(None, |l| l.ep.r#type = abi::FI_EP_MSG);
        assert_eq!(text, "no provider offers ep_attr->type=FI_EP_MSG; without it there are results");
        let text = why(None, |l| l.info.caps = abi::FI_COLLECTIVE);
        assert_eq!(text, "no provider offers caps=FI_COLLECTIVE; without it there are results");
        let text = why(None, |l| l.info.caps = abi::FI_RMA | 1);
        assert_eq!(text, "no provider offers caps=FI_RMA, 0x1; without it there are results");
        let text = why(None, |l| l.fabric.prov_name = cmem::c_string("nobody"));
        assert_eq!(text, "no provider offers fabric_attr->prov_name=nobody; without it there are results");
        let text = why(None, |l| l.domain.name = cmem::c_string("eth9"));
        assert_eq!(text, "no provider offers domain_attr->name=eth9; without it there are results");
    }

    #[test]
    fn a_node_that_nobody_reaches_and_two_obstacles_are_told_apart() {
        let text = why(Some(c"nowhere"), |_| {});
        assert!(text.starts_with("no provider reaches node nowhere service (null)"), "{text}");
        let text = why(None, |l| {
            l.ep.r#type = abi::FI_EP_MSG;
            l.info.caps = abi::FI_COLLECTIVE;
        });
        assert_eq!(text, "no provider matches the hints; more than one attribute stands in the way");
    }
}
