//! Messages: which ones an action causes, and how their fields are filled by name. Start at [`emit_action_messages`].
//!
//! The naming convention is in `model/README.md`: the stored argument; `old…` or `previous…`, `new…`,
//! `added…`, `removed…`; the whole document under its own name; its id under its name with `Id`; otherwise
//! the field.

use crate::action_context::VerbContext;
use crate::document::{self, Document};
use crate::pending_messages::PendingMessage;
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::{KindId, Message, MessageId, Verb, lower_first};

/// The list element that an action changed, by its index.
pub(crate) struct ChangedElement<'a> {
    pub(crate) list: &'a [String],
    pub(crate) index: usize,
}

/// One object before and after a change.
#[derive(Clone, Copy)]
struct ObjectPair<'a> {
    before: Option<&'a Document>,
    after: Option<&'a Document>,
}

/// The sources of message fields, in the order of their precedence.
struct MessageFieldSources<'a> {
    kind: KindId,
    arguments: &'a Document,
    stored: &'a Document,
    pairs: Vec<ObjectPair<'a>>,
    /// Fields that the action sets. They are read from the object that it changes, not from objects around it.
    own: Vec<&'a str>,
    /// Arguments that are stored under other names, with their paths.
    elsewhere: Vec<(&'a str, Vec<&'a str>)>,
    /// Whether an empty argument removes the field; the message then has no such field.
    removes_empty: bool,
    id: Value,
}

/// Adds the messages of an action that changed something.
pub(crate) fn emit_action_messages(
    kind: KindId,
    before: &Document,
    after: &Document,
    element: Option<&ChangedElement<'_>>,
    stored: &Document,
    context: &VerbContext<'_, '_>,
    messages: &mut Vec<PendingMessage>,
) -> ApiResult<()> {
    if context.action.emits.is_empty() {
        return Ok(());
    }
    let mut pairs = Vec::new();
    if let Some(element) = element {
        let at =
            |document| document::list(document, element.list).get(element.index).and_then(Value::as_object);
        pairs.push(ObjectPair { before: at(before), after: at(after) });
    }
    pairs.push(ObjectPair { before: Some(before), after: Some(after) });
    let arguments = &context.rules.model.object(context.action.arguments).fields;
    let own: Vec<&str> =
        arguments.iter().filter_map(|argument| argument.stored_path().last().copied()).collect();
    let moved = arguments.iter().filter(|argument| argument.to.is_some());
    let elsewhere = moved.map(|argument| (argument.name.as_str(), argument.stored_path())).collect();
    let sources = |pairs| MessageFieldSources {
        kind,
        arguments: context.arguments,
        stored,
        pairs,
        own,
        elsewhere,
        removes_empty: context.action.removes_empty,
        id: after.get("id").cloned().unwrap_or_default(),
    };
    match &context.action.verb {
        Some(Verb::Set { within }) if !within.is_empty() => {
            let at = |side: Option<&Document>| {
                side.and_then(|side| document::get(side, within)).and_then(Value::as_object).cloned()
            };
            let (old, new) = (at(pairs[0].before), at(pairs[0].after));
            let inner = ObjectPair { before: old.as_ref(), after: new.as_ref() };
            let pairs = std::iter::once(inner).chain(pairs.iter().copied()).collect();
            sources(pairs).fill_all(context, messages);
        }
        Some(Verb::CustomType { within }) => messages.extend(sources(pairs).custom_type(within, context)),
        Some(Verb::CustomField { within }) => messages.extend(sources(pairs).custom_field(within, context)),
        _ => sources(pairs).fill_all(context, messages),
    }
    Ok(())
}

/// The message of a creation or deletion, filled from the document itself.
pub(crate) fn whole_document_message(
    kind: KindId,
    message: MessageId,
    document: &Document,
    rules: &Rules<'_>,
) -> PendingMessage {
    let empty = Document::new();
    let sources = MessageFieldSources {
        kind,
        arguments: &empty,
        stored: &empty,
        pairs: vec![ObjectPair { before: Some(document), after: Some(document) }],
        own: Vec::new(),
        elsewhere: Vec::new(),
        removes_empty: false,
        id: document.get("id").cloned().unwrap_or_default(),
    };
    sources.fill(message, rules)
}

fn with_suffix(context: &VerbContext<'_, '_>, suffix: &str) -> Option<MessageId> {
    context
        .action
        .emits
        .iter()
        .copied()
        .find(|message| context.rules.model.message(*message).name.ends_with(suffix))
}

