//! The steps of a move in order: copy, follow, switch. Start at [`run`].

use super::following_copy::FollowingCopy;
use super::move_protocol::{MoveProgressSender, MoveRequest};
use super::move_source::{self, BlockedSource, project_rows};
use super::move_target::MoveTarget;
use crate::data_folder::IMAGES;
use crate::platform::Platform;
use anyhow::{Context as _, bail};
use kontor_auth::store::SystemContents;
use kontor_http::Server;
use kontor_images::Images;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// If all projects catch up within this time, writers can be blocked for the rest.
const NEAR: Duration = Duration::from_millis(250);
/// How many rounds of catching up are made before the move is given up.
const ROUNDS_MAX: usize = 1_000;
/// How long writers may be blocked; after that they continue, and the switch is retried.
const HELD_MAX: Duration = Duration::from_secs(5);
/// How often the switch is tried.
const SWITCHES_MAX: usize = 5;

/// Moves all projects, or completes an interrupted move.
pub(crate) fn run(
    platform: &Platform,
    server: &Server,
    handle: &Handle,
    requested: &MoveRequest,
    tell: &MoveProgressSender,
) -> anyhow::Result<()> {
    let target = MoveTarget::open(&requested.to)?;
    if platform.database().is_none() && matches!(target, MoveTarget::Folder { .. }) {
        bail!("projects in a data folder are moved with the folder: stop the server and rename it");
    }
    if let Some(to) = move_source::moved_to(&platform.folder, platform.database())? {
        return complete_interrupted(platform, target, &to, tell);
    }
    target.prepare()?;
    let parts = platform.folder.create_backup_parts()?;
    let images = ImageCopy::for_request(requested, &target)?;
    let mut moving = MoveRun {
        platform,
        server,
        handle,
        tell,
        target,
        parts,
        projects: BTreeMap::new(),
        system: SystemContents::default(),
        images,
    };
    moving.copy()?;
    let held_for = moving.switch()?;
    let MoveRun { target, mut images, .. } = moving;
    let name = target.name();
    // The move is done, whether or not the command still reads.
    let _ = tell.send_text(format!("moved to {name}; writes were refused for {} ms", held_for.as_millis()));
    if let Err(error) = images.copy(handle) {
        bail!("everything has moved except images of the last moments: copy the missing images. {error:#}");
    }
    let _ = tell.send_text(images.summary());
    Ok(())
}

/// Completes a move that was interrupted after the old place was marked as moved.
fn complete_interrupted(
    platform: &Platform,
    target: MoveTarget,
    to: &str,
    tell: &MoveProgressSender,
) -> anyhow::Result<()> {
    let name = target.name();
    if name != to {
        bail!("the projects have moved to {to} already, and not to {name}");
    }
    let Some(target) = target.interrupted_move()? else {
        return tell.send_text(format!("everything has moved to {to} already"));
    };
    target.take_over(&project_rows(platform))?;
    tell.send_text(format!("moved to {to}: an earlier move was interrupted, and is complete now"))
}

struct MoveRun<'m> {
    platform: &'m Platform,
    server: &'m Server,
    handle: &'m Handle,
    tell: &'m MoveProgressSender,
    target: MoveTarget,
    /// The folder for temporary files.
    parts: TempDir,
    projects: BTreeMap<String, FollowingCopy>,
    /// API clients and tokens as of the last copy.
    system: SystemContents,
    images: ImageCopy,
}

