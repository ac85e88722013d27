//! The log: which messages are wanted, what a line looks like, where it goes. An application may take over with
//! `fi_open("logging")` and its own operations; until then the environment decides. Nothing is written unless
//! `FI_LOG_LEVEL` is set.

use crate::filter::Names;
use crate::params;
use abi::{fi_log_level, fi_log_subsys, fi_ops_log, fi_provider};
use libc::{c_char, c_int};
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Names of levels by number.
pub(crate) const LEVELS: [&str; 4] = ["warn", "trace", "info", "debug"];
/// Names of subsystems by number.
pub(crate) const SUBSYSTEMS: [&str; 10] =
    ["core", "fabric", "domain", "ep_ctrl", "ep_data", "av", "cq", "eq", "mr", "cntr"];

/// Milliseconds between two messages of a rate limited place when `FI_LOG_INTERVAL` does not say.
const DEFAULT_INTERVAL: u64 = 2000;
/// Permissions of a log file when `FI_LOG_LOCATION_MODE` does not say.
const DEFAULT_MODE: u32 = 0o600;

/// What the environment asks for.
struct Settings {
    /// How many levels are on, counted from `warn`.
    levels: u32,
    /// One bit per subsystem.
    subsystems: u32,
    providers: Names,
    interval: u64,
    fd: RawFd,
}

thread_local! {
    /// Set while this thread asks providers for the sake of an explanation, so that they do not explain themselves too.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with this thread's messages off.
pub(crate) fn quietly<T>(f: impl FnOnce() -> T) -> T {
    let before = QUIET.replace(true);
    let result = f();
    QUIET.set(before);
    result
}

/// The application's own operations, once it has taken over.
static IMPORTED: AtomicPtr<fi_ops_log> = AtomicPtr::new(std::ptr::null_mut());

fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let levels = levels(params::own(c"FI_LOG_LEVEL").as_deref());
        Settings {
            levels,
            subsystems: subsystems(params::own(c"FI_LOG_SUBSYS").as_deref()),
            providers: Names::parse(params::own(c"FI_LOG_PROV").as_deref()),
            interval: params::own(c"FI_LOG_INTERVAL")
                .and_then(|t| t.trim().parse().ok())
                .unwrap_or(DEFAULT_INTERVAL),
            fd: match params::own(c"FI_LOG_LOCATION") {
                Some(place) if levels > 0 => sink(&place, mode()),
                _ => libc::STDERR_FILENO,
            },
        }
    })
}

/// How many levels a `FI_LOG_LEVEL` turns on. A text that is no level means `warn`.
fn levels(text: Option<&str>) -> u32 {
    let Some(text) = text else { return 0 };
    LEVELS.iter().position(|l| l.eq_ignore_ascii_case(text.trim())).unwrap_or(0) as u32 + 1
}

fn subsystems(text: Option<&str>) -> u32 {
    let names = Names::parse(text);
    SUBSYSTEMS.iter().enumerate().filter(|(_, s)| names.admits(s)).fold(0, |mask, (i, _)| mask | 1 << i)
}

fn mode() -> u32 {
    let text = params::own(c"FI_LOG_LOCATION_MODE").and_then(|t| CString::new(t).ok());
    // SAFETY: a C string.
    text.map_or(DEFAULT_MODE, |t| unsafe { libc::strtol(t.as_ptr(), std::ptr::null_mut(), 0) } as u32)
}

/// Opens the place for log lines. What cannot be opened, or exists already, falls back to stderr.
fn sink(place: &str, mode: u32) -> RawFd {
    match place {
        "stderr" | "" => return libc::STDERR_FILENO,
        "stdout" => return libc::STDOUT_FILENO,
        _ => {}
    }
    let mut path = Path::new(place).to_owned();
    if path.is_dir() {
        path.push(format!("ofi_{}.log", std::process::id()));
    }
    let opened =
        std::fs::OpenOptions::new().append(true).create_new(true).mode(mode).open(&path).and_then(|f| {
            // The mode given to open is cut by the umask.
            f.set_permissions(std::fs::Permissions::from_mode(mode))?;
            Ok(f.into_raw_fd())
        });
    opened.unwrap_or_else(|e| {
        eprintln!("libfabric: FI_LOG_LOCATION={place}: {e}; writing to stderr");
        libc::STDERR_FILENO
    })
}

/// Name of a provider in log lines; the core itself is NULL.
///
/// # Safety
/// `prov` is NULL or valid.
unsafe fn name<'a>(prov: *const fi_provider) -> &'a CStr {
    // SAFETY: by contract; names are C strings.
    unsafe {
        match prov.as_ref() {
            Some(p) if !p.name.is_null() => CStr::from_ptr(p.name),
            _ => c"core",
        }
    }
}

