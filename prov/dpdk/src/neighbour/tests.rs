//! The cache against a virtual clock.

use super::*;

const MS: Nanos = MILLISECOND;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn mac(last: u8) -> Mac {
    Mac([2, 0, 0, 0, 0, last])
}

fn cache() -> Neighbours<u32> {
    let local = Cidr { ip: ip("10.0.0.1"), prefix: 24 };
    Neighbours::new(Config::with_timeout(1000 * MS), local, Some(ip("10.0.0.254")))
}

fn requests(n: &mut Neighbours<u32>, now: Nanos) -> Vec<Request> {
    std::iter::from_fn(|| n.next_request(now)).collect()
}

fn resolved(n: &mut Neighbours<u32>, now: Nanos, last: u8) -> IpAddr {
    let a = ip(&format!("10.0.0.{last}"));
    assert_eq!(n.lookup(now, a, 0), Lookup::Pending);
    requests(n, now);
    n.learn(now, a, mac(last), Heard::Reply);
    assert_eq!(n.poll_event(), Some(Event::Resolved(0)));
    a
}

#[test]
fn first_lookup_asks_everybody_and_the_reply_wakes_all_waiters() {
    let mut n = cache();
    let a = ip("10.0.0.2");
    assert_eq!(n.lookup(0, a, 1), Lookup::Pending);
    assert_eq!(n.lookup(0, a, 2), Lookup::Pending);
    assert_eq!(n.lookup(1, a, 2), Lookup::Pending);
    assert_eq!(n.next_deadline(), Some(0));
    assert_eq!(requests(&mut n, 1), [Request { target: a, to: None }]);
    n.learn(2, a, mac(2), Heard::Reply);
    assert_eq!(n.poll_event(), Some(Event::Resolved(1)));
    assert_eq!(n.poll_event(), Some(Event::Resolved(2)));
    assert_eq!(n.poll_event(), None);
    assert_eq!(n.lookup(3, a, 1), Lookup::Known(mac(2)));
    assert!(requests(&mut n, 3).is_empty());
}

#[test]
fn silence_is_asked_again_and_fails_at_the_timeout() {
    let mut n = cache();
    let a = ip("10.0.0.2");
    n.lookup(0, a, 7);
    let mut asked = 0;
    while let Some(at) = n.next_deadline() {
        asked += requests(&mut n, at).len();
        match n.poll_event() {
            Some(event) => {
                assert_eq!((event, at), (Event::Failed(7), 1000 * MS));
                break;
            }
            None => assert!(at < 1000 * MS),
        }
    }
    assert_eq!(asked, 5);
    assert!(n.is_empty());
    // The next send starts over.
    assert_eq!(n.lookup(2000 * MS, a, 7), Lookup::Pending);
    assert_eq!(requests(&mut n, 2000 * MS).len(), 1);
}

#[test]
fn others_proceed_while_one_does_not_answer() {
    let mut n = cache();
    n.lookup(0, ip("10.0.0.9"), 9);
    let a = resolved(&mut n, 1, 2);
    assert_eq!(n.lookup(500 * MS, a, 2), Lookup::Known(mac(2)));
}

#[test]
fn off_link_destinations_share_the_gateway() {
    let mut n = cache();
    assert_eq!(n.lookup(0, ip("192.0.2.1"), 1), Lookup::Pending);
    assert_eq!(n.lookup(0, ip("192.0.2.2"), 2), Lookup::Pending);
    assert_eq!(requests(&mut n, 0), [Request { target: ip("10.0.0.254"), to: None }]);
    n.learn(1, ip("10.0.0.254"), mac(254), Heard::Reply);
    assert_eq!(n.lookup(2, ip("198.51.100.3"), 3), Lookup::Known(mac(254)));
}

#[test]
fn what_no_route_leads_to_is_unreachable() {
    let mut n = Neighbours::<u32>::new(
        Config::with_timeout(1000 * MS),
        Cidr { ip: ip("10.0.0.1"), prefix: 24 },
        None,
    );
    for to in ["192.0.2.1", "224.0.0.1", "10.0.0.255", "255.255.255.255", "127.0.0.1", "0.0.0.0", "fd00::1"] {
        assert_eq!(n.lookup(0, ip(to), 1), Lookup::Unreachable, "{to}");
    }
    assert!(n.is_empty() && n.next_deadline().is_none());
}

#[test]
fn static_neighbours_need_no_request_and_never_change() {
    let mut n = cache();
    n.add_static(ip("10.0.0.3"), mac(3));
    n.add_static(ip("192.0.2.9"), mac(9));
    n.learn(5000 * MS, ip("10.0.0.3"), mac(66), Heard::Reply);
    assert_eq!(n.lookup(5000 * MS, ip("10.0.0.3"), 1), Lookup::Known(mac(3)));
    assert_eq!(n.lookup(5000 * MS, ip("192.0.2.9"), 1), Lookup::Known(mac(9)));
    assert!(requests(&mut n, 5000 * MS).is_empty());
}

#[test]
fn old_entry_in_use_is_confirmed_by_unicast() {
    let mut n = cache();
    let a = resolved(&mut n, 0, 2);
    let before = n.generation();
    let later = 30_000 * MS;
    assert_eq!(n.next_deadline(), Some(later));
    assert!(requests(&mut n, later).is_empty(), "an unused entry causes no traffic");
    assert_ne!(n.generation(), before, "prepared headers must be looked up again");
    assert_eq!(n.lookup(later, a, 1), Lookup::Known(mac(2)));
    assert_eq!(requests(&mut n, later), [Request { target: a, to: Some(mac(2)) }]);
    n.learn(later + 1, a, mac(2), Heard::Reply);
    assert_eq!(n.next_deadline(), Some(later + 1 + 30_000 * MS));
}