impl MoveRun<'_> {
    /// Copies everything, and follows changes until the copies are nearly up to date.
    fn copy(&mut self) -> anyhow::Result<()> {
        self.follow_system()?;
        self.images.copy(self.handle)?;
        for round in 0..ROUNDS_MAX {
            let begun = Instant::now();
            let (is_new, followed) = (self.begin_new()?, self.follow()?);
            if round == 0 {
                self.tell.send_text(format!("copied, following: projects: {}", self.projects.len()))?;
            }
            if !is_new && begun.elapsed() < NEAR {
                self.follow_system()?;
                self.images.copy(self.handle)?;
                return Ok(());
            }
            self.tell
                .send_text(format!("followed {followed} changes in {} ms", begun.elapsed().as_millis()))?;
        }
        bail!("changes come faster than they can be copied: nothing has moved")
    }

    /// Starts copies of new projects and drops those of removed ones. Returns whether there were any of either.
    fn begin_new(&mut self) -> anyhow::Result<bool> {
        self.handle.block_on(self.platform.auth.catch_up())?;
        let keys: HashSet<String> = project_rows(self.platform).into_iter().map(|row| row.key).collect();
        let gone: Vec<String> = self.projects.keys().filter(|key| !keys.contains(*key)).cloned().collect();
        for key in &gone {
            self.projects.remove(key);
            self.target.remove_copy(key)?;
        }
        let mut is_new = !gone.is_empty();
        for key in keys {
            if self.projects.contains_key(&key) {
                continue;
            }
            is_new = true;
            let shop = self.handle.block_on(self.server.shop(&key));
            let shop = shop.map_err(|error| anyhow::anyhow!("project '{key}': {}", error.message()))?;
            self.tell.send_text(format!("copying project '{key}'"))?;
            let following = FollowingCopy::start(&shop, &self.target, self.parts.path())?;
            self.projects.insert(key, following);
        }
        Ok(is_new)
    }

    fn follow(&mut self) -> anyhow::Result<usize> {
        let MoveRun { target, parts, projects, .. } = self;
        projects.values_mut().map(|following| following.follow(target, parts.path())).sum()
    }

    fn follow_system(&mut self) -> anyhow::Result<()> {
        let file = self.parts.path().join("system.db");
        let now = self.platform.auth.contents(&file)?;
        std::fs::remove_file(&file)?;
        self.target.follow_system(&self.system, &now)?;
        self.system = now;
        Ok(())
    }

    /// Blocks writers, applies the last changes, and switches to the new place. Returns how long writes were blocked.
    fn switch(&mut self) -> anyhow::Result<Duration> {
        let (to, from) =
            (self.target.name(), move_source::place_name(&self.platform.folder, self.platform.database()));
        for _ in 0..SWITCHES_MAX {
            let begun = Instant::now();
            let held = BlockedSource::take(self.platform, self.projects.values(), &to, self.handle)?;
            self.handle.block_on(self.platform.auth.catch_up())?;
            let rows = project_rows(self.platform);
            let is_same = rows.len() == self.projects.len()
                && rows.iter().all(|row| self.projects.contains_key(&row.key));
            if is_same {
                self.follow()?;
                self.follow_system()?;
            }
            if !is_same || begun.elapsed() > HELD_MAX {
                drop(held);
                self.tell.send_text(
                    "blocking writes took too long, or the list of projects has changed: following again",
                )?;
                self.begin_new()?;
                self.follow()?;
                continue;
            }
            for following in std::mem::take(&mut self.projects).into_values() {
                following.finish()?;
            }
            self.target.mark_ready(&from, &self.system)?;
            held.end_moved(&to).with_context(|| {
                format!("it is unknown whether everything has moved to {to}: run the command again to complete the \
                     move")
            })?;
            self.target.take_over(&rows).with_context(|| {
                format!(
                    "{from} is marked as moved, and {to} could not take over: run the command again to complete \
                     the move"
                )
            })?;
            return Ok(begun.elapsed());
        }
        bail!("writes could not be blocked for less than {} s: nothing has moved", HELD_MAX.as_secs())
    }
}

/// The uploaded images, and the place they are copied to.
struct ImageCopy {
    from: Option<Images>,
    to: Option<Images>,
    /// The names of the images that are copied already.
    copied: HashSet<String>,
    folder: String,
}

impl ImageCopy {
    fn for_request(request: &MoveRequest, target: &MoveTarget) -> anyhow::Result<Self> {
        let folder = Path::new(&request.data).join(IMAGES);
        let from = if folder.is_dir() { Some(Images::in_folder(&folder)?) } else { None };
        let to = target.images(request.image_store.as_deref())?;
        Ok(ImageCopy { from, to, copied: HashSet::new(), folder: folder.display().to_string() })
    }

    /// Copies the images that are not copied yet.
    fn copy(&mut self, handle: &Handle) -> anyhow::Result<()> {
        let (Some(from), Some(to)) = (&self.from, &self.to) else { return Ok(()) };
        let copied = handle.block_on(from.copy_to(to, &mut self.copied));
        copied.map_err(|error| anyhow::anyhow!("images cannot be copied: {}", error.message()))
    }

    fn summary(&self) -> String {
        match (&self.from, &self.to) {
            (None, _) => {
                format!("there are no uploaded images in {}: images in a bucket stay there", self.folder)
            }
            (Some(_), None) => format!(
                "uploaded images are in {} as before: several servers need them in a bucket (--to-image-store)",
                self.folder
            ),
            (Some(_), Some(_)) => format!("image files copied: {}", self.copied.len()),
        }
    }
}