/// # Safety
/// `prov` is NULL or valid.
unsafe fn is_filtered(s: &Settings, prov: *const fi_provider) -> bool {
    // SAFETY: by contract.
    !prov.is_null() && !s.providers.admits(&unsafe { name(prov) }.to_string_lossy())
}

fn imported() -> Option<&'static fi_ops_log> {
    // SAFETY: NULL, or operations that the application keeps until it closes its object.
    unsafe { IMPORTED.load(Ordering::Acquire).as_ref() }
}

/// Puts the application's operations in place.
pub(crate) fn import(ops: *mut fi_ops_log) {
    IMPORTED.store(ops, Ordering::Release);
}

/// Puts the library's own in place again, if these are the ones that replaced them.
pub(crate) fn give_back(ops: *mut fi_ops_log) {
    let _ = IMPORTED.compare_exchange(ops, std::ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed);
}

/// True once an application has taken over.
pub(crate) fn is_imported() -> bool {
    imported().is_some()
}

/// Whether a message is wanted.
///
/// # Safety
/// `prov` is NULL or valid.
pub(crate) unsafe fn enabled(prov: *const fi_provider, level: fi_log_level, subsys: fi_log_subsys) -> bool {
    let s = settings();
    if QUIET.get() {
        return false;
    }
    if let Some(f) = imported().and_then(|ops| ops.enabled) {
        // SAFETY: by contract.
        let flags = if unsafe { is_filtered(s, prov) } { abi::FI_LOG_PROV_FILTERED } else { 0 };
        // SAFETY: the application's function with arguments of its type.
        return unsafe { f(prov, level, subsys, flags) } != 0;
    }
    level < s.levels
        && s.subsystems.checked_shr(subsys).is_some_and(|m| m & 1 != 0)
        // SAFETY: by contract.
        && !unsafe { is_filtered(s, prov) }
}

/// Like [`enabled`], but at most once per interval. `showtime` is the place's own state, zero at first: when the next
/// message may be written, in milliseconds.
///
/// # Safety
/// `prov` is NULL or valid.
pub(crate) unsafe fn ready(
    prov: *const fi_provider,
    level: fi_log_level,
    subsys: fi_log_subsys,
    showtime: &mut u64,
) -> bool {
    if QUIET.get() {
        return false;
    }
    if let Some(f) = imported().and_then(|ops| ops.ready) {
        // SAFETY: by contract.
        let flags = if unsafe { is_filtered(settings(), prov) } { abi::FI_LOG_PROV_FILTERED } else { 0 };
        // SAFETY: the application's function with arguments of its type.
        return unsafe { f(prov, level, subsys, flags, showtime) } != 0;
    }
    // SAFETY: by contract.
    let wanted = unsafe { enabled(prov, level, subsys) };
    wanted && is_due(now(), settings().interval, showtime)
}

fn is_due(now: u64, interval: u64, showtime: &mut u64) -> bool {
    if *showtime > now {
        return false;
    }
    *showtime = now.saturating_add(interval);
    true
}

/// Milliseconds of a clock that is never set back.
fn now() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec as u64 * 1000 + t.tv_nsec as u64 / 1_000_000
}

/// Writes one line; `text` brings its own line end.
///
/// # Safety
/// `prov` is NULL or valid; `func` and `text` are NULL or C strings.
pub(crate) unsafe fn write(
    prov: *const fi_provider,
    level: fi_log_level,
    subsys: fi_log_subsys,
    func: *const c_char,
    line: c_int,
    text: *const c_char,
) {
    if let Some(f) = imported().and_then(|ops| ops.log) {
        // SAFETY: the application's function with arguments of its type.
        return unsafe { f(prov, level, subsys, func, line, text) };
    }
    let of = |p: *const c_char| {
        // SAFETY: NULL or a C string by contract.
        if p.is_null() { &b""[..] } else { unsafe { CStr::from_ptr(p) }.to_bytes() }
    };
    // SAFETY: by contract.
    let prov = unsafe { name(prov) }.to_bytes();
    // SAFETY: no memory is passed.
    let stamp = unsafe { libc::time(std::ptr::null_mut()) };
    let out = format_line(std::process::id(), stamp, prov, level, subsys, of(func), line, of(text));
    put(settings().fd, &out);
}

#[allow(clippy::too_many_arguments)]
fn format_line(
    pid: u32,
    stamp: i64,
    prov: &[u8],
    level: fi_log_level,
    subsys: fi_log_subsys,
    func: &[u8],
    line: c_int,
    text: &[u8],
) -> Vec<u8> {
    let subsys = SUBSYSTEMS.get(subsys as usize).unwrap_or(&"unknown");
    let level = LEVELS.get(level as usize).unwrap_or(&"unknown");
    let mut out = Vec::with_capacity(128 + text.len());
    // The empty part is the prefix, which nothing sets. Writing to a Vec cannot fail.
    let _ = write!(out, "libfabric:{pid}:{stamp}::");
    out.extend_from_slice(prov);
    let _ = write!(out, ":{subsys}:");
    out.extend_from_slice(func);
    let _ = write!(out, "():{line}<{level}> ");
    out.extend_from_slice(text);
    out
}

