//! Environment parameters: what `fi_info -e` lists. A parameter is declared with type and help text, then read.

use crate::{Code, cmem, config, env, log};
use abi::{fi_param, fi_param_type, fi_provider};
use libc::{c_char, c_int, c_void};
use std::ffi::{CStr, CString};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

struct Param {
    /// Name of the provider that declared it, `None` for the core.
    provider: Option<String>,
    /// As declared; looked up with the same case.
    name: String,
    kind: fi_param_type,
    help: String,
    /// Name of the environment variable.
    variable: CString,
}

static PARAMS: Mutex<Vec<Param>> = Mutex::new(Vec::new());

/// The core's own parameters: name, type, help.
const OWN: &[(&str, fi_param_type, &str)] = &[
    (
        "log_level",
        abi::FI_PARAM_STRING,
        "Which messages are written: warn, trace, info or debug, each with those before it (default: none)",
    ),
    (
        "log_prov",
        abi::FI_PARAM_STRING,
        "Comma-separated providers whose messages are written; a leading ^ names those that are not (default: all)",
    ),
    (
        "log_subsys",
        abi::FI_PARAM_STRING,
        "Comma-separated subsystems whose messages are written: core, fabric, domain, ep_ctrl, ep_data, av, cq, eq, mr, cntr; a leading ^ names those that are not (default: all)",
    ),
    (
        "log_interval",
        abi::FI_PARAM_INT,
        "Milliseconds between two messages of a rate limited place (default: 2000)",
    ),
    (
        "log_location",
        abi::FI_PARAM_STRING,
        "Where messages go: stderr, stdout, a file that does not exist yet, or a directory that gets a file ofi_<pid>.log (default: stderr)",
    ),
    ("log_location_mode", abi::FI_PARAM_INT, "Permissions of that file (default: 0600)"),
    (
        "provider",
        abi::FI_PARAM_STRING,
        "Comma-separated providers that may be used; a leading ^ names those that may not (default: all)",
    ),
    (
        "provider_path",
        abi::FI_PARAM_STRING,
        "Directories to load providers from, separated by colons. A leading @ lets the first provider of a name win instead of the newest; an element +/path/lib.so loads one library as preferred (default: the directory of the installation)",
    ),
    (
        "hook",
        abi::FI_PARAM_STRING,
        "Hook providers that are put over each fabric that is opened, separated by semicolons (default: none)",
    ),
    (
        "universe_size",
        abi::FI_PARAM_SIZE_T,
        "How many peers to expect: what providers size tables by where an application does not say (default: none)",
    ),
    ("fork_unsafe", abi::FI_PARAM_BOOL, "Whether a provider may skip what keeps fork() safe (default: no)"),
    (
        "av_remove_cleanup",
        abi::FI_PARAM_BOOL,
        "Whether removing an address also tears down hidden connections to it (default: no)",
    ),
    (
        "prefer_sysconfig",
        abi::FI_PARAM_BOOL,
        "Whether libfabric.conf counts more than the environment (default: no)",
    ),
];

fn lock() -> MutexGuard<'static, Vec<Param>> {
    static DECLARED: Once = Once::new();
    let mut params = PARAMS.lock().unwrap_or_else(PoisonError::into_inner);
    DECLARED.call_once(|| {
        for &(name, kind, help) in OWN {
            insert(&mut params, None, name, kind, help);
        }
    });
    params
}

fn insert(params: &mut Vec<Param>, provider: Option<String>, name: &str, kind: fi_param_type, help: &str) {
    let variable = match &provider {
        Some(p) => format!("FI_{p}_{name}"),
        None => format!("FI_{name}"),
    };
    // Texts come from C strings, so there is no zero in them.
    let Ok(variable) = CString::new(variable.to_ascii_uppercase()) else { return };
    let help = match &provider {
        Some(p) => format!("{p}: {help}"),
        None => help.to_owned(),
    };
    let new = Param { provider, name: name.to_owned(), kind, help, variable };
    match params.iter_mut().find(|p| p.provider == new.provider && p.name == name) {
        Some(old) => *old = new,
        None => params.push(new),
    }
}

/// Declares a parameter; declaring it again replaces type and help.
///
/// # Safety
/// `provider` is NULL or valid; `name` and `help` are NULL or C strings.
pub(crate) unsafe fn define(
    provider: *const fi_provider,
    name: *const c_char,
    kind: fi_param_type,
    help: *const c_char,
) -> Result<(), Code> {
    // SAFETY: by contract.
    let (provider, name, help) = unsafe { (provider_name(provider), cmem::text(name), cmem::text(help)) };
    let name = name.ok_or(abi::FI_EINVAL)?;
    let help = help.filter(|h| !h.is_empty()).ok_or(abi::FI_EINVAL)?;
    insert(&mut lock(), provider, &name, kind, &help);
    Ok(())
}

/// Name of a provider; `None` for the core itself.
///
/// # Safety
/// `provider` is NULL or valid.
unsafe fn provider_name(provider: *const fi_provider) -> Option<String> {
    // SAFETY: by contract, and names are C strings.
    unsafe { provider.as_ref().and_then(|p| cmem::text(p.name)) }
}

