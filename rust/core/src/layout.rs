//! Older forms of `struct fi_info` and its attributes. Each is a prefix of today's: fields were only appended, so an old
//! caller's structure is read up to its size and the rest is taken as zero.

use abi::{fi_domain_attr, fi_ep_attr, fi_fabric_attr, fi_info, fi_rx_attr, fi_tx_attr};
use std::mem::{MaybeUninit, offset_of};

/// How many bytes of each structure a caller has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub info: usize,
    pub tx: usize,
    pub ep: usize,
    pub domain: usize,
    pub fabric: usize,
}

/// Today's form.
pub(crate) const NEWEST: Layout = Layout {
    info: size_of::<fi_info>(),
    tx: size_of::<fi_tx_attr>(),
    ep: size_of::<fi_ep_attr>(),
    domain: size_of::<fi_domain_attr>(),
    fabric: size_of::<fi_fabric_attr>(),
};

impl Layout {
    /// The form known to callers bound to node `FABRIC_1.<minor>`.
    pub(crate) fn of_node(minor: i32) -> Layout {
        let before_tclass = Layout {
            tx: offset_of!(fi_tx_attr, tclass),
            domain: offset_of!(fi_domain_attr, tclass),
            ..Layout::of_domain(offset_of!(fi_domain_attr, max_ep_auth_key))
        };
        match minor {
            ..1 => Layout {
                info: offset_of!(fi_info, nic),
                ep: offset_of!(fi_ep_attr, auth_key_size),
                domain: offset_of!(fi_domain_attr, cntr_cnt),
                // The four bytes of api_version were padding then.
                fabric: offset_of!(fi_fabric_attr, api_version),
                ..before_tclass
            },
            1 => Layout { info: offset_of!(fi_info, nic), ..before_tclass },
            2 => before_tclass,
            3..=6 => Layout::of_domain(offset_of!(fi_domain_attr, max_ep_auth_key)),
            7 => Layout::of_domain(offset_of!(fi_domain_attr, max_group_id)),
            8 => Layout::of_domain(offset_of!(fi_domain_attr, max_cntr_value)),
            9.. => NEWEST,
        }
    }

    fn of_domain(domain: usize) -> Layout {
        Layout { domain, ..NEWEST }
    }
}

/// The first `len` bytes of `*src`, the rest zero.
///
/// # Safety
/// `len` bytes of `src` are readable, and `T` is plain data for which zero is valid.
pub(crate) unsafe fn prefix<T: Copy>(src: *const T, len: usize) -> T {
    let mut out = MaybeUninit::<T>::zeroed();
    // SAFETY: `out` has room for `size_of::<T>()` bytes, of which at most that many are written; all-zero and
    // copied bytes are a valid `T` by contract.
    unsafe {
        std::ptr::copy_nonoverlapping(
            src.cast::<u8>(),
            out.as_mut_ptr().cast::<u8>(),
            len.min(size_of::<T>()),
        );
        out.assume_init()
    }
}

/// A caller's info in today's form. It borrows what the original points to, except the attributes, which it holds.
pub(crate) struct Widened {
    info: fi_info,
    tx: fi_tx_attr,
    rx: fi_rx_attr,
    ep: fi_ep_attr,
    domain: fi_domain_attr,
    fabric: fi_fabric_attr,
}

impl Widened {
    /// # Safety
    /// `src` is an info in form `layout`, with attributes that are NULL or valid in the same form.
    pub(crate) unsafe fn new(src: *const fi_info, layout: Layout) -> Box<Widened> {
        // SAFETY: a pointer is NULL (then nothing is read) or valid for the bytes that the form has.
        unsafe {
            let info = prefix(src, layout.info);
            let at = |null: bool, len: usize| if null { 0 } else { len };
            let mut w = Box::new(Widened {
                info,
                tx: prefix(info.tx_attr, at(info.tx_attr.is_null(), layout.tx)),
                rx: prefix(info.rx_attr, at(info.rx_attr.is_null(), size_of::<fi_rx_attr>())),
                ep: prefix(info.ep_attr, at(info.ep_attr.is_null(), layout.ep)),
                domain: prefix(info.domain_attr, at(info.domain_attr.is_null(), layout.domain)),
                fabric: prefix(info.fabric_attr, at(info.fabric_attr.is_null(), layout.fabric)),
            });
            fn point<T>(slot: &mut *mut T, to: &mut T) {
                if !slot.is_null() {
                    *slot = to;
                }
            }
            let Widened { info, tx, rx, ep, domain, fabric } = &mut *w;
            point(&mut info.tx_attr, tx);
            point(&mut info.rx_attr, rx);
            point(&mut info.ep_attr, ep);
            point(&mut info.domain_attr, domain);
            point(&mut info.fabric_attr, fabric);
            w
        }
    }

    pub(crate) fn as_ptr(&self) -> *const fi_info {
        &self.info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_releases() {
        // tx_attr, ep_attr, domain_attr, info as counted in bytes before padding.
        let of = |m| {
            let l = Layout::of_node(m);
            (l.info, l.tx, l.ep, l.domain, l.fabric)
        };
        assert_eq!(of(0), (112, 72, 80, 120, 28));
        assert_eq!(of(1), (112, 72, 96, 184, 32));
        assert_eq!(of(2), (120, 72, 96, 184, 32));
        assert_eq!(of(3), (120, 80, 96, 192, 32));
        assert_eq!(of(7), (120, 80, 96, 200, 32));
        assert_eq!(of(8), (120, 80, 96, 208, 32));
        assert_eq!(of(9), (120, 80, 96, 224, 32));
    }

    #[test]
    fn fields_the_caller_does_not_have_are_zero() {
        let mut domain: fi_domain_attr = unsafe_zeroed();
        domain.cq_cnt = 7;
        domain.tclass = 0x55;
        let mut info: fi_info = unsafe_zeroed();
        info.domain_attr = &mut domain;
        info.nic = std::ptr::dangling_mut();
        // SAFETY: both structures are valid in every form.
        let w = unsafe { Widened::new(&info, Layout::of_node(1)) };
        assert_eq!(w.domain.cq_cnt, 7);
        assert_eq!(w.domain.tclass, 0);
        assert!(w.info.nic.is_null());
        assert!(w.info.tx_attr.is_null());
        assert!(std::ptr::eq(w.info.domain_attr, &w.domain));
    }

    fn unsafe_zeroed<T: Copy>() -> T {
        // SAFETY: no byte is read; the structures used here are plain data.
        unsafe { prefix(std::ptr::null(), 0) }
    }
}
