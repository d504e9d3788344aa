//! Files of prefabs that are read again while an app runs.
//!
//! A hook between frames looks at the files. What it has read is in the hook; the versions that the copies have are in the resource
//! [`WatchedPrefabs`], where loads and snapshots put back other ones. So the copies are always compared with their own version.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ecs_data::{Loader, Prefab, UpdatedCopies};
use ecs_engine::World;

use crate::app::App;
use crate::plugin::Plugin;
use crate::real_time::RealTime;
use crate::time::Time;
use crate::watched_prefabs::{
    PrefabFileError, PrefabFileProblem, PrefabReload, PrefabVersion, WatchedPrefabs,
};

/// A plugin that reads files of prefabs, and reads them again when they change: hot reload. The copies in the world that
/// [remember](ecs_data::Copies::remembered) the prefab take the change by [`Prefab::update_copies`], so the game's own
/// changes of them stay.
///
/// The prefabs are in the resource [`WatchedPrefabs`] from the moment when the plugin is added, and the world knows the components of
/// the loader and of the prefabs. The loader of each file has the prefabs of the files before it, so a camp comes after its goblins,
/// and is read again when these change. A file that uses a later one or itself names a prefab that is not there.
///
/// ```
/// use ecs_core::app::{PrefabWatch, WatchedPrefabs};
/// use ecs_core::data::{Loader, Prefab};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health(u32);
///
/// # let path = std::env::temp_dir().join(format!("ecs-doc-goblin-{}.json", std::process::id()));
/// std::fs::write(&path, r#"{ "entities": [{ "game.health": 7 }] }"#)?;
/// let mut app = App::new();
/// let read = |loader: &Loader, text: &str| {
///     Prefab::deserialize(loader, &mut serde_json::Deserializer::from_str(text))
/// };
/// app.add_plugin(PrefabWatch::new(Loader::new().with::<Health>(), read).file("goblin", &path));
///
/// let goblin = app.world().resource::<WatchedPrefabs>().get("goblin").unwrap().clone();
/// let goblin = goblin.copies(1).remembered("goblin").spawn(app.world_mut())?[0];
/// app.update();
///
/// // The file is edited while the game runs.
/// std::fs::write(&path, r#"{ "entities": [{ "game.health": 9 }] }"#)?;
/// app.update_times(2, std::time::Duration::from_secs(1));
/// assert_eq!(*app.world().get::<Health>(goblin).unwrap(), Health(9));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It looks at the files by the clock of [`RealTime`], and while the app is [paused](App::pause), too. A file whose time and length are the same is not
/// read, unless it was written in the last two seconds; an equal text is not parsed. A text with a mistake is a
/// [problem](WatchedPrefabs::problems) when it is still there at the next look, because it may be half of a file. A recording does
/// not have the edits: do without this plugin in an app that is recorded or replayed.
#[must_use = "add it to an app"]
pub struct PrefabWatch {
    loader: Loader,
    read: ReadFn,
    files: Vec<WatchedFile>,
    every: Duration,
    next: Duration,
    /// The number of frames when files were last reloaded.
    reloaded: u64,
}

type BoxError = Box<dyn Error + Send + Sync>;
type ReadFn = Box<dyn Fn(&Loader, &str) -> Result<Prefab, BoxError> + Send>;

/// The versions of a save that cannot be read, by name.
type Mistakes = HashMap<Arc<str>, PrefabFileProblem>;

/// The state of a file for the hook.
struct WatchedFile {
    name: Arc<str>,
    path: PathBuf,
    /// The time and the length when it was read, if they tell that it is the same.
    seen: Option<(SystemTime, u64)>,
    text: Option<Arc<str>>,
    failure: Option<FileFailure>,
}

/// A look at a file that has failed.
struct FileFailure {
    /// The text with the mistake; `None` if the file could not be read.
    text: Option<Arc<str>>,
    error: PrefabFileError,
    /// False if it was seen once: it may be half of a file.
    is_reported: bool,
}

impl PrefabWatch {
    /// Reads files by a function, which deserializes a text with the loader. No file is watched yet.
    pub fn new<E: Into<BoxError>>(
        loader: Loader,
        read: impl Fn(&Loader, &str) -> Result<Prefab, E> + Send + 'static,
    ) -> Self {
        Self {
            loader,
            read: Box::new(move |loader, text| read(loader, text).map_err(Into::into)),
            files: Vec::new(),
            every: Duration::from_millis(250),
            next: Duration::ZERO,
            reloaded: 0,
        }
    }

    /// Watches a file, whose prefab has this name: for the copies that remember it, and in the files that follow.
    ///
    /// # Panics
    /// If another file has the name.
    #[track_caller]
    pub fn file(mut self, name: &str, path: impl AsRef<Path>) -> Self {
        assert!(
            self.files.iter().all(|file| &*file.name != name),
            "there are two files of the prefab `{name}`; help: give one of them another name"
        );
        self.files.push(WatchedFile {
            name: name.into(),
            path: path.as_ref().to_owned(),
            seen: None,
            text: None,
            failure: None,
        });
        self
    }

