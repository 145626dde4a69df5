//! The header that is committed is the one that cbindgen makes.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_that_of_the_sources() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(home.join("cbindgen.toml")).unwrap();
    let sources = ["border", "drive", "error", "make", "memory", "requests", "state"];
    let sources = sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, source| {
        builder.with_src(home.join(format!("src/{source}.rs")))
    });
    let mut made = Vec::new();
    sources.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let header = home.join("include/wordline.h");
    if env::var_os("WORDLINE_RENEW").is_some() {
        fs::write(&header, &made).unwrap();
    }
    assert!(
        fs::read_to_string(&header).unwrap_or_default() == made,
        "WORDLINE_RENEW=1 renews include/wordline.h"
    );
}
