//! Checks that packing the same binary again, in other folders, gives the same bytes.

use super::{Installation, create_subfolder};
use crate::dist::archive::sha256;
use crate::dist::step::Step;
use crate::dist::sums::{list_files, write_sums};
use crate::dist::tools::Tools;
use crate::dist::{Release, copy, pack_all};

pub(super) fn check(installation: &Installation) -> Result<Step, String> {
    let first = installation.release;
    let binary = create_subfolder(&installation.folder, "binary")?.join("kontor");
    copy(&first.binary, &binary)?;
    let second = Release {
        version: first.version.clone(),
        platform: first.platform,
        epoch: first.epoch,
        binary,
        is_portable: first.is_portable,
        debug: first.debug.clone(),
        sbom: first.sbom.clone(),
        out: create_subfolder(&installation.folder, "out")?,
        work: create_subfolder(&installation.folder, "work")?,
        tools: Tools::new(first.tools.folder().to_owned()),
    };
    pack_all(&second)?;
    write_sums(&second.out)?;
    let mut differences = Vec::new();
    for file in list_files(&first.out)? {
        let again = second.out.join(&file);
        // The list of dependencies is an input here, and a signature has a time.
        let is_expected =
            again.exists() || file.extension().is_some_and(|kind| kind == "json" || kind == "minisig");
        if !is_expected || (again.exists() && sha256(&again)? != sha256(&first.out.join(&file))?) {
            differences.push(file.display().to_string());
        }
    }
    if differences.is_empty() {
        Ok(Step::Done)
    } else {
        Err(format!("these differ: {}", differences.join(", ")))
    }
}
