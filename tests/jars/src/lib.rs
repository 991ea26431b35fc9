//! What tests need for servers that run on Java: a Java that is new enough, and their jars, which are downloaded once from Maven Central,
//! checked, and kept.

mod jars;
mod java;

pub use jars::Jars;
pub use java::Java;
