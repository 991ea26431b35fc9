//! The platforms that artifacts are made for, and their names in each packaging system.

/// A platform.
pub(crate) struct TargetPlatform {
    /// The name in files, and of the npm package `@kontor/NAME`.
    pub(crate) name: &'static str,
    /// The target of the compiler.
    pub(crate) triple: &'static str,
    /// `os` and `cpu` of npm.
    pub(crate) npm: [&'static str; 2],
    /// The tag of Python wheels.
    pub(crate) wheel: &'static str,
    /// The architecture of Debian's packages, which images and nfpm use as well; none where there are no such packages.
    pub(crate) linux: Option<&'static str>,
}

/// Only the first platform was ever built and tested; the others are for `.github/workflows/release.yml`.
pub(crate) const PLATFORMS: &[TargetPlatform] = &[
    TargetPlatform {
        name: "linux-x64",
        triple: "x86_64-unknown-linux-musl",
        npm: ["linux", "x64"],
        wheel: "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        linux: Some("amd64"),
    },
    TargetPlatform {
        name: "linux-arm64",
        triple: "aarch64-unknown-linux-musl",
        npm: ["linux", "arm64"],
        wheel: "py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        linux: Some("arm64"),
    },
    TargetPlatform {
        name: "darwin-arm64",
        triple: "aarch64-apple-darwin",
        npm: ["darwin", "arm64"],
        wheel: "py3-none-macosx_11_0_arm64",
        linux: None,
    },
    TargetPlatform {
        name: "darwin-x64",
        triple: "x86_64-apple-darwin",
        npm: ["darwin", "x64"],
        wheel: "py3-none-macosx_10_12_x86_64",
        linux: None,
    },
];
