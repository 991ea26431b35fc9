//! Values with `@shownInPart`: secrets, and addresses that may have credentials. Documents and errors show a part of them.

use crate::document::Document;
use crate::masking::MASK;
use kontor_json::{Value, json};
use kontor_model::{Field, Model, Object, ObjectId, Shape, ShownInPart};

/// Parts of the names of parameters with secret values: `code` of Azure Functions, `access_token`, `api-key`, `X-Amz-Signature`.
const SECRET_PARAMETERS: &[&str] =
    &["code", "key", "token", "secret", "signature", "password", "passwd", "pwd", "auth", "credential"];

/// Returns the paths of the values with `@shownInPart` in a value of a shape. No list has any.
pub fn shown_in_part(model: &Model, shape: &Shape, value: &Document) -> Vec<(Vec<String>, ShownInPart)> {
    let mut found = Vec::new();
    for field in object_of(model, shape, value).map_or(&[][..], |object| &object.fields) {
        match (field.shown_in_part, value.get(&field.name)) {
            (Some(part), Some(_)) => found.push((vec![field.name.clone()], part)),
            (None, Some(Value::Object(inner))) => {
                let below = shown_in_part(model, &field.shape, inner).into_iter();
                found.extend(below.map(|(path, part)| ([vec![field.name.clone()], path].concat(), part)));
            }
            _ => {}
        }
    }
    found
}

/// The arguments of an update action as an error repeats them: without fields with `@secret`, without secrets that are shown in part,
/// and with addresses whose credentials are hidden.
pub(crate) fn maskable_arguments(arguments: &Document, shape: ObjectId, model: &Model) -> Document {
    of_object(arguments, model.object(shape), model)
}

fn of_object(sent: &Document, object: &Object, model: &Model) -> Document {
    let field_of = |name: &str| object.fields.iter().find(|field| field.name == name);
    sent.iter()
        .filter_map(|(name, value)| Some((name.clone(), of_field(value, field_of(name), model)?)))
        .collect()
}

fn of_field(value: &Value, field: Option<&Field>, model: &Model) -> Option<Value> {
    let Some(field) = field else { return Some(value.clone()) };
    match field.shown_in_part {
        _ if field.secret => None,
        Some(ShownInPart::Secret) => None,
        Some(ShownInPart::Address) => Some(match value.as_str().and_then(without_credentials) {
            Some(shown) => json!(shown),
            None => value.clone(),
        }),
        None => Some(of_shape(value, &field.shape, model)),
    }
}

fn of_shape(value: &Value, shape: &Shape, model: &Model) -> Value {
    match (value, shape) {
        (Value::Array(items), Shape::List(inner)) => {
            Value::Array(items.iter().map(|item| of_shape(item, inner, model)).collect())
        }
        (Value::Object(sent), Shape::Object(_) | Shape::Union(_)) => {
            match object_of(model, shape, sent) {
                Some(object) => Value::Object(of_object(sent, object, model)),
                // The model does not say which of its fields are secret.
                None => json!({}),
            }
        }
        _ => value.clone(),
    }
}

/// The object that a value of a shape is.
fn object_of<'m>(model: &'m Model, shape: &Shape, value: &Document) -> Option<&'m Object> {
    match shape {
        Shape::Object(id) => Some(model.object(*id)),
        Shape::Union(id) => {
            let union = model.union(*id);
            let name = value.get(&union.by).and_then(Value::as_str).or(union.default.as_deref())?;
            let (_, id) = union.members.iter().find(|(member, _)| member == name)?;
            Some(model.object(*id))
        }
        _ => None,
    }
}

/// Returns an address with its credentials hidden: user and password before the host, the values of parameters whose
/// name says that they are secret, and such parameters behind `#`. `https://ada:pass@shop.example/hook?code=1234` is
/// shown as `https://****@shop.example/hook?code=****`. `None` where there are no credentials.
pub fn without_credentials(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, end)| (rest, Some(end)));
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let (authority, path) = place.find('/').map_or((place, ""), |at| place.split_at(at));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let user = if host == authority { "" } else { "****@" };
    let mut shown = format!("{scheme}://{user}{host}{path}");
    for (sign, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            shown.push(sign);
            shown.push_str(&part.split('&').map(parameter_shown).collect::<Vec<_>>().join("&"));
        }
    }
    let is_hidden = shown != url || url.contains(MASK);
    is_hidden.then_some(shown)
}

/// A parameter of an address, with a mask in place of a secret value.
fn parameter_shown(parameter: &str) -> String {
    let Some((name, value)) = parameter.split_once('=').filter(|(_, value)| !value.is_empty()) else {
        return parameter.to_owned();
    };
    let lowercase = name.to_ascii_lowercase();
    let is_secret = SECRET_PARAMETERS.iter().any(|secret| lowercase.contains(secret)) || lowercase == "sig";
    let shown = if is_secret { MASK } else { value };
    format!("{name}={shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_addresses_are_hidden() {
        for (url, shown) in [
            ("https://ada:pass@shop.example:8443/hook", "https://****@shop.example:8443/hook"),
            ("https://token@shop.example", "https://****@shop.example"),
            ("https://a@b@shop.example/?x=1", "https://****@shop.example/?x=1"),
            ("https://shop.example/f?code=abc&x=1#top", "https://shop.example/f?code=****&x=1#top"),
            ("https://shop.example/f#access_token=abc&x=1", "https://shop.example/f#access_token=****&x=1"),
            (
                "https://shop.example/f?Access_Token=abc&sig=d",
                "https://shop.example/f?Access_Token=****&sig=****",
            ),
        ] {
            assert_eq!(without_credentials(url).as_deref(), Some(shown), "{url}");
        }
        for url in [
            "https://shop.example/ada@home?x=1&empty=",
            "http://127.0.0.1:80",
            "https://a.b?code=",
            "a.b#top",
        ] {
            assert_eq!(without_credentials(url), None, "{url}");
        }
    }
}
