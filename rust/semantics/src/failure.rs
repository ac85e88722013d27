//! A session ended: what becomes of everything that it carried.

use crate::completion::Completion;
use crate::config::OVERHEAD;
use crate::endpoint::Endpoint;
use crate::op::{Payload, Place, RecvBuffer, SendBuffer};
use delivery::{SessionError, SessionId};

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Every send to the peer, every message of it that has not arrived whole, and every receive that only it could
    /// have filled, ends in an error. Whole messages that wait for a receive stay.
    #[cold]
    pub(crate) fn session_failed(&mut self, s: SessionId, error: SessionError) {
        let Some(Some(peer)) = self.peers.get_mut(s.index()) else { return };
        let err = match error {
            SessionError::TimedOut => abi::FI_ETIMEDOUT,
            SessionError::Reset | SessionError::PeerRestarted | SessionError::PeerClosed => {
                abi::FI_ECONNRESET
            }
            SessionError::GivenUp => peer.error.unwrap_or(abi::FI_EHOSTUNREACH),
        };
        let addr = peer.addr;
        let early: Vec<u32> = peer.early_messages().collect();
        self.ready.retain(|r| *r != s);

        let mut sends: Vec<(u32, u32)> = self
            .tx
            .iter()
            .filter(|(_, t)| t.session == s)
            .map(|(key, t)| (t.envelope.number, key as u32))
            .collect();
        // In message order, also across the wrap: numbers of one peer's outstanding sends are close together.
        let first = sends.first().map_or(0, |x| x.0);
        sends.sort_by_key(|x| x.0.wrapping_sub(first) as i32);
        for (_, key) in sends {
            let t = self.tx.remove(key as usize);
            self.stats.send_failures += 1;
            self.completions.push_back(Completion::SendFailed { context: t.context, err });
            if let Payload::Copied(b) = t.payload {
                self.recycle(b);
            }
        }

        let mut lost: Vec<u32> = self
            .rx
            .iter()
            .filter(|(key, m)| {
                let whole = matches!(m.place, Place::Held(_)) && m.arrived >= m.wanted;
                m.session == s && (!whole || early.contains(&(*key as u32)))
            })
            .map(|(key, _)| key as u32)
            .collect();
        lost.sort_unstable();
        for key in lost {
            self.claimed.retain(|(_, rx)| *rx != key);
            let m = self.rx.remove(key as usize);
            if m.unexpected {
                self.unexpected.forget(m.envelope.tag.is_some(), key);
            }
            match m.place {
                Place::Held(b) => {
                    self.held -= m.envelope.len as usize + OVERHEAD;
                    self.recycle(b);
                }
                Place::Announced { .. } => self.held -= OVERHEAD,
                Place::Dropped => {}
                Place::Matched(p) => {
                    self.stats.receive_failures += 1;
                    self.completions.push_back(Completion::RecvFailed {
                        context: p.context,
                        buf: p.buf,
                        err,
                        len: 0,
                        olen: 0,
                        tag: m.envelope.tag,
                        data: m.envelope.data,
                        from: Some(m.from),
                    });
                }
            }
        }
        // Whole messages outlive their session: its number may be another's soon.
        for (_, m) in self.rx.iter_mut().filter(|(_, m)| m.session == s) {
            m.session = GONE;
            m.watched = false;
        }

        // A peer that left in good order owes nothing: whoever takes its address next may serve the receives.
        let left = error == SessionError::PeerClosed;
        for p in self.posted.iter_mut().filter(|p| p.from == Some(addr)) {
            p.watched = None;
        }
        while !left && let Some(p) = self.posted.remove_if(|p| p.from == Some(addr)) {
            self.fail_posted(p, err);
        }
    }
}

/// No session.
const GONE: SessionId = SessionId(u32::MAX);
