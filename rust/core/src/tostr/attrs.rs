//! Texts of structures: a title, then one `member: value` per line, indented by four blanks per level.

use super::{address, tables};
use crate::cmem;
use libc::{c_char, c_void};
use std::fmt::{Display, Write};

/// Writes the lines of one structure.
struct Lines<'a> {
    out: &'a mut String,
    indent: String,
}

impl<'a> Lines<'a> {
    /// Starts a structure inside one that is indented by `indent`.
    fn new(out: &'a mut String, indent: &str, title: &str) -> Lines<'a> {
        let _ = writeln!(out, "{indent}{title}:");
        Lines { out, indent: format!("{indent}    ") }
    }

    fn line(&mut self, name: &str, value: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{}{name}: {value}", self.indent);
    }

    fn bits(&mut self, name: &str, of: &tables::Bits, value: u64) {
        self.line(name, format_args!("[ {} ]", of.join(value)));
    }

    fn comp_order(&mut self, value: u64) {
        let strict = abi::FI_ORDER_STRICT as u64;
        // The order of operations first, by a name for all of it or none, then that of their bytes.
        let text = match (value & strict, tables::COMP_ORDER.join(value & !strict)) {
            (abi::FI_ORDER_NONE, rest) if rest.is_empty() => "FI_ORDER_NONE".to_owned(),
            (abi::FI_ORDER_NONE, rest) => format!("FI_ORDER_NONE, {rest}"),
            (o, rest) if o == strict && rest.is_empty() => "FI_ORDER_STRICT".to_owned(),
            (o, rest) if o == strict => format!("FI_ORDER_STRICT, {rest}"),
            _ => tables::COMP_ORDER.join(value),
        };
        self.line("comp_order", format_args!("[ {text} ]"));
    }

    fn pointer<T>(&mut self, name: &str, p: *const T) {
        self.line(name, Pointer(p.cast()));
    }

    /// # Safety
    /// `p` is NULL or a C string.
    unsafe fn text(&mut self, name: &str, p: *const c_char) {
        // SAFETY: by contract.
        self.line(name, unsafe { cmem::text(p) }.as_deref().unwrap_or("(null)"));
    }
}

/// A pointer as C prints it.
struct Pointer(*const c_void);

impl Display for Pointer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.0.is_null() { f.write_str("(nil)") } else { write!(f, "{:p}", self.0) }
    }
}

/// A packed version as `major.minor`.
struct Version(u32);

impl Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}.{}", abi::FI_MAJOR(self.0), abi::FI_MINOR(self.0))
    }
}

/// # Safety
/// `i` and all it points to are valid.
pub(super) unsafe fn info(out: &mut String, i: &abi::fi_info) {
    // SAFETY: by contract; attributes are NULL or valid.
    unsafe {
        let mut l = Lines::new(out, "", "fi_info");
        l.bits("caps", &tables::CAPS, i.caps);
        l.bits("mode", &tables::MODE, i.mode);
        l.line("addr_format", tables::ADDR_FORMAT.name(i.addr_format));
        l.line("src_addrlen", i.src_addrlen);
        l.line("dest_addrlen", i.dest_addrlen);
        l.line("src_addr", address::text(i.addr_format, i.src_addr, i.src_addrlen));
        l.line("dest_addr", address::text(i.addr_format, i.dest_addr, i.dest_addrlen));
        l.pointer("handle", i.handle);
        const INDENT: &str = "    ";
        let missing = |out: &mut String, title: &str| out.push_str(&format!("{INDENT}{title}: (null)\n"));
        match i.tx_attr.as_ref() {
            Some(a) => tx(out, INDENT, a),
            None => missing(out, "fi_tx_attr"),
        }
        match i.rx_attr.as_ref() {
            Some(a) => rx(out, INDENT, a),
            None => missing(out, "fi_rx_attr"),
        }
        match i.ep_attr.as_ref() {
            Some(a) => ep(out, INDENT, a),
            None => missing(out, "fi_ep_attr"),
        }
        match i.domain_attr.as_ref() {
            Some(a) => domain(out, INDENT, a),
            None => missing(out, "fi_domain_attr"),
        }
        match i.fabric_attr.as_ref() {
            Some(a) => fabric(out, INDENT, a),
            None => missing(out, "fi_fabric_attr"),
        }
        match i.nic.as_ref() {
            Some(n) => nic(out, INDENT, n),
            None => out.push_str("    nic: (nil)\n"),
        }
    }
}

