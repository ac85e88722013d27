//! Reservation of a UDP port in the kernel. The kernel sees the frames of an interface driven by AF_PACKET too; a
//! bound socket keeps it from answering "port unreachable" and other programs from taking the port. A filter drops
//! every datagram before it is queued, so the socket costs no memory.

use socket2::{Domain, Protocol, SockAddr, SockFilter, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};

/// A UDP port that the kernel gives to nobody else while this lives.
#[derive(Debug)]
pub struct PortReservation {
    _socket: Socket,
    port: u16,
}

impl PortReservation {
    /// The port's number.
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Reserves `port` (0: any free one) for `ip`, whether or not the kernel itself has this address.
/// Errors are the system's: `AddrInUse` when somebody has the port.
pub fn reserve_udp_port(ip: IpAddr, port: u16, interface_index: u32) -> io::Result<PortReservation> {
    let address = match ip {
        IpAddr::V4(_) => SocketAddr::new(ip, port),
        // Link-local addresses mean something only together with the interface.
        IpAddr::V6(v6) if v6.is_unicast_link_local() => {
            SocketAddrV6::new(v6, port, 0, interface_index).into()
        }
        IpAddr::V6(_) => SocketAddr::new(ip, port),
    };
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    match ip {
        IpAddr::V4(_) => socket.set_freebind_v4(true)?,
        IpAddr::V6(_) => {
            socket.set_only_v6(true)?;
            socket.set_freebind_v6(true)?;
        }
    }
    // BPF_RET | BPF_K with 0: accept no byte of any datagram (socket(7), SO_ATTACH_FILTER).
    socket.attach_filter(&[SockFilter::new(0x06, 0, 0, 0)])?;
    socket.bind(&SockAddr::from(address))?;
    let port = socket.local_addr()?.as_socket().map_or(port, |a| a.port());
    Ok(PortReservation { _socket: socket, port })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn reserved_port_is_taken_for_everybody_else() {
        let held = reserve_udp_port(LOOPBACK, 0, 0).unwrap();
        assert_ne!(held.port(), 0);
        let again = reserve_udp_port(LOOPBACK, held.port(), 0).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AddrInUse);
        assert!(UdpSocket::bind((LOOPBACK, held.port())).is_err());
        let port = held.port();
        drop(held);
        reserve_udp_port(LOOPBACK, port, 0).unwrap();
    }

    #[test]
    fn address_need_not_be_the_kernels() {
        // TEST-NET-1 (RFC 5737) is no interface's address.
        let held = reserve_udp_port("192.0.2.7".parse().unwrap(), 0, 0).unwrap();
        assert_ne!(held.port(), 0);
    }

    #[test]
    fn datagrams_for_a_reserved_port_vanish_without_an_answer() {
        let held = reserve_udp_port(LOOPBACK, 0, 0).unwrap();
        let peer = UdpSocket::bind((LOOPBACK, 0)).unwrap();
        peer.connect((LOOPBACK, held.port())).unwrap();
        // "Port unreachable" would show as ConnectionRefused in the second send.
        peer.send(b"one").unwrap();
        peer.send(b"two").unwrap();
        let mut byte = [std::mem::MaybeUninit::uninit()];
        held._socket.set_nonblocking(true).unwrap();
        assert_eq!(held._socket.recv(&mut byte).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
