//! Permissions of Associates of Business Units: the one place where they are checked.
//!
//! The model declares the permissions of an operation (`@asAssociate`, and `@needs` of an action or an
//! endpoint); the Rust of Business Units returns the permissions of an Associate
//! ([`crate::Behaviour::permissions`]). Reads, queries and changes of every kind pass through here, whether
//! they come from REST or GraphQL. A missing permission is 403 AssociateMissingPermission.

use crate::access_scope::{AccessScope, equals_at_any};
use crate::address::Address;
use crate::document::{Document, read_stored, reference, scalars_at, text, text_or_log};
use crate::my_units;
use crate::rules::Rules;
use crate::shop::Shop;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::{AssociateAccess, Endpoint, Kind, KindId, Operation, Permissions};
use kontor_query::Condition;
use kontor_storage::StoredDocument;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The acting Associate and the Business Unit.
struct AssociateContext<'a> {
    entry: &'a Kind,
    asked: &'a AssociateAccess,
    associate: &'a str,
    unit: Cow<'a, Document>,
}

/// An operation that an Associate requests.
#[derive(Debug, Clone, Copy)]
pub struct RequiredPermission<'a> {
    /// For error messages, e.g. `update shopping-list`.
    pub what: &'a str,
    /// The id of the Customer who owns the document, if that is not the Associate.
    pub on_behalf: Option<&'a str>,
    /// One of these permissions is enough; if empty, every Associate of the unit may.
    pub any: &'a [&'a str],
}

impl Rules<'_> {
    /// Returns the permissions of an Associate in a unit; `None` for a customer who is no Associate of it. Fails if a
    /// needed document cannot be read.
    pub fn permissions_in(&self, unit: &Document, associate: &str) -> ApiResult<Option<BTreeSet<String>>> {
        let kind = self.model.unit_kind().ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
        match self.behaviours.get(kind) {
            Some(behaviour) => behaviour.permissions(unit, associate, self),
            None => Ok(None),
        }
    }

    /// Fails with AssociateMissingPermission if an Associate lacks a permission in a unit. The commit requires
    /// that unit, parents and roles are still the same.
    pub fn require_permission(
        &self,
        unit: &Document,
        associate: &str,
        permission: &RequiredPermission<'_>,
    ) -> ApiResult<()> {
        let permissions = self.permissions_in(unit, associate)?;
        let has = |name: &&str| permissions.as_ref().is_some_and(|all| all.contains(*name));
        let may =
            if permission.any.is_empty() { permissions.is_some() } else { permission.any.iter().any(has) };
        if may { Ok(()) } else { Err(self.missing_permission(unit, associate, permission)) }
    }

    /// Returns the error of the reference type `AssociateMissingPermissionError`.
    fn missing_permission(
        &self,
        unit: &Document,
        associate: &str,
        permission: &RequiredPermission<'_>,
    ) -> ApiError {
        let type_id_of =
            |kind: Option<KindId>| kind.map_or("", |kind| self.model.kind(kind).type_id.as_str());
        let customer = type_id_of(self.model.kind_by_my_path(""));
        let key = text_or_log(unit, &["key"]);
        let behalf = permission.on_behalf.map(|id| format!(" for customer '{id}'")).unwrap_or_default();
        let names: Vec<String> = permission.any.iter().map(|name| format!("'{name}'")).collect();
        let needs = if names.is_empty() {
            "Only associates of it may.".to_owned()
        } else {
            format!("Needs {}.", names.join(" or "))
        };
        let message = format!(
            "Associate '{associate}' has no rights to {}{behalf} in business-unit '{key}'. {needs}",
            permission.what
        );
        ApiError::new(Code::AssociateMissingPermission, message)
            .with_field("associate", reference(customer, associate))
            .with_field("businessUnit", json!({"typeId": type_id_of(self.model.unit_kind()), "key": key}))
            .with_field("associateOnBehalf", permission.on_behalf.map(|id| reference(customer, id)))
            .with_field("permissions", json!(permission.any))
    }
}

/// Returns the acting Associate for documents of a kind; `None` if the request is not of an Associate. `own` is the
/// addressed document, which is the unit itself if the kind is Business Unit. Below `/me`, `document` names the unit.
fn associate_context<'a>(
    kind: KindId,
    own: Option<&'a Document>,
    document: &Document,
    rules: &'a Rules<'_>,
) -> ApiResult<Option<AssociateContext<'a>>> {
    let entry = rules.model.kind(kind);
    if let Some((asker, requested)) = my_units::caller_and_permissions(entry, rules.bounds) {
        let Some(key) = text(document, &requested.unit) else { return Ok(None) };
        let associate = asker.customer().ok_or_else(|| my_units::missing_unit_error(key, rules))?;
        let unit = Cow::Owned(my_units::unit_with_key(key, rules)?);
        return Ok(Some(AssociateContext { entry, asked: requested, associate, unit }));
    }
    let Some(associate) = rules.bounds.acting_associate(entry) else { return Ok(None) };
    let Some(requested) = &entry.associates else {
        return if rules.bounds.associate.is_some() {
            Err(ApiError::bug("an Associate requests a kind that the model does not serve to Associates"))
        } else {
            Ok(None)
        };
    };
    let key = rules.bounds.associate.as_ref().and_then(|associate| associate.unit.as_deref());
    let unit = match (own.filter(|_| entry.is_unit()), key) {
        (Some(unit), _) => Cow::Borrowed(unit),
        (None, Some(key)) => Cow::Owned(Arc::unwrap_or_clone(rules.must_find_unit(key)?)),
        (None, None) => return Ok(None),
    };
    Ok(Some(AssociateContext { entry, asked: requested, associate, unit }))
}

