//! Random tables of hints through the library that was built: nothing crashes, every result keeps what the hints ask for,
//! and a result that is given back as hints is found again. Opens nothing; the dpdk provider, where it is built in, is given
//! devices that need not exist.

mod addresses;
mod attributes;

use addresses::ADDRESSES;
use attributes::{ATTRIBUTES, WILD};
use libc::{c_char, c_int};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use utils::{Hints, Info};

/// Cases of a run, always the same ones.
const CASES: u32 = 1000;
const SEED: u64 = 20_260;
/// So many of them must have results, or the properties would say little.
const ENOUGH: u32 = 200;
const PORTS: &str = "net_null0=10.77.9.1/24;net_null1=fd00:77::1/64,mtu=9000";

const VERSIONS: &[u32] = &[
    abi::API_VERSION,
    abi::FI_VERSION(1, 0),
    abi::FI_VERSION(1, 4),
    abi::FI_VERSION(1, 5),
    abi::FI_VERSION(1, 17),
    abi::FI_VERSION(1, 20),
    abi::FI_VERSION(2, 0),
];
const TOO_NEW: u32 = abi::FI_VERSION(9, 0);
/// Nodes that are read without asking a name server, which [`table`] sees to.
const NODES: &[&CStr] =
    &[c"127.0.0.1", c"10.77.9.1", c"10.77.9.200", c"::1", c"fd00:77::2", c"0.0.0.0", c"", c"999.1"];
const SERVICES: &[&CStr] = &[c"7471", c"0", c"65535", c"65536", c"-1", c""];
const FLAGS: &[u64] =
    &[0, abi::FI_SOURCE, abi::FI_PROV_ATTR_ONLY, abi::FI_SOURCE | abi::FI_PROV_ATTR_ONLY, abi::FI_PEER, 1];
/// Names beside those that there are.
const ODD_NAMES: &[&[u8]] =
    &[b"", b"no such", b"\xff\xfe", b"%s%n", b"udp;ofi_rxd", b"^udp", b"udp,dpdk", b";", b"^"];

/// One question.
#[derive(Debug, Clone)]
struct Table {
    version: u32,
    node: Option<&'static CStr>,
    service: Option<&'static CStr>,
    flags: u64,
    /// Which of the five attribute structures are NULL, as bits.
    missing: u8,
    /// Rows of [`ATTRIBUTES`] and what they are set to.
    numbers: Vec<(usize, u64)>,
    provider: Option<Vec<u8>>,
    domain: Option<Vec<u8>>,
    fabric: Option<Vec<u8>>,
    /// Indexes of [`ADDRESSES`], and lengths that do not belong to them.
    src: Option<(usize, Option<usize>)>,
    dest: Option<(usize, Option<usize>)>,
}

fn rarely<T: Clone + std::fmt::Debug + 'static>(
    s: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop_oneof![9 => Just(None), 1 => s.prop_map(Some)].boxed()
}

/// A name that there is, the same in capitals, or an odd one.
fn name(known: Vec<String>) -> BoxedStrategy<Option<Vec<u8>>> {
    let known: Vec<Vec<u8>> =
        known.iter().flat_map(|n| [n.clone().into_bytes(), n.to_uppercase().into_bytes()]).collect();
    let odd = ODD_NAMES.iter().map(|n| n.to_vec()).chain([vec![b'x'; 5000]]).collect::<Vec<_>>();
    rarely(prop_oneof![3 => prop::sample::select(known), 1 => prop::sample::select(odd)])
}

fn number() -> impl Strategy<Value = (usize, u64)> {
    (0..ATTRIBUTES.len()).prop_flat_map(|row| {
        let usual = prop::sample::select(ATTRIBUTES[row].values);
        let wild = prop_oneof![prop::sample::select(WILD), any::<u64>()];
        (Just(row), prop_oneof![6 => usual, 1 => wild])
    })
}

fn address() -> BoxedStrategy<Option<(usize, Option<usize>)>> {
    rarely((0..ADDRESSES.len(), rarely(prop::sample::select(vec![0, 1, 2, 15, 16, 28, 200]))))
}

fn table(known: &[Names]) -> impl Strategy<Value = Table> + use<> {
    let of = |f: fn(&Names) -> &String| known.iter().map(f).cloned().collect::<Vec<_>>();
    let version = prop_oneof![8 => prop::sample::select(VERSIONS), 1 => Just(TOO_NEW)];
    let place = (
        rarely(prop::sample::select(NODES)),
        rarely(prop::sample::select(SERVICES)),
        prop_oneof![
            6 => Just(0), 1 => prop::sample::select(FLAGS)
        ],
    );
    let names = (name(of(|n| &n.provider)), name(of(|n| &n.domain)), name(of(|n| &n.fabric)));
    let missing = prop_oneof![6 => Just(0u8), 1 => 0..32u8];
    (version, place, missing, vec(number(), 0..7), names, address(), address()).prop_map(
        |(version, (node, service, flags), missing, numbers, (provider, domain, fabric), src, dest)| Table {
            version,
            node,
            service,
            // A node that is no number would be asked for from the network.
            flags: if node.is_some() { flags | abi::FI_NUMERICHOST } else { flags },
            missing,
            numbers,
            provider,
            domain,
            fabric,
            src,
            dest,
        },
    )
}

