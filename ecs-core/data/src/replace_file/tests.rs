//! Files that are replaced, by several writers at once too.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::{FileStep, WriteFileError, temporary, write_file};

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ecs-replace-file-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Its files, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: impl AsRef<Path>, text: &str) -> Result<(), Error> {
    write_file(path, |out| out.write_all(text.as_bytes()))
}

fn failed(path: impl AsRef<Path>) -> (ErrorKind, FileStep, String) {
    let error = write(&path, "new").unwrap_err();
    let inner: &WriteFileError = error.get_ref().unwrap().downcast_ref().unwrap();
    assert_eq!(inner.path, path.as_ref());
    let text = error.to_string();
    let named = format!("`{}`: ", path.as_ref().display());
    let text = text.strip_prefix(&named).expect("names the path");
    (error.kind(), inner.step, text.to_owned())
}

/// A text that shows damage: its length, and one letter as often.
fn filled(letter: u8, len: usize) -> Vec<u8> {
    let mut bytes = format!("{len:08}").into_bytes();
    bytes.resize(8 + len, letter);
    bytes
}

fn is_whole(bytes: &[u8]) -> bool {
    let (len, rest) = bytes.split_at_checked(8).expect("a length");
    let len: usize = std::str::from_utf8(len).unwrap().parse().unwrap();
    rest.len() == len && rest.windows(2).all(|pair| pair[0] == pair[1])
}

#[test]
fn a_new_file_and_an_old_one_are_written_and_nothing_else_is_left() {
    let folder = Folder::new();
    for text in ["first", "second, and longer", ""] {
        write(folder.path("save"), text).unwrap();
        assert_eq!(fs::read_to_string(folder.path("save")).unwrap(), text);
        assert_eq!(folder.names(), ["save"]);
    }
}

#[test]
fn an_error_and_a_panic_leave_the_old_file_and_no_other() {
    let folder = Folder::new();
    let path = folder.path("save");
    write(&path, "old").unwrap();
    let error = write_file(&path, |out| {
        out.write_all(&[0; 100_000])?;
        Err(Error::other("enough"))
    });
    assert_eq!(error.unwrap_err().to_string(), "enough");
    let panicking = || {
        write_file::<Error>(&path, |out| {
            out.write_all(&[0; 100_000])?;
            panic!("while it is written")
        })
    };
    std::panic::catch_unwind(panicking).unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["save"]);
}