/// Reads a parameter into `*value`, whose type was declared.
///
/// `FI_EINVAL` for NULL or a value that is no boolean, `FI_ENOENT` when not declared, `FI_ENODATA` when not set.
///
/// # Safety
/// `provider` is NULL or valid, `name` NULL or a C string, `value` NULL or room for the declared type.
pub(crate) unsafe fn get(
    provider: *const fi_provider,
    name: *const c_char,
    value: *mut c_void,
) -> Result<(), Code> {
    // SAFETY: by contract.
    let (provider, name) = unsafe { (provider_name(provider), cmem::text(name)) };
    let name = name.ok_or(abi::FI_EINVAL)?;
    if value.is_null() {
        return Err(abi::FI_EINVAL);
    }
    let (kind, variable) = lock()
        .iter()
        .find(|p| p.provider == provider && p.name == name)
        .map(|p| (p.kind, p.variable.clone()))
        .ok_or(abi::FI_ENOENT)?;
    let raw = config::value(&variable);
    if raw.is_null() {
        log::debug!("variable {} is not set", variable.to_string_lossy());
        return Err(abi::FI_ENODATA);
    }
    // SAFETY: not NULL, a C string of the environment or the configuration file.
    let text = unsafe { CStr::from_ptr(raw) };
    log::info!("variable {}={}", variable.to_string_lossy(), text.to_string_lossy());
    // SAFETY: `value` has room for the declared type by contract.
    unsafe {
        match kind {
            abi::FI_PARAM_STRING => *value.cast::<*const c_char>() = raw,
            abi::FI_PARAM_INT => *value.cast::<c_int>() = libc::strtol(raw, std::ptr::null_mut(), 0) as c_int,
            abi::FI_PARAM_SIZE_T => {
                *value.cast::<usize>() = libc::strtol(raw, std::ptr::null_mut(), 0) as usize
            }
            abi::FI_PARAM_BOOL => match boolean(&text.to_string_lossy()) {
                Some(b) => *value.cast::<c_int>() = b.into(),
                None => {
                    log::warn!(
                        "variable {}={} is no boolean; use 0/1, on/off, true/false or yes/no",
                        variable.to_string_lossy(),
                        text.to_string_lossy()
                    );
                    return Err(abi::FI_EINVAL);
                }
            },
            _ => return Err(abi::FI_EINVAL),
        }
    }
    Ok(())
}

/// The forms of a boolean.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" | "yes" => Some(true),
        "0" | "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// Text of one of the core's own variables.
pub(crate) fn own(variable: &CStr) -> Option<String> {
    // SAFETY: NULL or a C string.
    unsafe { cmem::text(config::value(variable)) }
}

/// All parameters as an array of C's memory, with an all-NULL one at its end, and their number.
pub(crate) fn list() -> Result<(*mut fi_param, usize), Code> {
    let params = lock();
    let n = params.len();
    // SAFETY: calloc takes any sizes.
    let array: *mut fi_param = unsafe { libc::calloc(n + 1, size_of::<fi_param>()) }.cast();
    if array.is_null() {
        return Err(abi::FI_ENOMEM);
    }
    for (i, p) in params.iter().enumerate() {
        // SAFETY: `i < n`; the value is NULL or a C string.
        unsafe {
            let slot = &mut *array.add(i);
            slot.r#type = p.kind;
            slot.name = cmem::c_string(&p.variable.to_string_lossy());
            slot.help_string = cmem::c_string(&p.help);
            let value = env::raw(&p.variable);
            let copy = cmem::dup_str(value);
            slot.value = copy.unwrap_or(std::ptr::null_mut());
            if slot.name.is_null() || slot.help_string.is_null() || copy.is_err() {
                free_list(array);
                return Err(abi::FI_ENOMEM);
            }
        }
    }
    Ok((array, n))
}

/// Frees what [`list`] gave.
///
/// # Safety
/// `params` is NULL or such an array, and is not used again.
pub(crate) unsafe fn free_list(params: *mut fi_param) {
    if params.is_null() {
        return;
    }
    let mut p = params;
    // SAFETY: the array ends with an entry without name.
    unsafe {
        while !(*p).name.is_null() {
            cmem::free((*p).name.cast_mut());
            cmem::free((*p).help_string.cast_mut());
            cmem::free((*p).value.cast_mut());
            p = p.add(1);
        }
        cmem::free(params);
    }
}

/// Forgets a provider's parameters.
pub(crate) fn undefine(provider: &str) {
    lock().retain(|p| p.provider.as_deref() != Some(provider));
}

