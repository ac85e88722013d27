//! What a fault injector does to each frame: seeded chance, so that a run can be repeated. Decides only; the injector
//! acts.

#![forbid(unsafe_code)]

use std::fmt;

/// Probabilities of faults, 0 to 1 each, and the seed of the chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultConfig {
    /// The frame is not sent.
    pub loss: f64,
    /// The frame is sent twice.
    pub dup: f64,
    /// The frame is held back until others have passed it.
    pub reorder: f64,
    /// One bit of the frame is inverted.
    pub corrupt: f64,
    pub seed: u64,
}

/// Why a fault list cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultError {
    UnknownKey(String),
    NotAProbability(String),
    NotANumber(String),
}

impl fmt::Display for FaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FI_DPDK_FAULTS: ")?;
        match self {
            FaultError::UnknownKey(k) => {
                write!(f, "unknown '{k}'; known are loss, dup, reorder, corrupt, seed")
            }
            FaultError::NotAProbability(v) => {
                write!(f, "'{v}' is no probability; write a number from 0 to 1")
            }
            FaultError::NotANumber(v) => write!(f, "seed '{v}' is no number"),
        }
    }
}

impl std::error::Error for FaultError {}

impl FaultConfig {
    /// Reads `loss=0.01,dup=0.01,reorder=0.01,corrupt=0.001,seed=7`; all parts are optional.
    pub fn parse(text: &str) -> Result<FaultConfig, FaultError> {
        let mut config = FaultConfig { seed: 1, ..FaultConfig::default() };
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let probability = || match value.parse::<f64>() {
                Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
                _ => Err(FaultError::NotAProbability(part.into())),
            };
            match key {
                "loss" => config.loss = probability()?,
                "dup" => config.dup = probability()?,
                "reorder" => config.reorder = probability()?,
                "corrupt" => config.corrupt = probability()?,
                "seed" => config.seed = value.parse().map_err(|_| FaultError::NotANumber(value.into()))?,
                _ => return Err(FaultError::UnknownKey(key.into())),
            }
        }
        Ok(config)
    }
}

/// What happens to one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Lose,
    Double,
    /// Held back until this many other frames have passed.
    Delay(u8),
    /// The bit at this position, modulo the frame's length in bits, is inverted.
    Corrupt(u32),
}

/// Most frames that overtake a delayed one.
const LONGEST_DELAY: u64 = 8;

/// The sequence of fates that a seed gives.
#[derive(Clone, Debug)]
pub struct Fates {
    config: FaultConfig,
    state: u64,
}

impl Fates {
    pub fn new(config: FaultConfig) -> Self {
        Fates { config, state: config.seed }
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The fate of the next frame. At most one fault happens to a frame.
    pub fn draw(&mut self) -> Fate {
        // The upper 53 bits are a uniform f64 in [0, 1).
        let mut chance = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let mut hit = |p: f64| {
            let hit = chance < p;
            chance -= p;
            hit
        };
        if hit(self.config.loss) {
            Fate::Lose
        } else if hit(self.config.dup) {
            Fate::Double
        } else if hit(self.config.reorder) {
            Fate::Delay((1 + self.next() % LONGEST_DELAY) as u8)
        } else if hit(self.config.corrupt) {
            Fate::Corrupt((self.next() >> 32) as u32)
        } else {
            Fate::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let config = FaultConfig::parse("loss=0.01, dup=0.5,seed=7").unwrap();
        assert_eq!(config, FaultConfig { loss: 0.01, dup: 0.5, seed: 7, ..FaultConfig::default() });
        assert_eq!(FaultConfig::parse("").unwrap().loss, 0.0);
        for (text, error) in [
            ("loss=2", FaultError::NotAProbability("loss=2".into())),
            ("loss", FaultError::NotAProbability("loss".into())),
            ("loss=NaN", FaultError::NotAProbability("loss=NaN".into())),
            ("seed=x", FaultError::NotANumber("x".into())),
            ("delay=1", FaultError::UnknownKey("delay".into())),
        ] {
            assert_eq!(FaultConfig::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn same_seed_gives_same_fates_in_the_asked_proportion() {
        let config =
            FaultConfig { loss: 0.1, dup: 0.2, reorder: 0.05, corrupt: 0.05, ..FaultConfig::default() };
        let (mut a, mut b) = (Fates::new(config), Fates::new(config));
        let drawn: Vec<_> = (0..10_000).map(|_| a.draw()).collect();
        assert!(drawn.iter().all(|fate| *fate == b.draw()));
        let share = |f: fn(&Fate) -> bool| drawn.iter().filter(|x| f(x)).count() as f64 / 10_000.0;
        assert!((share(|f| *f == Fate::Lose) - 0.1).abs() < 0.01);
        assert!((share(|f| *f == Fate::Double) - 0.2).abs() < 0.02);
        assert!((share(|f| matches!(f, Fate::Delay(1..=8))) - 0.05).abs() < 0.01);
    }
}
