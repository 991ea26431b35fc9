//! The container image, from nothing: the binary, certificates, a user. A tar file that `docker load`, `podman load` and
//! `skopeo copy oci-archive:…` read.
//!
//! The format is a handful of JSON documents that name files by their checksums, so it is written here, by one program
//! and byte by byte the same.

use super::archive::{Archive, compress_gzip, sha256};
use super::step::Step;
use super::{Release, copy, create_folder, format_utc, recreate_folder, write};
use crate::run::root;
use kontor_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The user of the server, as in other images without users.
const USER: u64 = 65532;
/// The certificates of authorities, of this machine.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIGURATION: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    let Some(architecture) = release.platform.linux else {
        return Ok(Step::Skipped("images are for Linux".to_owned()));
    };
    if !release.is_portable {
        return Ok(Step::Skipped("the image has no C library, and this binary needs one".to_owned()));
    }
    if !Path::new(CERTIFICATES).exists() {
        return Ok(Step::Skipped(format!("{CERTIFICATES} is missing; install ca-certificates")));
    }
    let work = release.work.join("image");
    recreate_folder(&work)?;
    let blobs = Blobs { folder: work.join("blobs/sha256") };
    create_folder(&blobs.folder)?;
    let plain = write_layer(release, &work)?;
    let diff = sha256(&plain)?;
    let layer = blobs.add(&compress_gzip(&plain)?, LAYER)?;
    let configuration =
        blobs.add_json(&describe_configuration(release, architecture, &diff)?, CONFIGURATION)?;
    let manifest =
        json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": configuration, "layers": [layer]});
    let name = format!("kontor:{}", release.version);
    let mut listed = blobs.add_json(&manifest, MANIFEST)?;
    listed["platform"] = json!({"os": "linux", "architecture": architecture});
    listed["annotations"] = json!({
        "io.containerd.image.name": format!("docker.io/library/{name}"),
        "org.opencontainers.image.ref.name": release.version,
    });
    let index = json!({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [listed]});
    // Releases of Docker before 25 read this file.
    let path = |blob: &Value| blob["digest"].as_str().unwrap_or_default().replace(':', "/");
    let older = json!([{
        "Config": format!("blobs/{}", path(&configuration)),
        "RepoTags": [name],
        "Layers": [format!("blobs/{}", path(&layer))],
    }]);
    let file = format!("kontor-{}-image-{}.tar", release.version, release.platform.name);
    let mut archive = Archive::begin(&release.out.join(file), release.epoch)?;
    archive.text("oci-layout", 0o644, br#"{"imageLayoutVersion":"1.0.0"}"#)?;
    archive.text("index.json", 0o644, index.to_string().as_bytes())?;
    archive.text("manifest.json", 0o644, older.to_string().as_bytes())?;
    archive.folder("blobs", 0o755, 0)?;
    archive.folder("blobs/sha256", 0o755, 0)?;
    for blob in blobs.sorted_names()? {
        archive.file(&format!("blobs/sha256/{blob}"), 0o644, &blobs.folder.join(&blob))?;
    }
    archive.finish()?;
    Ok(Step::Done)
}

/// Writes the file system of the image.
fn write_layer(release: &Release, work: &Path) -> Result<PathBuf, String> {
    let mut archive = Archive::begin(&work.join("layer.tar"), release.epoch)?;
    for folder in ["etc", "etc/ssl", "etc/ssl/certs", "usr", "usr/bin", "usr/share", "usr/share/doc"] {
        archive.folder(folder, 0o755, 0)?;
    }
    archive.folder("usr/share/doc/kontor", 0o755, 0)?;
    archive.folder("tmp", 0o1777, 0)?;
    archive.folder("var", 0o755, 0)?;
    archive.folder("var/lib", 0o755, 0)?;
    archive.folder("var/lib/kontor", 0o700, USER)?;
    archive.file("usr/bin/kontor", 0o755, &release.binary)?;
    archive.file("etc/ssl/certs/ca-certificates.crt", 0o644, Path::new(CERTIFICATES))?;
    let user = format!(
        "root:x:0:0:root:/:/nonexistent\nkontor:x:{USER}:{USER}:Kontor:/var/lib/kontor:/nonexistent\n"
    );
    archive.text("etc/passwd", 0o644, user.as_bytes())?;
    archive.text("etc/group", 0o644, format!("root:x:0:\nkontor:x:{USER}:\n").as_bytes())?;
    archive.file("usr/share/doc/kontor/LICENSE", 0o644, &root().join("LICENSE"))?;
    if let Some(sbom) = &release.sbom {
        archive.file("usr/share/doc/kontor/kontor.cdx.json", 0o644, sbom)?;
    }
    archive.finish()
}

/// How the image is run.
fn describe_configuration(release: &Release, architecture: &str, diff: &str) -> Result<Value, String> {
    let created = format_utc(release.epoch)?;
    Ok(json!({
        "architecture": architecture,
        "os": "linux",
        "created": created,
        "config": {
            "User": format!("{USER}:{USER}"),
            // Loopback is not reachable from outside a container, so the server listens on all addresses.
            "Env": ["PATH=/usr/bin", "KONTOR_LISTEN=0.0.0.0:8989", "KONTOR_DATA=/var/lib/kontor/data"],
            "Entrypoint": ["/usr/bin/kontor"],
            "Cmd": ["serve"],
            "WorkingDir": "/var/lib/kontor",
            "ExposedPorts": {"8989/tcp": {}},
            "Volumes": {"/var/lib/kontor": {}},
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/kontor", "health"],
                "Interval": 5_000_000_000_i64,
                "Timeout": 6_000_000_000_i64,
                "StartPeriod": 60_000_000_000_i64,
            },
            "Labels": {
                "org.opencontainers.image.title": "kontor",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{diff}")]},
        "history": [{"created": created, "created_by": "cargo xtask dist"}],
    }))
}

/// The blobs of an image: files that are named by their checksums.
struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    /// Copies a file, and returns its description.
    fn add(&self, file: &Path, kind: &str) -> Result<Value, String> {
        let digits = sha256(file)?;
        let blob = self.folder.join(&digits);
        copy(file, &blob)?;
        let length = fs::metadata(&blob).map_err(|error| format!("{}: {error}", blob.display()))?.len();
        Ok(json!({"mediaType": kind, "digest": format!("sha256:{digits}"), "size": length}))
    }

    fn add_json(&self, value: &Value, kind: &str) -> Result<Value, String> {
        let file = self.folder.with_file_name("document.json");
        write(&file, value.to_string().as_bytes())?;
        self.add(&file, kind)
    }

    /// The names of all blobs, sorted.
    fn sorted_names(&self) -> Result<Vec<String>, String> {
        let entries =
            fs::read_dir(&self.folder).map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }
}
