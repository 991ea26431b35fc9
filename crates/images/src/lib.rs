//! Uploaded images: validates them, makes them in all documented sizes, and stores them in a folder or an S3 bucket.
//!
//! Begin at [`Images`]. The type of an image is read from its bytes, whatever the request says. Data that does not
//! decode, or would decode to more than [`PIXELS_MAX`], is rejected before anything is stored. When an upload returns,
//! the original and the small size exist; the other sizes of a large image are made in the background. A size that does
//! not exist when it is requested (because the process ended) is made then.
//!
//! **Invariant:** no HTTP; no name of a resource; decoding never runs on the threads that serve requests.

mod decode;
mod metadata;
mod name;
mod size;
mod store;

pub use decode::PIXELS_MAX;
pub use store::{AcceptedImage, IMAGE_BYTES_MAX, Images, StoreError, StoredImage};
