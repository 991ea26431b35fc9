//! `kontor backup`: everything in one file, while the server goes on serving.
//!
//! What is in the file is said by [`crate::archive`].

use crate::archive::IMAGES_ELSEWHERE;
use crate::arguments::BackupArguments;
use crate::operator::{self, Operator};
use crate::private::OWNER_ONLY;
use crate::synced_folders::sync_folder_of;
use anyhow::{Context as _, bail};
use axum::http::Method;
use http_body_util::BodyExt as _;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Writes a backup.
pub(crate) fn run(arguments: BackupArguments) -> anyhow::Result<()> {
    operator::run(async move {
        let to = &arguments.file;
        if to.exists() {
            bail!("{} is there already", to.display());
        }
        let operator = Operator::reach(&arguments.data, false).await?;
        let mut partial = to.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let written = fetch(&operator, &partial).await.and_then(|elsewhere| {
            fs::rename(&partial, to)?;
            sync_folder_of(to)?;
            Ok((fs::metadata(to)?.len(), elsewhere))
        });
        if written.is_err() {
            // What is left of it is of no use, and the failure is told anyway.
            let _ = fs::remove_file(&partial);
        }
        let (bytes, elsewhere) = written.with_context(|| format!("{} could not be written", to.display()))?;
        writeln!(io::stdout(), "{} written, {bytes} bytes", to.display())?;
        if let Some(bucket) = elsewhere {
            writeln!(
                io::stdout(),
                "uploaded images are in {bucket} and not in this file: back up the bucket too"
            )?;
        }
        Ok(())
    })
}

/// What the server says of a backup that broke off.
async fn why_it_broke_off(operator: &Operator) -> String {
    let said = operator.send(Method::GET, "/_operator/backup", None).await;
    let why = said.ok().and_then(|reply| reply.body["failure"].as_str().map(str::to_owned));
    why.unwrap_or_else(|| "the backup broke off".to_owned())
}

/// Writes the answer of the server. Answers where images are that are not in it.
async fn fetch(operator: &Operator, to: &Path) -> anyhow::Result<Option<String>> {
    let answer = operator.stream(Method::POST, "/_operator/backup", None).await?;
    let elsewhere = answer.headers().get(IMAGES_ELSEWHERE).and_then(|place| place.to_str().ok());
    let elsewhere = elsewhere.map(str::to_owned);
    let mut body = answer.into_body();
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY).open(to)?;
    let mut file = BufWriter::new(file);
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { bail!(why_it_broke_off(operator).await) };
        if let Ok(data) = frame.into_data() {
            file.write_all(&data)?;
        }
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok(elsewhere)
}
