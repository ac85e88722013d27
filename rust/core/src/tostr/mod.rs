//! `fi_tostr`: texts of the API's values and objects, in the layout that `fi_info -v` made familiar. Reads objects,
//! changes nothing. Bits that no name is known for are left out, as every libfabric does.

mod address;
mod attrs;
mod tables;

use libc::{c_char, c_void};
use std::cell::UnsafeCell;

/// Room for the text of one `fi_info` in the buffer that the calls of a thread share.
const THREAD_BUFFER: usize = 16384;

thread_local! {
    static BUFFER: UnsafeCell<[c_char; THREAD_BUFFER]> = const { UnsafeCell::new([0; THREAD_BUFFER]) };
}

/// Text of `*data` in this thread's buffer, valid until the thread's next call. NULL for NULL.
///
/// # Safety
/// `data` is NULL or valid for `datatype`.
pub(crate) unsafe fn in_thread_buffer(data: *const c_void, datatype: abi::fi_type) -> *mut c_char {
    // SAFETY: the buffer is this thread's and needs no drop, so it is there until the thread ends; by contract.
    BUFFER.with(|b| unsafe { in_buffer(b.get().cast(), THREAD_BUFFER, data, datatype) })
}

/// Text of `*data` in `buf`, cut to fit. NULL when there is no data or no room.
///
/// # Safety
/// `buf` has `len` bytes, `data` is NULL or valid for `datatype`.
pub(crate) unsafe fn in_buffer(
    buf: *mut c_char,
    len: usize,
    data: *const c_void,
    datatype: abi::fi_type,
) -> *mut c_char {
    if buf.is_null() || len == 0 || data.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: by contract.
    let text = unsafe { text(data, datatype) };
    let n = text.len().min(len - 1);
    // SAFETY: `n` and the zero fit into `len`.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buf.cast(), n);
        *buf.add(n) = 0;
    }
    buf
}

/// # Safety
/// `data` is valid for `datatype`.
pub(crate) unsafe fn text(data: *const c_void, datatype: abi::fi_type) -> String {
    // SAFETY: by contract `data` points to what the type names; values are read where they may be unaligned.
    unsafe {
        let mut out = String::new();
        match datatype {
            abi::FI_TYPE_INFO => attrs::info(&mut out, &*data.cast()),
            abi::FI_TYPE_TX_ATTR => attrs::tx(&mut out, "", &*data.cast()),
            abi::FI_TYPE_RX_ATTR => attrs::rx(&mut out, "", &*data.cast()),
            abi::FI_TYPE_EP_ATTR => attrs::ep(&mut out, "", &*data.cast()),
            abi::FI_TYPE_DOMAIN_ATTR => attrs::domain(&mut out, "", &*data.cast()),
            abi::FI_TYPE_FABRIC_ATTR => attrs::fabric(&mut out, "", &*data.cast()),
            abi::FI_TYPE_AV_ATTR => attrs::av(&mut out, &*data.cast()),
            abi::FI_TYPE_CQ_ATTR => attrs::cq(&mut out, &*data.cast()),
            abi::FI_TYPE_MR_ATTR => attrs::mr(&mut out, &*data.cast()),
            abi::FI_TYPE_CNTR_ATTR => attrs::cntr(&mut out, &*data.cast()),
            abi::FI_TYPE_CQ_ERR_ENTRY => attrs::cq_error(&mut out, &*data.cast()),
            abi::FI_TYPE_FID => attrs::fid(&mut out, data.cast()),
            // An int in the attributes, unlike the flag words above.
            abi::FI_TYPE_MR_MODE => out = tables::MR_MODE.join(data.cast::<u32>().read_unaligned().into()),
            abi::FI_TYPE_VERSION => {
                out = format!(
                    "{}.{}.{}",
                    abi::FI_MAJOR_VERSION,
                    abi::FI_MINOR_VERSION,
                    abi::FI_REVISION_VERSION
                );
            }
            _ => {
                out = match (tables::flags(datatype), tables::values(datatype)) {
                    (Some(of), _) => of.join(data.cast::<u64>().read_unaligned()),
                    (_, Some(of)) => of.name(data.cast::<u32>().read_unaligned()).to_owned(),
                    _ => "Unknown type".to_owned(),
                };
            }
        }
        out
    }
}

