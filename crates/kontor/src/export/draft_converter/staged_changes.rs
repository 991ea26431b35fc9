//! Exports documents with `current` and `staged` data, such as products.
//!
//! A draft creates both sides equal, and numbers variants from 1. So the draft has the `current` side, and update
//! actions follow that change the `staged` side. Only actions of the API are used, so that any server accepts them.

use super::DraftConverter;
use kontor_commerce::VARIANTS_MAX;
use kontor_json::{Map, Value, json};
use kontor_model::{Action, Kind, Model, ObjectId, Shape};

type DocumentFields = Map;

/// The field with the reference to the default variant, if variants are resources of their own.
const DEFAULT_VARIANT: &str = "defaultVariant";

/// The place of `current` and `staged` in a resource type: in the field `within`, or in the document itself.
pub(super) struct SidesLayout {
    within: Option<String>,
    /// The object type of each side.
    data: ObjectId,
    /// True if only publishing creates the current side: an unpublished draft creates just the staged one.
    is_current_published: bool,
}

impl SidesLayout {
    /// Returns `None` for a resource type without sides.
    pub(super) fn find(model: &Model, kind: &Kind) -> Option<Self> {
        let own = model.object(kind.object).fields.iter().filter_map(|field| match field.shape {
            Shape::Object(inner) => Some((Some(field.name.clone()), inner)),
            _ => None,
        });
        [(None, kind.object)].into_iter().chain(own).find_map(|(within, object)| {
            let object = model.object(object);
            object.field("published")?;
            let current = object.field("current")?;
            match (&current.shape, &object.field("staged")?.shape) {
                (Shape::Object(data), Shape::Object(_)) => {
                    let is_current_published = within.is_none() && current.derived;
                    Some(Self { within, data: *data, is_current_published })
                }
                _ => None,
            }
        })
    }

    /// True if the document itself has the two sides.
    pub(super) fn are_in_document(&self) -> bool {
        self.within.is_none()
    }

    fn holder_mut<'d>(&self, document: &'d mut DocumentFields) -> Option<&'d mut DocumentFields> {
        match &self.within {
            Some(within) => document.get_mut(within)?.as_object_mut(),
            None => Some(document),
        }
    }

    /// Splits a document into one that a draft can create, and the actions that then turn it into the given document.
    pub(super) fn split(
        &self,
        kind: &Kind,
        document: &DocumentFields,
        draft: &mut DraftConverter<'_>,
    ) -> (DocumentFields, Vec<Value>) {
        let mut base = document.clone();
        let mut actions = Vec::new();
        let Some(holder) = self.holder_mut(&mut base) else { return (base, actions) };
        let Some(Value::Object(current)) = holder.get("current").cloned() else { return (base, actions) };
        let staged =
            holder.get("staged").and_then(Value::as_object).cloned().unwrap_or_else(|| current.clone());
        let mut first = current.clone();
        actions.extend(renumber_variants(&mut first));
        actions.extend(first.shift_remove(DEFAULT_VARIANT).map(|variant| {
            // The action comes after creation, because the variant refers to the product.
            json!({"action": "setDefaultVariant", "variant": draft.identifier_of(&variant), "staged": false})
        }));
        holder.insert("current", Value::Object(first.clone()));
        holder.insert("staged", Value::Object(first));
        if self.is_current_published && holder.get("published") != Some(&Value::Bool(true)) {
            // Published and then unpublished, the document keeps its current side.
            holder.insert("published", Value::Bool(true));
            actions.push(json!({"action": "unpublish"}));
        }
        if staged != current {
            let mut changes = StagedChanges { kind, data: self.data, draft, actions };
            changes.side(&current, &staged);
            actions = changes.actions;
        }
        (base, actions)
    }
}

