//! The real binary: its commands, its data folder, its end.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backup;
mod demo;
mod durability;
mod export;
mod harness;
mod import;
mod projects;
mod serve;
mod wire;
