//! The model reader: the result of parsing, and the errors for mistakes.

use kontor_json::json;
use kontor_model::{
    Addressing, IgnoredFields, Model, ModelFile, OnDelete, Operation, Shape, Validator, Verb,
};

const SCALARS: &str = "scalar String scalar Boolean scalar Long scalar LocalizedString scalar CustomFields
    scalar Key @string(minLength: 2, maxLength: 256, pattern: \"^[A-Za-z0-9_-]+$\")
    interface Resource { id: String! version: Long! }";

fn read(text: &str) -> Result<Model, String> {
    let sources = [
        ModelFile { name: "scalars.graphql".into(), text: SCALARS },
        ModelFile { name: "test.graphql".into(), text },
    ];
    Model::read(&sources).map_err(|problems| problems.to_string())
}

const SHELF: &str = r#"
type Shelf @resource(path: "shelves", typeId: "shelf", view: ["view_shelves"], manage: ["manage_shelves"]) {
  key: Key @unique
  name: LocalizedString! @unique
  above: Shelf @onDelete(does: BLOCK)
  size: Size!
  custom: CustomFields @custom(of: "shelf")
}
enum Size { SMALL @value(is: "very-small") LARGE @value(is: "large") }
input ShelfDraft { key: Key name: LocalizedString! above: ShelfResourceIdentifier size: Size = "large" }
type ShelfActions @actions(of: "Shelf") {
  setKey(key: Key): Shelf @set
  changeName(name: LocalizedString!): Shelf @set(same: REFUSE) @emits(messages: ["ShelfRenamed"])
  burn: Shelf
}
type ShelfRenamed @message(of: "shelf") { name: LocalizedString! oldName: LocalizedString }
"#;

#[test]
fn derives_all_parts_of_a_resource() {
    let model = read(SHELF).unwrap();
    let id = model.kind_by_path("shelves").unwrap();
    let kind = model.kind(id);
    assert_eq!(kind.type_id, "shelf");
    assert_eq!(kind.addressing, Addressing::Id { by_key: true });
    assert!(kind.allows(Operation::Delete));
    assert_eq!(kind.unique.iter().map(|unique| unique.localized).collect::<Vec<_>>(), [false, true]);
    assert_eq!(kind.indexed, [vec!["above", "id"], vec!["custom", "type", "id"]]);
    assert_eq!(model.referrers(id)[0].on_delete, OnDelete::Block);
    assert!(matches!(kind.action("setKey").unwrap().verb, Some(Verb::Set { .. })));
    assert!(kind.action("changeName").unwrap().refuses_same);
    assert!(kind.action("burn").unwrap().verb.is_none());
    let object = model.object(kind.object);
    assert_eq!(object.fields[0].name, "id");
    assert!(matches!(object.field("above").unwrap().shape, Shape::Reference(_)));
}

#[test]
fn reports_mistakes_with_their_place() {
    let wrong = SHELF.replace("size: Size!", "size: Sizes!");
    assert_eq!(read(&wrong).unwrap_err(), "test.graphql:6:9: 'Sizes' is not declared");
    let wrong = SHELF.replace("): Shelf @set\n", "): Shelf @sett\n");
    assert!(read(&wrong).unwrap_err().contains("@sett is not known here"));
    let wrong = SHELF.replace("setKey(key: Key): Shelf @set", "setKey(kee: Key): Shelf @set");
    assert!(read(&wrong).unwrap_err().contains("the resource has no field kee"));
    let wrong = SHELF.replace("@set\n", "@set @append(to: \"x\")\n");
    assert!(read(&wrong).unwrap_err().contains("an action has one verb"));
    let wrong = SHELF.replace("type Shelf ", "type Shelf @sparkles ");
    assert!(read(&wrong).unwrap_err().contains("@sparkles is not known here"));
    assert!(read("type Shelf {").unwrap_err().starts_with("test.graphql:1:"));
}

#[test]
fn validates_and_completes_a_draft() {
    let model = read(SHELF).unwrap();
    let draft = model.kind(model.kind_by_path("shelves").unwrap()).draft.unwrap();
    let check = |mut value| Validator::new(&model).object(draft, &mut value, "").map(|()| value);

    let full = check(json!({"name": {"en": "Books"}, "above": {"id": "a"}, "key": null})).unwrap();
    assert_eq!(
        full,
        json!({"name": {"en": "Books"}, "above": {"id": "a", "typeId": "shelf"}, "size": "large"})
    );
    let refusal = |value| check(value).unwrap_err().body()["errors"][0].clone();
    assert_eq!(refusal(json!({}))["detailedErrorMessage"], "name: a value is required");
    assert_eq!(refusal(json!({"name": {"en": 1}}))["code"], "InvalidJsonInput");
    let unknown = refusal(json!({"name": {"en": "x"}, "colour": 1}));
    assert!(unknown["detailedErrorMessage"].as_str().unwrap().starts_with("colour: unknown field"));
    let size = refusal(json!({"name": {"en": "x"}, "size": "huge"}));
    assert_eq!(size["code"], "InvalidField");
    assert_eq!(size["allowedValues"], json!(["very-small", "large"]));
    assert_eq!(refusal(json!({"name": {"en": "x"}, "key": "!"}))["field"], "key");
    let both = refusal(json!({"name": {"en": "x"}, "above": {"id": "a", "key": "b"}}));
    assert_eq!(both["code"], "InvalidJsonInput");
    let other = refusal(json!({"name": {"en": "x"}, "above": {"id": "a", "typeId": "state"}}));
    assert_eq!(other["code"], "InvalidJsonInput");
}

#[test]
fn embedded_model_has_no_mistakes() {
    if let Err(problems) = Model::embedded() {
        panic!("{problems}");
    }
}

#[test]
fn removes_and_collects_unknown_fields() {
    let model = Model::embedded().unwrap();
    let (_, kind) = model.kinds().find(|(_, kind)| kind.name == "Category").unwrap();
    let draft = kind.draft.unwrap();
    let sent = json!({
        "name": {"EN": "Books", "de-at": "Bücher"}, "slug": {"en": "books"}, "colour": "red", "description": {},
        "parent": {"id": "c1", "typeId": "category", "seen": true},
        "assets": [{"name": {"en": "Cover"}, "sources": [{"uri": "a", "size": 3}]}],
    });
    let mut refused = sent.clone();
    let error = Validator::new(&model).object(draft, &mut refused, "").unwrap_err();
    assert!(error.body().to_string().contains("colour: unknown field"), "{error:?}");

    let ignored = IgnoredFields::default();
    let mut taken = sent;
    Validator::new(&model).with_ignored_fields(Some(&ignored)).object(draft, &mut taken, "").unwrap();
    assert_eq!(ignored.paths(), ["colour", "parent.seen", "assets[0].sources[0].size"]);
    assert_eq!(taken["name"], json!({"en": "Books", "de-AT": "Bücher"}));
    assert_eq!(taken.get("description"), None, "a text in no language is none");
    assert_eq!(taken["parent"], json!({"id": "c1", "typeId": "category"}));
}
