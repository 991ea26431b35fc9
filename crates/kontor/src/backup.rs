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
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Writes a backup.
pub(crate) fn run(arguments: BackupArguments) -> anyhow::Result<()> {
    operator::run(async move {
        let to = &arguments.file;
        if to == Path::new(STANDARD_OUTPUT) {
            return to_standard_output(&arguments).await;
        }
        if to.exists() {
            bail!("{} is there already", to.display());
        }
        let mut partial = to.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        // First: a place that cannot be written to is no reason to read everything.
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY).open(&partial);
        let file = file.with_context(|| format!("{} cannot be written", to.display()))?;
        let written = async {
            let operator = Operator::reach(&arguments.data, false).await?;
            let mut file = BufWriter::new(file);
            let elsewhere = fetch(&operator, &mut file).await?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&partial, to)?;
            sync_folder_of(to)?;
            Ok::<_, anyhow::Error>((fs::metadata(to)?.len(), elsewhere))
        };
        let written = written.await;
        if written.is_err() {
            // What is left of it is of no use, and the failure is told anyway.
            let _ = fs::remove_file(&partial);
        }
        let (bytes, elsewhere) = written.with_context(|| format!("{} could not be written", to.display()))?;
        writeln!(io::stdout(), "{} written, {bytes} bytes", to.display())?;
        elsewhere.iter().try_for_each(|bucket| writeln!(io::stdout(), "{}", not_in_it(bucket)))?;
        Ok(())
    })
}

/// What the server says of a backup that broke off.
async fn why_it_broke_off(operator: &Operator) -> String {
    let said = operator.send(Method::GET, "/_operator/backup", None).await;
    let why = said.ok().and_then(|reply| reply.body["failure"].as_str().map(str::to_owned));
    why.unwrap_or_else(|| "the backup broke off".to_owned())
}

/// Writes a backup to standard output, for example to `ssh` or to a program that encrypts it. Messages go to standard error.
async fn to_standard_output(arguments: &BackupArguments) -> anyhow::Result<()> {
    let out = io::stdout();
    if out.is_terminal() {
        bail!("a backup is no text: send standard output to a file or a program");
    }
    let operator = Operator::reach(&arguments.data, false).await?;
    let mut out = BufWriter::new(out);
    let elsewhere = fetch(&operator, &mut out).await.and_then(|elsewhere| {
        out.flush()?;
        Ok(elsewhere)
    });
    let elsewhere =
        elsewhere.context("the backup could not be written: what was written of it is of no use")?;
    elsewhere.iter().for_each(|bucket| eprintln!("{}", not_in_it(bucket)));
    Ok(())
}

fn not_in_it(bucket: &str) -> String {
    format!("uploaded images are in {bucket} and not in this file: back up the bucket too")
}

/// Writes the answer of the server. Answers where images are that are not in it.
async fn fetch(operator: &Operator, to: &mut impl io::Write) -> anyhow::Result<Option<String>> {
    let answer = operator.stream(Method::POST, "/_operator/backup", None).await?;
    let elsewhere = answer.headers().get(IMAGES_ELSEWHERE).and_then(|place| place.to_str().ok());
    let elsewhere = elsewhere.map(str::to_owned);
    let mut body = answer.into_body();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { bail!(why_it_broke_off(operator).await) };
        if let Ok(data) = frame.into_data() {
            to.write_all(&data)?;
        }
    }
    Ok(elsewhere)
}