/// Sorts the variants by id and fills gaps with temporary ones. Returns the actions that remove them and restore the
/// master variant.
fn renumber_variants(side: &mut DocumentFields) -> Vec<Value> {
    let variants = variants_of(side);
    let ids: Vec<u64> = variants.iter().filter_map(|variant| variant["id"].as_u64()).collect();
    let (Some(master), Some(last)) = (ids.first().copied(), ids.iter().max().copied()) else {
        return Vec::new();
    };
    if !side.contains_key("masterVariant") || ids.iter().copied().eq(1..=last) || last > VARIANTS_MAX as u64 {
        return Vec::new();
    }
    // Temporary variants need the attributes that must be the same in all variants.
    let shared: Vec<&Value> = list(variants[0].get("attributes"))
        .iter()
        .filter(|of_one| variants.iter().all(|other| list(other.get("attributes")).contains(of_one)))
        .collect();
    let mut actions = Vec::new();
    let mut all = Vec::new();
    for id in 1..=last {
        match variants.iter().find(|variant| variant["id"] == id) {
            Some(variant) => all.push((*variant).clone()),
            None => {
                all.push(json!({"id": id, "attributes": shared}));
                actions.push(json!({"action": "removeVariant", "id": id, "staged": false}));
            }
        }
    }
    if master != 1 {
        actions.insert(0, json!({"action": "changeMasterVariant", "variantId": master, "staged": false}));
    }
    side.insert("masterVariant", all.remove(0));
    side.insert("variants", Value::Array(all));
    actions
}

/// Returns all variants of a side, the master variant first.
fn variants_of(side: &DocumentFields) -> Vec<&Value> {
    let others = side.get("variants").and_then(Value::as_array).into_iter().flatten();
    side.get("masterVariant").into_iter().chain(others).collect()
}

/// Collects the actions that turn the current side into the staged side.
struct StagedChanges<'c, 'd> {
    kind: &'c Kind,
    data: ObjectId,
    draft: &'c mut DraftConverter<'d>,
    actions: Vec<Value>,
}

impl StagedChanges<'_, '_> {
    fn side(&mut self, current: &DocumentFields, staged: &DocumentFields) {
        let model = self.draft.model;
        for field in &model.object(self.data).fields {
            let (before, after) = (current.get(&field.name), staged.get(&field.name));
            if field.spliced || before == after {
                continue;
            }
            match field.name.as_str() {
                "masterVariant" | "variants" | "categoryOrderHints" => {}
                "categories" => self.categories(before, after),
                DEFAULT_VARIANT => {
                    let variant = after.map(|variant| self.draft.identifier_of(variant)).unwrap_or_default();
                    self.push("setDefaultVariant", &json!({}), [("variant", variant)]);
                }
                _ if self.replace(&json!({}), &field.name, &field.shape, after) => {}
                "attributes" => self.attributes(&json!({}), before, after),
                "images" => self.images(&json!({}), before, after),
                "assets" => self.assets(&json!({}), before, after),
                _ => self.draft.unsupported += 1,
            }
        }
        self.order_hints(current, staged);
        self.variants(current, staged);
    }

    /// Sets a whole field, if there is an action whose only other arguments are the address and `staged`.
    fn replace(&mut self, address: &Value, name: &str, stored: &Shape, after: Option<&Value>) -> bool {
        let model = self.draft.model;
        let takes = |action: &&Action| {
            let arguments = &model.object(action.arguments).fields;
            arguments.iter().any(|argument| argument.name == "staged" || argument.name == "variantId")
                && arguments.iter().any(|argument| argument.name == name)
                && arguments.iter().all(|argument| {
                    [name, "staged", "variantId"].contains(&argument.name.as_str())
                        || (argument.name == "sku" && !argument.required)
                })
                && !action.deprecated
                && (address.get("variantId").is_some()
                    == arguments.iter().any(|argument| argument.name == "variantId"))
        };
        let Some(action) = self.kind.actions.iter().find(takes) else { return false };
        let Some(argument) = model.object(action.arguments).field(name) else { return false };
        let value = match after {
            Some(after) => self.draft.value(&argument.shape, stored, after),
            None if argument.required && argument.shape.is_list() => json!([]),
            None => Value::Null,
        };
        self.push(&action.name, address, [(name, value)]);
        true
    }

