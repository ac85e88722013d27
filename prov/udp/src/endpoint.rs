//! An endpoint: one non-blocking socket and the receives posted for it.

use kit::{
    Completion, Context, Endpoint, EndpointRequest, Error, Failure, Kind, RecvAct, RecvKind, RecvOp, Result,
    SendOp, Sink,
};
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg};
use socket2::{Domain, SockAddr, Socket, Type};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};

/// Receives that one call of `progress` fills at most, so that a flood does not keep the caller.
const BATCH: usize = 64;

pub struct UdpEndpoint {
    socket: Option<Socket>,
    local: SocketAddr,
    posted: VecDeque<RecvOp>,
    rx_size: usize,
}

impl UdpEndpoint {
    pub fn open(request: &EndpointRequest) -> Result<UdpEndpoint> {
        let local = request.src.unwrap_or(SocketAddr::from(([0, 0, 0, 0], 0)));
        let rx_size = if request.rx_size == 0 { 1024 } else { request.rx_size };
        Ok(UdpEndpoint { socket: None, local, posted: VecDeque::with_capacity(rx_size.min(1024)), rx_size })
    }

    /// Receives into one posted buffer; the length is the datagram's own, also where it did not fit (`MSG_TRUNC`).
    fn receive(socket: &Socket, op: &mut RecvOp) -> nix::Result<(usize, Option<SocketAddr>)> {
        op.buf.with_slices_mut(|bufs| {
            let m = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), bufs, None, MsgFlags::MSG_TRUNC)?;
            Ok((m.bytes, m.address.and_then(std_addr)))
        })
    }
}

fn std_addr(a: SockaddrStorage) -> Option<SocketAddr> {
    let v4 = a.as_sockaddr_in().map(|a| SocketAddr::from((a.ip(), a.port())));
    v4.or_else(|| a.as_sockaddr_in6().map(|a| SocketAddr::from((a.ip(), a.port()))))
}

impl Endpoint for UdpEndpoint {
    fn enable(&mut self) -> Result<()> {
        let socket = Socket::new(Domain::for_address(self.local), Type::DGRAM, None)?;
        socket.set_nonblocking(true)?;
        socket.bind(&self.local.into()).inspect_err(|e| {
            log::warn!(target: "ep_ctrl", "cannot bind {}: {e}; choose another port or address", self.local);
        })?;
        self.local = socket.local_addr()?.as_socket().ok_or(Error::new(abi::FI_EADDRNOTAVAIL))?;
        self.socket = Some(socket);
        Ok(())
    }

    fn local_addr(&self) -> Option<SocketAddr> {
        Some(self.local)
    }

    fn set_local_addr(&mut self, addr: SocketAddr) -> Result<()> {
        self.local = addr;
        Ok(())
    }

    fn send(&mut self, op: SendOp, sink: &mut Sink<'_>) -> Result<()> {
        let socket = self.socket.as_ref().ok_or(Error::OPBADSTATE)?;
        if op.kind != Kind::Msg || op.data.is_some() {
            return Err(Error::NOSYS);
        }
        let to = SockAddr::from(op.dest);
        let done = Completion { token: op.token, ..Completion::default() };
        match op.buf.with_slices(|b| socket.send_to_vectored(b, &to)) {
            Ok(_) => sink.sent(done),
            Err(e) if e.kind() == ErrorKind::WouldBlock => return Err(Error::AGAIN),
            // Memory of the kernel for sockets is short for a moment.
            Err(e) if e.raw_os_error() == Some(abi::FI_ENOBUFS) => return Err(Error::AGAIN),
            Err(e) => {
                let err = Error::from(e).code();
                sink.send_failed(done, Failure { err, prov_errno: err, olen: 0 });
            }
        }
        Ok(())
    }

    fn recv(&mut self, op: RecvOp, _sink: &mut Sink<'_>) -> Result<()> {
        if op.kind != RecvKind::Msg || op.act != RecvAct::Post {
            return Err(Error::NOSYS);
        }
        if self.posted.len() >= self.rx_size {
            return Err(Error::AGAIN);
        }
        self.posted.push_back(op);
        Ok(())
    }

    fn cancel(&mut self, context: Context, sink: &mut Sink<'_>) -> Result<()> {
        let at = self
            .posted
            .iter()
            .position(|op| op.token.context == context)
            .ok_or(Error::new(abi::FI_ENOENT))?;
        if let Some(op) = self.posted.remove(at) {
            let c = Completion { token: op.token, buf: op.buf.address(), ..Completion::default() };
            sink.receive_failed(c, Failure { err: abi::FI_ECANCELED, ..Failure::default() }, None);
        }
        Ok(())
    }

    fn progress(&mut self, sink: &mut Sink<'_>) {
        let Some(socket) = &self.socket else { return };
        for _ in 0..BATCH {
            let Some(op) = self.posted.front_mut() else { return };
            let (len, from) = match Self::receive(socket, op) {
                Ok(r) => r,
                Err(Errno::EAGAIN) => return,
                Err(e) => {
                    // An ICMP error for an earlier send, or a signal: nothing was received.
                    log::debug!(target: "ep_data", "receive on {}: {e}", self.local);
                    return;
                }
            };
            let Some(op) = self.posted.pop_front() else { return };
            let room = op.buf.len();
            let c = Completion {
                token: op.token,
                len: len.min(room),
                buf: op.buf.address(),
                ..Completion::default()
            };
            if len > room {
                let f = Failure { err: abi::FI_ETRUNC, prov_errno: 0, olen: len - room };
                sink.receive_failed(c, f, from);
            } else {
                sink.received(c, from);
            }
        }
    }

    fn wait_fd(&self) -> Option<RawFd> {
        self.socket.as_ref().map(|s| s.as_raw_fd())
    }
}
