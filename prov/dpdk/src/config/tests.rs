//! Tables of good and bad port lists, and random text.

use super::*;
use proptest::prelude::*;

fn one(text: &str) -> PortConfig {
    let mut ports = parse_list(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ports.len(), 1, "{text}");
    ports.remove(0)
}

fn problem(text: &str) -> Problem {
    parse_list(text).expect_err(text).problem
}

#[test]
fn devices_are_told_apart_by_their_form() {
    let pci = |address: &str, args: &str| Device::Pci { address: address.into(), args: args.into() };
    let vdev = |name: &str, args: &str| Device::Vdev { name: name.into(), args: args.into() };
    let kernel = |name: &str| Device::Kernel { name: name.into() };
    for (text, device) in [
        ("0000:03:00.0=10.0.0.1/24", pci("0000:03:00.0", "")),
        ("03:00.1=10.0.0.1/24", pci("0000:03:00.1", "")),
        ("0000:AF:1f.7=fd00::1/64", pci("0000:af:1f.7", "")),
        ("0000:03:00.0,mprq_en=1=10.0.0.1/24", pci("0000:03:00.0", "mprq_en=1")),
        ("eth0", kernel("eth0")),
        ("enp3s0f0np0=10.0.0.1/24", kernel("enp3s0f0np0")),
        ("eth0.100,drv=af_xdp", kernel("eth0.100")),
        ("gw=10.0.0.1/24", kernel("gw")),
        ("net_memif0=10.0.0.1/24", vdev("net_memif0", "")),
        (
            "net_memif0,role=client,socket=/tmp/a.sock=10.0.0.1/24,mtu=9000",
            vdev("net_memif0", "role=client,socket=/tmp/a.sock"),
        ),
        ("virtio_user0,path=/tmp/v=1=10.0.0.1/24", vdev("virtio_user0", "path=/tmp/v=1")),
        ("eth_vhost1,iface=/tmp/v=10.0.0.1/24", vdev("eth_vhost1", "iface=/tmp/v")),
    ] {
        assert_eq!(one(text).device, device, "{text}");
    }
}

#[test]
fn address_and_all_options_are_read() {
    let port = one("net_tap0,iface=t0=10.1.2.3/16,gw=10.1.0.1,vlan=7,mtu=9000,mac=02:00:00:00:00:0a,\
         neigh=10.1.9.9@02:00:00:00:00:09,neigh=10.1.9.8@02:00:00:00:00:08");
    assert_eq!(port.address, Some(Cidr { ip: "10.1.2.3".parse().unwrap(), prefix: 16 }));
    assert_eq!(port.gateway, Some("10.1.0.1".parse().unwrap()));
    assert_eq!((port.vlan, port.mtu), (Some(7), Some(9000)));
    assert_eq!(port.mac, Mac::parse("02:00:00:00:00:0a"));
    assert_eq!(port.neighbours.len(), 2);
    assert_eq!(port.neighbours[1].0, "10.1.9.8".parse::<IpAddr>().unwrap());
    assert_eq!(port.driver, None);
}

#[test]
fn ipv6_ports_take_ipv6_options() {
    let port = one("eth0=fd00::1/64,gw=fe80::1,drv=af_xdp,neigh=fd00::2@02:00:00:00:00:02");
    assert_eq!(port.address.unwrap().network_name(), "fd00::/64");
    assert_eq!(port.gateway, Some("fe80::1".parse().unwrap()));
    assert_eq!(port.driver, Some(KernelDriver::AfXdp));
}

#[test]
fn kernel_interface_needs_no_address() {
    let port = one("eth0,mtu=1400");
    assert_eq!((port.address, port.mtu, port.driver), (None, Some(1400), Some(KernelDriver::AfPacket)));
}

#[test]
fn lists_are_separated_by_semicolons_and_lines() {
    let names: Vec<_> = parse_list(" eth0 ; eth1=10.0.0.1/24;;\n0000:01:00.0=10.0.1.1/24\n")
        .unwrap()
        .iter()
        .map(|p| p.device.name().to_owned())
        .collect();
    assert_eq!(names, ["eth0", "eth1", "0000:01:00.0"]);
    assert!(parse_list(" ; \n").unwrap().is_empty());
}

#[test]
fn files_have_comments() {
    let ports = parse_file("# ports\neth0 # first; eth9\n\n  eth1=10.0.0.1/24;eth2#x\n").unwrap();
    let names: Vec<_> = ports.iter().map(|p| p.device.name()).collect();
    assert_eq!(names, ["eth0", "eth1", "eth2#x"]);
}