    fn push<const N: usize>(&mut self, name: &str, address: &Value, more: [(&str, Value); N]) {
        let mut action = json!({"action": name});
        for (name, value) in address.as_object().into_iter().flatten() {
            action[name] = value.clone();
        }
        for (name, value) in more.into_iter().filter(|(_, value)| !value.is_null()) {
            action[name] = value;
        }
        action["staged"] = json!(true);
        self.actions.push(action);
    }

    fn categories(&mut self, before: Option<&Value>, after: Option<&Value>) {
        let (before, after) = (list(before), list(after));
        for (name, some, others) in [("removeFromCategory", before, after), ("addToCategory", after, before)]
        {
            for category in some.iter().filter(|category| !others.contains(category)) {
                let category = self.draft.identifier_of(category);
                self.push(name, &json!({}), [("category", category)]);
            }
        }
    }

    fn order_hints(&mut self, current: &DocumentFields, staged: &DocumentFields) {
        let hints =
            |side: &DocumentFields| side.get("categoryOrderHints").and_then(Value::as_object).cloned();
        let (before, after) = (hints(current).unwrap_or_default(), hints(staged).unwrap_or_default());
        for category in before.keys().filter(|category| !after.contains_key(*category)) {
            self.push("setCategoryOrderHint", &json!({}), [("categoryId", json!(category))]);
        }
        for (category, hint) in after.iter().filter(|(category, hint)| before.get(*category) != Some(hint)) {
            let more = [("categoryId", json!(category)), ("orderHint", hint.clone())];
            self.push("setCategoryOrderHint", &json!({}), more);
        }
    }

    fn attributes(&mut self, address: &Value, before: Option<&Value>, after: Option<&Value>) {
        let name = if address.get("variantId").is_some() { "setAttribute" } else { "setProductAttribute" };
        for (attribute, value) in changed_attributes(before, after) {
            self.push(name, address, [("name", json!(attribute)), ("value", value)]);
        }
    }

    fn images(&mut self, address: &Value, before: Option<&Value>, after: Option<&Value>) {
        for image in list(before) {
            self.push("removeImage", address, [("imageUrl", image["url"].clone())]);
        }
        for image in list(after) {
            self.push("addExternalImage", address, [("image", image.clone())]);
        }
    }

    /// Replaces assets. Their ids differ in the target project, so assets without key cannot be addressed there.
    fn assets(&mut self, address: &Value, before: Option<&Value>, after: Option<&Value>) {
        for asset in list(before) {
            match asset.get("key") {
                Some(key) => self.push("removeAsset", address, [("assetKey", key.clone())]),
                None => {
                    self.draft.unsupported += 1;
                    return;
                }
            }
        }
        let model = self.draft.model;
        let add = self.kind.action("addAsset").and_then(|add| model.object(add.arguments).field("asset"));
        let stored = model.object_by_name("Asset");
        if let (Some(sent), Some(stored)) = (add, stored) {
            for asset in list(after) {
                let asset = self.draft.value(&sent.shape, &Shape::Object(stored), asset);
                self.push("addAsset", address, [("asset", asset)]);
            }
        }
    }

    fn variants(&mut self, current: &DocumentFields, staged: &DocumentFields) {
        let (before, after) = (variants_of(current), variants_of(staged));
        let same = |one: &&&Value, other: &&Value| one["id"] == other["id"];
        let shared = self.attributes_of_all(&before, &after);
        for variant in &after {
            match before.iter().find(|before| same(before, variant)) {
                Some(before) => self.variant(before, variant, &shared),
                None => self.add_variant(variant),
            }
        }
        let masters = (current.get("masterVariant"), staged.get("masterVariant"));
        if let (Some(before), Some(after)) = masters
            && before["id"] != after["id"]
        {
            self.push("changeMasterVariant", &json!({"variantId": after["id"]}), []);
        }
        for gone in before.iter().filter(|before| !after.iter().any(|after| same(before, after))) {
            self.push("removeVariant", &json!({"id": gone["id"]}), []);
        }
    }

