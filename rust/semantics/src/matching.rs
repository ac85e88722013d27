//! Posted receives and unexpected messages, each in order, and which goes with which.

use crate::op::{Recv, RecvKind};
use delivery::SessionId;
use slab::Slab;
use std::collections::VecDeque;
use std::net::SocketAddr;
use wire::msg::Envelope;

/// A receive that waits for its message.
pub(crate) struct Posted<R, C> {
    pub(crate) kind: RecvKind,
    pub(crate) buf: R,
    pub(crate) from: Option<SocketAddr>,
    pub(crate) context: C,
    /// The session that is watched on its account.
    pub(crate) watched: Option<SessionId>,
}

impl<R, C> Posted<R, C> {
    /// The receive that nobody is watched for yet.
    #[inline]
    pub(crate) fn new(op: Recv<R, C>) -> Posted<R, C> {
        Posted { kind: op.kind, buf: op.buf, from: op.from, context: op.context, watched: None }
    }
}

/// True when a receive of this kind and source takes the message.
#[inline]
pub(crate) fn takes(kind: RecvKind, source: Option<SocketAddr>, e: &Envelope, from: &SocketAddr) -> bool {
    let kind = match (kind, e.tag) {
        (RecvKind::Msg, None) => true,
        (RecvKind::Tagged { tag, ignore }, Some(t)) => (tag ^ t) & !ignore == 0,
        _ => false,
    };
    kind && source.is_none_or(|s| s == *from)
}

/// Posted receives in posting order, untagged and tagged apart, since one never takes what the other does.
pub(crate) struct PostedQueue<R, C> {
    all: Slab<Posted<R, C>>,
    msg: VecDeque<u32>,
    tagged: VecDeque<u32>,
}

impl<R, C> PostedQueue<R, C> {
    pub(crate) fn new() -> Self {
        PostedQueue { all: Slab::new(), msg: VecDeque::new(), tagged: VecDeque::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn push(&mut self, p: Posted<R, C>) {
        let list = match p.kind {
            RecvKind::Msg => &mut self.msg,
            RecvKind::Tagged { .. } => &mut self.tagged,
        };
        list.push_back(self.all.insert(p) as u32);
    }

    /// The first receive that takes the message.
    #[inline]
    pub(crate) fn take(&mut self, e: &Envelope, from: &SocketAddr) -> Option<Posted<R, C>> {
        let list = if e.tag.is_some() { &mut self.tagged } else { &mut self.msg };
        let all = &mut self.all;
        // Mostly it is the first one.
        let first = *list.front()?;
        let p = &all[first as usize];
        if takes(p.kind, p.from, e, from) {
            list.pop_front();
            return Some(all.remove(first as usize));
        }
        let at = list.iter().position(|i| {
            let p = &all[*i as usize];
            takes(p.kind, p.from, e, from)
        })?;
        let i = list.remove(at)?;
        Some(all.remove(i as usize))
    }

    /// The first receive that `f` chooses, whatever its kind.
    pub(crate) fn remove_if(&mut self, f: impl Fn(&Posted<R, C>) -> bool) -> Option<Posted<R, C>> {
        for list in [&mut self.msg, &mut self.tagged] {
            if let Some(at) = list.iter().position(|i| f(&self.all[*i as usize])) {
                let i = list.remove(at)?;
                return Some(self.all.remove(i as usize));
            }
        }
        None
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Posted<R, C>> {
        self.all.iter_mut().map(|(_, p)| p)
    }
}

/// Messages without a receive, by their place in the endpoint's table, in the order in which they came.
#[derive(Default)]
pub(crate) struct UnexpectedQueue {
    msg: VecDeque<u32>,
    tagged: VecDeque<u32>,
}

impl UnexpectedQueue {
    fn list(&mut self, tagged: bool) -> &mut VecDeque<u32> {
        if tagged { &mut self.tagged } else { &mut self.msg }
    }

    pub(crate) fn push(&mut self, tagged: bool, rx: u32) {
        self.list(tagged).push_back(rx);
    }

    /// The first message that `f` chooses.
    pub(crate) fn find(&mut self, tagged: bool, f: impl Fn(u32) -> bool) -> Option<u32> {
        self.list(tagged).iter().copied().find(|i| f(*i))
    }

    /// Takes the first message that `f` chooses.
    #[inline]
    pub(crate) fn take(&mut self, tagged: bool, f: impl Fn(u32) -> bool) -> Option<u32> {
        let list = self.list(tagged);
        if list.is_empty() {
            return None;
        }
        let at = list.iter().position(|i| f(*i))?;
        list.remove(at)
    }

    pub(crate) fn forget(&mut self, tagged: bool, rx: u32) {
        self.list(tagged).retain(|i| *i != rx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(tag: Option<u64>) -> Envelope {
        Envelope { number: 0, tag, data: None, len: 0 }
    }

    fn addr(n: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], n))
    }

    #[test]
    fn kind_tag_ignore_and_source_decide() {
        let t = |tag, ignore| RecvKind::Tagged { tag, ignore };
        assert!(takes(RecvKind::Msg, None, &e(None), &addr(1)));
        assert!(!takes(RecvKind::Msg, None, &e(Some(0)), &addr(1)));
        assert!(!takes(t(0, u64::MAX), None, &e(None), &addr(1)));
        assert!(takes(t(5, 0), None, &e(Some(5)), &addr(1)));
        assert!(!takes(t(5, 1), None, &e(Some(6)), &addr(1)));
        assert!(takes(t(5, 3), None, &e(Some(6)), &addr(1)));
        assert!(!takes(t(5, 0), Some(addr(2)), &e(Some(5)), &addr(1)));
    }

    #[test]
    fn the_first_posted_that_takes_it_gets_it() {
        let mut q = PostedQueue::new();
        for (i, (tag, ignore)) in [(1, 0), (0, u64::MAX), (2, 0)].into_iter().enumerate() {
            q.push(Posted {
                kind: RecvKind::Tagged { tag, ignore },
                buf: (),
                from: None,
                context: i,
                watched: None,
            });
        }
        assert_eq!(q.take(&e(Some(2)), &addr(1)).map(|p| p.context), Some(1));
        assert_eq!(q.take(&e(Some(2)), &addr(1)).map(|p| p.context), Some(2));
        assert!(q.take(&e(Some(2)), &addr(1)).is_none());
        assert_eq!(q.len(), 1);
    }
}
