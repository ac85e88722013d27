//! fi_info: what the providers of this host offer.

use clap::Parser;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::process::ExitCode;
use utils::{Failed, Hints, Info, InfoList, check, flags_from_text, owned_by_c, tostr};

/// Queries the fabric interfaces that this host offers
#[derive(Parser)]
#[command(name = "fi_info", disable_version_flag = true)]
struct Args {
    /// Source name or address
    #[arg(short, long = "src_addr", value_name = "ADDR")]
    src_addr: Option<String>,
    /// Destination name or address
    #[arg(short, long, value_name = "NAME")]
    node: Option<String>,
    /// Port number or service
    #[arg(short = 'P', long, value_name = "PNUM")]
    port: Option<String>,
    /// Capabilities that are needed: FI_MSG|FI_TAGGED...
    #[arg(short, long, value_name = "CAP1|CAP2..")]
    caps: Option<String>,
    /// Modes that the application supports (default: all)
    #[arg(short, long, value_name = "MOD1|MOD2..")]
    mode: Option<String>,
    /// Endpoint type: FI_EP_RDM, FI_EP_DGRAM, FI_EP_MSG
    #[arg(short = 't', long = "ep_type", value_name = "EPTYPE")]
    ep_type: Option<String>,
    /// Domain name
    #[arg(short, long)]
    domain: Option<String>,
    /// Fabric name
    #[arg(short, long)]
    fabric: Option<String>,
    /// Address format: FI_SOCKADDR_IN...
    #[arg(short, long = "addr_format", value_name = "FMT")]
    addr_format: Option<String>,
    /// Provider
    #[arg(short, long, value_name = "PROV")]
    provider: Option<String>,
    /// Print the environment variables that the library knows
    #[arg(short, long)]
    env: bool,
    /// Print those that contain a text
    #[arg(short, long, value_name = "SUBSTR")]
    getenv: Option<String>,
    /// Print only results whose description contains a text
    #[arg(short, long, value_name = "SUBSTR")]
    info: Option<String>,
    /// List the providers
    #[arg(short, long)]
    list: bool,
    /// Print everything
    #[arg(short, long)]
    verbose: bool,
    /// Print versions
    #[arg(short = 'V', long)]
    version: bool,
}

fn version_text(v: u32) -> String {
    format!("{}.{}", abi::FI_MAJOR(v), abi::FI_MINOR(v))
}

/// Why nothing was found. The error number is the exit status too.
struct Problem {
    text: String,
    code: i32,
}

impl From<Failed> for Problem {
    fn from(e: Failed) -> Problem {
        Problem { text: e.to_string(), code: e.code }
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem { text, code: abi::FI_EINVAL }
    }
}

fn parsed(what: &str, text: &str, kind: abi::fi_type, flags: bool) -> Result<u64, String> {
    flags_from_text(text, kind, flags).map_err(|e| format!("fi_info: {what}: {e}"))
}

fn hints(args: &Args) -> Result<Hints, String> {
    let mut h = Hints::new();
    h.get().mode = !0;
    h.domain().mode = !0;
    // Every bit but the two that ask for the behaviour before version 1.5.
    h.domain().mr_mode = !(abi::FI_MR_BASIC | abi::FI_MR_SCALABLE);
    if let Some(t) = &args.caps {
        h.get().caps = parsed("caps", t, abi::FI_TYPE_CAPS, true)?;
    }
    if let Some(t) = &args.mode {
        h.get().mode = parsed("mode", t, abi::FI_TYPE_MODE, true)?;
    }
    if let Some(t) = &args.ep_type {
        h.ep().r#type = parsed("ep_type", t, abi::FI_TYPE_EP_TYPE, false)? as u32;
    }
    if let Some(t) = &args.addr_format {
        h.get().addr_format = parsed("addr_format", t, abi::FI_TYPE_ADDR_FORMAT, false)? as u32;
    }
    let set = |to: &mut *mut libc::c_char, text: &Option<String>| {
        if let Some(t) = text {
            *to = owned_by_c(t);
        }
    };
    set(&mut h.domain().name, &args.domain);
    set(&mut h.fabric().name, &args.fabric);
    set(&mut h.fabric().prov_name, &args.provider);
    Ok(h)
}

