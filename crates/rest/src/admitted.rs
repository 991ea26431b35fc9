//! An authorized request to documents.

use crate::answer::Answer;
use crate::parameters::Parameters;
use axum::http::HeaderMap;
use kontor_engine::{Address, Bounds, Caller, Kept, Shop, Sight};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Addressing, Endpoint, KindId, ServedOperation, Target};
use std::borrow::Cow;
use std::sync::Arc;

/// Told how a guarded call ended: with which refusal, if with one.
pub type Ended<'a> = Box<dyn FnOnce(Option<&ApiError>) + Send + 'a>;

/// Slows down who guesses at secrets (`@guarded` in the model).
pub trait Guard: Send + Sync {
    /// Lets a call of an endpoint with this body pass, and wants to be told how it ended; or answers it, where too many
    /// were wrong of late.
    fn admit<'g>(&'g self, endpoint: &Endpoint, body: &Value) -> Result<Option<Ended<'g>>, Box<Answer>>;
}

/// A request whose operation is known, whose caller may do it, and whose project, Store and unit are there.
pub struct Admitted<'a> {
    /// The requested operation.
    pub operation: &'a ServedOperation,
    /// The kind of the documents.
    pub kind: KindId,
    /// The key of the project.
    pub project: &'a str,
    /// The key of the Store in the path.
    pub store: Option<&'a str>,
    /// The values of the path after those that the side names: ids, keys, fields of the address.
    pub values: &'a [Cow<'a, str>],
    /// The project.
    pub shop: Arc<Shop>,
    /// The documents that the request is limited to.
    pub bounds: Bounds,
    /// How documents are to be shown.
    pub sight: Sight,
    /// The Stores that a search is limited to; `None`: to none.
    pub stores: Option<&'a [String]>,
    /// Whether the caller may see staged sides, for operations that learn late that one is requested.
    pub staged: &'a ApiResult<()>,
    /// The author of a change, with the bounds of the request; empty for reads.
    pub caller: Caller,
    /// Metadata that the operator sets for created documents.
    pub kept: Kept<'a>,
    /// The query.
    pub parameters: &'a Parameters,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// Slows down who guesses.
    pub guard: &'a dyn Guard,
}

impl Admitted<'_> {
    /// The first value of the address.
    pub(crate) fn value(&self) -> ApiResult<&str> {
        self.values.first().map(AsRef::as_ref).ok_or_else(|| ApiError::bug("the path addresses no document"))
    }

    /// The engine's address of the one document that is meant.
    pub(crate) fn address(&self) -> ApiResult<Address<'_>> {
        Ok(match self.operation.target {
            Target::Id => Address::Id(self.value()?),
            Target::Key => Address::Key(self.value()?),
            Target::Fields => Address::Fields(self.values.iter().map(AsRef::as_ref).collect()),
            Target::Only => match &self.bounds.mine {
                None => Address::Only,
                // Below `/me` the one document is the asker.
                Some(asker) => Address::Id(
                    asker
                        .customer()
                        .ok_or_else(|| ApiError::bug("a visitor without an account is no document"))?,
                ),
            },
            Target::All | Target::Part | Target::New | Target::Through { .. } => {
                return Err(ApiError::bug(format!("{:?} is no address", self.operation.target)));
            }
        })
    }

    /// The id of the document of the Store that belongs to the one that is addressed; `None` where the path addresses
    /// documents of the kind itself.
    pub(crate) fn id_through(&self) -> ApiResult<Option<String>> {
        let Target::Through { parent, by_key } = self.operation.target else { return Ok(None) };
        let value = self.value()?;
        let address = if by_key { Address::Key(value) } else { Address::Id(value) };
        self.shop.id_through(self.kind, self.store.unwrap_or_default(), parent, &address).map(Some)
    }

    /// Returns the identifying field of a [`Target::Part`], and its value.
    pub(crate) fn part(&self) -> ApiResult<Option<(String, String)>> {
        if self.operation.target != Target::Part {
            return Ok(None);
        }
        match &self.shop.model().kind(self.kind).addressing {
            Addressing::Fields(fields) => {
                let field = fields.first().cloned();
                Ok(Some((field.unwrap_or_default(), self.value()?.to_owned())))
            }
            _ => Err(ApiError::bug("only kinds that are addressed by fields have parts")),
        }
    }
}
