//! The functions that the library exports, as seen by providers and tools.
//!
//! A provider may call only those whose oldest symbol version is right for it (`fi_log*`, `fi_param_*`,
//! `fi_strerror`, `fi_tostr`), since it also loads into libraries of other versions; `fi_dupinfo` it finds by name
//! at run time. Tools are linked to the library and may call all.

use crate::*;
use libc::{c_char, c_int, c_void};

unsafe extern "C" {
    /// Lists what the providers offer for the hints. Returns 0 or `-FI_E*`.
    pub fn fi_getinfo(
        version: u32,
        node: *const c_char,
        service: *const c_char,
        flags: u64,
        hints: *const fi_info,
        info: *mut *mut fi_info,
    ) -> c_int;
    /// Frees a list of infos with everything it points to.
    pub fn fi_freeinfo(info: *mut fi_info);
    /// Copies one info deeply; NULL gives an empty one with all attributes allocated.
    pub fn fi_dupinfo(info: *const fi_info) -> *mut fi_info;
    /// Opens a fabric. Returns 0 or `-FI_E*`.
    pub fn fi_fabric(attr: *mut fi_fabric_attr, fabric: *mut *mut fid_fabric, context: *mut c_void) -> c_int;
    /// The API version of the library.
    pub fn fi_version() -> u32;
    /// Text of an error number of either sign.
    pub fn fi_strerror(errnum: c_int) -> *const c_char;
    /// Text of an object of the API; the buffer is shared by all callers of a thread.
    pub fn fi_tostr(data: *const c_void, datatype: fi_type) -> *mut c_char;
    /// Text of an object of the API in the caller's buffer.
    pub fn fi_tostr_r(buf: *mut c_char, len: usize, data: *const c_void, datatype: fi_type) -> *mut c_char;
    /// True when a message of this level and subsystem is wanted.
    pub fn fi_log_enabled(prov: *const fi_provider, level: fi_log_level, subsys: fi_log_subsys) -> c_int;
    /// Like `fi_log_enabled`, but at most once per interval; `showtime` is the call site's state.
    pub fn fi_log_ready(
        prov: *const fi_provider,
        level: fi_log_level,
        subsys: fi_log_subsys,
        showtime: *mut u64,
    ) -> c_int;
    /// Writes one log line (printf format).
    pub fn fi_log(
        prov: *const fi_provider,
        level: fi_log_level,
        subsys: fi_log_subsys,
        func: *const c_char,
        line: c_int,
        fmt: *const c_char,
        ...
    );
    /// Declares an environment parameter with its help text (printf format).
    pub fn fi_param_define(
        provider: *const fi_provider,
        param_name: *const c_char,
        type_: fi_param_type,
        help_string_fmt: *const c_char,
        ...
    ) -> c_int;
    /// Reads an environment parameter into `value` (type as defined).
    pub fn fi_param_get(provider: *mut fi_provider, param_name: *const c_char, value: *mut c_void) -> c_int;
    /// Lists all declared parameters.
    pub fn fi_getparams(params: *mut *mut fi_param, count: *mut c_int) -> c_int;
    /// Frees what `fi_getparams` gave.
    pub fn fi_freeparams(params: *mut fi_param);
    /// Opens a named object of the library itself.
    pub fn fi_open(
        version: u32,
        name: *const c_char,
        attr: *mut c_void,
        attr_len: usize,
        flags: u64,
        fid: *mut *mut fid,
        context: *mut c_void,
    ) -> c_int;
}