    /// Looks at the files at this interval of [`RealTime`]; otherwise four times a second.
    pub fn every(mut self, interval: Duration) -> Self {
        self.every = interval;
        self
    }

    /// Looks at the files if it is time, or if a load has brought other versions.
    fn between_frames(&mut self, app: &mut App) {
        let paused = app.skipped();
        let world = app.world_mut();
        let now = world.get_resource::<RealTime>();
        let now = now.map_or(Duration::ZERO, |time| time.elapsed());
        let now = now.saturating_add(paused);
        let frame = world.get_resource::<Time>().map_or(0, |time| time.frame());
        // The program may have removed the resource.
        let Some(watched) = world.resources_mut().bypass::<WatchedPrefabs>() else {
            return;
        };
        // While the app is paused, no system has seen the last ones yet.
        let had_reloads = !watched.reloads.is_empty() && frame != self.reloaded;
        if now < self.next && !had_reloads && self.is_current(watched) {
            return;
        }
        if now >= self.next {
            self.next = now.saturating_add(self.every);
            self.files.iter_mut().for_each(WatchedFile::look);
        }
        let before = watched.clone();
        let mut after = self.update(world, &before);
        let has_reloads = !after.reloads.is_empty();
        if has_reloads {
            self.reloaded = frame;
        }
        if !had_reloads {
            after.reloads.splice(0..0, before.reloads);
        }
        let is_other = had_reloads
            || has_reloads
            || !is_same_list(&before.problems, &after.problems, |a, b| {
                Arc::ptr_eq(&a.problem, &b.problem)
            })
            || !is_same_list(&before.versions, &after.versions, |a, b| {
                Arc::ptr_eq(&a.text, &b.text) && a.prefab.is_some() == b.prefab.is_some()
            });
        if is_other {
            // Systems may wait for a change of the resource.
            world.insert_resource(after);
        }
    }

    /// Returns true if the world has the versions that the hook has read, apart from mistakes.
    fn is_current(&self, watched: &WatchedPrefabs) -> bool {
        self.files.iter().all(|file| {
            let mut versions = watched.versions.iter();
            let version = versions.find(|version| version.name == file.name);
            match (version, &file.text) {
                (Some(version), Some(text)) => {
                    let is_same = Arc::ptr_eq(&version.text, text) || file.failure.is_some();
                    version.prefab.is_some() && is_same
                }
                (None, Some(_)) => file.failure.is_some(),
                (None, None) => true,
                (Some(version), None) => version.prefab.is_some() || file.failure.is_some(),
            }
        })
    }

    /// Returns the versions of the copies. The texts of a save are read in its own order, and with the prefabs that it had, even if
    /// they are no longer watched.
    fn old_versions(&self, before: &WatchedPrefabs) -> (Vec<PrefabVersion>, Mistakes) {
        let mut versions = before.versions.clone();
        let mut mistakes = Mistakes::new();
        if versions.iter().all(|version| version.prefab.is_some()) {
            return (versions, mistakes);
        }
        let mut loader = self.loader.clone();
        for version in &mut versions {
            if version.prefab.is_none() {
                match (self.read)(&loader, &version.text) {
                    Ok(prefab) => version.prefab = Some(Arc::new(prefab)),
                    Err(error) => {
                        let problem = PrefabFileProblem::OldVersion(error);
                        mistakes.insert(version.name.clone(), problem);
                    }
                }
            }
            if let Some(prefab) = &version.prefab {
                add(&mut loader, &version.name, prefab);
            }
        }
        (versions, mistakes)
    }

    /// Brings all copies up to date, file by file.
    fn update(&mut self, world: &mut World, before: &WatchedPrefabs) -> WatchedPrefabs {
        let mut after = WatchedPrefabs::default();
        let (old_versions, mut mistakes) = self.old_versions(before);
        // The prefabs that the files may name.
        let mut loader = self.loader.clone();
        let mut has_changed = HashSet::new();
        for file in &mut self.files {
            let version = old_versions.iter().find(|it| it.name == file.name);
            let mut version = version.cloned();
            let old = version.as_ref().and_then(|version| version.prefab.clone());
            let is_same = |old: &PrefabVersion, text: &Arc<str>| {
                old.text == *text && old.prefab.is_some() && has_changed.is_empty()
            };
            match file.text.clone() {
                Some(text) if !version.as_ref().is_some_and(|old| is_same(old, &text)) => {
                    let failed = file.failure.as_ref().and_then(|it| it.text.as_ref());
                    let is_known = failed == Some(&text) && has_changed.is_empty();
                    let made = (!is_known).then(|| {
                        let new =
                            (self.read)(&loader, &text).map_err(PrefabFileProblem::Mistake)?;
                        let updated = replace(&new, old.as_deref(), &file.name, world)?;
                        Ok((Arc::new(new), updated.map(Arc::new)))
                    });
                    match made {
                        None => {}
                        Some(Err(problem)) => file.fail(Some(text), problem, version.is_none()),
                        Some(Ok((new, updated))) => {
                            file.failure = None;
                            // A file is read again if one before it has changed, whether or not it has copies of that.
                            let is_other = |it: &Arc<UpdatedCopies>| it.is_other_prefab();
                            if updated.as_ref().is_none_or(is_other) {
                                has_changed.insert(file.name.clone());
                            }
                            version = Some(PrefabVersion {
                                name: file.name.clone(),
                                text,
                                prefab: Some(new),
                            });
                            let updated = updated.filter(is_other);
                            after.reloads.extend(updated.map(|updated| PrefabReload {
                                name: file.name.clone(),
                                updated,
                            }));
                        }
                    }
                }
                Some(text) => {
                    file.failure.take_if(|failure| failure.text.is_some());
                    // The next comparison is of pointers.
                    if let Some(version) = &mut version {
                        version.text = text;
                    }
                }
                None => {}
            }
            if let Some(problem) = mistakes.remove(&file.name) {
                after.problems.push(file.error(problem));
            }
            if let Some(failure) = file.failure.as_ref().filter(|it| it.is_reported) {
                after.problems.push(failure.error.clone());
            }
            if let Some(prefab) = version.as_ref().and_then(|it| it.prefab.as_ref()) {
                add(&mut loader, &file.name, prefab);
            }
            after.versions.extend(version);
        }
        after
    }
}

