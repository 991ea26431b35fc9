//! The HTTP client for requests that settings of projects cause (webhooks, callbacks, introspection):
//! restricted addresses, timeouts, limited response sizes.
//!
//! Start at [`Outbound`]. One per server is enough: it reuses connections.
//!
//! **Invariant:** nothing is sent to an address that [`Destinations`] does not allow, whatever name leads
//! there; redirects are returned and not followed.

mod delivery_log;
mod destinations;
mod faults;
mod outbound;

pub use delivery_log::{
    DELIVERY_LOG_LIMITS, DELIVERY_LOG_LIMITS_OF_TESTS, DeliveryAttempt, DeliveryLog, DeliveryLogLimits,
    KeptBody, LoggedDelivery, ResourceName,
};
pub use destinations::Destinations;
pub use faults::{OutboundFault, OutboundFaults};
pub use outbound::{
    CORRELATION_ID, Outbound, OutboundConnection, OutboundError, OutboundRequest, OutboundResponse,
};
