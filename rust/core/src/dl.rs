//! Loadable providers: where they are searched, and their entry point `fi_prov_ini`.

use crate::{env, log, order, params};
use abi::fi_provider;
use libc::{c_char, c_void};
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The directory of the installation's loadable providers.
const PKGLIBDIR: &str = match option_env!("OFI_PKGLIBDIR") {
    Some(dir) => dir,
    None => "/usr/local/lib/libfabric",
};

/// How same-name providers of the search are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// The newest version wins.
    Newest,
    /// The first found wins.
    First,
}

/// One place to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Every provider library of a directory.
    Directory(PathBuf),
    /// One library, which wins over others of its name.
    Preferred(PathBuf),
    /// The libraries of known providers, wherever the linker finds them.
    LinkerPath,
}

/// What `FI_PROVIDER_PATH` asks for.
#[derive(Debug, PartialEq, Eq)]
struct Search {
    conflict: Conflict,
    places: Vec<Place>,
}

impl Search {
    fn parse(path: Option<&str>) -> Search {
        let path = path.unwrap_or("");
        let default = || Place::Directory(PKGLIBDIR.into());
        if path.is_empty() {
            return Search { conflict: Conflict::Newest, places: vec![Place::LinkerPath, default()] };
        }
        let (conflict, list) = match path.strip_prefix('@') {
            Some(rest) => (Conflict::First, rest),
            None => (Conflict::Newest, path),
        };
        let mut places: Vec<Place> = Vec::new();
        for element in list.split(':').filter(|e| !e.is_empty()) {
            places.push(match element.strip_prefix('+') {
                Some(lib) => Place::Preferred(lib.into()),
                None => Place::Directory(element.into()),
            });
        }
        if !places.iter().any(|p| matches!(p, Place::Directory(_))) {
            places.push(default());
        }
        Search { conflict, places }
    }
}

/// A loaded library and what its entry point gave.
pub(crate) struct Loaded {
    pub provider: *mut fi_provider,
    pub library: Library,
    pub preferred: bool,
}

/// An open library; closed when dropped.
pub(crate) struct Library(*mut c_void);

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: a handle of dlopen. Its provider was cleaned up before.
        unsafe { libc::dlclose(self.0) };
    }
}

// SAFETY: handles of dlopen may be used by any thread.
unsafe impl Send for Library {}

/// Loads everything that the environment asks for, in the order of the search, and hands each to `found`. Gives the rule
/// for names that are taken.
pub(crate) fn load(mut found: impl FnMut(Loaded, Conflict)) -> Conflict {
    // A statically linked program cannot load libraries.
    // SAFETY: NULL asks for the program itself.
    unsafe {
        let program = libc::dlopen(std::ptr::null(), libc::RTLD_NOW);
        if program.is_null() {
            return Conflict::Newest;
        }
        libc::dlclose(program);
    }
    let mut path = params::own(c"FI_PROVIDER_PATH");
    if path.is_some() && env::is_privileged() {
        log::warn!("FI_PROVIDER_PATH is ignored in a set-user-id program");
        path = None;
    }
    let search = Search::parse(path.as_deref());
    let mut take = |loaded: Option<Loaded>| {
        if let Some(l) = loaded {
            found(l, search.conflict);
        }
    };
    for place in &search.places {
        match place {
            Place::LinkerPath => {
                for name in order::KNOWN {
                    take(open(Path::new(&order::library(name)), false, false));
                }
            }
            Place::Directory(dir) => {
                log::debug!("looking for providers in {}", dir.display());
                for lib in libraries(dir) {
                    take(open(&lib, true, false));
                }
            }
            Place::Preferred(lib) if lib.is_absolute() && lib.exists() => take(open(lib, true, true)),
            Place::Preferred(lib) => {
                log::warn!("FI_PROVIDER_PATH: {}: no such file; give an absolute path after +", lib.display())
            }
        }
    }
    search.conflict
}

