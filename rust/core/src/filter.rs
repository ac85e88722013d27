//! Lists of names in the environment: an allow list, or a deny list when it starts with `^`. Case does not count.

/// Names as the environment gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    deny: bool,
    /// Empty with `deny` unset means: everything.
    names: Vec<String>,
}

/// The parts of a layered provider name, `core;utility`.
pub(crate) fn layers(name: &str) -> impl Iterator<Item = &str> {
    name.split(';').map(str::trim).filter(|l| !l.is_empty())
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// True for the same layers in any order.
fn same_layers(a: &str, b: &str) -> bool {
    layers(a).count() == layers(b).count() && layers(a).all(|x| layers(b).any(|y| same(x, y)))
}

impl Names {
    /// Parses a list; `None` and an empty text allow everything.
    pub(crate) fn parse(text: Option<&str>) -> Names {
        let text = text.unwrap_or("").trim();
        let (deny, list) = match text.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let names: Vec<String> =
            list.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned).collect();
        Names { deny: deny && !names.is_empty(), names }
    }

    fn is_all(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether one plain name passes.
    pub(crate) fn admits(&self, name: &str) -> bool {
        self.is_all() || self.names.iter().any(|n| same(n, name)) != self.deny
    }

    /// Whether a core provider takes part at all. One that is named in a layered entry does: `udp` under `udp;ofi_rxd`.
    pub(crate) fn admits_core(&self, name: &str) -> bool {
        if self.is_all() {
            return true;
        }
        if self.deny {
            return !self.names.iter().any(|n| same(n, name));
        }
        self.names.iter().any(|n| {
            let only_utilities = layers(n).all(is_utility);
            only_utilities || layers(n).any(|l| same(l, name))
        })
    }

    /// Whether a provider is not to be asked. An allow list restricts core providers only.
    pub(crate) fn hides(&self, name: &str, is_core: bool) -> bool {
        (is_core || self.deny) && !self.admits_core(name)
    }

    /// Whether a result with this full, possibly layered name is given to the application.
    pub(crate) fn admits_result(&self, full: &str) -> bool {
        if self.is_all() {
            return true;
        }
        let listed = self.names.iter().any(|n| match layers(n).nth(1) {
            Some(_) => same_layers(n, full),
            None => layers(full).any(|l| same(l, n.trim())),
        });
        listed != self.deny
    }
}

/// Utility providers sit on top of core ones.
pub(crate) fn is_utility(name: &str) -> bool {
    starts_with(name, "ofi_")
}

pub(crate) fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|p| same(p, prefix))
}

/// What `fabric_attr->prov_name` of an application's hints asks for: one provider, or a stack of them in any order.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'a> {
    text: &'a str,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(text: &'a str) -> Wanted<'a> {
        Wanted { text: text.trim() }
    }

    fn denied(&self) -> Option<Names> {
        self.text.starts_with('^').then(|| Names::parse(Some(self.text)))
    }

    /// Whether this provider has to be asked.
    pub(crate) fn asks(&self, provider: &str) -> bool {
        if let Some(denied) = self.denied() {
            return denied.admits(provider);
        }
        let named = layers(self.text).any(|l| same(l, provider));
        if is_utility(provider) {
            // Over a core provider that alone is named, any utility may sit.
            named || !layers(self.text).any(is_utility)
        } else {
            named && layers(self.text).count() == 1 || layers(self.text).next().is_none()
        }
    }

    /// Whether a result with this full name is what was asked for.
    pub(crate) fn admits(&self, full: &str) -> bool {
        if let Some(denied) = self.denied() {
            return denied.admits_result(full);
        }
        layers(self.text).all(|l| layers(full).any(|f| same(f, l)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(t: &str) -> Names {
        Names::parse(Some(t))
    }

    #[test]
    fn nothing_named_admits_everything() {
        for t in ["", " ", "^", ","] {
            assert!(
                names(t).admits("udp")
                    && names(t).admits_core("udp")
                    && names(t).admits_result("udp;ofi_rxd")
            );
        }
        assert!(Names::parse(None).admits("udp"));
    }

    #[test]
    fn allow_and_deny_lists_ignore_case() {
        assert!(names("UDP, tcp").admits("udp") && names("UDP, tcp").admits("TCP"));
        assert!(!names("udp,tcp").admits("dpdk"));
        assert!(!names("^udp,tcp").admits("Udp") && names("^udp,tcp").admits("dpdk"));
    }

    #[test]
    fn utilities_stay_usable_over_an_allowed_core_provider() {
        let f = names("udp");
        assert!(f.admits_core("udp") && !f.admits_core("dpdk"));
        assert!(f.admits_result("udp") && f.admits_result("udp;ofi_rxd") && !f.admits_result("dpdk;ofi_rxd"));
        assert!(!f.hides("udp", true) && f.hides("dpdk", true) && !f.hides("ofi_rxd", false));
        assert!(names("^ofi_rxd").hides("ofi_rxd", false));
        assert!(names("ofi_rxd").admits_core("udp") && !names("ofi_rxd").admits_result("udp"));
    }

    #[test]
    fn a_layered_entry_gives_only_that_stack() {
        let f = names("udp;ofi_rxd");
        assert!(f.admits_core("udp") && !f.admits_core("tcp"));
        assert!(f.admits_result("udp;ofi_rxd") && !f.admits_result("udp"));
        let f = names("^udp;ofi_rxd");
        assert!(f.admits_core("udp") && f.admits_result("udp") && !f.admits_result("udp;ofi_rxd"));
    }

    #[test]
    fn hints_name_one_provider_or_a_stack_in_any_order() {
        let w = Wanted::new("dpdk");
        assert!(w.asks("DPDK") && !w.asks("udp") && w.asks("ofi_rxm"));
        assert!(w.admits("dpdk") && w.admits("dpdk;ofi_rxm") && !w.admits("udp"));
        let w = Wanted::new("ofi_rxd;udp");
        assert!(!w.asks("udp") && w.asks("ofi_rxd") && !w.asks("ofi_rxm"));
        assert!(w.admits("udp;ofi_rxd") && !w.admits("udp"));
        let w = Wanted::new("^udp");
        assert!(!w.asks("udp") && w.asks("dpdk") && !w.admits("udp;ofi_rxd"));
        assert!(Wanted::new("").asks("udp"));
    }
}
