//! Runs Java servers for tests: finds a Java that is new enough ([`Java`]), downloads the jars once from Maven Central,
//! checks and caches them ([`Jars`]), and starts a server from one Java source file ([`Program`]).

mod jars;
mod java;
mod program;

pub use jars::Jars;
pub use java::Java;
pub use program::{Program, RunningProgram};