fn print_short(i: Info<'_>) {
    println!("provider: {}", i.provider());
    println!("    fabric: {}", i.fabric_name());
    println!("    domain: {}", i.domain_name());
    println!("    version: {}", version_text(i.provider_version()));
    let Some(ep) = i.ep() else { return };
    println!("    type: {}", tostr(&ep.r#type, abi::FI_TYPE_EP_TYPE));
    println!("    protocol: {}", tostr(&ep.protocol, abi::FI_TYPE_PROTOCOL));
}

fn print_env(containing: Option<&str>) -> Result<(), Failed> {
    let (mut params, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the result is freed below.
    check("fi_getparams", unsafe { abi::fi_getparams(&mut params, &mut count) })?;
    let text = |p: *const libc::c_char| {
        // SAFETY: members are NULL or C strings until fi_freeparams.
        (!p.is_null()).then(|| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned())
    };
    for n in 0..count as usize {
        // SAFETY: count entries.
        let p = unsafe { &*params.add(n) };
        let name = text(p.name).unwrap_or_default();
        if containing.is_some_and(|c| !name.to_lowercase().contains(&c.to_lowercase())) {
            continue;
        }
        let kind = match p.r#type {
            abi::FI_PARAM_STRING => "String",
            abi::FI_PARAM_INT => "Integer",
            abi::FI_PARAM_BOOL => "Boolean (0/1, on/off, true/false, yes/no)",
            abi::FI_PARAM_SIZE_T => "size_t",
            _ => "Unknown",
        };
        println!("# {name}: {kind}");
        println!("# {}", text(p.help_string).unwrap_or_default());
        if let Some(v) = text(p.value) {
            println!("{name}={v}");
        }
        println!();
    }
    // SAFETY: given by fi_getparams.
    unsafe { abi::fi_freeparams(params) };
    Ok(())
}

fn list_providers() -> Result<(), Failed> {
    let mut seen = BTreeSet::new();
    for i in InfoList::query(None, None, abi::FI_PROV_ATTR_ONLY, None)?.iter() {
        if seen.insert(i.provider()) {
            println!("{}:", i.provider());
            println!("    version: {}", version_text(i.provider_version()));
        }
    }
    Ok(())
}

fn run(args: &Args) -> Result<(), Problem> {
    if args.version {
        println!("fi_info: {}.0", version_text(abi::API_VERSION));
        println!("libfabric: {}", utils::library_version());
        println!("libfabric api: {}", version_text(abi::API_VERSION));
        return Ok(());
    }
    if args.env || args.getenv.is_some() {
        return Ok(print_env(args.getenv.as_deref())?);
    }
    if args.list {
        return Ok(list_providers()?);
    }
    let (mut h, flags) = (hints(args)?, if args.src_addr.is_some() { abi::FI_SOURCE } else { 0 });
    if let (Some(_), Some(dest)) = (&args.src_addr, &args.node) {
        // Both given: the destination goes as an address in the hints.
        let list = InfoList::query(Some(dest), args.port.as_deref(), 0, Some(&h))?;
        if let Some(i) = list.iter().next() {
            let n = i.0.dest_addrlen;
            // SAFETY: the info has a destination of n bytes; the copy belongs to the hints.
            unsafe {
                let copy = libc::malloc(n);
                std::ptr::copy_nonoverlapping(i.0.dest_addr as *const u8, copy as *mut u8, n);
                (h.get().dest_addr, h.get().dest_addrlen) = (copy, n);
            }
            h.get().addr_format = i.0.addr_format;
        }
    }
    let node = args.src_addr.as_deref().or(args.node.as_deref());
    let list = InfoList::query(node, args.port.as_deref(), flags, Some(&h))?;
    for i in list.iter() {
        if let Some(part) = &args.info
            && !i.describe().contains(part.as_str())
        {
            continue;
        }
        if args.verbose || args.info.is_some() {
            println!("---\n{}", i.describe());
        } else {
            print_short(i);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    // A reader that closes the pipe ends the program quietly.
    // SAFETY: the default action is always valid.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{}", e.text);
            ExitCode::from(u8::try_from(e.code).unwrap_or(1))
        }
    }
}