    /// Sets attributes that are the same in all variants with one action, because the server may reject setting them
    /// one by one. Returns their names.
    fn attributes_of_all(&mut self, before: &[&Value], after: &[&Value]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if after.len() < 2 {
            return names;
        }
        for variant in after {
            let Some(old) = before.iter().find(|old| old["id"] == variant["id"]) else { continue };
            for (name, value) in changed_attributes(old.get("attributes"), variant.get("attributes")) {
                let is_alike = after.iter().all(|other| attribute(other.get("attributes"), &name) == value);
                if is_alike && !names.contains(&name) {
                    self.push(
                        "setAttributeInAllVariants",
                        &json!({}),
                        [("name", json!(name)), ("value", value)],
                    );
                    names.push(name);
                }
            }
        }
        names
    }

    fn variant(&mut self, before: &Value, after: &Value, shared: &[String]) {
        let model = self.draft.model;
        let Some(shape) = self.variant_shape() else { return };
        let address = json!({"variantId": after["id"]});
        for field in &model.object(shape).fields {
            let (old, new) = (before.get(&field.name), after.get(&field.name));
            if field.spliced || field.derived || old == new {
                continue;
            }
            match field.name.as_str() {
                "attributes" => {
                    for (name, value) in changed_attributes(old, new) {
                        if !shared.contains(&name) {
                            self.push("setAttribute", &address, [("name", json!(name)), ("value", value)]);
                        }
                    }
                }
                // Other actions take a SKU to identify the variant.
                "sku" => self.push("setSku", &address, [("sku", new.cloned().unwrap_or_default())]),
                "key" => {
                    self.push("setProductVariantKey", &address, [("key", new.cloned().unwrap_or_default())]);
                }
                name if self.replace(&address, name, &field.shape, new) => {}
                "images" => self.images(&address, old, new),
                "assets" => self.assets(&address, old, new),
                _ => self.draft.unsupported += 1,
            }
        }
    }

    fn add_variant(&mut self, variant: &Value) {
        let model = self.draft.model;
        let (Some(action), Some(stored), Some(variant)) =
            (self.kind.action("addVariant"), self.variant_shape(), variant.as_object())
        else {
            return;
        };
        let mut sent = self.draft.object(action.arguments, stored, variant);
        if let (Some(fields), Some(id)) = (sent.as_object_mut(), variant.get("id"))
            && model.object(action.arguments).field("id").is_some()
        {
            fields.insert("id", id.clone());
        }
        self.push("addVariant", &sent, []);
    }

    fn variant_shape(&self) -> Option<ObjectId> {
        match self.draft.model.object(self.data).field("variants")?.shape.element() {
            Shape::Object(variant) => Some(*variant),
            _ => None,
        }
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the value of an attribute; null if there is none.
fn attribute(attributes: Option<&Value>, name: &str) -> Value {
    let found = list(attributes).iter().find(|attribute| attribute["name"] == name);
    found.map_or(Value::Null, |attribute| attribute["value"].clone())
}

/// Returns the names and new values of the attributes that differ; null if one is removed.
fn changed_attributes(before: Option<&Value>, after: Option<&Value>) -> Vec<(String, Value)> {
    let names = list(before).iter().chain(list(after)).filter_map(|attribute| attribute["name"].as_str());
    let mut changed: Vec<(String, Value)> = Vec::new();
    for name in names {
        let value = attribute(after, name);
        if attribute(before, name) != value && !changed.iter().any(|(known, _)| known == name) {
            changed.push((name.to_owned(), value));
        }
    }
    changed
}