pub(super) fn tx(out: &mut String, indent: &str, a: &abi::fi_tx_attr) {
    let mut l = Lines::new(out, indent, "fi_tx_attr");
    l.bits("caps", &tables::CAPS, a.caps);
    l.bits("mode", &tables::MODE, a.mode);
    l.bits("op_flags", &tables::OP_FLAGS, a.op_flags);
    l.bits("msg_order", &tables::ORDER, a.msg_order);
    l.comp_order(a.comp_order);
    l.line("inject_size", a.inject_size);
    l.line("size", a.size);
    l.line("iov_limit", a.iov_limit);
    l.line("rma_iov_limit", a.rma_iov_limit);
    l.line("tclass", format_args!("{:#x}", a.tclass));
}

pub(super) fn rx(out: &mut String, indent: &str, a: &abi::fi_rx_attr) {
    let mut l = Lines::new(out, indent, "fi_rx_attr");
    l.bits("caps", &tables::CAPS, a.caps);
    l.bits("mode", &tables::MODE, a.mode);
    l.bits("op_flags", &tables::OP_FLAGS, a.op_flags);
    l.bits("msg_order", &tables::ORDER, a.msg_order);
    l.comp_order(a.comp_order);
    l.line("total_buffered_recv", a.total_buffered_recv);
    l.line("size", a.size);
    l.line("iov_limit", a.iov_limit);
}

