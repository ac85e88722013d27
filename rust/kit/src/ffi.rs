//! Small helpers of the C entry points: panics stop here, objects get their heads, absent operations say so.

use crate::{Error, Result};
use libc::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What an entry point returns: a count or 0, or a negated error.
pub(crate) trait Ret: Copy {
    fn error(e: Error) -> Self;
}

impl Ret for c_int {
    fn error(e: Error) -> c_int {
        e.ret()
    }
}

impl Ret for isize {
    fn error(e: Error) -> isize {
        e.ret() as isize
    }
}

/// Runs an entry point. A panic is a bug of ours, but it must not unwind into C: it is logged and becomes `FI_EOTHER`.
///
/// The arguments are passed on by reference: moved, they are read back in other widths than they were written in, which
/// stalls the processor: a twentieth of an empty poll.
#[inline(always)]
pub(crate) fn guard<R: Ret>(mut f: impl FnMut() -> Result<R>) -> R {
    match catch_unwind(AssertUnwindSafe(&mut f)) {
        Ok(Ok(r)) => r,
        Ok(Err(e)) => R::error(e),
        Err(_) => panicked(),
    }
}

#[cold]
fn panicked<R: Ret>() -> R {
    log::error!("internal error: a provider call panicked; please report it with the message above");
    R::error(Error::new(abi::FI_EOTHER))
}

/// The head of an object.
pub(crate) fn fid(class: c_int, context: *mut c_void, ops: &'static abi::fi_ops) -> abi::fid {
    abi::fid { fclass: class as usize, context, ops: ops as *const abi::fi_ops as *mut abi::fi_ops }
}

/// The bytes of a C struct.
pub(crate) fn bytes_of<T: Copy>(v: &T) -> &[u8] {
    // SAFETY: T is a C struct without padding that matters; it is only copied on.
    unsafe { std::slice::from_raw_parts(v as *const T as *const u8, size_of::<T>()) }
}

/// Copies as much as fits and tells the whole size, as `fi_getname` and `fi_av_lookup` do.
/// `FI_ETOOSMALL` when it did not fit.
///
/// # Safety
/// `len` is readable and writable; `buf` has room for `*len` bytes or is NULL with `*len` 0.
pub(crate) unsafe fn copy_out(data: &[u8], buf: *mut c_void, len: *mut usize, exact: bool) -> Result<c_int> {
    // SAFETY: by contract.
    unsafe {
        let room = if buf.is_null() { 0 } else { *len };
        *len = data.len();
        let n = room.min(data.len());
        if n != 0 {
            std::ptr::copy_nonoverlapping(data.as_ptr(), buf as *mut u8, n);
        }
        if exact && n < data.len() { Err(Error::new(abi::FI_ETOOSMALL)) } else { Ok(0) }
    }
}

/// Writes the text of an error number to `buf` (cut to `len`), and returns it.
///
/// # Safety
/// `buf` is NULL or has `len` bytes.
pub(crate) unsafe fn error_text(code: c_int, buf: *mut c_char, len: usize) -> *const c_char {
    let text = crate::error::text(code);
    if !buf.is_null() && len != 0 {
        let b = text.to_bytes();
        let n = b.len().min(len - 1);
        // SAFETY: n + 1 <= len bytes are writable.
        unsafe {
            std::ptr::copy_nonoverlapping(b.as_ptr(), buf as *mut u8, n);
            *buf.add(n) = 0;
        }
    }
    text.as_ptr()
}

/// Fills members of op tables that a kit object does not serve: `nosys!(3)` for a function of three arguments.
macro_rules! nosys {
    (1) => {
        Some($crate::ffi::nosys1 as unsafe extern "C" fn(_) -> _)
    };
    (2) => {
        Some($crate::ffi::nosys2 as unsafe extern "C" fn(_, _) -> _)
    };
    (3) => {
        Some($crate::ffi::nosys3 as unsafe extern "C" fn(_, _, _) -> _)
    };
    (4) => {
        Some($crate::ffi::nosys4 as unsafe extern "C" fn(_, _, _, _) -> _)
    };
    (5) => {
        Some($crate::ffi::nosys5 as unsafe extern "C" fn(_, _, _, _, _) -> _)
    };
    (6) => {
        Some($crate::ffi::nosys6 as unsafe extern "C" fn(_, _, _, _, _, _) -> _)
    };
    (7) => {
        Some($crate::ffi::nosys7 as unsafe extern "C" fn(_, _, _, _, _, _, _) -> _)
    };
    (8) => {
        Some($crate::ffi::nosys8 as unsafe extern "C" fn(_, _, _, _, _, _, _, _) -> _)
    };
    (9) => {
        Some($crate::ffi::nosys9 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _) -> _)
    };
    (10) => {
        Some($crate::ffi::nosys10 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _) -> _)
    };
    (11) => {
        Some($crate::ffi::nosys11 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _) -> _)
    };
    (12) => {
        Some($crate::ffi::nosys12 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _) -> _)
    };
    (13) => {
        Some($crate::ffi::nosys13 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _) -> _)
    };
    (14) => {
        Some($crate::ffi::nosys14 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _) -> _)
    };
    (16) => {
        Some(
            $crate::ffi::nosys16 as unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _) -> _,
        )
    };
}
pub(crate) use nosys;

macro_rules! nosys_fn {
    ($($name:ident($($t:ident),*))*) => {
        $(
            /// Any operation of this many arguments that is not offered: `-FI_ENOSYS`.
            #[allow(clippy::too_many_arguments)]
            pub(crate) unsafe extern "C" fn $name<R: Ret, $($t),*>($(_: $t),*) -> R {
                R::error(Error::NOSYS)
            }
        )*
    };
}
nosys_fn! {
    nosys1(A)
    nosys2(A, B)
    nosys3(A, B, C)
    nosys4(A, B, C, D)
    nosys5(A, B, C, D, E)
    nosys6(A, B, C, D, E, F)
    nosys7(A, B, C, D, E, F, G)
    nosys8(A, B, C, D, E, F, G, H)
    nosys9(A, B, C, D, E, F, G, H, I)
    nosys10(A, B, C, D, E, F, G, H, I, J)
    nosys11(A, B, C, D, E, F, G, H, I, J, K)
    nosys12(A, B, C, D, E, F, G, H, I, J, K, L)
    nosys13(A, B, C, D, E, F, G, H, I, J, K, L, M)
    nosys14(A, B, C, D, E, F, G, H, I, J, K, L, M, N)
    nosys16(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P)
}
