//! No control: as much as the window allows, for links that nobody shares.

use super::Law;
use crate::time::Time;

pub struct Fixed {
    window: u32,
}

impl Fixed {
    pub fn new(window: u32) -> Fixed {
        Fixed { window }
    }
}

impl Law for Fixed {
    fn window(&self) -> u32 {
        self.window
    }
    fn on_ack(&mut self, _: Time, _: u32, _: Option<u64>, _: bool) {}
    fn on_loss(&mut self, _: Time) {}
    fn on_timeout(&mut self, _: Time) {}
    fn on_spurious(&mut self) {}
}