/// Forgets everything, at unload.
pub(crate) fn clear() {
    *PARAMS.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prov(name: &'static CStr) -> fi_provider {
        fi_provider {
            version: 0,
            fi_version: abi::API_VERSION,
            context: abi::fi_context { internal: [std::ptr::null_mut(); 4] },
            name: name.as_ptr(),
            getinfo: None,
            fabric: None,
            cleanup: None,
        }
    }

    fn declare(p: &fi_provider, name: &CStr, kind: fi_param_type) {
        // SAFETY: valid structures and C strings.
        unsafe { define(p, name.as_ptr(), kind, c"help".as_ptr()) }.unwrap();
    }

    fn read<T: Default>(p: &fi_provider, name: &CStr) -> Result<T, Code> {
        let mut v = T::default();
        // SAFETY: tests pass the declared type.
        unsafe { get(p, name.as_ptr(), (&raw mut v).cast()) }.map(|()| v)
    }

    #[test]
    fn numbers_are_read_in_any_base() {
        let p = prov(c"pnum");
        declare(&p, c"n", abi::FI_PARAM_INT);
        declare(&p, c"s", abi::FI_PARAM_SIZE_T);
        for (text, want) in [(c"12", 12), (c"0x10", 16), (c"010", 8), (c"-3", -3), (c"12abc", 12), (c"", 0)] {
            env::set(c"FI_PNUM_N", Some(text));
            assert_eq!(read::<c_int>(&p, c"n"), Ok(want), "{text:?}");
        }
        env::set(c"FI_PNUM_S", Some(c"0x100000000"));
        assert_eq!(read::<usize>(&p, c"s"), Ok(1 << 32));
    }

    #[test]
    fn booleans_are_words_or_digits() {
        let p = prov(c"pbool");
        declare(&p, c"b", abi::FI_PARAM_BOOL);
        for (text, want) in [
            (c"1", Ok(1)),
            (c"On", Ok(1)),
            (c"TRUE", Ok(1)),
            (c"yes", Ok(1)),
            (c"0", Ok(0)),
            (c"off", Ok(0)),
            (c"False", Ok(0)),
            (c"no", Ok(0)),
            (c"2", Err(abi::FI_EINVAL)),
            (c"", Err(abi::FI_EINVAL)),
        ] {
            env::set(c"FI_PBOOL_B", Some(text));
            assert_eq!(read::<c_int>(&p, c"b"), want, "{text:?}");
        }
    }

    #[test]
    fn a_string_is_the_environments_own_text() {
        let p = prov(c"pstr");
        declare(&p, c"x", abi::FI_PARAM_STRING);
        env::set(c"FI_PSTR_X", Some(c"hello"));
        let mut v: *const c_char = std::ptr::null();
        // SAFETY: a string parameter writes one pointer.
        unsafe { get(&p, c"x".as_ptr(), (&raw mut v).cast()) }.unwrap();
        assert_eq!(v, env::raw(c"FI_PSTR_X"));
    }

    #[test]
    fn what_is_missing_has_its_own_error() {
        let p = prov(c"pmiss");
        assert_eq!(read::<c_int>(&p, c"nope"), Err(abi::FI_ENOENT));
        declare(&p, c"unset", abi::FI_PARAM_INT);
        assert_eq!(read::<c_int>(&p, c"unset"), Err(abi::FI_ENODATA));
        assert_eq!(read::<c_int>(&p, c"UNSET"), Err(abi::FI_ENOENT), "names are looked up with their case");
        // SAFETY: NULL is allowed everywhere.
        unsafe {
            let null = std::ptr::null();
            let mut value = 0 as c_int;
            assert_eq!(define(&p, null, 0, c"h".as_ptr()), Err(abi::FI_EINVAL));
            assert_eq!(define(&p, c"x".as_ptr(), 0, null), Err(abi::FI_EINVAL));
            assert_eq!(define(&p, c"x".as_ptr(), 0, c"".as_ptr()), Err(abi::FI_EINVAL));
            assert_eq!(get(&p, null, (&raw mut value).cast()), Err(abi::FI_EINVAL));
            assert_eq!(get(&p, c"unset".as_ptr(), std::ptr::null_mut()), Err(abi::FI_EINVAL));
        }
    }

    #[test]
    fn the_list_has_own_and_provider_parameters_and_an_end() {
        let p = prov(c"plist");
        declare(&p, c"depth", abi::FI_PARAM_SIZE_T);
        env::set(c"FI_PLIST_DEPTH", Some(c"9"));
        let (array, n) = list().unwrap();
        // SAFETY: `n` entries and an end mark.
        unsafe {
            let all: Vec<_> = (0..n)
                .map(|i| {
                    let p = &*array.add(i);
                    (
                        cmem::text(p.name).unwrap(),
                        p.r#type,
                        cmem::text(p.help_string).unwrap(),
                        cmem::text(p.value),
                    )
                })
                .collect();
            assert!((*array.add(n)).name.is_null() && (*array.add(n)).help_string.is_null());
            free_list(array);
            let own = all.iter().find(|p| p.0 == "FI_PROVIDER").expect("the core's own");
            assert_eq!(own.1, abi::FI_PARAM_STRING);
            let mine = all.iter().find(|p| p.0 == "FI_PLIST_DEPTH").expect("the provider's");
            assert_eq!(
                (mine.1, mine.2.as_str(), mine.3.as_deref()),
                (abi::FI_PARAM_SIZE_T, "plist: help", Some("9"))
            );
        }
        undefine("plist");
        assert_eq!(read::<usize>(&p, c"depth"), Err(abi::FI_ENOENT));
    }
}
