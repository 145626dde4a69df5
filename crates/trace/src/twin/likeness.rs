//! Which pieces are alike: what they ask of a drive, and a few of them that stand for all.

use std::collections::BinaryHeap;

use wordline_base::request::{HostOp, HostRequest};

use super::codes::{Place, Token};
use super::reference::Queue;
use super::shapes::ALIGNMENT;

/// Numbers that describe a piece.
const FEATURES: usize = 9;

/// See [`Measure::features`].
pub(super) type Features = [f32; FEATURES];

/// Takes the requests of a piece.
#[derive(Default)]
pub(super) struct Measure {
    queue: Queue,
    now_ns: u64,
    /// Reads, writes, pages read, pages written.
    sums: [u64; 4],
    waits_ns: u64,
    longest_ns: u64,
    fresh: u64,
    again: u64,
}

impl Measure {
    /// The next request, so long after the one before.
    pub(super) fn add(&mut self, request: &HostRequest, gap_ns: u64, token: &Token) {
        self.now_ns += gap_ns;
        match token.place {
            Place::Fresh(_) => self.fresh += 1,
            Place::Same(_) | Place::Follow(_) | Place::Again { .. } => self.again += 1,
            _ => {}
        }
        let pages = request.length.div_ceil(ALIGNMENT);
        let [reads, writes, pages_read, pages_written] = &mut self.sums;
        match request.op {
            HostOp::Read => (*reads, *pages_read) = (*reads + 1, *pages_read + pages),
            HostOp::Write | HostOp::WriteFua => {
                (*writes, *pages_written) = (*writes + 1, *pages_written + pages)
            }
            HostOp::Trim | HostOp::Flush => return,
        }
        let wait = self.queue.serve(&HostRequest { time: wordline_base::time::Ns(self.now_ns), ..*request });
        self.waits_ns += wait;
        self.longest_ns = self.longest_ns.max(wait);
    }

    /// Roots of: reads, writes, pages read and written, duration, waiting times on an idle reference queue (sum and longest), and
    /// requests to fresh places and to places of old. Roots, so that small differences count among light pieces and heavy ones still
    /// stand apart.
    pub(super) fn features(&self) -> Features {
        let [reads, writes, pages_read, pages_written] = self.sums;
        [
            reads,
            writes,
            pages_read,
            pages_written,
            self.now_ns,
            self.waits_ns,
            self.longest_ns,
            self.fresh,
            self.again,
        ]
        .map(|value| libm::sqrt(value as f64) as f32)
    }
}

/// Divides pieces into groups of like ones, further and further: the group with the largest sum of squares (each feature in units of
/// its standard deviation) is divided at its mean of the feature that varies most; where nothing differs, the largest in the middle.
#[derive(Clone)]
pub(super) struct Groups {
    points: Vec<Features>,
    groups: BinaryHeap<Group>,
}

#[derive(Clone)]
struct Group {
    squares: f64,
    members: Vec<u32>,
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Group {}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let size = self.members.len().cmp(&other.members.len());
        self.squares
            .total_cmp(&other.squares)
            .then(size)
            .then_with(|| other.members.first().cmp(&self.members.first()))
    }
}

impl Groups {
    /// All pieces in one group.
    pub(super) fn new(mut points: Vec<Features>) -> Self {
        let members: Vec<u32> = (0..points.len() as u32).collect();
        let (_, squares) = spread(&points, &members);
        let scale =
            squares.map(|sum| if sum > 0.0 { (points.len() as f64 / sum).sqrt() as f32 } else { 0.0 });
        for point in &mut points {
            point.iter_mut().zip(scale).for_each(|(value, factor)| *value *= factor);
        }
        let mut new = Self { points, groups: BinaryHeap::new() };
        new.push(members);
        new
    }

    fn push(&mut self, members: Vec<u32>) {
        let squares = spread(&self.points, &members).1.iter().sum();
        self.groups.push(Group { squares, members });
    }

    /// Divides until there are `count` groups, or each piece is one.
    pub(super) fn divide(&mut self, count: usize) {
        while self.groups.len() < count {
            let Some(group) = self.groups.pop() else { return };
            let (means, squares) = spread(&self.points, &group.members);
            let widest =
                squares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |found| found.0);
            let mean = means.get(widest).copied().unwrap_or_default();
            let above = |piece: &u32| {
                let value = self.points.get(*piece as usize).and_then(|point| point.get(widest));
                value.is_some_and(|value| f64::from(*value) > mean)
            };
            let (mut high, mut low): (Vec<u32>, Vec<u32>) =
                group.members.iter().partition(|piece| above(piece));
            // Alike in all that is measured: the later ones may still differ in places.
            if high.is_empty() || low.is_empty() {
                low.append(&mut high);
                high = low.split_off(low.len().div_ceil(2));
            }
            if high.is_empty() {
                self.push(low);
                return;
            }
            self.push(low);
            self.push(high);
        }
    }

    /// For each piece the one that stands for it: of its group the one nearest to the mean.
    pub(super) fn stand_ins(&self) -> Vec<u32> {
        let mut out = vec![0; self.points.len()];
        for group in &self.groups {
            let (means, _) = spread(&self.points, &group.members);
            let distance = |piece: &u32| -> f64 {
                let point = self.points.get(*piece as usize);
                point.map_or(0.0, |point| {
                    point.iter().zip(&means).map(|(a, b)| (f64::from(*a) - b).powi(2)).sum()
                })
            };
            let near = group.members.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied();
            for piece in &group.members {
                out.iter_mut().skip(*piece as usize).take(1).for_each(|slot| *slot = near.unwrap_or(*piece));
            }
        }
        out
    }
}

/// Means, and sums of squares about them.
fn spread(points: &[Features], members: &[u32]) -> ([f64; FEATURES], [f64; FEATURES]) {
    let of = || members.iter().filter_map(|piece| points.get(*piece as usize));
    let mut means = [0.0; FEATURES];
    of().for_each(|point| means.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value)));
    means.iter_mut().for_each(|mean| *mean /= members.len().max(1) as f64);
    let mut squares = [0.0; FEATURES];
    for point in of() {
        for ((sum, value), mean) in squares.iter_mut().zip(point).zip(&means) {
            *sum += (f64::from(*value) - mean).powi(2);
        }
    }
    (means, squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_pieces_stand_for_one_another_and_the_heavy_one_for_itself() {
        let point = |reads: f32, waits: f32| {
            let mut point = [1.0; FEATURES];
            (point[0], point[5]) = (reads, waits);
            point
        };
        let points =
            vec![point(4.0, 1.0), point(8.0, 1.1), point(4.0, 1.05), point(8.0, 1.0), point(4.0, 90.0)];
        let mut groups = Groups::new(points);
        groups.divide(3);
        let three = groups.stand_ins();
        assert_eq!((three[0], three[1], three[4]), (three[2], three[3], 4));
        assert_ne!(three[0], three[1]);
        groups.divide(100);
        assert_eq!(groups.stand_ins(), [0, 1, 2, 3, 4]);
    }
}
