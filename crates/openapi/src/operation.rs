//! One operation: which methods stand where, what they are called, what they say of themselves.

use crate::side::Side;
use kontor_model::{Addressing, Kind, Operation};

/// Which documents of a kind a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// All: `/states`.
    All,
    /// Those with one value of the first addressing field: `/custom-objects/{container}`.
    Part(String),
    /// One by id: `/states/{ID}`.
    Id,
    /// One by key: `/states/key={key}`.
    Key,
    /// One by the fields that address it: `/custom-objects/{container}/{key}`.
    Fields(Vec<String>),
    /// The only one.
    Only,
    /// One that is yet to be, where creations have a path of their own: `/me/signup`.
    New(String),
}

impl Place {
    /// The places of a kind.
    pub(crate) fn of(kind: &Kind) -> Vec<Self> {
        match &kind.addressing {
            Addressing::Singleton => vec![Place::Only],
            Addressing::Id { by_key: false } => vec![Place::All, Place::Id],
            Addressing::Id { by_key: true } => vec![Place::All, Place::Id, Place::Key],
            Addressing::Fields(fields) => {
                let part = fields.first().cloned().map(Place::Part);
                std::iter::once(Place::All).chain(part).chain([Place::Fields(fields.clone())]).collect()
            }
        }
    }

    /// The path below the project's.
    pub(crate) fn path(&self, kind: &Kind) -> String {
        self.below(if kind.path.is_empty() { String::new() } else { format!("/{}", kind.path) })
    }

    /// The path below that of all documents.
    pub(crate) fn below(&self, base: String) -> String {
        match self {
            Place::All | Place::Only => base,
            Place::New(create) => format!("{base}/{create}"),
            Place::Part(field) => format!("{base}/{{{field}}}"),
            Place::Id => format!("{base}/{{ID}}"),
            Place::Key => format!("{base}/key={{key}}"),
            Place::Fields(fields) => fields.iter().fold(base, |path, field| format!("{path}/{{{field}}}")),
        }
    }

    /// The names of the path's own parameters.
    pub(crate) fn parameters(&self) -> Vec<&str> {
        match self {
            Place::All | Place::Only | Place::New(_) => Vec::new(),
            Place::Part(field) => vec![field],
            Place::Id => vec!["ID"],
            Place::Key => vec!["key"],
            Place::Fields(fields) => fields.iter().map(String::as_str).collect(),
        }
    }

    /// The methods that the platform knows here. Whether a kind has them is for the model to say.
    pub(crate) fn methods(&self) -> &'static [(&'static str, Operation)] {
        use Operation::{Create, Delete, Get, Head, Query, Update};
        match self {
            Place::All => &[("get", Query), ("head", Head), ("post", Create)],
            Place::Part(_) => &[("get", Query)],
            Place::Id | Place::Key => &[("get", Get), ("head", Head), ("post", Update), ("delete", Delete)],
            Place::Fields(_) => &[("get", Get), ("delete", Delete)],
            Place::Only => &[("get", Get), ("head", Head), ("post", Update), ("delete", Delete)],
            Place::New(_) => &[("post", Create)],
        }
    }

    fn id_part(&self) -> String {
        match self {
            Place::All | Place::Only => String::new(),
            Place::New(create) => pascal(create),
            Place::Id => "ByID".to_owned(),
            Place::Key => "KeyByKey".to_owned(),
            Place::Part(field) => format!("By{}", pascal(field)),
            Place::Fields(fields) => fields.iter().map(|field| format!("By{}", pascal(field))).collect(),
        }
    }

    fn words(&self) -> String {
        match self {
            Place::All | Place::Only | Place::New(_) => String::new(),
            Place::Id => " by ID".to_owned(),
            Place::Key => " by key".to_owned(),
            Place::Part(field) => format!(" of one {field}"),
            Place::Fields(fields) => format!(" by {}", fields.join(" and ")),
        }
    }
}

/// `ByProjectKeyStatesKeyByKeyGet`: the rule by which the public reference names its operations.
pub(crate) fn operation_id(kind: &Kind, side: Side, place: &Place, method: &str) -> String {
    format!("ByProjectKey{}{}{}{}", side.id_part(), side.kind_part(kind), place.id_part(), pascal(method))
}

/// For people: `Update a State by key`.
pub(crate) fn summary(kind: &Kind, side: Side, place: &Place, operation: Operation) -> String {
    let (name, words) = (spaced(&kind.name), format!("{}{}", place.words(), side.words()));
    match (operation, place) {
        (Operation::Query, _) => format!("Query {name} resources{words}"),
        (Operation::Head, Place::All) => format!("Check that some {name} exists{words}"),
        (Operation::Head, _) => format!("Check that {name} exists{words}"),
        (Operation::Create, _) if kind.upsert => format!("Create or replace {name}{words}"),
        (Operation::Create, _) => format!("Create {name}{words}"),
        (Operation::Get, _) => format!("Get {name}{words}"),
        (Operation::Update, _) => format!("Update {name}{words}"),
        (Operation::Delete, _) => format!("Delete {name}{words}"),
    }
}

/// `custom-objects` gives `CustomObjects`.
pub(crate) fn pascal(text: &str) -> String {
    text.split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

/// `CustomObject` gives `Custom Object`.
fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut follows_small = false;
    for letter in name.chars() {
        if follows_small && letter.is_ascii_uppercase() {
            text.push(' ');
        }
        follows_small = letter.is_ascii_lowercase();
        text.push(letter);
    }
    text
}