impl Table {
    fn hints(&self) -> Hints {
        let mut hints = Hints::new();
        let h = hints.get();
        // SAFETY: all attributes were allocated by C and are the hints' own; each is freed once.
        unsafe {
            if self.missing & 1 != 0 {
                libc::free(std::mem::replace(&mut h.tx_attr, null_mut()).cast());
            }
            if self.missing & 2 != 0 {
                libc::free(std::mem::replace(&mut h.rx_attr, null_mut()).cast());
            }
            if self.missing & 4 != 0 {
                libc::free(std::mem::replace(&mut h.ep_attr, null_mut()).cast());
            }
            if self.missing & 8 != 0 {
                libc::free(std::mem::replace(&mut h.domain_attr, null_mut()).cast());
            }
            if self.missing & 16 != 0 {
                libc::free(std::mem::replace(&mut h.fabric_attr, null_mut()).cast());
            }
        }
        for (row, value) in &self.numbers {
            (ATTRIBUTES[*row].set)(h, *value);
        }
        // SAFETY: NULL or the hints' own; a name is set once, to C's memory.
        unsafe {
            if let Some(d) = h.domain_attr.as_mut() {
                d.name = self.domain.as_deref().map_or(null_mut(), c_name);
            }
            if let Some(f) = h.fabric_attr.as_mut() {
                f.name = self.fabric.as_deref().map_or(null_mut(), c_name);
                f.prov_name = self.provider.as_deref().map_or(null_mut(), c_name);
            }
        }
        if let Some((at, len)) = self.src {
            (h.src_addr, h.src_addrlen) = addresses::for_c(at, len);
        }
        if let Some((at, len)) = self.dest {
            (h.dest_addr, h.dest_addrlen) = addresses::for_c(at, len);
        }
        hints
    }
}

fn c_name(name: &[u8]) -> *mut c_char {
    let name = CString::new(name).expect("no name has a zero");
    // SAFETY: a C string.
    unsafe { libc::strdup(name.as_ptr()) }
}

/// Results of one question; freed when dropped.
struct Results(*mut abi::fi_info);

