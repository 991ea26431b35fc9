//! Images that were uploaded: checked, made in all documented sizes, and kept where the operator wants them.
//!
//! Start at [`Images`]. An image is taken by its bytes, whatever was said of them; what does not decode, or would
//! decode to more than [`PIXELS_MAX`], is refused before anything is kept. The original and the small size are there
//! when an upload is answered; of a large image the others follow. A size that is not there when it is asked for (the
//! process ended before it was made) is made then.
//!
//! **Invariant:** no HTTP; no name of a resource; decoding never runs on the threads that serve requests.

mod decode;
mod metadata;
mod name;
mod size;
mod store;

pub use decode::PIXELS_MAX;
pub use store::{Accepted, IMAGE_BYTES_MAX, Images, Kept, StoreError};
