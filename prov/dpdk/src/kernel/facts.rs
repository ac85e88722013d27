//! Facts about a kernel interface by rtnetlink (rtnetlink(7)), which unlike sysfs always speaks of the network
//! namespace that the process is in.

use crate::config::{Cidr, Mac};
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage as Rtnl;
use netlink_packet_route::address::{AddressAttribute, AddressMessage, AddressScope};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{RouteAddress, RouteAttribute, RouteMessage, RouteType};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use std::io;
use std::net::IpAddr;

/// An interface as the kernel describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFacts {
    /// Interface index.
    pub index: u32,
    /// Link address; `None` for interfaces that are not Ethernet.
    pub mac: Option<Mac>,
    /// MTU in bytes.
    pub mtu: u32,
    /// Administratively up.
    pub up: bool,
    /// Addresses, usable ones first: IPv4 before IPv6, global before link-local.
    pub addresses: Vec<Cidr>,
    /// Next hops of the default routes through this interface.
    pub gateways: Vec<IpAddr>,
}

/// Reads an interface's facts; `Ok(None)` when there is no interface of this name.
pub fn link_facts(name: &str) -> io::Result<Option<LinkFacts>> {
    let mut netlink = Netlink::open()?;
    let mut link = LinkMessage::default();
    link.attributes.push(LinkAttribute::IfName(name.into()));
    let replies = match netlink.ask(Rtnl::GetLink(link), NLM_F_ACK) {
        Ok(replies) => replies,
        // ERANGE: longer than any interface name.
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENODEV | libc::ERANGE | libc::EINVAL)) => {
            return Ok(None);
        }
        Err(e) => return Err(e),
    };
    let Some(mut facts) = replies.iter().find_map(link_reply) else { return Ok(None) };
    let mut ranked: Vec<(u8, Cidr)> = netlink
        .ask(Rtnl::GetAddress(AddressMessage::default()), NLM_F_DUMP)?
        .iter()
        .filter_map(|reply| address_reply(reply, facts.index))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    facts.addresses = ranked.into_iter().map(|(_, cidr)| cidr).collect();
    facts.gateways = netlink
        .ask(Rtnl::GetRoute(RouteMessage::default()), NLM_F_DUMP)?
        .iter()
        .filter_map(|reply| gateway_reply(reply, facts.index))
        .collect();
    Ok(Some(facts))
}

fn link_reply(reply: &Rtnl) -> Option<LinkFacts> {
    let Rtnl::NewLink(link) = reply else { return None };
    let mut facts = LinkFacts {
        index: link.header.index,
        up: link.header.flags.contains(LinkFlags::Up),
        ..LinkFacts::default()
    };
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::Mtu(mtu) => facts.mtu = *mtu,
            LinkAttribute::Address(bytes) => facts.mac = <[u8; 6]>::try_from(&bytes[..]).ok().map(Mac),
            _ => {}
        }
    }
    Some(facts)
}

fn address_reply(reply: &Rtnl, index: u32) -> Option<(u8, Cidr)> {
    let Rtnl::NewAddress(address) = reply else { return None };
    if address.header.index != index {
        return None;
    }
    // On a point-to-point interface ADDRESS is the peer's and LOCAL is ours.
    let pick = |local: bool| {
        address.attributes.iter().find_map(|a| match a {
            AddressAttribute::Local(ip) if local => Some(*ip),
            AddressAttribute::Address(ip) if !local => Some(*ip),
            _ => None,
        })
    };
    let ip = pick(true).or_else(|| pick(false))?;
    let rank = match (ip, address.header.scope) {
        (IpAddr::V4(_), AddressScope::Universe) => 0,
        (IpAddr::V4(_), _) => 1,
        (IpAddr::V6(_), AddressScope::Universe) => 2,
        _ => 3,
    };
    Some((rank, Cidr { ip, prefix: address.header.prefix_len }))
}

fn gateway_reply(reply: &Rtnl, index: u32) -> Option<IpAddr> {
    let Rtnl::NewRoute(route) = reply else { return None };
    if route.header.destination_prefix_length != 0 || route.header.kind != RouteType::Unicast {
        return None;
    }
    let out = route.attributes.iter().any(|a| matches!(a, RouteAttribute::Oif(i) if *i == index));
    let gateway = route.attributes.iter().find_map(|a| match a {
        RouteAttribute::Gateway(RouteAddress::Inet(ip)) => Some(IpAddr::V4(*ip)),
        RouteAttribute::Gateway(RouteAddress::Inet6(ip)) => Some(IpAddr::V6(*ip)),
        _ => None,
    });
    gateway.filter(|_| out)
}

struct Netlink {
    socket: Socket,
    sequence: u32,
}

impl Netlink {
    fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// Sends one request and collects all its replies.
    fn ask(&mut self, request: Rtnl, flags: u16) -> io::Result<Vec<Rtnl>> {
        self.sequence += 1;
        let mut message = NetlinkMessage::new(NetlinkHeader::default(), NetlinkPayload::from(request));
        message.header.flags = NLM_F_REQUEST | flags;
        message.header.sequence_number = self.sequence;
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;

        let mut replies = Vec::new();
        loop {
            let (datagram, _) = self.socket.recv_from_full()?;
            let mut rest = &datagram[..];
            while !rest.is_empty() {
                let reply = NetlinkMessage::<Rtnl>::deserialize(rest).map_err(io::Error::other)?;
                // Messages are aligned to four bytes (netlink(7)).
                let length = (reply.header.length as usize).next_multiple_of(4).clamp(4, rest.len());
                rest = &rest[length..];
                if reply.header.sequence_number != self.sequence {
                    continue;
                }
                match reply.payload {
                    NetlinkPayload::InnerMessage(inner) => replies.push(inner),
                    NetlinkPayload::Error(e) if e.code.is_some() => return Err(e.to_io()),
                    NetlinkPayload::Error(_) | NetlinkPayload::Done(_) => return Ok(replies),
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_described() {
        let facts = link_facts("lo").unwrap().expect("every namespace has lo");
        assert_ne!(facts.index, 0);
        assert!(facts.mtu > 0);
        if facts.up {
            assert!(facts.addresses.contains(&Cidr { ip: "127.0.0.1".parse().unwrap(), prefix: 8 }));
        }
    }

    #[test]
    fn missing_interface_is_none() {
        assert_eq!(link_facts("no-such-if0").unwrap(), None);
        assert_eq!(link_facts("a-name-that-is-too-long-for-linux").unwrap(), None);
    }
}
