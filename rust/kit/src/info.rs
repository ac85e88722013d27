//! Results of `fi_getinfo` as C structures. The core frees them with `free`, so C's allocator makes them.

use crate::negotiate::address_bytes;
use crate::offer::{Nic, Offer};
use crate::{Error, Result};
use libc::{c_char, c_int, c_void};
use std::mem::offset_of;
use std::sync::OnceLock;

type Dup = unsafe extern "C" fn(*const abi::fi_info) -> *mut abi::fi_info;

/// The running core's `fi_dupinfo` in its newest form, found by name: an import would bind to the oldest one in a
/// library that was not linked with it. The library that this code runs in is looked at first, so that two libfabrics
/// in one process do not mix.
fn dupinfo() -> Option<Dup> {
    static FOUND: OnceLock<Option<Dup>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: dladdr and dlopen get valid arguments; RTLD_NOLOAD only looks up what is loaded. The handle is
        // kept: the core outlives its providers.
        unsafe {
            let mut of: libc::Dl_info = std::mem::zeroed();
            let mut found = std::ptr::null_mut();
            if libc::dladdr(abi::fi_log_enabled as *const c_void, &mut of) != 0 && !of.dli_fname.is_null() {
                let lib = libc::dlopen(of.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD);
                if !lib.is_null() {
                    found = libc::dlsym(lib, c"fi_dupinfo".as_ptr());
                }
            }
            if found.is_null() {
                found = libc::dlsym(libc::RTLD_DEFAULT, c"fi_dupinfo".as_ptr());
            }
            (!found.is_null()).then(|| std::mem::transmute::<*mut c_void, Dup>(found))
        }
    })
}

/// An empty info with all attributes, zeroed.
fn alloc() -> Result<*mut abi::fi_info> {
    if let Some(dup) = dupinfo() {
        // SAFETY: NULL asks for an empty one.
        let i = unsafe { dup(std::ptr::null()) };
        return if i.is_null() { Err(Error::NOMEM) } else { Ok(i) };
    }
    // A program without a core around us (unit tests): the same shape by hand.
    // SAFETY: calloc'ed structs of plain data; zero is valid.
    unsafe {
        let i = libc::calloc(1, size_of::<abi::fi_info>()) as *mut abi::fi_info;
        if i.is_null() {
            return Err(Error::NOMEM);
        }
        (*i).tx_attr = libc::calloc(1, size_of::<abi::fi_tx_attr>()).cast();
        (*i).rx_attr = libc::calloc(1, size_of::<abi::fi_rx_attr>()).cast();
        (*i).ep_attr = libc::calloc(1, size_of::<abi::fi_ep_attr>()).cast();
        (*i).domain_attr = libc::calloc(1, size_of::<abi::fi_domain_attr>()).cast();
        (*i).fabric_attr = libc::calloc(1, size_of::<abi::fi_fabric_attr>()).cast();
        Ok(i)
    }
}

/// API version of the running core, which decides how much of an attribute it allocated.
pub(crate) fn core_version() -> u32 {
    // SAFETY: no arguments. Found by its oldest and only form.
    unsafe { abi::fi_version() }
}

fn dup_bytes(b: &[u8]) -> *mut c_void {
    // SAFETY: malloc'ed for exactly these bytes.
    unsafe {
        let p = libc::malloc(b.len().max(1));
        if !p.is_null() {
            std::ptr::copy_nonoverlapping(b.as_ptr(), p as *mut u8, b.len());
        }
        p
    }
}

fn dup_str(s: &str) -> *mut c_char {
    let mut b: Vec<u8> = s.bytes().filter(|b| *b != 0).collect();
    b.push(0);
    dup_bytes(&b) as *mut c_char
}

/// A list that grows at its end.
pub(crate) struct List {
    head: *mut abi::fi_info,
    tail: *mut abi::fi_info,
}

