//! The example in C, compiled and run as a user would.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where Cargo has put the libraries of this build.
fn libraries() -> PathBuf {
    let program = env::current_exe().unwrap();
    program.parent().unwrap().to_path_buf()
}

/// Whether there is a C compiler. Under CI there is.
fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok();
    assert!(found || env::var_os("CI").is_none(), "under CI cc is there");
    found
}

#[test]
fn the_loop_in_the_documentation_compiles_without_a_warning() {
    if !has_compiler() {
        return;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(home.join("../../docs/embedding.md")).unwrap();
    let code = page.split("```c\n").nth(1).and_then(|behind| behind.split("```").next()).unwrap();
    let around = "#include \"wordline.h\"\nvoid loop(WordlineDrive *drive) {\n\
                  uint64_t time; size_t count; WordlineCompletion done[16];\n";
    let file = env::temp_dir().join(format!("wordline-loop-{}.c", std::process::id()));
    fs::write(&file, format!("{around}{code}}}\n")).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]);
    let compiled = compiler.arg(home.join("include")).arg(&file).output().unwrap();
    let _ = fs::remove_file(&file);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn the_example_in_c_compiles_without_a_warning_and_runs() {
    if !has_compiler() {
        return;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = env::temp_dir().join(format!("wordline-c-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("read_latency");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(home.join("include"))
        .arg(home.join("examples/read_latency.c"))
        .arg("-L")
        .arg(libraries())
        .args(["-lwordline", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&program).env("LD_LIBRARY_PATH", libraries()).output().unwrap();
    let _ = fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let words: Vec<&str> = said.split_whitespace().collect();
    assert_eq!((words[0], words[1], words[3]), ("750", "reads,", "us"), "{said}");
    // At least the array's time of a read.
    assert!(words[2].parse::<f64>().unwrap() > 40.0, "{said}");
}
