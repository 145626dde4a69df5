//! Times since something, in steps, and what is put in their order.

/// Steps in which ages are told.
const STEPS: usize = 1 << 16;

/// Things with an age, a share of the longest.
#[derive(Default)]
pub struct Aged<T> {
    things: Vec<(u16, T)>,
}

impl<T: Copy + Default> Aged<T> {
    /// One more; `age` from 0 to 1.
    pub fn push(&mut self, age: f64, thing: T) {
        self.things.push(((age * (STEPS - 1) as f64) as u16, thing));
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.things.len()
    }

    /// The youngest first; of one step the one that came first.
    pub fn youngest_first(self) -> Vec<(f64, T)> {
        let mut ends = vec![0usize; STEPS + 1];
        for (age, _) in &self.things {
            if let Some(count) = ends.get_mut(usize::from(*age) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut sorted = vec![(0.0, T::default()); self.things.len()];
        for (age, thing) in self.things {
            let Some(place) = ends.get_mut(usize::from(age)) else { continue };
            if let Some(room) = sorted.get_mut(*place) {
                *room = (f64::from(age) / (STEPS - 1) as f64, thing);
            }
            *place += 1;
        }
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_youngest_come_first() {
        let mut aged = Aged::default();
        for (age, thing) in [(0.9, 1), (0.0, 2), (1.0, 3), (0.5, 4), (0.0, 5)] {
            aged.push(age, thing);
        }
        let order: Vec<i32> = aged.youngest_first().into_iter().map(|(_, thing)| thing).collect();
        assert_eq!(order, [2, 5, 4, 1, 3]);
    }
}
