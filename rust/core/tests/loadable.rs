//! Loadable providers, through the library's own search: real libraries made with the system's C compiler. One test, since
//! the search happens once per process.

use ofi_core::entry::{ofi_fabric, ofi_fini, ofi_getinfo};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

/// A provider whose fabric cannot be opened: the error tells which library was asked.
const SOURCE: &str = r#"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
struct provider {
	uint32_t version, fi_version;
	void *context[4];
	const char *name;
	int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const void *, void **);
	int (*fabric)(void *, void **, void *);
	void (*cleanup)(void);
};
static int getinfo(uint32_t v, const char *n, const char *s, uint64_t f, const void *h, void **i)
{
	return -61;
}
static int fabric(void *a, void **f, void *c)
{
	return -MARK;
}
static void cleanup(void)
{
	/* What the test looks for: this provider was told to go. */
	if (MARK == 12)
		fclose(fopen(GONE, "w"));
}
static struct provider prov = { .version = VERSION, .fi_version = FI, .name = NAME, .getinfo = getinfo, .fabric = fabric,
	.cleanup = cleanup };
struct provider *ENTRY(void)
{
	prov.context[3] = &prov;
	return &prov;
}
"#;

/// The file that a provider of `dir` leaves when it is cleaned up.
fn gone(dir: &Path) -> PathBuf {
    dir.join("gone")
}

fn build(dir: &Path, file: &str, name: &str, entry: &str, version: u32, fi_version: u32, mark: u32) {
    std::fs::create_dir_all(dir).unwrap();
    let source = dir.join("source.c");
    std::fs::write(&source, SOURCE).unwrap();
    let done = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-shared", "-fPIC", "-o"])
        .arg(dir.join(file))
        .arg(&source)
        .args([format!("-DNAME=\"{name}\""), format!("-DENTRY={entry}"), format!("-DMARK={mark}")])
        .args([format!("-DVERSION={version}"), format!("-DFI={fi_version}")])
        .arg(format!("-DGONE=\"{}\"", gone(dir).display()))
        .status()
        .expect("a C compiler");
    assert!(done.success());
    std::fs::remove_file(source).unwrap();
}

/// The error with which a provider's fabric fails.
fn asked(provider: &str) -> i32 {
    let name = CString::new(provider).unwrap();
    let mut attr = abi::fi_fabric_attr {
        fabric: null_mut(),
        name: c"net".as_ptr().cast_mut(),
        prov_name: name.as_ptr().cast_mut(),
        prov_version: 0,
        api_version: abi::API_VERSION,
    };
    let mut out = null_mut();
    // SAFETY: valid attributes and a writable place.
    unsafe { ofi_fabric(9, &mut attr, &mut out, null_mut()) }
}

/// Names of all registered providers, in order.
fn registered() -> Vec<String> {
    let mut list = null_mut();
    let flags = abi::FI_PROV_ATTR_ONLY;
    // SAFETY: the list is valid while it is read, and not freed: the process ends.
    unsafe {
        assert_eq!(ofi_getinfo(9, abi::API_VERSION, null(), null(), flags, null(), &mut list), 0);
        let mut names = Vec::new();
        while let Some(i) = list.as_ref() {
            names.push(CStr::from_ptr((*i.fabric_attr).prov_name).to_str().unwrap().to_owned());
            list = i.next;
        }
        names
    }
}

#[test]
fn libraries_are_found_judged_and_ordered() {
    let root = std::env::temp_dir().join(format!("ofi-core-loadable-{}", std::process::id()));
    let (first, second) = (root.join("first"), root.join("second"));
    let now = abi::API_VERSION;
    build(&first, "libmine-fi.so", "mine", "fi_prov_ini", 1, now, 11);
    build(&second, "libmine-fi.so", "Mine", "fi_prov_ini", 2, now, 12);
    build(&first, "libtie-fi.so", "tie", "fi_prov_ini", 1, now, 21);
    build(&second, "libtie-fi.so", "tie", "fi_prov_ini", 1, now, 22);
    build(&first, "libudp-fi.so", "udp", "fi_prov_ini", 1, abi::FI_VERSION(9, 9), 31);
    build(&first, "libold-fi.so", "old", "fi_prov_ini", 1, abi::FI_VERSION(1, 2), 41);
    build(&first, "libnoentry-fi.so", "noentry", "something_else", 1, now, 42);
    build(&first, "libnotours.so", "notours", "fi_prov_ini", 1, now, 43);
    build(&root, "chosen.so", "tie", "fi_prov_ini", 0, now, 23);
    std::fs::write(first.join("broken-fi.so"), "no library").unwrap();

    let path = format!(
        "{}:{}:+{}:+relative.so",
        first.display(),
        second.display(),
        root.join("chosen.so").display()
    );
    // SAFETY: this process has one test, and nothing reads the environment yet.
    unsafe { std::env::set_var("FI_PROVIDER_PATH", path) };

    // Known names come first. Others follow as they were found: files of a directory from the last name to the first.
    // Threads that come first together all see the whole list.
    let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(registered)).collect();
    for t in threads {
        assert_eq!(t.join().unwrap(), ["udp", "tie", "mine", "tie", "Mine", "tie"]);
    }
    assert_eq!(asked("mine"), -12, "the newer of two wins");
    assert_eq!(asked("tie"), -23, "the library that was named wins, whatever its version");
    assert_eq!(asked("udp"), -31, "a newer API than ours is fine");
    for gone in ["old", "noentry", "notours"] {
        assert_eq!(asked(gone), -abi::FI_ENODEV, "{gone}");
    }
    let mut list = null_mut();
    // SAFETY: nothing is pointed to.
    let none = unsafe { ofi_getinfo(9, abi::API_VERSION, null(), null(), 0, null(), &mut list) };
    assert_eq!(none, -abi::FI_ENODATA);
    assert!(list.is_null());
    // A child that ends leaves the providers to its parent.
    // SAFETY: the child only calls the library's end, which touches nothing in it, and ends without any of Rust's.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            ofi_fini();
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert_eq!(status, 0);
    }
    assert!(!gone(&second).exists());
    ofi_fini();
    assert!(gone(&second).exists());
    std::fs::remove_dir_all(root).unwrap();
}
