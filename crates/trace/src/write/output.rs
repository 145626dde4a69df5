//! Files that take their name when they are whole.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written. Until [`keep`](Self::keep) an ordinary file is `NAME.part` beside its name; what was there
/// stays as it is. A link stays a link, to the new file. What isn't an ordinary file (a device, a pipe) is written to, not
/// replaced. Dropped before, what was begun is removed.
#[derive(Debug)]
pub struct OutputFile {
    /// Name and part; `None` where nothing is replaced.
    replaces: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    /// Begins the file.
    ///
    /// # Errors
    /// One that can't be written: its folder isn't there or is read-only, it is a folder, or somebody else is writing it.
    pub fn create(path: &Path) -> io::Result<(Self, File)> {
        let name = end_of_links(path)?;
        if fs::metadata(&name).is_ok_and(|there| !there.is_file()) {
            let file = OpenOptions::new().write(true).open(&name)?;
            return Ok((Self { replaces: None }, file));
        }
        let mut part = name.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = begun(&part)?;
        Ok((Self { replaces: Some((name, part)) }, file))
    }

    /// It is whole: gives it its name.
    ///
    /// # Errors
    /// Those of storing and renaming it.
    pub fn keep(mut self, file: &File) -> io::Result<()> {
        let Some((name, part)) = &self.replaces else { return Ok(()) };
        file.sync_all()?;
        fs::rename(part, name)?;
        self.replaces = None;
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some((_, part)) = &self.replaces {
            // That it is still there would be the smaller fault.
            fs::remove_file(part).ok();
        }
    }
}

/// A part, empty, that nobody else writes as long as the file is open. One that a killed process left is begun anew.
fn begun(part: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(part)?;
    // Whoever had it locked may have given it its name between the two.
    if file.try_lock().is_err() || !is_named(&file, part)? {
        return Err(io::Error::other("somebody else is writing it"));
    }
    file.set_len(0)?;
    Ok(file)
}

/// Whether a file is the one of this name.
#[cfg(unix)]
fn is_named(file: &File, name: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let own = file.metadata()?;
    Ok(fs::metadata(name).is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())))
}

#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Where links lead, also to what isn't there yet.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: u32 = 40;
    let mut name = path.to_owned();
    for _ in 0..MOST_LINKS {
        let is_link = fs::symlink_metadata(&name).is_ok_and(|there| there.is_symlink());
        if !is_link {
            return Ok(name);
        }
        let target = fs::read_link(&name)?;
        name = name.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("more than 40 links behind one another"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::Write;

    use super::*;

    /// A folder of a test's own, removed with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("wordline-output-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    fn write(path: &Path, text: &str) -> io::Result<()> {
        let (output, mut file) = OutputFile::create(path)?;
        file.write_all(text.as_bytes())?;
        output.keep(&file)
    }

    #[test]
    fn a_file_takes_its_name_when_it_is_whole() {
        let folder = Folder::new("whole");
        let path = folder.0.join("a");
        write(&path, "old").unwrap();
        let (output, mut file) = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(output);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
        write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_second_writer_is_refused_and_spoils_nothing() {
        let folder = Folder::new("second");
        let path = folder.0.join("a");
        fs::write(folder.0.join("a.part"), "left by one that was killed").unwrap();
        let (output, mut file) = OutputFile::create(&path).unwrap();
        file.write_all(b"first").unwrap();
        let refused = OutputFile::create(&path).unwrap_err();
        assert_eq!(refused.to_string(), "somebody else is writing it");
        output.keep(&file).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        drop(file);
        write(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let folder = Folder::new("links");
        let (link, target) = (folder.0.join("link"), folder.0.join("target"));
        symlink("target", &link).unwrap();
        // To what isn't there yet, and to what is.
        for text in ["one", "two"] {
            write(&link, text).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        let null = Path::new("/dev/null");
        write(null, "gone").unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
        let full = Path::new("/dev/full");
        if full.exists() {
            assert!(write(full, "too much").is_err());
            assert!(fs::metadata(full).unwrap().file_type().is_char_device());
        }
        let round = folder.0.join("round");
        symlink("round", &round).unwrap();
        assert!(write(&round, "").unwrap_err().to_string().contains("links"));
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = Folder::new("folder");
        assert!(write(&folder.0, "").is_err());
        assert!(write(&folder.0.join("no/such/folder"), "").is_err());
    }
}