#[test]
fn a_writer_inside_of_a_writer_is_replaced_by_the_outer_one() {
    let folder = Folder::new();
    let path = folder.path("save");
    write_file(&path, |out| {
        write(&path, "inner")?;
        assert_eq!(fs::read_to_string(&path)?, "inner");
        out.write_all(b"outer")
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "outer");
}

#[test]
fn names_of_any_length_are_written_as_far_as_the_system_has_them() {
    let folder = Folder::new();
    for name in [
        "x".repeat(255),
        "ü".repeat(127),
        String::from(".hidden.ecs-new"),
    ] {
        write(folder.path(&name), "text").unwrap();
        assert_eq!(folder.names(), [name.as_str()]);
        fs::remove_file(folder.path(&name)).unwrap();
    }
    let (kind, step, _) = failed(folder.path(&"x".repeat(256)));
    assert_eq!((kind, step), (ErrorKind::InvalidFilename, FileStep::Find));
}

#[test]
fn what_cannot_be_replaced_is_an_error_that_names_the_path() {
    let folder = Folder::new();
    fs::create_dir(folder.path("inner")).unwrap();
    let (kind, step, text) = failed(folder.path("inner"));
    assert_eq!((kind, step), (ErrorKind::IsADirectory, FileStep::Find));
    assert_eq!(text, "is a folder");

    let (kind, step, text) = failed(folder.path("missing/save"));
    assert_eq!((kind, step), (ErrorKind::NotFound, FileStep::Create));
    assert!(text.contains("its folder does not exist"), "{text}");
    assert!(text.contains("help: create it first"), "{text}");

    write(folder.path("save"), "old").unwrap();
    let (kind, _, _) = failed(folder.path("save/inner"));
    assert_eq!(kind, ErrorKind::NotADirectory);
    for path in ["", "/", "..", "."] {
        let error = write(path, "new").unwrap_err();
        assert!(
            error.get_ref().unwrap().is::<WriteFileError>(),
            "`{path}`: {error}"
        );
    }
    for (path, kind) in [
        ("new/", ErrorKind::IsADirectory),
        ("new/.", ErrorKind::IsADirectory),
        ("new//", ErrorKind::IsADirectory),
        ("inner/", ErrorKind::IsADirectory),
        ("save/", ErrorKind::NotADirectory),
        ("save/.", ErrorKind::NotADirectory),
    ] {
        let (found, step, text) = failed(folder.path(path));
        assert_eq!((found, step), (kind, FileStep::Find), "{path}: {text}");
        assert!(
            text.contains("folder") || kind == ErrorKind::NotADirectory,
            "{path}: {text}"
        );
    }
    assert_eq!(folder.names(), ["inner", "save"]);
    assert_eq!(fs::read_to_string(folder.path("save")).unwrap(), "old");
    // A dot at the end of a name is not part of it.
    write(folder.path("new."), "text").unwrap();
    assert_eq!(folder.names(), ["inner", "new.", "save"]);
}

#[test]
fn what_killed_processes_have_left_is_removed_and_nothing_else() {
    let folder = Folder::new();
    let left = [
        ".save.0123456789abcdef.ecs-new",
        ".other.save.fedcba9876543210.ecs-new",
    ];
    let others = [
        ".save.0123456789abcdef.new",
        ".save.0123456789abcdeg.ecs-new",
        ".save.123456789abcdef.ecs-new",
        ".zoo.00000000000000ff.ecs-new",
        "save.0123456789abcdef.ecs-new",
    ];
    for name in left.iter().chain(&others) {
        fs::write(folder.path(name), "half").unwrap();
    }
    fs::create_dir(folder.path(".folder.0123456789abcdef.ecs-new")).unwrap();
    // This one is being written.
    let written = File::open(folder.path(others[3])).unwrap();
    written.lock().unwrap();
    write(folder.path("save"), "text").unwrap();
    let mut expected = vec![".folder.0123456789abcdef.ecs-new"];
    expected.extend(&others[..4]);
    expected.extend(["save", others[4]]);
    assert_eq!(folder.names(), expected);
    // Not each time, and again after a while.
    fs::write(folder.path(left[0]), "half").unwrap();
    write(folder.path("save"), "text").unwrap();
    assert!(folder.names().iter().any(|name| name == left[0]));
    for _ in 0..temporary::CLEAN_EVERY {
        write(folder.path("save"), "text").unwrap();
    }
    assert_eq!(folder.names(), expected);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn the_permissions_and_the_owner_of_the_old_file_are_kept() {
        let folder = Folder::new();
        let path = folder.path("save");
        write(&path, "new").unwrap();
        let plain = folder.path("plain");
        File::create(&plain).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), mode(&plain), "a new file is like any other");
        for bits in [0o600, 0o640, 0o666, 0o755, 0o444, 0o400] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            let owner = fs::metadata(&path).unwrap().uid();
            write(&path, "text").unwrap();
            assert_eq!(
                (mode(&path), fs::metadata(&path).unwrap().uid()),
                (bits, owner)
            );
        }
    }

    #[test]
    fn a_private_file_is_never_public_while_it_is_written() {
        let folder = Folder::new();
        let path = folder.path("save");
        write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_file::<Error>(&path, |out| {
            out.write_all(b"secret")?;
            for name in folder.names() {
                let metadata = fs::metadata(folder.path(&name))?;
                assert_eq!(metadata.permissions().mode() & 0o077, 0, "{name}");
            }
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn links_stay_and_lead_to_the_new_file() {
        let folder = Folder::new();
        fs::create_dir(folder.path("real")).unwrap();
        symlink("real", folder.path("folder")).unwrap();
        symlink("folder/../real/save", folder.path("relative")).unwrap();
        symlink(folder.path("relative"), folder.path("absolute")).unwrap();
        for (link, text) in [
            // The first one makes the file: these links lead to nothing yet.
            ("absolute", "one"),
            ("relative", "two"),
            ("folder/save", "three"),
            ("absolute", "four"),
        ] {
            write(folder.path(link), text).unwrap();
            assert_eq!(fs::read_to_string(folder.path("real/save")).unwrap(), text);
        }
        for link in ["absolute", "relative", "folder"] {
            let metadata = fs::symlink_metadata(folder.path(link)).unwrap();
            assert!(metadata.is_symlink(), "{link}");
        }
        assert_eq!(fs::read_dir(folder.path("real")).unwrap().count(), 1);
        symlink("nowhere/save", folder.path("lost")).unwrap();
        let (kind, step, _) = failed(folder.path("lost"));
        assert_eq!((kind, step), (ErrorKind::NotFound, FileStep::Create));
        symlink("new/", folder.path("link to no folder")).unwrap();
        for path in ["link to no folder", "link to no folder/", "lost/"] {
            let (kind, _, _) = failed(folder.path(path));
            assert_eq!(kind, ErrorKind::IsADirectory, "{path}");
        }
        assert!(!folder.path("new").exists());
        symlink("real", folder.path("link to a folder")).unwrap();
        let (kind, _, _) = failed(folder.path("link to a folder"));
        assert_eq!(kind, ErrorKind::IsADirectory);
    }

    #[test]
    fn links_to_themselves_and_special_files_are_errors() {
        let folder = Folder::new();
        symlink("b", folder.path("a")).unwrap();
        symlink("a", folder.path("b")).unwrap();
        let (_, step, text) = failed(folder.path("a"));
        assert_eq!(step, FileStep::Find);
        assert!(text.to_lowercase().contains("symbolic links"), "{text}");
        let (kind, step, text) = failed("/dev/null");
        assert_eq!((kind, step), (ErrorKind::InvalidInput, FileStep::Find));
        assert!(text.contains("neither a file nor a folder"), "{text}");
    }

    /// For all but the superuser, who may write everywhere.
    #[test]
    fn a_folder_that_is_read_only_takes_no_file() {
        let folder = Folder::new();
        write(folder.path("save"), "old").unwrap();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
        if File::create(folder.path("probe")).is_err() {
            let (kind, step, _) = failed(folder.path("save"));
            assert_eq!(
                (kind, step),
                (ErrorKind::PermissionDenied, FileStep::Create)
            );
        }
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(fs::read_to_string(folder.path("save")).unwrap(), "old");
    }
}

/// The path that [`child`] writes, and how often; 0 means without an end.
const PATH: &str = "ECS_REPLACE_FILE_PATH";
const TIMES: &str = "ECS_REPLACE_FILE_TIMES";

/// Starts a process that writes a path.
fn start(path: &Path, times: u32) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "replace_file::tests::child"]);
    command.env(PATH, path).env(TIMES, times.to_string());
    command.stdout(Stdio::null()).spawn().unwrap()
}

