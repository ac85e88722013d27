//! A capture file of the frames that pass a lane, in the classic pcap format with nanosecond times
//! (draft-ietf-opsawg-pcap), for ports that no packet socket can watch. A debugging aid: it writes from the data path.

#![forbid(unsafe_code)]

use super::{Frame, Lane};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Magic number of files with nanosecond times.
const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
/// LINKTYPE_ETHERNET.
const LINKTYPE_ETHERNET: u32 = 1;
/// Longest frame kept whole.
const SNAPLEN: u32 = 1 << 16;

/// An open capture file.
#[derive(Debug)]
pub struct PcapFile {
    out: BufWriter<File>,
}

impl PcapFile {
    /// Creates the file, over an older one.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(&MAGIC_NANOSECONDS.to_le_bytes())?;
        // Version 2.4, then time zone and accuracy, both unused.
        out.write_all(&[2, 0, 4, 0])?;
        for word in [0, 0, SNAPLEN, LINKTYPE_ETHERNET] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.flush()?;
        Ok(PcapFile { out })
    }

    /// Appends a frame with the time of day.
    pub fn record(&mut self, frame: &[u8]) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let kept = frame.len().min(SNAPLEN as usize);
        for word in [now.as_secs() as u32, now.subsec_nanos(), kept as u32, frame.len() as u32] {
            self.out.write_all(&word.to_le_bytes())?;
        }
        self.out.write_all(&frame[..kept])
    }

    /// Writes out what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Wraps a lane and records what it receives and sends.
pub struct PcapWriter<L> {
    inner: L,
    /// `None` after the file could not be written.
    file: Option<PcapFile>,
}

impl<L> PcapWriter<L> {
    pub fn new(inner: L, file: PcapFile) -> Self {
        PcapWriter { inner, file: Some(file) }
    }

    fn record<F: Frame>(&mut self, frames: &[F]) {
        let Some(file) = &mut self.file else { return };
        if frames.is_empty() {
            return;
        }
        if let Err(e) = frames.iter().try_for_each(|f| file.record(f.bytes())).and_then(|()| file.flush()) {
            log::warn!("FI_DPDK_PCAP: capture ends, the file cannot be written: {e}; free space on its disk");
            self.file = None;
        }
    }
}

impl<F: Frame, L: Lane<F>> Lane<F> for PcapWriter<L> {
    fn alloc(&mut self) -> Option<F> {
        self.inner.alloc()
    }

    fn receive(&mut self, into: &mut Vec<F>) {
        let before = into.len();
        self.inner.receive(into);
        self.record(&into[before..]);
    }

    fn transmit(&mut self, frames: &mut Vec<F>) {
        // Before the device has them: afterwards they are gone. Those it does not take are recorded again.
        self.record(frames);
        self.inner.transmit(frames);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_header_and_records() {
        let path = std::env::temp_dir().join(format!("lane-pcap-{}.pcap", std::process::id()));
        let mut file = PcapFile::create(&path).unwrap();
        file.record(&[7; 60]).unwrap();
        file.flush().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes.len(), 24 + 16 + 60);
        assert_eq!(bytes[..8], [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]);
        assert_eq!(bytes[20..24], [1, 0, 0, 0]);
        assert_eq!(bytes[32..40], [60, 0, 0, 0, 60, 0, 0, 0]);
    }
}
