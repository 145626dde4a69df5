//! Names this build by what decides a result, beside its inputs.

fn main() {
    wordline_build_name::set(&[
        "../base/src",
        "../config/src",
        "../flash/src",
        "../ftl/src",
        "../systems/src",
        "../observe/src",
        "../engine/src",
        "../drive/src",
        "../trace/src",
        "src",
        "../../Cargo.lock",
    ]);
}