impl List {
    pub(crate) fn new() -> List {
        List { head: std::ptr::null_mut(), tail: std::ptr::null_mut() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_null()
    }

    pub(crate) fn into_raw(self) -> *mut abi::fi_info {
        self.head
    }

    /// Appends a negotiated offer.
    pub(crate) fn push(&mut self, o: &Offer, hints: Option<&abi::fi_info>) -> Result<()> {
        let p = alloc()?;
        // SAFETY: `alloc` gave an info with all attributes; only members that the running core has are written.
        unsafe {
            let i = &mut *p;
            i.caps = o.caps;
            i.mode = o.mode;
            i.addr_format = o.addr_format;
            if let Some(a) = &o.src {
                let b = address_bytes(o, a);
                (i.src_addr, i.src_addrlen) = (dup_bytes(&b), b.len());
            }
            if let Some(a) = &o.dest {
                let b = address_bytes(o, a);
                (i.dest_addr, i.dest_addrlen) = (dup_bytes(&b), b.len());
            }
            i.handle = hints.map_or(std::ptr::null_mut(), |h| h.handle);
            let v = core_version();
            prefix(
                i.tx_attr,
                &o.tx,
                if v < abi::FI_VERSION(1, 9) {
                    offset_of!(abi::fi_tx_attr, tclass)
                } else {
                    size_of::<abi::fi_tx_attr>()
                },
            );
            *i.rx_attr = o.rx;
            *i.ep_attr = o.ep;
            prefix(i.domain_attr, &o.domain, domain_attr_size(v));
            (*i.domain_attr).name = dup_str(&o.domain_name);
            (*i.fabric_attr).name = dup_str(&o.fabric_name);
            if let Some(n) = &o.nic {
                i.nic = nic(n);
            }
        }
        if self.tail.is_null() {
            self.head = p;
        } else {
            // SAFETY: the tail is an info of this list.
            unsafe { (*self.tail).next = p };
        }
        self.tail = p;
        Ok(())
    }
}

/// Bytes of `fi_domain_attr` that a core of this version allocated (see the versions' layouts).
pub(crate) fn domain_attr_size(v: u32) -> usize {
    match v {
        _ if v < abi::FI_VERSION(1, 9) => offset_of!(abi::fi_domain_attr, tclass),
        _ if v < abi::FI_VERSION(1, 20) => offset_of!(abi::fi_domain_attr, max_ep_auth_key),
        _ if v < abi::FI_VERSION(2, 0) => offset_of!(abi::fi_domain_attr, max_group_id),
        _ if v < abi::FI_VERSION(2, 5) => offset_of!(abi::fi_domain_attr, max_cntr_value),
        _ => size_of::<abi::fi_domain_attr>(),
    }
}

/// Copies the first `bytes` of a struct.
///
/// # Safety
/// `to` has that many bytes.
unsafe fn prefix<T: Copy>(to: *mut T, from: &T, bytes: usize) {
    // SAFETY: by contract.
    unsafe { std::ptr::copy_nonoverlapping(from as *const T as *const u8, to as *mut u8, bytes) }
}

static NIC_OPS: abi::fi_ops = abi::fi_ops {
    size: size_of::<abi::fi_ops>(),
    close: Some(nic_close),
    bind: crate::ffi::nosys!(3),
    control: Some(nic_control),
    ops_open: crate::ffi::nosys!(5),
    tostr: None,
    ops_set: crate::ffi::nosys!(5),
};

/// The facts about the hardware as a C object, which the core closes through its own table.
fn nic(n: &Nic) -> *mut abi::fid_nic {
    // SAFETY: calloc'ed structs of plain data, each checked before use.
    unsafe {
        let p = libc::calloc(1, size_of::<abi::fid_nic>()) as *mut abi::fid_nic;
        let dev = libc::calloc(1, size_of::<abi::fi_device_attr>()) as *mut abi::fi_device_attr;
        let bus = libc::calloc(1, size_of::<abi::fi_bus_attr>()) as *mut abi::fi_bus_attr;
        let link = libc::calloc(1, size_of::<abi::fi_link_attr>()) as *mut abi::fi_link_attr;
        if p.is_null() || dev.is_null() || bus.is_null() || link.is_null() {
            for q in [p as *mut c_void, dev.cast(), bus.cast(), link.cast()] {
                libc::free(q);
            }
            return std::ptr::null_mut();
        }
        (*dev).name = dup_str(&n.name);
        (*dev).driver = dup_str(&n.driver);
        if let Some((domain, number, device, function)) = n.pci {
            (*bus).bus_type = abi::FI_BUS_PCI;
            (*bus).attr.pci = abi::fi_pci_attr {
                domain_id: domain,
                bus_id: number,
                device_id: device,
                function_id: function,
            };
        }
        (*link).address = dup_str(&n.address);
        (*link).mtu = n.mtu;
        (*link).speed = n.speed;
        (*link).state = match n.up {
            None => abi::FI_LINK_UNKNOWN,
            Some(false) => abi::FI_LINK_DOWN,
            Some(true) => abi::FI_LINK_UP,
        };
        (*link).network_type = dup_str("Ethernet");
        (*p).fid = crate::ffi::fid(abi::FI_CLASS_NIC, std::ptr::null_mut(), &NIC_OPS);
        ((*p).device_attr, (*p).bus_attr, (*p).link_attr) = (dev, bus, link);
        p
    }
}

unsafe extern "C" fn nic_close(fid: *mut abi::fid) -> c_int {
    // SAFETY: made by `nic` (or copied by a core, member by member, with C's allocator).
    unsafe {
        let n = fid as *mut abi::fid_nic;
        if let Some(d) = (*n).device_attr.as_ref() {
            for s in [d.name, d.device_id, d.device_version, d.vendor_id, d.driver, d.firmware] {
                libc::free(s.cast());
            }
        }
        if let Some(l) = (*n).link_attr.as_ref() {
            libc::free(l.address.cast());
            libc::free(l.network_type.cast());
        }
        libc::free((*n).device_attr.cast());
        libc::free((*n).bus_attr.cast());
        libc::free((*n).link_attr.cast());
        libc::free((*n).prov_attr);
        libc::free(n.cast());
    }
    0
}

/// `FI_DUP`: the core copies a nic through its own table.
unsafe extern "C" fn nic_control(fid: *mut abi::fid, command: c_int, arg: *mut c_void) -> c_int {
    if command != abi::FI_DUP {
        return Error::NOSYS.ret();
    }
    // SAFETY: an object of `nic`; arg is where the copy goes.
    unsafe {
        let n = fid as *mut abi::fid_nic;
        let text = |p: *mut c_char| {
            if p.is_null() {
                String::new()
            } else {
                std::ffi::CStr::from_ptr(p).to_string_lossy().into_owned()
            }
        };
        let (d, b, l) = (&*(*n).device_attr, &*(*n).bus_attr, &*(*n).link_attr);
        let pci = (b.bus_type == abi::FI_BUS_PCI).then(|| {
            let p = b.attr.pci;
            (p.domain_id, p.bus_id, p.device_id, p.function_id)
        });
        let copy = nic(&Nic {
            name: text(d.name),
            driver: text(d.driver),
            pci,
            address: text(l.address),
            mtu: l.mtu,
            speed: l.speed,
            up: match l.state {
                abi::FI_LINK_UP => Some(true),
                abi::FI_LINK_DOWN => Some(false),
                _ => None,
            },
        });
        if copy.is_null() {
            return Error::NOMEM.ret();
        }
        *(arg as *mut *mut abi::fid_nic) = copy;
    }
    0
}