/// Those bits of a word of flags that have no name; 0 for other types.
pub(crate) fn unnamed(value: u64, datatype: abi::fi_type) -> u64 {
    tables::flags(datatype).map_or(0, |of| of.unnamed(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn of<T>(value: T, datatype: abi::fi_type) -> String {
        // SAFETY: tests pass the type that belongs to the value.
        unsafe {
            let p = in_thread_buffer((&raw const value).cast(), datatype);
            CStr::from_ptr(p).to_str().unwrap().to_owned()
        }
    }

    #[test]
    fn values_have_their_c_names() {
        assert_eq!(of(abi::FI_EP_RDM, abi::FI_TYPE_EP_TYPE), "FI_EP_RDM");
        assert_eq!(of(abi::FI_SOCKADDR_IN6, abi::FI_TYPE_ADDR_FORMAT), "FI_SOCKADDR_IN6");
        assert_eq!(of(abi::FI_THREAD_DOMAIN, abi::FI_TYPE_THREADING), "FI_THREAD_DOMAIN");
        assert_eq!(
            of(abi::FI_PROGRESS_CONTROL_UNIFIED, abi::FI_TYPE_PROGRESS),
            "FI_PROGRESS_CONTROL_UNIFIED"
        );
        assert_eq!(of(abi::FI_PROTO_UDP, abi::FI_TYPE_PROTOCOL), "FI_PROTO_UDP");
        assert_eq!(of(abi::FI_AV_TABLE, abi::FI_TYPE_AV_TYPE), "FI_AV_TABLE");
        assert_eq!(of(abi::FI_FLOAT8_E5M2, abi::FI_TYPE_ATOMIC_TYPE), "FI_FLOAT8_E5M2");
        assert_eq!(of(abi::FI_VOID, abi::FI_TYPE_ATOMIC_TYPE), "FI_VOID");
        assert_eq!(of(abi::FI_DIFF, abi::FI_TYPE_ATOMIC_OP), "FI_DIFF");
        assert_eq!(of(abi::FI_NOOP, abi::FI_TYPE_ATOMIC_OP), "FI_NOOP");
        assert_eq!(of(abi::FI_JOIN_COMPLETE, abi::FI_TYPE_EQ_EVENT), "FI_JOIN_COMPLETE");
        assert_eq!(of(abi::FI_OP_CNTR_ADD, abi::FI_TYPE_OP_TYPE), "FI_OP_CNTR_ADD");
        assert_eq!(of(abi::FI_GATHER, abi::FI_TYPE_COLLECTIVE_OP), "FI_GATHER");
        assert_eq!(of(abi::FI_HMEM_CUDA, abi::FI_TYPE_HMEM_IFACE), "FI_HMEM_CUDA");
        assert_eq!(of(abi::FI_CQ_FORMAT_TAGGED, abi::FI_TYPE_CQ_FORMAT), "FI_CQ_FORMAT_TAGGED");
        assert_eq!(of(abi::FI_LOG_DEBUG, abi::FI_TYPE_LOG_LEVEL), "debug");
        assert_eq!(of(abi::FI_LOG_EP_DATA, abi::FI_TYPE_LOG_SUBSYS), "ep_data");
        assert_eq!(of(abi::FI_CQ_COND_THRESHOLD, abi::FI_TYPE_CQ_WAIT_COND), "FI_CQ_COND_THRESHOLD");
        assert_eq!(of(abi::FI_WAIT_YIELD, abi::FI_TYPE_WAIT_OBJ), "FI_WAIT_YIELD");
        assert_eq!(of(0u32, abi::FI_TYPE_VERSION), "2.6.0");
    }

    #[test]
    fn every_public_type_prints_something() {
        for t in abi::FI_TYPE_INFO..=abi::FI_TYPE_WAIT_OBJ {
            // Zero is valid for all of them, and no structure is larger.
            let s = of([0u64; 64], t);
            assert!(s != "Unknown type", "type {t}");
        }
        assert_eq!(of(0u64, abi::FI_TYPE_WAIT_OBJ + 1), "Unknown type");
    }

    #[test]
    fn unknown_values_are_told_and_unknown_bits_left_out() {
        assert_eq!(of(77u32, abi::FI_TYPE_EP_TYPE), "Unknown");
        assert_eq!(of(0x8000_0001u32, abi::FI_TYPE_PROTOCOL), "Provider specific");
        assert_eq!(of(0u64, abi::FI_TYPE_CAPS), "");
        assert_eq!(of(abi::FI_MSG | abi::FI_TAGGED, abi::FI_TYPE_CAPS), "FI_MSG, FI_TAGGED");
        assert_eq!(of(abi::FI_MSG | 1 << 60 | 1, abi::FI_TYPE_CAPS), "FI_MSG");
        assert_eq!(unnamed(abi::FI_MSG | 1 << 60 | 1, abi::FI_TYPE_CAPS), 1 << 60 | 1);
        assert_eq!(of(1u64 << 62, abi::FI_TYPE_MODE), "");
        assert_eq!(of(abi::FI_MR_LOCAL | 1 << 20, abi::FI_TYPE_MR_MODE), "FI_MR_LOCAL");
        assert_eq!(
            of(abi::FI_ORDER_SAS | abi::FI_ORDER_RMA_WAW, abi::FI_TYPE_MSG_ORDER),
            "FI_ORDER_SAS, FI_ORDER_RMA_WAW"
        );
        assert_eq!(of(abi::FI_CLAIM | abi::FI_DISCARD, abi::FI_TYPE_OP_FLAGS), "FI_CLAIM, FI_DISCARD");
        assert_eq!(of(abi::FI_RECV | abi::FI_MSG, abi::FI_TYPE_CQ_EVENT_FLAGS), "FI_RECV, FI_MSG");
    }

    #[test]
    fn a_short_buffer_gets_the_beginning() {
        let v = abi::FI_EP_DGRAM;
        let mut buf = [b'#' as c_char; 8];
        // SAFETY: `buf` has 8 bytes; none are written in the other calls.
        unsafe {
            let p = in_buffer(buf.as_mut_ptr(), 5, (&raw const v).cast(), abi::FI_TYPE_EP_TYPE);
            assert_eq!(CStr::from_ptr(p).to_str(), Ok("FI_E"));
            assert_eq!(buf[5], b'#' as c_char);
            assert!(in_buffer(buf.as_mut_ptr(), 0, (&raw const v).cast(), abi::FI_TYPE_EP_TYPE).is_null());
            assert!(
                in_buffer(std::ptr::null_mut(), 8, (&raw const v).cast(), abi::FI_TYPE_EP_TYPE).is_null()
            );
            assert!(in_buffer(buf.as_mut_ptr(), 8, std::ptr::null(), abi::FI_TYPE_EP_TYPE).is_null());
        }
    }
}
