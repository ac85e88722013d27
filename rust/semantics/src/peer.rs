//! What the message layer knows of one session: messages to go, and where the incoming order stands.

use std::collections::VecDeque;
use std::net::SocketAddr;

/// A grant that waits to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    pub(crate) sender: u32,
    pub(crate) receiver: u32,
    pub(crate) granted: u64,
    pub(crate) last: bool,
}

/// Packets that could have carried more messages and may be under way to one peer. Past it the peer is not waiting for
/// packets but behind with them, and is served better by full ones: messages wait for an acknowledgement or for enough
/// of their kind (Minshall's variant of Nagle's algorithm, with more than one small packet).
pub(crate) const MOST_SMALL: u32 = 16;

/// Messages in one packet at most: what one acknowledgement frees at once.
pub(crate) const MOST_PACKED: usize = 64;

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) addr: SocketAddr,
    /// Number of the next message to the peer.
    pub(crate) next_number: u32,
    /// Sends whose first packets are still to go, in message order.
    pub(crate) queue: VecDeque<u32>,
    /// Announced sends with a grant that is not used up.
    pub(crate) granted: VecDeque<u32>,
    pub(crate) grants: VecDeque<Grant>,
    /// A granted send is next, when there are both kinds.
    pub(crate) turn_granted: bool,
    /// It is on the list of sessions with something to send.
    pub(crate) ready: bool,
    pub(crate) blocked: bool,
    /// Packets under way that could have carried more messages.
    pub(crate) small: u32,
    /// Of `queue`: bytes of messages that may share a packet, and the number of those that may not.
    pub(crate) packable: usize,
    pub(crate) bulky: usize,
    /// Number of the next message to be matched.
    pub(crate) expected: u32,
    /// Messages of several packets that have been matched or held in their turn, by number.
    pub(crate) open: Vec<(u32, u32)>,
    /// Messages that came before their turn, by number.
    pub(crate) early: Vec<(u32, u32)>,
    /// What the driver said when it gave the peer up.
    pub(crate) error: Option<i32>,
}

impl Peer {
    pub(crate) fn new(addr: SocketAddr) -> Peer {
        Peer {
            addr,
            next_number: 0,
            queue: VecDeque::new(),
            granted: VecDeque::new(),
            grants: VecDeque::new(),
            turn_granted: false,
            ready: false,
            blocked: false,
            small: 0,
            packable: 0,
            bulky: 0,
            expected: 0,
            open: Vec::new(),
            early: Vec::new(),
            error: None,
        }
    }

    /// Puts a send at the end of the queue. `packed`: the bytes that it takes in a packet that it may share.
    #[inline]
    pub(crate) fn enqueue(&mut self, op: u32, packed: Option<usize>) {
        self.queue.push_back(op);
        match packed {
            Some(len) => self.packable += len,
            None => self.bulky += 1,
        }
    }

    /// Takes the first send off the queue; `packed` as it was given.
    #[inline]
    pub(crate) fn dequeue(&mut self, packed: Option<usize>) {
        self.queue.pop_front();
        match packed {
            Some(len) => self.packable -= len,
            None => self.bulky -= 1,
        }
    }

    /// Enough small packets are under way: what is queued waits until one of them has arrived, or until there is enough
    /// for a full packet of `room` bytes.
    #[inline]
    pub(crate) fn waits_for_company(&self, room: usize) -> bool {
        self.small >= MOST_SMALL
            && self.bulky == 0
            && self.packable <= room
            && self.queue.len() <= MOST_PACKED
            && self.grants.is_empty()
            && self.granted.is_empty()
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.queue.is_empty() || !self.granted.is_empty() || !self.grants.is_empty()
    }
}

/// Takes the entry of a number out of one of the short lists.
pub(crate) fn take(list: &mut Vec<(u32, u32)>, number: u32) -> Option<u32> {
    let at = list.iter().position(|e| e.0 == number)?;
    Some(list.swap_remove(at).1)
}

/// Finds the entry of a number.
pub(crate) fn find(list: &[(u32, u32)], number: u32) -> Option<u32> {
    list.iter().find(|e| e.0 == number).map(|e| e.1)
}