impl MessageFieldSources<'_> {
    /// All messages of an action.
    fn fill_all(&self, context: &VerbContext<'_, '_>, messages: &mut Vec<PendingMessage>) {
        messages.extend(context.action.emits.iter().map(|message| self.fill(*message, context.rules)));
    }

    /// The message about a changed Type of custom fields.
    fn custom_type(&self, within: &[String], context: &VerbContext<'_, '_>) -> Option<PendingMessage> {
        let at = |side: Option<&Document>| side.and_then(|side| document::get(side, within)).cloned();
        let (old, new) = (at(self.pairs[0].before), at(self.pairs[0].after));
        let message = with_suffix(context, if new.is_some() { "TypeSet" } else { "TypeRemoved" })?;
        let mut fields = Document::new();
        if let Some(new) = new {
            fields.insert("customFields", new);
        }
        if let Some(id) = old.as_ref().and_then(|old| old["type"]["id"].as_str()) {
            // Messages use one of the two names; the other one is dropped.
            fields.insert("oldTypeId", json!(id));
            fields.insert("previousTypeId", json!(id));
        }
        Some(self.complete(message, fields, context.rules))
    }

    /// The message about a changed value of a custom field.
    fn custom_field(&self, within: &[String], context: &VerbContext<'_, '_>) -> Option<PendingMessage> {
        let name = context.arguments.get("name").and_then(Value::as_str).unwrap_or_default();
        let at = |side: Option<&Document>| {
            side.and_then(|side| document::get(side, within))
                .and_then(|custom| custom["fields"].get(name))
                .cloned()
        };
        let (old, new) = (at(self.pairs[0].before), at(self.pairs[0].after));
        let suffix = match (&old, &new) {
            (_, None) => "FieldRemoved",
            (None, Some(_)) => "FieldAdded",
            (Some(_), Some(_)) => "FieldChanged",
        };
        let message = with_suffix(context, suffix)?;
        let mut fields = Document::new();
        fields.insert("name", json!(name));
        if let Some(new) = new {
            fields.insert("value", new);
        }
        if let Some(old) = old {
            fields.insert("previousValue", old.clone());
            fields.insert("oldValue", old);
        }
        Some(self.complete(message, fields, context.rules))
    }

    fn fill(&self, id: MessageId, rules: &Rules<'_>) -> PendingMessage {
        self.complete(id, Document::new(), rules)
    }

    /// Adds the missing fields of the message, and drops fields that it does not have.
    fn complete(&self, id: MessageId, mut given: Document, rules: &Rules<'_>) -> PendingMessage {
        let message: &Message = rules.model.message(id);
        let mut fields = Document::new();
        for field in &message.fields {
            let value = given.shift_remove(&field.name).or_else(|| self.value(&field.name, rules));
            if let Some(value) = value {
                fields.insert(&field.name, value);
            }
        }
        PendingMessage { message: id, fields, subject: None }
    }

    fn value(&self, name: &str, rules: &Rules<'_>) -> Option<Value> {
        if let Some(value) = self.stored.get(name).or_else(|| self.arguments.get(name)) {
            return (!self.removes_empty || !document::is_empty(value)).then(|| value.clone());
        }
        if let Some(rest) = stripped(name, "old").or_else(|| stripped(name, "previous"))
            && let Some(value) = self.previous_value(&rest)
        {
            return Some(value);
        }
        if let Some(rest) = stripped(name, "new")
            && let Some(value) = self.find(&rest, |pair| pair.after)
        {
            return Some(value);
        }
        if let Some(rest) = stripped(name, "added") {
            return Some(self.difference(&rest, true));
        }
        if let Some(rest) = stripped(name, "removed") {
            return Some(self.difference(&rest, false));
        }
        if let Some(value) = self.find(name, |pair| pair.after) {
            return Some(value);
        }
        let own = rules.model.kind(self.kind).camel_name();
        if name == own {
            // Filled in with the finished document when the change is written.
            return Some(Value::Null);
        }
        (name == format!("{own}Id")).then(|| self.id.clone())
    }

    /// Returns the previous value of an argument or a field.
    fn previous_value(&self, name: &str) -> Option<Value> {
        match self.elsewhere.iter().find(|(argument, _)| *argument == name) {
            Some((_, path)) => document::get(self.pairs.first()?.before?, path).cloned(),
            None => self.find(name, |pair| pair.before),
        }
    }

    fn find<'a>(
        &'a self,
        name: &str,
        side: impl Fn(&ObjectPair<'a>) -> Option<&'a Document>,
    ) -> Option<Value> {
        let reach = if self.own.contains(&name) { 1 } else { self.pairs.len() };
        self.pairs.iter().take(reach).find_map(|pair| side(pair)?.get(name)).cloned()
    }

    fn difference(&self, name: &str, added: bool) -> Value {
        let list = |side: Option<&Document>| -> Vec<Value> {
            side.map(|side| document::list(side, &[name]).to_vec()).unwrap_or_default()
        };
        let pair = self.pairs.last().copied().unwrap_or(ObjectPair { before: None, after: None });
        let (old, new) = (list(pair.before), list(pair.after));
        let (of, without) = if added { (new, old) } else { (old, new) };
        Value::Array(of.into_iter().filter(|item| !without.contains(item)).collect())
    }
}

fn stripped(name: &str, prefix: &str) -> Option<String> {
    let rest = name.strip_prefix(prefix)?;
    rest.starts_with(|letter: char| letter.is_ascii_uppercase()).then(|| lower_first(rest))
}
