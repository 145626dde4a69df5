//! Names this build by its sources: rows of a sweep are keyed by it.

fn main() {
    wordline_build_name::set(&["src"]);
}
