//! The nearest known word to one that isn't known.

/// Similarity from which a word is taken for a slip of another, 0 to 1: `fito` for `fifo`, but not `foo` for `fio`, nor `lifo`
/// for `fifo`.
const SIMILAR: f64 = 0.85;

/// The candidate most like `word`, if any is like it at all; the first of equals.
pub fn nearest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates.iter().map(AsRef::as_ref) {
        let likeness = likeness(&word, &candidate.to_lowercase());
        if likeness >= SIMILAR && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Jaro-Winkler sees no letters that are swapped in words of three.
fn likeness(word: &str, candidate: &str) -> f64 {
    if letters(word) == letters(candidate) { 1.0 } else { strsim::jaro_winkler(word, candidate) }
}

fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// `; did you mean …?` with the nearest candidate, or nothing: to end a message with.
pub fn did_you_mean<S: AsRef<str>>(word: &str, candidates: &[S]) -> String {
    nearest(word, candidates).map(|candidate| format!("; did you mean `{candidate}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strange_words_are_not() {
        let known = ["trigger", "stop", "read_ahead_pages", "tlc", "qlc"];
        assert_eq!(nearest("triger", &known), Some("trigger"));
        assert_eq!(nearest("TRIGGER", &known), Some("trigger"));
        assert_eq!(nearest("tcl", &known), Some("tlc"));
        assert_eq!(nearest("read_ahead", &known), Some("read_ahead_pages"));
        assert_eq!(nearest("wear", &known), None);
        assert_eq!(nearest("foo", &["fio", "fifo"]), None);
        assert_eq!(nearest("fito", &["lifo", "fifo"]), Some("fifo"));
        assert_eq!(nearest("lifo", &["fifo"]), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest::<&str>("trigger", &[]), None);
        assert_eq!(did_you_mean("stpo", &known), "; did you mean `stop`?");
    }
}
