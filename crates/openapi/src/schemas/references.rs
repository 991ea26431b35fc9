//! Schemas of references, of resource identifiers, and of custom fields, which contain one.

use super::{Schemas, link};
use kontor_errors::with_article;
use kontor_json::{Value, json};
use kontor_model::{Addressing, KindId, ReferenceKinds};

/// The `typeId` of the kind that describes custom fields.
const TYPE: &str = "type";
/// Types of references to parts of documents, which have no address.
const WITHOUT_DOCUMENTS: &[&str] = &["direct-discount"];

/// The form in which a document refers to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceForm {
    /// `{typeId, id}`, in responses.
    Reference,
    /// `{typeId, key}`, in responses.
    KeyReference,
    /// An id or a key, in requests.
    Identifier,
}

impl ReferenceForm {
    fn name(self) -> &'static str {
        match self {
            ReferenceForm::Reference => "Reference",
            ReferenceForm::KeyReference => "KeyReference",
            ReferenceForm::Identifier => "ResourceIdentifier",
        }
    }
}

/// Returns the schema of a reference to one of `targets`.
pub(crate) fn pointer(schemas: &mut Schemas<'_>, targets: &ReferenceKinds, form: ReferenceForm) -> Value {
    match targets {
        ReferenceKinds::Kinds(kinds) => match kinds.as_slice() {
            [kind] => kind_reference_schema(schemas, *kind, form),
            several => {
                let links: Vec<_> =
                    several.iter().map(|kind| kind_reference_schema(schemas, *kind, form)).collect();
                let mapping = several
                    .iter()
                    .zip(&links)
                    .map(|(kind, link)| (schemas.model.kind(*kind).type_id.clone(), link["$ref"].clone()));
                let mapping: kontor_json::Map = mapping.collect();
                json!({
                    "oneOf": links,
                    "required": ["typeId"],
                    "discriminator": {"propertyName": "typeId", "mapping": mapping},
                })
            }
        },
        ReferenceKinds::Any => any_reference_schema(schemas, form),
    }
}

fn kind_reference_schema(schemas: &mut Schemas<'_>, id: KindId, form: ReferenceForm) -> Value {
    let kind = schemas.model.kind(id);
    let name = format!("{}{}", kind.name, form.name());
    schemas.share(&name, |schemas| {
        let mut schema = reference_schema(json!({"type": "string", "const": kind.type_id}), form);
        if form == ReferenceForm::Reference && kind.is_served {
            let mut obj = schemas.document(id);
            obj["description"] = json!("The target, if `expand` requests it.");
            schema["properties"]["obj"] = obj;
        }
        schema["description"] = json!(match form {
            ReferenceForm::Identifier => format!("Names {} by id or by key.", with_article(&kind.name)),
            _ => format!("Refers to {}.", with_article(&kind.name)),
        });
        schema
    })
}

fn any_reference_schema(schemas: &mut Schemas<'_>, form: ReferenceForm) -> Value {
    schemas.share(form.name(), |schemas| {
        let type_id = schemas.share("ReferenceTypeId", |schemas| {
            let kinds = schemas.model.kinds().map(|(_, kind)| kind);
            let named = kinds.filter(|kind| !kind.is_served || kind.addressing != Addressing::Singleton);
            let ids = named.map(|kind| kind.type_id.as_str()).chain(WITHOUT_DOCUMENTS.iter().copied());
            json!({"type": "string", "description": "The type of the resource.", "enum": ids.collect::<Vec<_>>()})
        });
        let mut schema = reference_schema(type_id, form);
        if form == ReferenceForm::Identifier {
            schema["required"] = json!(["typeId"]);
        }
        schema["description"] = json!(match form {
            ReferenceForm::Identifier => "A resource of any kind, by id or by key.",
            _ => "Refers to a resource of any kind.",
        });
        schema
    })
}

fn reference_schema(type_id: Value, form: ReferenceForm) -> Value {
    let text = json!({"type": "string"});
    match form {
        ReferenceForm::Reference => json!({
            "type": "object", "required": ["typeId", "id"], "properties": {"typeId": type_id, "id": text},
        }),
        ReferenceForm::KeyReference => json!({
            "type": "object", "required": ["typeId", "key"], "properties": {"typeId": type_id, "key": text},
        }),
        ReferenceForm::Identifier => json!({
            "type": "object",
            "properties": {"typeId": type_id, "id": text, "key": text},
            "oneOf": [{"required": ["id"]}, {"required": ["key"]}],
            "additionalProperties": false,
        }),
    }
}

/// Returns the schema of custom fields in responses or requests.
pub(crate) fn custom_fields(schemas: &mut Schemas<'_>, is_sent: bool) -> Value {
    let (name, form) = if is_sent {
        ("CustomFieldsDraft", ReferenceForm::Identifier)
    } else {
        ("CustomFields", ReferenceForm::Reference)
    };
    schemas.share(name, |schemas| {
        let targets = match schemas.model.kind_by_type_id(TYPE) {
            Some(kind) => ReferenceKinds::Kinds(vec![kind]),
            None => ReferenceKinds::Any,
        };
        let type_link = pointer(schemas, &targets, form);
        schemas.share_scalar(&kontor_model::Shape::FieldContainer);
        let fields = link("FieldContainer");
        let required = if is_sent { json!(["type"]) } else { json!(["type", "fields"]) };
        json!({
            "type": "object",
            "description": "A Type and values of the fields that it defines.",
            "required": required,
            "properties": {"type": type_link, "fields": fields},
        })
    })
}