/// Gives the copies of an old version the changes of the new one. The first version becomes known to the world, which can then
/// load saves with its types.
fn replace(
    new: &Prefab,
    old: Option<&Prefab>,
    name: &str,
    world: &mut World,
) -> Result<Option<UpdatedCopies>, PrefabFileProblem> {
    let Some(old) = old else {
        new.register(world);
        return Ok(None);
    };
    let updated = new.update_copies(name, old, world);
    updated.map(Some).map_err(PrefabFileProblem::NotUpdated)
}

/// Makes a prefab known to the files that follow. One whose values cannot be saved is unknown there.
fn add(loader: &mut Loader, name: &str, prefab: &Prefab) {
    if let Ok(with) = loader.clone().prefab(name, prefab) {
        *loader = with;
    }
}

fn is_same_list<T>(one: &[T], other: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same(one, other))
}

impl WatchedFile {
    /// Reads the file if it may be another one. A mistake that is still there is reported.
    fn look(&mut self) {
        self.read();
        if let Some(failure) = &mut self.failure
            && failure.text.is_some()
            && failure.text == self.text
        {
            failure.is_reported = true;
        }
    }

    fn read(&mut self) {
        let found = std::fs::metadata(&self.path);
        let seen = found.and_then(|found| Ok((found.modified()?, found.len())));
        let seen = seen.ok();
        if seen.is_some() && seen == self.seen {
            return;
        }
        // Clocks of file systems are coarse: another write may have the same time.
        let is_old = |(time, _): &(SystemTime, u64)| {
            time.elapsed().is_ok_and(|age| age > Duration::from_secs(2))
        };
        match std::fs::read_to_string(&self.path) {
            Ok(text) => {
                self.seen = seen.filter(is_old);
                if self.text.as_deref() != Some(&*text) {
                    self.text = Some(text.into());
                }
                let was_missing = self.failure.as_ref().is_some_and(|it| it.text.is_none());
                if was_missing {
                    self.failure = None;
                }
            }
            Err(error) => {
                self.seen = None;
                let known = self.failure.as_mut().filter(|it| it.text.is_none());
                match known {
                    Some(known) if known.is_unreadable_as(&error) => known.is_reported = true,
                    _ => {
                        let is_first = self.text.is_none();
                        self.fail(None, PrefabFileProblem::Unreadable(error), is_first);
                    }
                }
            }
        }
    }

    fn error(&self, problem: PrefabFileProblem) -> PrefabFileError {
        PrefabFileError {
            name: self.name.clone(),
            path: self.path.clone(),
            problem: Arc::new(problem),
        }
    }

    fn fail(&mut self, text: Option<Arc<str>>, problem: PrefabFileProblem, is_first: bool) {
        let before = self.failure.as_ref().filter(|it| it.text == text);
        let is_reported = is_first || before.is_some_and(|it| it.is_reported);
        self.failure = Some(FileFailure {
            text,
            error: self.error(problem),
            is_reported,
        });
    }
}

impl FileFailure {
    /// Returns true if the file could not be read for the same reason.
    fn is_unreadable_as(&self, error: &std::io::Error) -> bool {
        match &*self.error.problem {
            PrefabFileProblem::Unreadable(known) => known.kind() == error.kind(),
            _ => false,
        }
    }
}

impl Plugin for PrefabWatch {
    fn build(mut self, app: &mut App) {
        app.init_resource::<WatchedPrefabs>();
        app.world_mut().make_data_known(&WatchedPrefabs::DATA[0]);
        self.loader.register(app.world_mut());
        self.between_frames(app);
        app.between_frames(move |app| self.between_frames(app));
    }
}

impl fmt::Debug for PrefabWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter().map(|file| (&file.name, &file.path));
        f.debug_struct("PrefabWatch")
            .field("files", &files.collect::<Vec<_>>())
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
