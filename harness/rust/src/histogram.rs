//! How long operations took, in the buckets of HdrHistogram with three significant digits.

/// Values below are buckets of their own; of greater ones the 11 leading bits stay.
const EXACT: u64 = 2048;
const BITS: u32 = 11;
/// One counter per bucket of a 64-bit value.
const BUCKETS: usize = (64 - BITS as usize) * 1024 + 2048;

#[derive(Default)]
pub struct Histogram {
    counts: Box<[u64]>,
}

impl Histogram {
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into_boxed_slice() }
    }

    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Counts one value in nanoseconds. Nothing is allocated.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.counts[index(nanoseconds)] += 1;
    }

    /// Index and count of each bucket that is not empty, ascending.
    pub fn buckets(&self) -> Vec<(usize, u64)> {
        let used = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(index, count)| (index, *count)).collect()
    }
}

#[inline]
fn index(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = u64::from(u64::BITS - value.leading_zeros() - BITS);
    (shift * 1024 + (value >> shift)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_the_buckets_of_the_protocol() {
        let cases = [
            (0, 0),
            (2047, 2047),
            (2048, 2048),
            (2049, 2048),
            (4095, 4094),
            (4096, 4096),
            (270_532_609, 270_532_608),
            (271_581_184, 271_581_184),
            (u64::MAX, 0x7FF << 53),
        ];
        for (value, want) in cases {
            // A value and the lowest one of its bucket have one index, and the value below has the index before.
            assert_eq!(index(value), index(want), "bucket of {value}");
            assert!(want == 0 || index(want - 1) + 1 == index(want), "{want} is the lowest of its bucket");
            assert!(index(value) < BUCKETS);
        }
    }

    #[test]
    fn buckets_ascend_and_clear_empties_them() {
        let mut histogram = Histogram::new();
        for value in [9000, 5, 9001, 5, 1 << 40] {
            histogram.record(value);
        }
        assert_eq!(histogram.buckets(), [(5, 2), (index(9000), 2), (index(1 << 40), 1)]);
        histogram.clear();
        assert_eq!(histogram.buckets(), []);
    }
}
