//! `kontor backup`: writes all data into one file, also while a server runs.
//!
//! The server streams the archive ([`crate::archive`] describes its format); this command saves it.

use crate::archive::IMAGES_ELSEWHERE;
use crate::arguments::BackupArguments;
use crate::operator::{self, OperatorConnection};
use crate::private_files::OWNER_ONLY;
use crate::synced_folders::sync_folder_of;
use anyhow::{Context as _, bail};
use axum::http::Method;
use http_body_util::BodyExt as _;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The file name that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// Runs the command: writes to `FILE.partial`, then renames it. Fails if the file exists.
pub(crate) fn run(arguments: BackupArguments) -> anyhow::Result<()> {
    operator::run_command(async move {
        let to = &arguments.file;
        if to == Path::new(STANDARD_OUTPUT) {
            return write_to_standard_output(&arguments).await;
        }
        if to.exists() {
            bail!("{} exists already", to.display());
        }
        let mut partial = to.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        // Opened first, so that an unwritable path fails before all data is read.
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY).open(&partial);
        let file = file.with_context(|| format!("{} cannot be written", to.display()))?;
        let written = async {
            let operator = OperatorConnection::connect(&arguments.data, false).await?;
            let mut file = BufWriter::new(file);
            let elsewhere = fetch(&operator, &mut file).await?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&partial, to)?;
            sync_folder_of(to)?;
            Ok::<_, anyhow::Error>((fs::metadata(to)?.len(), elsewhere))
        };
        let written = written.await;
        if written.is_err() {
            // The partial file is useless. The original error is reported, whether or not this works.
            let _ = fs::remove_file(&partial);
        }
        let (bytes, elsewhere) = written.with_context(|| format!("{} could not be written", to.display()))?;
        writeln!(io::stdout(), "{} written, {bytes} bytes", to.display())?;
        elsewhere
            .iter()
            .try_for_each(|bucket| writeln!(io::stdout(), "{}", images_elsewhere_notice(bucket)))?;
        Ok(())
    })
}

/// Returns the server's reason for a backup that ended early.
async fn failure_reason(operator: &OperatorConnection) -> String {
    let said = operator.send(Method::GET, "/_operator/backup", None).await;
    let why = said.ok().and_then(|reply| reply.body["failure"].as_str().map(str::to_owned));
    why.unwrap_or_else(|| "the backup failed while it was sent".to_owned())
}

/// Writes a backup to standard output, e.g. for `ssh` or an encryption program. Messages go to standard error.
async fn write_to_standard_output(arguments: &BackupArguments) -> anyhow::Result<()> {
    let out = io::stdout();
    if out.is_terminal() {
        bail!("a backup is binary: redirect standard output to a file or a program");
    }
    let operator = OperatorConnection::connect(&arguments.data, false).await?;
    let mut out = BufWriter::new(out);
    let elsewhere = fetch(&operator, &mut out).await.and_then(|elsewhere| {
        out.flush()?;
        Ok(elsewhere)
    });
    let elsewhere = elsewhere.context("the backup could not be written: discard the partial output")?;
    elsewhere.iter().for_each(|bucket| eprintln!("{}", images_elsewhere_notice(bucket)));
    Ok(())
}

fn images_elsewhere_notice(bucket: &str) -> String {
    format!("uploaded images are in {bucket} and not in this file: back up the bucket too")
}

/// Writes the response body of the server to `to`. Returns the URL of the bucket of images that are not in the backup.
async fn fetch(operator: &OperatorConnection, to: &mut impl io::Write) -> anyhow::Result<Option<String>> {
    let response = operator.stream(Method::POST, "/_operator/backup", None).await?;
    let elsewhere = response.headers().get(IMAGES_ELSEWHERE).and_then(|place| place.to_str().ok());
    let elsewhere = elsewhere.map(str::to_owned);
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { bail!(failure_reason(operator).await) };
        if let Ok(data) = frame.into_data() {
            to.write_all(&data)?;
        }
    }
    Ok(elsewhere)
}