impl Rules<'_> {
    /// Returns the unit with a key, which must be the same at the commit. Fails with 404 ResourceNotFound if
    /// there is none.
    fn must_find_unit(&self, key: &str) -> ApiResult<Arc<Document>> {
        let kind = self.model.unit_kind().ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
        let unit = self.find_key(kind, key)?;
        let unit = unit.ok_or_else(|| ApiError::resource_not_found(&Address::Key(key).describe()))?;
        Ok(unit)
    }
}

impl AssociateContext<'_> {
    /// Returns `None` if the Associate owns the document, otherwise its first owner, if it has any.
    fn other_owner<'d>(&self, document: &'d Value) -> Option<Option<&'d str>> {
        let mut ids = Vec::new();
        for path in &self.asked.owner {
            scalars_at(document, path, &mut ids);
        }
        let mut ids = ids.into_iter().filter_map(Value::as_str).peekable();
        let first = ids.peek().copied();
        if ids.any(|id| id == self.associate) { None } else { Some(first) }
    }

    fn permit(&self, what: &str, document: &Value, needed: &Permissions, rules: &Rules<'_>) -> ApiResult<()> {
        let is_of_nobody = self.asked.owner.is_empty() || self.entry.is_unit();
        let (name, on_behalf) = match self.other_owner(document).filter(|_| !is_of_nobody) {
            Some(owner) => (needed.other_permission(), owner),
            None => (needed.own_permission(), None),
        };
        let any: Vec<&str> = name.into_iter().collect();
        rules.require_permission(
            &self.unit,
            self.associate,
            &RequiredPermission { what, on_behalf, any: &any },
        )
    }
}

/// Checks an operation on a document, in its future form for a creation, otherwise in its stored form.
pub(crate) fn authorize(
    kind: KindId,
    document: &Document,
    operation: Operation,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    // The creator of a unit is not its Associate yet; the unit's own Rust checks the parent unit.
    let own = Some(document).filter(|_| operation != Operation::Create);
    let Some(context) = associate_context(kind, own, document, rules)? else { return Ok(()) };
    let what = format!("{} {}", operation_verb(operation), context.entry.type_id);
    let needed = context.asked.permissions(operation);
    if operation == Operation::Create {
        my_units::check_new_document(kind, &context.unit, rules)?;
    }
    let document = Value::Object(document.clone());
    let Err(refusal) = context.permit(&what, &document, needed, rules) else { return Ok(()) };
    if !matches!(operation, Operation::Get | Operation::Head) {
        return Err(refusal);
    }
    // A caller that may view neither its own documents nor those of others gets both permissions in the
    // error.
    let any: Vec<&str> = needed.names().iter().map(String::as_str).collect();
    let wanted = RequiredPermission { what: &what, on_behalf: None, any: &any };
    rules.require_permission(&context.unit, context.associate, &wanted)?;
    Err(refusal)
}

/// Refuses a change that moves a document to another unit, unless its customer may create such documents there.
pub(crate) fn authorize_move(
    kind: KindId,
    before: &Document,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    match my_units::caller_and_permissions(rules.model.kind(kind), rules.bounds) {
        Some((_, requested)) if text(before, &requested.unit) != text(after, &requested.unit) => {
            authorize(kind, after, Operation::Create, rules)
        }
        _ => Ok(()),
    }
}

/// Checks update actions on a document, each by its permission.
pub(crate) fn authorize_actions(
    kind: KindId,
    before: &Document,
    actions: &[(String, Document)],
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(context) = associate_context(kind, Some(before), before, rules)? else { return Ok(()) };
    let document = Value::Object(before.clone());
    let update = context.asked.permissions(Operation::Update);
    if actions.is_empty() {
        let what = format!("{} {}", operation_verb(Operation::Update), context.entry.type_id);
        return context.permit(&what, &document, update, rules);
    }
    for (name, _) in actions {
        let action = rules
            .bounds
            .action(context.entry, name)
            .ok_or_else(|| ApiError::bug("a validated action does not exist in the kind"))?;
        let needed = action.needs.as_ref().unwrap_or(update);
        context.permit(&format!("{name} on {}", context.entry.type_id), &document, needed, rules)?;
    }
    Ok(())
}

