//! What tests need for servers that run on Java: a Java that is new enough, and their jars, which are downloaded once from Maven Central,
//! checked, and kept. Each is started by a file of Java.

mod jars;
mod java;
mod program;

pub use jars::Jars;
pub use java::Java;
pub use program::{Program, Running};