/// Files of a directory that may be providers, from the last name to the first.
fn libraries(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.flatten().map(|e| e.file_name()).filter(|n| is_provider_file(n)).collect();
    names.sort();
    names.into_iter().rev().map(|n| dir.join(n)).collect()
}

fn is_provider_file(name: &OsStr) -> bool {
    let suffix = abi::FI_LIB_SUFFIX.to_bytes();
    name.len() > suffix.len() && name.as_bytes().ends_with(suffix)
}

/// Opens one library. `expected`: it was found as a file or named, so that a failure is worth a warning.
fn open(lib: &Path, expected: bool, preferred: bool) -> Option<Loaded> {
    let path = CString::new(lib.as_os_str().to_owned().into_vec()).ok()?;
    // SAFETY: a C string. Constructors of the library run: who may choose it was decided before.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    if handle.is_null() {
        // SAFETY: dlopen just failed in this thread, so there is a text.
        let why = unsafe { last_error() };
        if expected {
            log::warn!("cannot load {}: {why}", lib.display());
        } else {
            log::debug!("cannot load {}: {why}", lib.display());
        }
        return None;
    }
    let library = Library(handle);
    // SAFETY: an open handle and a C string.
    let entry = unsafe { libc::dlsym(handle, c"fi_prov_ini".as_ptr()) };
    if entry.is_null() {
        log::warn!("{} has no fi_prov_ini and is no provider", lib.display());
        return None;
    }
    // SAFETY: a function of this name has this type in every provider.
    let provider = unsafe {
        let ini = std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *mut fi_provider>(entry);
        ini()
    };
    if provider.is_null() {
        log::debug!("{} offers no provider on this machine", lib.display());
        return None;
    }
    Some(Loaded { provider, library, preferred })
}

/// # Safety
/// A dl function just failed in this thread.
unsafe fn last_error() -> String {
    // SAFETY: the text is this thread's until the next dl call.
    unsafe {
        let text: *const c_char = libc::dlerror();
        if text.is_null() {
            "unknown error".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir(d: &str) -> Place {
        Place::Directory(d.into())
    }

    #[test]
    fn the_path_says_where_and_who_wins() {
        let s = Search::parse(None);
        assert_eq!(s, Search { conflict: Conflict::Newest, places: vec![Place::LinkerPath, dir(PKGLIBDIR)] });
        assert_eq!(Search::parse(Some("")), s);
        let s = Search::parse(Some("/a:/b"));
        assert_eq!(s, Search { conflict: Conflict::Newest, places: vec![dir("/a"), dir("/b")] });
        let s = Search::parse(Some("@"));
        assert_eq!(s, Search { conflict: Conflict::First, places: vec![dir(PKGLIBDIR)] });
        let s = Search::parse(Some("@/a:+/x/lib.so"));
        let places = vec![dir("/a"), Place::Preferred("/x/lib.so".into())];
        assert_eq!(s, Search { conflict: Conflict::First, places });
        let s = Search::parse(Some("+/x/lib.so"));
        assert_eq!(s.places, [Place::Preferred("/x/lib.so".into()), dir(PKGLIBDIR)]);
    }

    #[test]
    fn provider_files_end_in_fi_so() {
        for (name, want) in [
            ("libx-fi.so", true),
            ("xtestfi.so", true),
            ("fi.so", false),
            ("libx.so", false),
            ("libx-fi.so.1", false),
        ] {
            assert_eq!(is_provider_file(OsStr::new(name)), want, "{name}");
        }
    }

    #[test]
    fn directories_are_read_backwards() {
        let dir = std::env::temp_dir().join(format!("ofi-core-dl-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for f in ["liba-fi.so", "libc-fi.so", "libb-fi.so", "README"] {
            std::fs::write(dir.join(f), "").unwrap();
        }
        let got: Vec<_> =
            libraries(&dir).iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        assert_eq!(got, ["libc-fi.so", "libb-fi.so", "liba-fi.so"]);
        assert!(open(&dir.join("liba-fi.so"), true, false).is_none(), "an empty file is no library");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