/// Checks the permission of an endpoint that declares one of its own.
pub(crate) fn authorize_endpoint(
    kind: KindId,
    before: &Document,
    endpoint: &Endpoint,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(needed) = &endpoint.needs else { return Ok(()) };
    let Some(context) = associate_context(kind, Some(before), before, rules)? else { return Ok(()) };
    let what = match endpoint.creates {
        Some(made) => format!("{} {}", operation_verb(Operation::Create), rules.model.kind(made).type_id),
        None => format!("{} on {}", endpoint.name, context.entry.type_id),
    };
    context.permit(&what, &Value::Object(before.clone()), needed, rules)
}

/// Returns the condition for documents that an Associate may see in a query.
pub(crate) fn visibility_condition(kind: KindId, rules: &Rules<'_>) -> ApiResult<Condition> {
    if let Some((asker, requested)) = my_units::caller_and_permissions(rules.model.kind(kind), rules.bounds) {
        return my_units::visibility_condition(asker, requested, rules);
    }
    let nothing = Document::new();
    let Some(context) = associate_context(kind, None, &nothing, rules)? else {
        return Ok(Condition::Constant(true));
    };
    let needed = context.asked.permissions(Operation::Query);
    let any: Vec<&str> = needed.names().iter().map(String::as_str).collect();
    let what = format!("{} {}", operation_verb(Operation::Query), context.entry.type_id);
    let wanted = RequiredPermission { what: &what, on_behalf: None, any: &any };
    rules.require_permission(&context.unit, context.associate, &wanted)?;
    let permissions = rules.permissions_in(&context.unit, context.associate)?.unwrap_or_default();
    let has = |name: Option<&str>| name.is_none_or(|name| permissions.contains(name));
    let own = || equals_at_any(rules.model, context.entry, &context.asked.owner, context.associate);
    Ok(match (has(needed.own_permission()), has(needed.other_permission())) {
        (true, true) => Condition::Constant(true),
        (true, false) => own(),
        (false, _) => Condition::not(own()),
    })
}

fn operation_verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Get | Operation::Head | Operation::Query => "view",
        Operation::Create => "create",
        Operation::Update => "update",
        Operation::Delete => "delete",
    }
}

impl Shop {
    /// Fails with 404 ResourceNotFound unless a unit has this key.
    pub fn must_have_unit(&self, key: &str) -> ApiResult<()> {
        let kind = self.model.unit_kind().ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
        match self.get(kind, &Address::Key(key))? {
            Some(_) => Ok(()),
            None => Err(ApiError::resource_not_found(&Address::Key(key).describe())),
        }
    }

    /// Fails if an Associate may not view a document.
    pub(crate) fn authorize_view(
        &self,
        kind: KindId,
        stored: &StoredDocument,
        access_scope: &AccessScope,
    ) -> ApiResult<()> {
        if access_scope.associate.is_none()
            && my_units::caller_and_permissions(self.model.kind(kind), access_scope).is_none()
        {
            return Ok(());
        }
        let project = self.project();
        let document = read_stored(stored)?;
        self.with_rules_in_scope(access_scope, &project, |rules| {
            authorize(kind, &document, Operation::Get, rules)
        })
    }

    /// Returns the condition for documents that the caller may see in a query.
    pub(crate) fn visibility_condition(
        &self,
        kind: KindId,
        access_scope: &AccessScope,
    ) -> ApiResult<Condition> {
        if access_scope.associate.is_none()
            && my_units::caller_and_permissions(self.model.kind(kind), access_scope).is_none()
        {
            return Ok(Condition::Constant(true));
        }
        let project = self.project();
        self.with_rules_in_scope(access_scope, &project, |rules| visibility_condition(kind, rules))
    }

    /// Returns the document to be changed. A unit without the caller as Associate is returned too: the check
    /// of the change reports the missing permission.
    pub(crate) fn must_get_to_change(
        &self,
        kind: KindId,
        address: &Address<'_>,
        access_scope: &AccessScope,
    ) -> ApiResult<StoredDocument> {
        if access_scope.associate.is_none() {
            let found = self.get_unauthorized(kind, address, access_scope)?;
            return found.ok_or_else(|| ApiError::resource_not_found(&address.describe()));
        }
        if self.is_key_in_unit(kind, address, access_scope) {
            return self.must_get_in_scope(kind, address, access_scope);
        }
        let anyones = AccessScope { associate: None, ..access_scope.clone() };
        let stored = self.must_get_in_scope(kind, address, &anyones)?;
        if !self.model.kind(kind).is_unit() {
            self.must_be_in_unit(kind, &stored, access_scope)?;
        }
        Ok(stored)
    }

    /// Fails with InvalidOperation if a document belongs to another unit than that of the path (reference, "…
    /// in BusinessUnit").
    pub(crate) fn must_be_in_unit(
        &self,
        kind: KindId,
        stored: &StoredDocument,
        access_scope: &AccessScope,
    ) -> ApiResult<()> {
        let Some(unit) = access_scope.associate.as_ref().and_then(|associate| associate.unit.as_deref())
        else {
            return Ok(());
        };
        if access_scope.contains(&self.model, kind, &stored.body) {
            return Ok(());
        }
        Err(ApiError::invalid_operation(format!(
            "The {} with ID '{}' does not belong to the business-unit '{unit}'.",
            self.model.kind(kind).type_id,
            stored.id
        )))
    }
}