#[test]
fn old_entry_that_stays_silent_is_asked_for_anew() {
    let mut n = cache();
    let a = resolved(&mut n, 0, 2);
    let mut now = 30_000 * MS;
    requests(&mut n, now);
    n.lookup(now, a, 1);
    let mut unicast = 0;
    let before = n.generation();
    loop {
        let sent = requests(&mut n, now);
        if sent.iter().any(|r| r.to.is_none()) {
            break;
        }
        unicast += sent.len();
        now = n.next_deadline().unwrap();
    }
    assert_eq!(unicast, 3);
    assert_ne!(n.generation(), before);
    assert_eq!(n.lookup(now, a, 5), Lookup::Pending);
    n.learn(now + 1, a, mac(77), Heard::Reply);
    assert_eq!(n.poll_event(), Some(Event::Resolved(5)));
    assert_eq!(n.lookup(now + 2, a, 5), Lookup::Known(mac(77)));
}

#[test]
fn unsolicited_frames_make_no_entries() {
    let mut n = cache();
    n.learn(0, ip("10.0.0.5"), mac(5), Heard::Other);
    n.learn(0, ip("10.0.0.5"), mac(5), Heard::Reply);
    n.learn(0, ip("192.0.2.5"), mac(5), Heard::RequestForUs);
    n.learn(0, ip("10.0.0.5"), Mac([1, 0, 0, 0, 0, 5]), Heard::RequestForUs);
    assert!(n.is_empty());
}

#[test]
fn announcement_does_not_answer_a_pending_request() {
    let mut n = cache();
    let a = ip("10.0.0.2");
    n.lookup(0, a, 1);
    n.learn(1, a, mac(66), Heard::Other);
    assert_eq!(n.lookup(2, a, 1), Lookup::Pending);
}

#[test]
fn announced_change_is_taken_once_a_second_and_confirmed_on_use() {
    let mut n = cache();
    let a = resolved(&mut n, 0, 2);
    n.learn(10 * MS, a, mac(66), Heard::Other);
    assert_eq!(n.lookup(10 * MS, a, 1), Lookup::Known(mac(2)), "too soon after the last change");
    let before = n.generation();
    n.learn(2000 * MS, a, mac(9), Heard::Other);
    assert_ne!(n.generation(), before);
    assert_eq!(n.lookup(2000 * MS, a, 1), Lookup::Known(mac(9)));
    assert_eq!(requests(&mut n, 2000 * MS), [Request { target: a, to: Some(mac(9)) }]);
}

#[test]
fn those_who_ask_for_us_are_known() {
    let mut n = cache();
    n.learn(0, ip("10.0.0.8"), mac(8), Heard::RequestForUs);
    assert_eq!(n.lookup(1, ip("10.0.0.8"), 1), Lookup::Known(mac(8)));
}

#[test]
fn full_cache_evicts_the_longest_unused_but_no_waiters() {
    let local = Cidr { ip: ip("10.0.0.1"), prefix: 8 };
    let config = Config { capacity: 2, ..Config::with_timeout(1000 * MS) };
    let mut n = Neighbours::<u32>::new(config, local, None);
    n.learn(1, ip("10.0.0.2"), mac(2), Heard::RequestForUs);
    n.learn(2, ip("10.0.0.3"), mac(3), Heard::RequestForUs);
    assert_eq!(n.lookup(3, ip("10.0.0.4"), 4), Lookup::Pending);
    assert_eq!(n.lookup(4, ip("10.0.0.5"), 5), Lookup::Pending);
    assert_eq!(n.lookup(5, ip("10.0.0.6"), 6), Lookup::Unreachable);
    n.learn(6, ip("10.0.0.7"), mac(7), Heard::RequestForUs);
    assert_eq!(n.len(), 2);
}

#[test]
fn closed_waiters_hear_nothing() {
    let mut n = cache();
    let a = ip("10.0.0.2");
    n.lookup(0, a, 1);
    n.lookup(0, a, 2);
    n.forget_waiters(|w| *w == 1);
    n.learn(1, a, mac(2), Heard::Reply);
    assert_eq!(n.poll_event(), Some(Event::Resolved(2)));
    assert_eq!(n.poll_event(), None);
}

#[test]
fn our_own_address_from_another_station_is_counted() {
    let mut n = cache();
    n.learn(0, ip("10.0.0.1"), mac(66), Heard::Other);
    assert_eq!((n.conflicts(), n.len()), (1, 0));
}

#[test]
fn ipv6_link_local_needs_no_gateway() {
    let local = Cidr { ip: ip("fd00::1"), prefix: 64 };
    let mut n = Neighbours::<u32>::new(Config::with_timeout(1000 * MS), local, None);
    assert_eq!(n.lookup(0, ip("fe80::2"), 1), Lookup::Pending);
    assert_eq!(n.lookup(0, ip("fd00::2"), 1), Lookup::Pending);
    assert_eq!(n.lookup(0, ip("fd01::2"), 1), Lookup::Unreachable);
}