impl Results {
    /// The error is positive.
    fn ask(t: &Table, hints: *const abi::fi_info) -> Result<Results, c_int> {
        let p = |s: Option<&CStr>| s.map_or(null(), CStr::as_ptr);
        let mut list = null_mut();
        // SAFETY: texts and hints live through the call.
        match unsafe { abi::fi_getinfo(t.version, p(t.node), p(t.service), t.flags, hints, &mut list) } {
            0 => Ok(Results(list)),
            e => {
                assert!(list.is_null(), "a list beside error {e}");
                Err(-e)
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &abi::fi_info> {
        let mut at = self.0;
        std::iter::from_fn(move || {
            // SAFETY: members of the list, which outlives the iterator.
            let i = unsafe { at.as_ref() }?;
            at = i.next;
            Some(i)
        })
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { abi::fi_freeinfo(self.0) }
    }
}

/// What a result is called.
struct Names {
    provider: String,
    domain: String,
    fabric: String,
}

impl Names {
    fn of(i: &abi::fi_info) -> Names {
        let i = Info(i);
        Names { provider: i.provider(), domain: i.domain_name(), fabric: i.fabric_name() }
    }
}

/// Everything that a result says, apart from the question's own version.
fn describe(i: &abi::fi_info) -> String {
    Info(i).describe()
}

fn named(asked: &Option<Vec<u8>>, got: &str) -> bool {
    asked.as_ref().is_none_or(|a| a.eq_ignore_ascii_case(got.as_bytes()))
}

/// A list, an exclusion or nothing is no name that a result could have.
fn provider_named(asked: &Option<Vec<u8>>, got: &str) -> bool {
    match asked.as_deref() {
        None | Some(b"") | Some(b"^") | Some(b";") => true,
        Some(a) if a.starts_with(b"^") => !a[1..].eq_ignore_ascii_case(got.as_bytes()),
        Some(a) => a.split(|b| *b == b',').any(|one| one.eq_ignore_ascii_case(got.as_bytes())),
    }
}

/// Holds a result against its question.
fn check(t: &Table, hints: &abi::fi_info, r: &abi::fi_info) -> Result<(), TestCaseError> {
    let names = Names::of(r);
    let whole = !r.tx_attr.is_null() && !r.rx_attr.is_null() && !r.ep_attr.is_null();
    prop_assert!(whole && !r.domain_attr.is_null() && !r.fabric_attr.is_null(), "an attribute is missing");
    // An inventory of all providers, whatever the hints say.
    if t.flags == abi::FI_PROV_ATTR_ONLY {
        return Ok(());
    }
    prop_assert!(
        t.missing & 16 != 0 || provider_named(&t.provider, &names.provider),
        "provider {}",
        names.provider
    );
    prop_assert!(t.missing & 16 != 0 || named(&t.fabric, &names.fabric), "fabric {}", names.fabric);
    prop_assert!(t.missing & 8 != 0 || named(&t.domain, &names.domain), "domain {}", names.domain);
    // SAFETY: checked above.
    prop_assert_eq!(unsafe { (*r.fabric_attr).api_version }, t.version);
    for a in ATTRIBUTES {
        prop_assert!(
            (a.holds)(hints, r),
            "{} does not keep what the hints ask for:\n{}",
            a.name,
            describe(r)
        );
    }
    if t.node.is_none() && t.service.is_none() {
        prop_assert!(addresses::source_kept(hints, r), "src_addr of\n{}", describe(r));
        prop_assert!(addresses::destination_kept(hints, r), "dest_addr of\n{}", describe(r));
    }
    Ok(())
}

/// Asks for the result by itself: it is among the answers, as it was.
fn found_again(t: &Table, r: &abi::fi_info) -> Result<(), TestCaseError> {
    let again = Table { node: None, service: None, flags: 0, ..t.clone() };
    let list = Results::ask(&again, r)
        .map_err(|e| TestCaseError::fail(format!("error {e} to the result\n{}", describe(r))))?;
    let want = describe(r);
    prop_assert!(
        list.iter().any(|i| describe(i) == want),
        "{want}\ngiven back as hints gives\n{}",
        list.iter().map(describe).collect::<String>()
    );
    // SAFETY: a copy of a valid info, freed once.
    unsafe {
        let copy = abi::fi_dupinfo(r);
        let same = describe(&*copy) == want;
        abi::fi_freeinfo(copy);
        prop_assert!(same, "fi_dupinfo");
    }
    Ok(())
}

fn run(t: &Table) -> Result<bool, TestCaseError> {
    let mut hints = t.hints();
    let list = match Results::ask(t, hints.get()) {
        Ok(list) => list,
        Err(abi::FI_ENOSYS) if t.version == TOO_NEW => return Ok(false),
        Err(abi::FI_ENODATA) => return Ok(false),
        Err(e) => return Err(TestCaseError::fail(format!("error {e}"))),
    };
    prop_assert!(list.iter().next().is_some(), "success without a result");
    for r in list.iter() {
        check(t, hints.get(), r)?;
        if t.flags != abi::FI_PROV_ATTR_ONLY {
            found_again(t, r)?;
        }
    }
    Ok(true)
}

/// Lines that say that a provider panicked, which the library survives.
static PANICS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn all_lines(_: *const abi::fi_provider, _: u32, _: u32, _: u64) -> c_int {
    1
}

unsafe extern "C" fn line(
    _: *const abi::fi_provider,
    _: u32,
    _: u32,
    _: *const c_char,
    _: c_int,
    text: *const c_char,
) {
    // SAFETY: the library gives a C string.
    if unsafe { CStr::from_ptr(text) }.to_string_lossy().contains("internal error") {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes the log over, as fi_import_log does: every message is made, none is written.
fn import_log() {
    let ops = Box::leak(Box::new(abi::fi_ops_log {
        size: size_of::<abi::fi_ops_log>(),
        enabled: Some(all_lines),
        ready: None,
        log: Some(line),
    }));
    let mut mine = abi::fid_logging {
        fid: abi::fid { fclass: abi::FI_CLASS_LOG as usize, context: null_mut(), ops: null_mut() },
        ops,
    };
    let mut log = null_mut();
    // SAFETY: the object is closed after its last use; the operations live for ever.
    unsafe {
        assert_eq!(
            abi::fi_open(abi::API_VERSION, c"logging".as_ptr(), null_mut(), 0, 0, &mut log, null_mut()),
            0
        );
        let ops = &*(*log).ops;
        assert_eq!(ops.bind.unwrap()(log, &mut mine.fid, 0), 0);
        assert_eq!(ops.close.unwrap()(log), 0);
    }
}

#[test]
fn results_keep_what_odd_hints_ask_for() {
    // SAFETY: this process has one test, and nothing reads the environment yet.
    unsafe { std::env::set_var("FI_DPDK_PORTS", PORTS) };
    import_log();
    let any = Table {
        version: abi::API_VERSION,
        node: None,
        service: None,
        flags: 0,
        missing: 0,
        numbers: Vec::new(),
        provider: None,
        domain: None,
        fabric: None,
        src: None,
        dest: None,
    };
    let known: Vec<Names> = match Results::ask(&any, null()) {
        Ok(list) => list.iter().map(Names::of).collect(),
        Err(e) => panic!("fi_getinfo without hints: {e}"),
    };
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    };
    let with_results = AtomicU32::new(0);
    let outcome = TestRunner::new(config).run(&table(&known), |t| {
        if run(&t)? {
            with_results.fetch_add(1, Ordering::Relaxed);
        }
        prop_assert_eq!(PANICS.load(Ordering::Relaxed), 0, "a provider panicked");
        Ok(())
    });
    if let Err(e) = outcome {
        panic!("{e}");
    }
    let n = with_results.load(Ordering::Relaxed);
    assert!(n >= ENOUGH, "only {n} of {CASES} tables have results");
}