pub(super) fn ep(out: &mut String, indent: &str, a: &abi::fi_ep_attr) {
    let mut l = Lines::new(out, indent, "fi_ep_attr");
    l.line("type", tables::EP_TYPE.name(a.r#type));
    l.line("protocol", tables::PROTOCOL.name(a.protocol));
    l.line("protocol_version", a.protocol_version);
    l.line("max_msg_size", a.max_msg_size);
    l.line("msg_prefix_size", a.msg_prefix_size);
    l.line("max_order_raw_size", a.max_order_raw_size);
    l.line("max_order_war_size", a.max_order_war_size);
    l.line("max_order_waw_size", a.max_order_waw_size);
    l.line("mem_tag_format", format_args!("{:#018x}", a.mem_tag_format));
    contexts(&mut l, "tx_ctx_cnt", a.tx_ctx_cnt);
    contexts(&mut l, "rx_ctx_cnt", a.rx_ctx_cnt);
    key_size(&mut l, a.auth_key_size);
}

fn contexts(l: &mut Lines, name: &str, count: usize) {
    if count == abi::FI_SHARED_CONTEXT as usize {
        l.line(name, "FI_SHARED_CONTEXT");
    } else {
        l.line(name, count);
    }
}

fn key_size(l: &mut Lines, size: usize) {
    match size as u64 {
        abi::FI_AV_AUTH_KEY => l.line("auth_key_size", "FI_AV_AUTH_KEY"),
        n => l.line("auth_key_size", n),
    }
}

/// # Safety
/// Texts of `a` are NULL or C strings.
pub(super) unsafe fn domain(out: &mut String, indent: &str, a: &abi::fi_domain_attr) {
    let mut l = Lines::new(out, indent, "fi_domain_attr");
    l.line("domain", format_args!("{:#x}", a.domain as usize));
    // SAFETY: by contract.
    unsafe { l.text("name", a.name) };
    l.line("threading", tables::THREADING.name(a.threading));
    l.line("control_progress", tables::PROGRESS.name(a.control_progress));
    l.line("data_progress", tables::PROGRESS.name(a.data_progress));
    l.line("resource_mgmt", tables::RESOURCE_MGMT.name(a.resource_mgmt));
    l.line("av_type", tables::AV_TYPE.name(a.av_type));
    l.bits("mr_mode", &tables::MR_MODE, a.mr_mode as u32 as u64);
    l.line("mr_key_size", a.mr_key_size);
    l.line("cq_data_size", a.cq_data_size);
    l.line("cq_cnt", a.cq_cnt);
    l.line("ep_cnt", a.ep_cnt);
    l.line("tx_ctx_cnt", a.tx_ctx_cnt);
    l.line("rx_ctx_cnt", a.rx_ctx_cnt);
    l.line("max_ep_tx_ctx", a.max_ep_tx_ctx);
    l.line("max_ep_rx_ctx", a.max_ep_rx_ctx);
    l.line("max_ep_stx_ctx", a.max_ep_stx_ctx);
    l.line("max_ep_srx_ctx", a.max_ep_srx_ctx);
    l.line("cntr_cnt", a.cntr_cnt);
    l.line("mr_iov_limit", a.mr_iov_limit);
    l.bits("caps", &tables::CAPS, a.caps);
    l.bits("mode", &tables::MODE, a.mode);
    key_size(&mut l, a.auth_key_size);
    l.line("max_err_data", a.max_err_data);
    l.line("mr_cnt", a.mr_cnt);
    l.line("tclass", format_args!("{:#x}", a.tclass));
    l.line("max_ep_auth_key", a.max_ep_auth_key);
    l.line("max_group_id", a.max_group_id);
    l.line("max_cntr_value", a.max_cntr_value);
    l.line("max_err_cntr_value", a.max_err_cntr_value);
}

/// # Safety
/// Texts of `a` are NULL or C strings.
pub(super) unsafe fn fabric(out: &mut String, indent: &str, a: &abi::fi_fabric_attr) {
    let mut l = Lines::new(out, indent, "fi_fabric_attr");
    // SAFETY: by contract.
    unsafe {
        l.text("name", a.name);
        l.text("prov_name", a.prov_name);
    }
    l.line("prov_version", Version(a.prov_version));
    l.line("api_version", Version(a.api_version));
}

/// # Safety
/// `n` and all it points to are valid.
unsafe fn nic(out: &mut String, indent: &str, n: &abi::fid_nic) {
    let inner = Lines::new(out, indent, "nic").indent;
    // SAFETY: by contract; attributes are NULL or valid.
    unsafe {
        if let Some(d) = n.device_attr.as_ref() {
            let mut l = Lines::new(out, &inner, "fi_device_attr");
            l.text("name", d.name);
            l.text("device_id", d.device_id);
            l.text("device_version", d.device_version);
            l.text("vendor_id", d.vendor_id);
            l.text("driver", d.driver);
            l.text("firmware", d.firmware);
        }
        if let Some(b) = n.bus_attr.as_ref() {
            let mut l = Lines::new(out, &inner, "fi_bus_attr");
            l.line("bus_type", tables::BUS.name(b.bus_type));
            if b.bus_type == abi::FI_BUS_PCI {
                let within = l.indent;
                let mut l = Lines::new(out, &within, "fi_pci_attr");
                let pci = b.attr.pci;
                l.line("domain_id", pci.domain_id);
                l.line("bus_id", pci.bus_id);
                l.line("device_id", pci.device_id);
                l.line("function_id", pci.function_id);
            }
        }
        if let Some(k) = n.link_attr.as_ref() {
            let mut l = Lines::new(out, &inner, "fi_link_attr");
            l.text("address", k.address);
            l.line("mtu", k.mtu);
            l.line("speed", k.speed);
            l.line("state", tables::LINK_STATE.name(k.state));
            l.text("network_type", k.network_type);
        }
    }
}

/// # Safety
/// Texts of `a` are NULL or C strings.
pub(super) unsafe fn av(out: &mut String, a: &abi::fi_av_attr) {
    let mut l = Lines::new(out, "", "fi_av_attr");
    l.line("type", tables::AV_TYPE.name(a.r#type));
    l.line("rx_ctx_bits", a.rx_ctx_bits);
    l.line("count", a.count);
    l.line("ep_per_node", a.ep_per_node);
    // SAFETY: by contract.
    unsafe { l.text("name", a.name) };
    l.pointer("map_addr", a.map_addr);
    l.bits("flags", &tables::AV_FLAGS, a.flags);
}

pub(super) fn cq(out: &mut String, a: &abi::fi_cq_attr) {
    let mut l = Lines::new(out, "", "fi_cq_attr");
    l.line("size", a.size);
    l.bits("flags", &tables::CQ_ATTR_FLAGS, a.flags);
    l.line("format", tables::CQ_FORMAT.name(a.format));
    l.line("wait_obj", tables::WAIT_OBJ.name(a.wait_obj));
    l.line("signaling_vector", a.signaling_vector);
    l.line("wait_cond", tables::CQ_WAIT_COND.name(a.wait_cond));
    l.pointer("wait_set", a.wait_set);
}

pub(super) fn cntr(out: &mut String, a: &abi::fi_cntr_attr) {
    let mut l = Lines::new(out, "", "fi_cntr_attr");
    l.line("events", tables::CNTR_EVENTS.name(a.events));
    l.line("wait_obj", tables::WAIT_OBJ.name(a.wait_obj));
    l.pointer("wait_set", a.wait_set);
    l.bits("flags", &tables::CQ_ATTR_FLAGS, a.flags);
}

/// # Safety
/// `a.source` has `a.iov_count` buffers.
pub(super) unsafe fn mr(out: &mut String, a: &abi::fi_mr_attr) {
    let mut l = Lines::new(out, "", "fi_mr_attr");
    // SAFETY: both members of the union are pointers; which one it is, is told elsewhere, so neither is followed.
    unsafe { l.pointer("mr_iov", a.source.mr_iov) };
    l.line("iov_count", a.iov_count);
    l.bits("access", &tables::ACCESS, a.access);
    l.line("offset", a.offset);
    l.line("requested_key", a.requested_key);
    l.pointer("context", a.context);
    key_size(&mut l, a.auth_key_size);
    l.line("iface", tables::HMEM.name(a.iface));
    // SAFETY: plain numbers.
    l.line("device", unsafe { a.device.reserved });
    l.pointer("hmem_data", a.hmem_data);
    l.line("page_size", a.page_size);
    l.pointer("base_mr", a.base_mr);
    l.line("sub_mr_cnt", a.sub_mr_cnt);
}

pub(super) fn cq_error(out: &mut String, e: &abi::fi_cq_err_entry) {
    let mut l = Lines::new(out, "", "fi_cq_err_entry");
    l.pointer("op_context", e.op_context);
    l.bits("flags", &tables::CQ_FLAGS, e.flags);
    l.line("len", e.len);
    l.pointer("buf", e.buf);
    l.line("data", e.data);
    l.line("tag", format_args!("{:#x}", e.tag));
    l.line("olen", e.olen);
    l.line("err", format_args!("{} ({})", e.err, crate::errors::string(e.err)));
    l.line("prov_errno", e.prov_errno);
    l.pointer("err_data", e.err_data);
    l.line("err_data_size", e.err_data_size);
    match e.src_addr {
        abi::FI_ADDR_NOTAVAIL => l.line("src_addr", "FI_ADDR_NOTAVAIL"),
        a => l.line("src_addr", a),
    }
}

/// An object: by its own text where its provider has one, else its address.
///
/// # Safety
/// `f` is a valid object.
pub(super) unsafe fn fid(out: &mut String, f: *const abi::fid) {
    // SAFETY: by contract; the operations say by their size whether they have the member.
    unsafe {
        let ops = (*f).ops;
        if !ops.is_null() && (*ops).size > std::mem::offset_of!(abi::fi_ops, tostr) {
            if let Some(own) = (*ops).tostr {
                let mut buf = [0 as c_char; 4096];
                if own(f, buf.as_mut_ptr(), buf.len()) >= 0 {
                    buf[buf.len() - 1] = 0;
                    out.push_str(&cmem::text(buf.as_ptr()).unwrap_or_default());
                    return;
                }
            }
        }
    }
    let _ = writeln!(out, "fid: {}", Pointer(f.cast()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cmem, info as infos};

    #[test]
    fn an_info_is_printed_in_the_known_layout() {
        let p = infos::alloc();
        // SAFETY: `p` was just made with all attributes; its texts are C's memory.
        let text = unsafe {
            let i = &mut *p;
            i.caps = abi::FI_MSG | abi::FI_RECV;
            i.addr_format = abi::FI_SOCKADDR_IN;
            (*i.tx_attr).msg_order = abi::FI_ORDER_SAS;
            (*i.ep_attr).r#type = abi::FI_EP_RDM;
            (*i.ep_attr).mem_tag_format = 0xaaaa_aaaa_aaaa_aaaa;
            (*i.domain_attr).name = cmem::c_string("eth0");
            (*i.fabric_attr).prov_name = cmem::c_string("dpdk");
            (*i.fabric_attr).prov_version = abi::FI_VERSION(206, 0);
            (*i.fabric_attr).api_version = abi::FI_VERSION(1, 17);
            let mut out = String::new();
            info(&mut out, i);
            infos::free_list(p);
            out
        };
        let start = "fi_info:\n    caps: [ FI_MSG, FI_RECV ]\n    mode: [  ]\n    addr_format: FI_SOCKADDR_IN\n    \
            src_addrlen: 0\n    dest_addrlen: 0\n    src_addr: (null)\n    dest_addr: (null)\n    handle: (nil)\n    \
            fi_tx_attr:\n        caps: [  ]\n        mode: [  ]\n        op_flags: [  ]\n        \
            msg_order: [ FI_ORDER_SAS ]\n        comp_order: [ FI_ORDER_NONE ]\n";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("\n        type: FI_EP_RDM\n"));
        assert!(text.contains("\n        mem_tag_format: 0xaaaaaaaaaaaaaaaa\n"));
        assert!(text.contains("\n        domain: 0x0\n        name: eth0\n"));
        let end = "    fi_fabric_attr:\n        name: (null)\n        prov_name: dpdk\n        prov_version: 206.0\n        \
            api_version: 1.17\n    nic: (nil)\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn a_nic_is_printed_below_the_info() {
        let name = cmem::c_string("mlx5_0");
        let mut device = abi::fi_device_attr {
            name,
            device_id: std::ptr::null_mut(),
            device_version: std::ptr::null_mut(),
            vendor_id: std::ptr::null_mut(),
            driver: std::ptr::null_mut(),
            firmware: std::ptr::null_mut(),
        };
        let pci = abi::fi_pci_attr { domain_id: 1, bus_id: 59, device_id: 0, function_id: 1 };
        let mut bus = abi::fi_bus_attr { bus_type: abi::FI_BUS_PCI, attr: abi::fi_bus_attr_attr { pci } };
        let mut link = abi::fi_link_attr {
            address: std::ptr::null_mut(),
            mtu: 9000,
            speed: 100_000_000_000,
            state: abi::FI_LINK_UP,
            network_type: std::ptr::null_mut(),
        };
        let n = abi::fid_nic {
            fid: abi::fid { fclass: 20, context: std::ptr::null_mut(), ops: std::ptr::null_mut() },
            device_attr: &mut device,
            bus_attr: &mut bus,
            link_attr: &mut link,
            prov_attr: std::ptr::null_mut(),
        };
        let mut out = String::new();
        // SAFETY: all parts are valid; `name` is freed after its last use.
        unsafe {
            nic(&mut out, "    ", &n);
            cmem::free(name);
        }
        assert!(out.starts_with("    nic:\n        fi_device_attr:\n            name: mlx5_0\n"));
        assert!(out.contains("        fi_bus_attr:\n            bus_type: FI_BUS_PCI\n            fi_pci_attr:\n                domain_id: 1\n"));
        assert!(out.contains(
            "            mtu: 9000\n            speed: 100000000000\n            state: FI_LINK_UP\n"
        ));
    }
}