#[test]
fn mistakes_are_named() {
    use Problem::*;
    let s = String::from;
    for (text, expected) in [
        ("=10.0.0.1/24", NoDevice),
        ("=10.0.0.1", NoDevice),
        ("a/b=10.0.0.1/24", BadDevice(s("a/b"))),
        ("averyveryverylongname", BadDevice(s("averyveryverylongname"))),
        ("0000:03:00.0", NoAddress),
        ("net_memif0,role=server", NoAddress),
        ("eth0=10.0.0.1", NoPrefix(s("10.0.0.1"))),
        ("eth0=fd00::1", NoPrefix(s("fd00::1"))),
        ("eth0=10.0.0.300/24", BadAddress(s("10.0.0.300/24"))),
        ("eth0=10.0.0/24", BadAddress(s("10.0.0/24"))),
        ("eth0=hello", BadAddress(s("hello"))),
        ("net_memif0,role=server=10.0.0.1", NoPrefix(s("10.0.0.1"))),
        ("net_memif0,role=server=10.0.0.999/8,mtu=9000", BadAddress(s("10.0.0.999/8"))),
        ("eth0=10.0.0.1/33", BadPrefix(s("10.0.0.1/33"))),
        ("eth0=10.0.0.1/999", BadPrefix(s("10.0.0.1/999"))),
        ("eth0=fd00::1/129", BadPrefix(s("fd00::1/129"))),
        ("eth0=0.0.0.0/0", NotAHost(s("0.0.0.0/0"))),
        ("eth0=127.0.0.1/8", NotAHost(s("127.0.0.1/8"))),
        ("eth0=224.0.0.5/24", NotAHost(s("224.0.0.5/24"))),
        ("eth0=10.0.0.0/24", NotAHost(s("10.0.0.0/24"))),
        ("eth0=10.0.0.255/24", NotAHost(s("10.0.0.255/24"))),
        ("eth0=10.0.0.1/24,speed=9", UnknownOption(s("speed"))),
        ("eth0=10.0.0.1/24,fast", UnknownOption(s("fast"))),
        ("eth0=10.0.0.1/24,mtu", NoValue(s("mtu"))),
        ("eth0=10.0.0.1/24,mtu=1500,mtu=9000", Repeated("mtu")),
        ("eth0,drv=af_xdp,drv=af_xdp", Repeated("drv")),
        ("eth0=10.0.0.1/24,gw=10.0.1.1", BadGateway(s("10.0.1.1"))),
        ("eth0=10.0.0.1/24,gw=10.0.0.1", BadGateway(s("10.0.0.1"))),
        ("eth0=10.0.0.1/24,gw=10.0.0.2/24", BadGateway(s("10.0.0.2/24"))),
        ("eth0=10.0.0.1/24,gw=fd00::1", BadGateway(s("fd00::1"))),
        ("eth0=10.0.0.1/24,vlan=0", BadVlan(s("0"))),
        ("eth0=10.0.0.1/24,vlan=4095", BadVlan(s("4095"))),
        ("eth0=10.0.0.1/24,mtu=100", BadMtu(s("100"))),
        ("eth0=10.0.0.1/24,mtu=70000", BadMtu(s("70000"))),
        ("eth0=fd00::1/64,mtu=1000", BadMtu(s("1000"))),
        ("net_tap0=10.0.0.1/24,mac=01:00:00:00:00:01", BadMac(s("01:00:00:00:00:01"))),
        ("eth0=10.0.0.1/24,mac=02:00:00:00:00:01", MacNotForDevice),
        ("net_tap0=10.0.0.1/24,mac=2:0:0:0:0:1", BadMac(s("2:0:0:0:0:1"))),
        ("eth0=10.0.0.1/24,neigh=10.0.0.2", BadNeighbour(s("10.0.0.2"))),
        ("eth0=10.0.0.1/24,neigh=fd00::2@02:00:00:00:00:02", BadNeighbour(s("fd00::2@02:00:00:00:00:02"))),
        ("eth0,drv=ixgbe", BadDriver(s("ixgbe"))),
        ("net_tap0=10.0.0.1/24,drv=af_xdp", DriverNotForDevice),
        ("eth0;eth0=10.0.0.1/24", DuplicateDevice(s("eth0"))),
        ("eth0=10.0.0.1/24;eth1=10.0.0.1/8", DuplicateAddress(s("10.0.0.1"))),
    ] {
        assert_eq!(problem(text), expected, "{text}");
    }
}

#[test]
fn messages_name_entry_value_and_remedy() {
    let text = parse_list("eth0=10.0.0.1").unwrap_err().to_string();
    assert!(text.contains("'eth0=10.0.0.1'") && text.contains("10.0.0.1/24"), "{text}");
    let text = parse_list("eth0=fd00::1").unwrap_err().to_string();
    assert!(text.contains("fd00::1/64"), "{text}");
}

#[test]
fn networks_are_computed_for_every_prefix() {
    let cidr = |ip: &str, prefix| Cidr { ip: ip.parse().unwrap(), prefix };
    assert_eq!(cidr("10.1.2.3", 0).network_name(), "0.0.0.0/0");
    assert_eq!(cidr("10.1.2.3", 32).network_name(), "10.1.2.3/32");
    assert_eq!(cidr("fd00::1", 0).network_name(), "::/0");
    assert!(cidr("10.1.2.3", 24).contains("10.1.2.255".parse().unwrap()));
    assert!(!cidr("10.1.2.3", 24).contains("10.1.3.1".parse().unwrap()));
    assert!(!cidr("10.1.2.3", 24).contains("fd00::1".parse().unwrap()));
    assert!(cidr("10.1.2.3", 31).network() == "10.1.2.2".parse::<IpAddr>().unwrap());
}

proptest! {
    #[test]
    fn random_text_never_panics(text in "\\PC{0,80}") {
        let _ = parse_list(&text);
        let _ = parse_file(&text);
    }

    #[test]
    fn near_misses_never_panic(text in "(eth0|net_memif0|0000:03:00.0|[a-z]{1,9}){1}[=,][=,./:@0-9a-f]{0,30}(,(gw|vlan|mtu|mac|neigh|drv)=?[0-9a-f.:@/]{0,20}){0,3}") {
        if let Ok(ports) = parse_list(&text) {
            for port in ports {
                let from_kernel = matches!(port.device, Device::Kernel { .. });
                prop_assert!(port.address.is_some() || from_kernel);
            }
        }
    }
}
