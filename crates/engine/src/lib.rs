//! The engine: creates, reads, changes and deletes documents of every kind of the model.
//!
//! Start at [`Shop`], one running project. A change takes the same way for each kind: the body is validated against
//! the model, [`convert`]ed, changed by [`verb`]s or by the Rust of a [`Behaviour`], settled once, and submitted to
//! the storage as one commit, with everything it relied on as preconditions.
//!
//! **Invariant:** no HTTP, and no name of a resource type; what is special about one is in its behaviour.

mod acting;
mod actions;
mod address;
mod ahead;
mod asked;
mod asking;
mod asks;
mod associate;
mod attempt;
mod attendant;
mod authored;
mod behaviour;
mod bounds;
mod bulk;
mod caller;
mod catching_up;
mod change;
mod choices;
mod claims;
mod clock;
mod convert;
mod create;
mod custom;
mod delete;
mod derivation;
mod derive;
pub mod document;
mod due;
mod effects;
mod emit;
mod end_sessions;
mod endpoint;
mod ends_at;
mod erasure;
mod expand;
mod expiry;
mod failed_action;
mod failure;
mod found_kinds;
mod gathered_rows;
mod identifiers;
mod index_layout;
mod index_rows;
mod index_tuning;
mod kept;
mod large;
mod left_work;
mod limit;
mod list;
mod list_below;
mod looked;
mod masked;
mod matching;
mod memory;
mod my_units;
mod notifications;
mod opening;
mod parsed;
mod pending;
mod personal;
mod project;
mod read;
mod read_actions;
mod read_ahead;
mod recording;
mod reference_scope;
mod refusal;
mod refused;
mod restarted;
mod rules;
mod rules_of_shop;
mod sealing;
mod searchable;
mod secret;
mod sender;
mod serving;
mod sessions;
mod shop;
mod shops;
mod show;
mod side;
mod side_read;
mod sight;
mod staged;
mod stamp;
mod standing;
mod stored_documents;
mod taken_as_empty;
mod tells;
mod together;
pub mod trial;
mod turns;
mod update;
mod used;
mod verb;
mod whole;
mod worked_out;
mod write;

pub use acting::{Acting, ActionHandler, Became, Due};
pub use address::Address;
pub use asked::{Answering, Asked, AskedAt, Question};
pub use asks::{Asks, Proposed};
pub use associate::Wanted;
pub use attendant::Attendant;
pub use behaviour::{Behaviour, Behaviours, Completion};
pub use bounds::{AsAssociate, Asker, Bounds};
pub use caller::Caller;
pub use choices::Choices;
pub use claims::Claim;
pub use clock::{Clock, format_time};
pub use delete::Deletion;
pub use derivation::{Dependents, Derivation, Fate, Hop, Sources, When};
pub use derive::RETRY_PERIOD;
pub use document::Document;
pub use effects::Effects;
pub use endpoint::Served;
pub use failure::storage_failure;
pub use gathered_rows::gathered_rows;
pub use index_layout::{INDEX_LAYOUTS, index_layouts};
pub use index_tuning::{IndexTuning, LATE_PATHS, Tuned};
pub use kept::Kept;
pub use large::LARGE_BYTES_MIN;
pub use limit::{Limit, SEARCH_TEXT_CHARS_MAX};
pub use list::{FILTERED_TOTAL_MAX, ListRequest, Listed, PlannedList};
pub use masked::MASK;
pub use memory::{MemoryBudget, ResponseMeter};
pub use notifications::{MESSAGE_NOTIFICATION, NOTIFICATION, Notification, tells};
pub use read_ahead::ReadAhead;
pub use recording::{Recorded, Recording};
pub use reference_scope::{ReferenceRights, ReferenceScope, Whose};
pub use refused::Refused;
pub use restarted::spawn_restarted;
pub use rules::{Documents, Found, Rules, Target};
pub use searchable::{Holdings, Searchable};
pub use sender::{Sender, Sends};
pub use serving::{EndpointHandler, Matching, Meant, Proof, Reply, Serving};
pub use sessions::Sessions;
pub use shop::{Shop, Written};
pub use shops::{Shops, Storages, unknown_project};
pub use sight::Sight;
pub use staged::Staged;
pub use standing::AllOfKind;
pub use tells::{Happened, Tells, ToTell};
pub use turns::{Turn, Turns};
pub use used::Used;
pub use write::{DOCUMENT_BYTES_MAX, MESSAGES_BYTES_MAX, PART_SEPARATOR, messages_too_large};

/// The types of the storage that behaviours need for commits; they have no other access to the storage.
pub use kontor_storage::{IndexValue, Precondition, Put, UniqueKey, Write};

/// Conversion of sent values to stored ones, for action handlers that place a part themselves.
pub mod conversion {
    pub use crate::convert::{element_of, object, value_of};
    pub use crate::custom::{
        from_draft as custom_fields, money as money_value, reference as reference_value,
        set_field as set_custom_field, shaped as shaped_value,
    };
}
