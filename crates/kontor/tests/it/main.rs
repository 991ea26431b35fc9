//! The real binary: its commands, its data folder, its end.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod agree;
mod aws;
mod backup;
mod clouds;
mod demo;
mod durability;
mod export;
mod extensions;
mod external_oauth;
mod figures;
mod guessing;
mod harness;
mod import;
mod imports;
mod in_store_application;
mod limits;
mod missing_files;
mod moto;
mod ordering;
mod peer;
mod projects;
mod races;
mod remote;
mod searching;
mod secrets;
mod serve;
mod sessions;
mod several;
mod strict;
mod subscriptions;
mod test_controls;
mod traces;
mod wire;
