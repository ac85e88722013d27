//! `libfabric.conf`: lines `FI_NAME=value` that give values to variables that the environment does not set, or to all
//! when `FI_PREFER_SYSCONFIG` is true. The file is read once, at the first parameter that is asked for.

use crate::{env, params};
use libc::c_char;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

/// The directory of the file.
const SYSCONFDIR: &str = match option_env!("OFI_SYSCONFDIR") {
    Some(dir) => dir,
    None => "/etc",
};

struct Config {
    prefer: bool,
    values: Vec<(CString, CString)>,
}

/// The text of a variable, from the environment or the file; NULL when neither has it. Valid until the process ends.
pub(crate) fn value(name: &CStr) -> *const c_char {
    let config = loaded();
    let set = env::raw(name);
    let filed = config.values.iter().find(|(n, _)| n.as_c_str() == name).map(|(_, v)| v.as_ptr());
    choose((!set.is_null()).then_some(set), filed, config.prefer).unwrap_or(std::ptr::null())
}

/// Of the environment's text and the file's, the one that counts.
fn choose<T>(set: Option<T>, filed: Option<T>, prefer_file: bool) -> Option<T> {
    if prefer_file { filed.or(set) } else { set.or(filed) }
}

fn loaded() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let text = std::fs::read_to_string(format!("{SYSCONFDIR}/libfabric.conf")).unwrap_or_default();
        let prefer = env::text(c"FI_PREFER_SYSCONFIG").and_then(|v| params::boolean(&v)).unwrap_or(false);
        Config { prefer, values: parse(&text) }
    })
}

/// The assignments of the file. Blanks around names and values, empty lines and `#` comments are skipped; of several
/// lines for a name the last counts, as in a shell.
fn parse(text: &str) -> Vec<(CString, CString)> {
    let mut values: Vec<(CString, CString)> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim();
        if !name.starts_with("FI_") {
            continue;
        }
        let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value.trim())) else { continue };
        values.retain(|(n, _)| *n != name);
        values.push((name, value));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_the_rest_is_skipped() {
        let got = parse("# FI_A=0\n\nFI_PROVIDER = udp \nnonsense\nPATH=/x\nFI_B=a=b\nFI_PROVIDER=dpdk\n");
        let want = [(c"FI_B", c"a=b"), (c"FI_PROVIDER", c"dpdk")];
        assert_eq!(got.len(), want.len());
        for ((n, v), (wn, wv)) in got.iter().zip(want) {
            assert_eq!((n.as_c_str(), v.as_c_str()), (wn, wv));
        }
    }

    #[test]
    fn the_environment_counts_more_unless_the_file_is_preferred() {
        assert_eq!(choose(Some("env"), Some("file"), false), Some("env"));
        assert_eq!(choose(Some("env"), Some("file"), true), Some("file"));
        for prefer in [false, true] {
            assert_eq!(choose(Some("env"), None, prefer), Some("env"));
            assert_eq!(choose(None, Some("file"), prefer), Some("file"));
            assert_eq!(choose::<&str>(None, None, prefer), None);
        }
    }
}
