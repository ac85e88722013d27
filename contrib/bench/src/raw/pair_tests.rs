//! Two processes of `dpdk_raw` over a memif: the test program runs itself again as each side, since EAL starts once per
//! process. Needs neither root nor hugepages.

use super::*;
use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

const ARGUMENTS: &str = "DPDK_RAW_TEST_ARGUMENTS";
const MARK: &str = "dpdk_raw mode=";

/// Not a test of its own: one side of a pair, with the arguments that the environment names.
#[test]
fn side() {
    let Ok(line) = std::env::var(ARGUMENTS) else { return };
    let args = Args::parse_from(std::iter::once("dpdk_raw").chain(line.split(' ')));
    let line = run(&args, args.amount().unwrap()).unwrap();
    println!("\n{line}");
}

fn spawn(arguments: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pair_tests::side", "--nocapture"])
        .env(ARGUMENTS, arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The words of the line that a side printed.
fn words(side: Child) -> HashMap<String, String> {
    let output = side.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|l| l.starts_with(MARK)).unwrap_or_else(|| panic!("no figures in {text}"));
    line.split(' ').filter_map(|w| w.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect()
}

/// Runs both sides; gives the words of the server and of the client.
fn pair(arguments: &str) -> (HashMap<String, String>, HashMap<String, String>) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let id = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let [server, client] = ["server", "client"].map(|role| {
        spawn(&format!(
            "--port net_memif0,role={role},bsize=9216,socket=dpdk-raw-test-{id},socket-abstract=yes --role {role} \
             {arguments}"
        ))
    });
    let client = words(client);
    (words(server), client)
}

fn number(words: &HashMap<String, String>, name: &str) -> f64 {
    words[name].parse().unwrap()
}

#[test]
fn every_ping_comes_back_and_is_timed() {
    let (server, client) = pair("--mode pingpong --size 64 --count 2000");
    assert_eq!((client["frames"].as_str(), client["lost"].as_str()), ("2000", "0"));
    // Those of the warm-up too.
    assert_eq!(server["frames"], "3000");
    let (p50, p99, max) = (number(&client, "p50_us"), number(&client, "p99_us"), number(&client, "max_us"));
    assert!(0.0 < p50 && p50 <= p99 && p99 <= max, "{client:?}");
}

#[test]
fn a_blast_is_counted_in_full_by_the_receiver() {
    let (server, client) = pair("--mode blast --size 9014 --mtu 9000 --count 20000");
    assert_eq!(client["frames"], "20000");
    assert_eq!(client["received"], server["frames"]);
    let (frames, lost) = (number(&server, "frames"), number(&server, "lost"));
    assert_eq!(frames + lost, 20000.0);
    assert_eq!(number(&server, "bytes"), frames * 9014.0);
    // The rates are rounded to whole numbers, each from its own exact value.
    let ratio = number(&server, "bytes_per_s") / number(&server, "msg_per_s");
    assert!((ratio - 9014.0).abs() < 1.0, "{server:?}");
}

#[test]
fn a_size_that_no_frame_can_have_is_refused() {
    let args =
        Args::parse_from("dpdk_raw --port net_null0 --role client --mode blast --size 1515".split(' '));
    let Err(Error::Size { size: 1515, most: 1514, .. }) = run(&args, Amount::Frames(1)) else {
        panic!("1515 bytes do not fit an MTU of 1500")
    };
}
