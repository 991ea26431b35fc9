//! The engine: creates, reads, changes and deletes documents of every kind of the model.
//!
//! Start at [`Shop`], one running project. A change takes the same way for each kind: the body is validated against
//! the model, [`convert`]ed, changed by [`verb`]s or by the Rust of a [`Behaviour`], settled once, and submitted to
//! the storage as one commit, with everything it relied on as preconditions.
//!
//! **Invariant:** no HTTP, and no name of a resource type; what is special about one is in its behaviour.

mod absent_fields;
mod access_scope;
mod action_context;
mod action_parser;
mod actions;
mod address;
mod associate;
mod background_service;
mod background_task;
mod batch_rendering;
mod behaviour;
mod body_memory;
mod bulk;
mod bulk_commit;
mod caller;
mod catch_up;
mod catch_up_state;
mod change;
mod change_metadata;
mod change_recorder;
mod child_list;
mod choices;
mod claims;
mod clock;
mod commit_retry;
mod convert;
mod create;
mod custom;
mod customer_tokens;
mod deferrable_indexes;
mod delete;
mod derivation;
mod derivation_queue;
mod derive;
mod derived_cache;
pub mod document;
mod document_import;
mod document_reads;
mod document_writes;
mod due_changes;
mod effect_writes;
mod effects;
mod endpoint;
mod endpoint_context;
mod erasure;
mod erasure_listener;
mod event_policy;
mod expansion;
mod expiry;
mod extension_client;
mod extension_policy;
mod failed_action;
mod identifiers;
mod index_layout;
mod index_rows;
mod index_tuning;
mod large_documents;
mod limit;
mod limit_use;
mod list;
mod list_endpoint;
mod masking;
mod memory_budget;
mod message_fields;
mod missing_field_log;
mod my_units;
mod non_empty_kinds;
mod notification_queue;
mod opening;
mod parsed_document_cache;
mod pending_messages;
mod personal_data;
mod pre_commit_hooks;
mod prefetch_plan;
mod prefetched_documents;
mod project;
mod project_overrides;
mod projected_document;
mod reference_scope;
mod refusal;
mod refusal_reason;
mod resident_documents;
mod restarting_task;
mod rules;
mod scope_stamp;
mod sealing;
mod searchable;
mod secret;
mod sender;
mod shop;
mod shop_rules;
mod shops;
mod shown_in_part;
mod side_parser;
mod slow_request_limiter;
mod staged_result;
mod storage_error;
mod stored_documents;
mod time_rows;
mod token_revocation;
pub mod trial;
mod update;
mod verb;
mod view_options;

pub use access_scope::{AccessScope, ActingAssociate, Principal};
pub use action_context::{
    ActionContext, ActionHandler, DueOutcome, DueRule, TaskProgress, TaskStep, ValueCompletion,
};
pub use address::Address;
pub use associate::RequiredPermission;
pub use background_service::BackgroundService;
pub use behaviour::{Behaviour, Behaviours};
pub use body_memory::meter_body;
pub use caller::{Caller, IMPORT};
pub use change_recorder::{ChangeRecorder, RecordedChange};
pub use choices::{Choice, Choices};
pub use claims::Claim;
pub use clock::{ShopClock, format_time};
pub use create::PreservedMetadata;
pub use customer_tokens::CustomerTokens;
pub use deferrable_indexes::deferrable_indexes;
pub use delete::DeleteOptions;
pub use derivation::{ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome, Hop};
pub use derive::RETRY_PERIOD;
pub use document::Document;
pub use document_writes::{DOCUMENT_BYTES_MAX, MESSAGES_BYTES_MAX, PART_SEPARATOR, messages_too_large};
pub use effects::Effects;
pub use endpoint::{EndpointResponse, VerifiedSecret};
pub use endpoint_context::{
    EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, ListEndpointHandler, SecretProof,
};
pub use erasure_listener::ErasureListener;
pub use event_policy::{ChangeEvent, EventPolicy, NewNotification};
pub use extension_client::{CallFuture, CallTarget, ExtensionCall, ExtensionClient};
pub use extension_policy::{ExtensionPolicy, ProposedChange};
pub use index_layout::{INDEX_LAYOUTS, index_layouts};
pub use index_tuning::{DEFERRED_PATHS, IndexProperty, IndexTuning};
pub use large_documents::LARGE_BYTES_MIN;
pub use limit::{Limit, SEARCH_TEXT_CHARS_MAX};
pub use limit_use::LimitUse;
pub use list::{FILTERED_TOTAL_MAX, ListPage, ListPlan, ListRequest};
pub use masking::MASK;
pub use memory_budget::{MemoryBudget, ResponseMeter};
pub use notification_queue::{MESSAGE_NOTIFICATION, NOTIFICATION, Notification, has_notifications};
pub use prefetch_plan::PrefetchPlan;
pub use project_overrides::ProjectOverrides;
pub use reference_scope::{DocumentOwner, ReferenceAccess, ReferenceScope};
pub use refusal_reason::RefusalReason;
pub use resident_documents::AllOfKind;
pub use restarting_task::spawn_restarting;
pub use rules::{DocumentSource, FoundDocument, ResolvedReference, Rules};
pub use searchable::{IndexContent, Searchable};
pub use secret::{hash_password, verify_password};
pub use sender::{Sender, SenderDetails};
pub use shop::{Shop, WrittenDocument};
pub use shops::{Shops, StorageProvider, unknown_project};
pub use shown_in_part::{shown_in_part, without_credentials};
pub use slow_request_limiter::{SlowRequestLimiter, SlowRequestPermit};
pub use staged_result::StagedResult;
pub use storage_error::storage_failure;
pub use view_options::ViewOptions;

/// The types of the storage that behaviours need for commits; they have no other access to the storage.
pub use kontor_storage::{IndexValue, Precondition, Put, UniqueKey, Write};

/// Conversion of sent values to stored ones, for action handlers that place a part themselves.
pub mod conversion {
    pub use crate::convert::{convert_element, convert_object, convert_value};
    pub use crate::custom::{
        from_draft as custom_fields, set_field as set_custom_field, validate_money as money_value,
        validate_reference as reference_value, validate_shape as shaped_value,
    };
}