/// One write per line, so that lines of several processes do not mix.
fn put(fd: RawFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: `bytes` is readable.
        let n = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if n > 0 {
            bytes = &bytes[n as usize..];
        } else if n == 0 || std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// A message of the core itself; use the macros below.
pub(crate) fn own(level: fi_log_level, module: &str, line: u32, text: std::fmt::Arguments) {
    // A C caller looks at errno after some of our functions.
    // SAFETY: errno is this thread's.
    let errno = unsafe { *libc::__errno_location() };
    let place = module.rsplit("::").next().unwrap_or(module);
    let place = CString::new(place).unwrap_or_default();
    let text = CString::new(format!("{text}\n").replace('\0', "?")).unwrap_or_default();
    // SAFETY: NULL stands for the core; both texts are C strings.
    unsafe {
        write(std::ptr::null(), level, abi::FI_LOG_CORE, place.as_ptr(), line as c_int, text.as_ptr());
        *libc::__errno_location() = errno;
    }
}

/// Whether the core's own messages of this level are wanted.
pub(crate) fn own_enabled(level: fi_log_level) -> bool {
    // SAFETY: NULL stands for the core.
    unsafe { enabled(std::ptr::null(), level, abi::FI_LOG_CORE) }
}

macro_rules! at_line {
    ($level:expr, $($arg:tt)*) => {
        if $crate::log::own_enabled($level) {
            $crate::log::own($level, module_path!(), line!(), format_args!($($arg)*));
        }
    };
}
macro_rules! warn_line {
    ($($arg:tt)*) => { $crate::log::at_line!(abi::FI_LOG_WARN, $($arg)*) };
}
macro_rules! info_line {
    ($($arg:tt)*) => { $crate::log::at_line!(abi::FI_LOG_INFO, $($arg)*) };
}
macro_rules! debug_line {
    ($($arg:tt)*) => { $crate::log::at_line!(abi::FI_LOG_DEBUG, $($arg)*) };
}
pub(crate) use {at_line, debug_line as debug, info_line as info, warn_line as warn};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_turns_on_those_before_it() {
        assert_eq!(levels(None), 0);
        assert_eq!(levels(Some("warn")), 1);
        assert_eq!(levels(Some("Trace")), 2);
        assert_eq!(levels(Some("INFO")), 3);
        assert_eq!(levels(Some("debug")), 4);
        assert_eq!(levels(Some("whatever")), 1, "a text that is no level means warn");
    }

    #[test]
    fn subsystems_are_listed_or_excluded() {
        assert_eq!(subsystems(None), 0x3ff);
        assert_eq!(subsystems(Some("av,CQ")), 1 << 5 | 1 << 6);
        assert_eq!(subsystems(Some("^core")), 0x3fe);
    }

    #[test]
    fn a_line_has_the_known_form() {
        let line = format_line(
            42,
            1_700_000_000,
            b"dpdk",
            abi::FI_LOG_WARN,
            abi::FI_LOG_EP_CTRL,
            b"open",
            7,
            b"no port\n",
        );
        assert_eq!(line, b"libfabric:42:1700000000::dpdk:ep_ctrl:open():7<warn> no port\n");
        let line = format_line(1, 2, b"x", 99, 99, b"f", 3, b"");
        assert_eq!(line, b"libfabric:1:2::x:unknown:f():3<unknown> ");
    }

    #[test]
    fn a_rate_limited_place_speaks_once_per_interval() {
        let mut state = 0;
        let spoke: Vec<u64> = (1000..6000).step_by(500).filter(|&t| is_due(t, 2000, &mut state)).collect();
        assert_eq!(spoke, [1000, 3000, 5000]);
    }

    #[test]
    fn files_are_made_anew_and_never_overwritten() {
        let dir = std::env::temp_dir().join(format!("ofi-core-log-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("x.log");
        let fd = sink(file.to_str().unwrap(), 0o640);
        assert!(fd > 2);
        put(fd, b"one line\n");
        assert_eq!(std::fs::read(&file).unwrap(), b"one line\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(sink(file.to_str().unwrap(), 0o640), libc::STDERR_FILENO, "it exists already");
        let fd2 = sink(dir.to_str().unwrap(), 0o600);
        assert!(fd2 > 2 && dir.join(format!("ofi_{}.log", std::process::id())).exists());
        // SAFETY: both descriptors were just opened here.
        unsafe {
            libc::close(fd);
            libc::close(fd2);
        }
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(sink("stdout", 0), libc::STDOUT_FILENO);
    }
}