/// Not a test: the work of processes that other tests start.
#[test]
#[ignore = "a process of other tests"]
fn child() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    let times: u32 = std::env::var(TIMES).unwrap().parse().unwrap();
    write_and_read(Path::new(&path), times);
}

/// Not a test: the work of a process whose files are limited to a few kilobytes.
#[cfg(unix)]
#[test]
#[ignore = "a process of another test"]
fn limited_child() {
    let Some(path) = std::env::var_os(PATH) else {
        return;
    };
    // More than a buffered writer keeps, so that the writer of the closure fails.
    let written: std::io::Result<()> = write_file(&path, |out| out.write_all(&[b'x'; 1 << 20]));
    let error = written.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    let text = error.to_string();
    let start = format!("`{}`: it cannot be written: ", Path::new(&path).display());
    assert!(text.starts_with(&start), "{text}");
}

/// The limit stands for a full disk.
#[cfg(unix)]
#[test]
fn an_error_of_the_writer_names_the_path() {
    let folder = Folder::new();
    let path = folder.path("save");
    write(&path, "before").unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "replace_file::tests::limited_child"]);
    let ended = command.env(PATH, &path).output().unwrap();
    let output = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{output}");
    assert!(output.contains("1 passed"), "{output}");
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(folder.names(), ["save"]);
}

/// Writes files of different lengths, and reads the file in between.
fn write_and_read(path: &Path, times: u32) {
    let mut seed = std::process::id();
    for round in 0.. {
        if times != 0 && round == times {
            return;
        }
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bytes = filled(
            b'a' + (seed >> 24) as u8 % 26,
            (seed >> 8) as usize % 60_000,
        );
        write_file::<Error>(path, |out| {
            // In pieces, for others to come in between.
            for piece in bytes.chunks(10_000) {
                out.write_all(piece)?;
                out.flush()?;
            }
            Ok(())
        })
        .expect("no save fails because of another");
        let found = fs::read(path).expect("there is always a file");
        assert!(is_whole(&found), "a part of a file");
    }
}

fn several_writers(threads: u32, processes: u32, times: u32) {
    let folder = Folder::new();
    let path = folder.path("save");
    write(&path, "00000000").unwrap();
    let is_over = AtomicBool::new(false);
    let children: Vec<Child> = (0..processes).map(|_| start(&path, times)).collect();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut found = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let mut file = File::open(&path).expect("there is always a file");
                found.clear();
                file.read_to_end(&mut found).unwrap();
                assert!(is_whole(&found), "a part of a file");
            }
        });
        let writers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| write_and_read(&path, times)))
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(folder.names(), ["save"]);
}

fn killed_writers(rounds: u32) {
    let folder = Folder::new();
    let path = folder.path("save");
    write(&path, "00000000").unwrap();
    let mut most = 0;
    for round in 0..rounds {
        let mut child = start(&path, 0);
        // Until it has written something, and then for a time that varies from round to round.
        let before = fs::read(&path).unwrap();
        while fs::read(&path).unwrap() == before {
            std::thread::yield_now();
        }
        for _ in 0..round % 97 {
            assert!(is_whole(&fs::read(&path).unwrap()));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_whole(&fs::read(&path).unwrap()), "round {round}");
        most = most.max(folder.names().len());
    }
    assert!(
        most <= 2,
        "{most} files: each process removes what the one before has left"
    );
    println!("{rounds} processes killed, {most} files at most");
}

#[test]
fn several_threads_and_processes_write_one_path() {
    several_writers(3, 2, 20);
}

#[test]
#[ignore = "long: `cargo test -p ecs-data --release -- --ignored several_writers_for_long`"]
fn several_writers_for_long() {
    several_writers(4, 4, 2_000);
}

#[test]
fn a_process_that_is_killed_while_it_saves_leaves_a_whole_file() {
    killed_writers(5);
}

#[test]
#[ignore = "long: `cargo test -p ecs-data --release -- --ignored killed_writers_for_long`"]
fn killed_writers_for_long() {
    killed_writers(2_000);
}
