//! What the engine's layers say of a slip in a workload: path, value, what is allowed, and the line.

use wordline_config::layers::{Layer, Layers};
use wordline_trace::WorkloadConfig;

fn refused(text: &str) -> String {
    let layer = Layer::from_toml("w.toml", text).unwrap();
    let layers = Layers::new().with(layer.under("workload"));
    layers.resolve::<WorkloadConfig>("workload").unwrap_err().to_string()
}

#[test]
fn a_slip_in_any_table_is_named_with_its_path() {
    let head = "[source]\nkind = \"synthetic\"\nrequests = 1\nread_share = 1.0\n";
    for (more, expected) in [
        (
            "sizes = 5\nreed_share = 1",
            "w.toml:6: workload.source.reed_share = 1: allowed: a known key; did you mean `read_share`?",
        ),
        ("sizes = 5\npath = \"x\"", "w.toml:6: workload.source.path = \"x\": allowed: no key at this place"),
        (
            "sizes = 5\npattern = { kind = \"zipf\", theta = 1, skew = 1 }",
            "w.toml:6: workload.source.pattern.skew = 1: allowed: a known key",
        ),
        (
            "sizes = 5\npattern = { kind = \"uniform\", theta = 1 }",
            "w.toml:6: workload.source.pattern.theta = 1: allowed: no key at this place",
        ),
        (
            "sizes = 5\npattern = { kind = \"zip\" }",
            "w.toml:6: workload.source.pattern.kind = \"zip\": allowed: uniform, zipf",
        ),
        (
            "sizes = 5\npattern = { kind = \"zipf\", theta = \"x\" }",
            "w.toml:6: workload.source.pattern.theta = \"x\": allowed: a number",
        ),
        (
            "sizes = 5\npattern = { kind = \"zipf\" }",
            "workload.source.pattern.theta = nothing: allowed: a value",
        ),
        ("sizes = \"4k\"", "w.toml:5: workload.source.sizes = \"4k\": allowed: a number of bytes, or a list"),
        ("sizes = -1", "w.toml:5: workload.source.sizes = -1: allowed: 1 to 1073741824 bytes"),
        (
            "sizes = [{ bytes = 1, wieght = 2 }]",
            "workload.source.sizes[0].wieght = 2: allowed: a known key; did you mean `weight`?",
        ),
        ("", "workload.source.sizes = nothing: allowed: a value"),
    ] {
        let error = refused(&format!("{head}{more}"));
        assert!(error.contains(expected), "{error}");
    }
}
