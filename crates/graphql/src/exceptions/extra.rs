//! What fields show that have no counterpart in the model, and parts of lists.

/// What a field of this face shows that has no counterpart in the model.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extra {
    /// Always this JSON.
    Constant(&'static str),
    /// The reference at a path of the stored document, for fields that hold a bare one.
    Reference(&'static [&'static str]),
    /// The document that the reference at a path points to.
    Target(&'static [&'static str]),
    /// The document of a kind whose id a stored text is.
    TargetById { kind: &'static str, field: &'static str },
    /// The document that a reference points to, that which its own such reference points to, and so on; the last one
    /// first.
    Ancestors(&'static str),
    /// Documents of a kind that refer to this one at a path.
    Referrers { kind: &'static str, path: &'static str },
    /// How many documents of a kind refer to this one at a path; none while the kind is not served.
    CountOfReferrers { kind: &'static str, path: &'static str },
    /// How much the rules of a kind have counted beside this document of it.
    Counted { kind: &'static str, name: &'static str },
    /// Documents that references in a free JSON value point to, by the argument `expand`.
    ReferencedResources,
    /// As another stored field.
    Stored(&'static str),
    /// The value at a path of stored objects.
    At(&'static [&'static str]),
    /// The elements of a stored list whose `id` another stored field has: one, or a list of them.
    Elements { list: &'static str, by: &'static str },
    /// Each text at paths once.
    Scalars(&'static [&'static str]),
    /// The elements of a stored list that the arguments choose, behind one that is stored apart.
    Chosen { first: Option<&'static str>, list: &'static str },
    /// The element of those with the `sku` or `key` of the arguments.
    ChosenOne { first: Option<&'static str>, list: &'static str },
    /// The entries of a stored object, as objects with these fields.
    MapEntries { field: &'static str, name: &'static str, value: &'static str },
    /// One entry of a stored object, by an argument.
    MapEntry { field: &'static str, argument: &'static str },
    /// A stored list of `{name, value}`, as entries.
    NamedValues(&'static str),
    /// The name of an entry.
    EntryName,
    /// Its value.
    EntryValue,
    /// The document that its value points to.
    EntryTarget,
    /// The documents that its value points to.
    EntryTargets,
    /// Its value as a list of `{name, value}`.
    EntryNamedValues,
    /// A page of a list of the model: the kind of its documents, and its name.
    Below { kind: &'static str, list: &'static str },
    /// The object itself, where it has this field.
    Having(&'static str),
    /// A part of the entries of a stored object whose names are ids.
    MapPage(&'static MapPage),
    /// All of them.
    MapReferences(&'static MapPage),
    /// What a kind puts into documents that it shows to who asks.
    Spliced(&'static Splice),
    /// The definition of an entry: the element with its name, in a list of another document.
    EntryDefinition(&'static EntryDefinition),
}

/// Where the definitions of named values are, e.g. those of Attributes in the `attributes` of a Product Type.
#[derive(Debug, PartialEq)]
pub(crate) struct EntryDefinition {
    /// The field that refers to the document with the definitions. Where an object above the entry has no such field,
    /// the documents that it refers to may have it.
    pub(crate) reference: &'static str,
    /// The list of definitions there.
    pub(crate) list: &'static str,
    /// Paths in a definition whose values are named values again: the reference to the document that defines these.
    pub(crate) nested: &'static [&'static [&'static str]],
}

/// The entries of a stored object whose names are ids of documents, as objects with a reference and the entry.
#[derive(Debug, PartialEq)]
pub(crate) struct MapPage {
    /// The stored object.
    pub(crate) field: &'static str,
    /// The arguments that choose by id.
    pub(crate) arguments: (&'static str, &'static str),
    /// The field for the reference, and its `typeId`.
    pub(crate) reference: (&'static str, &'static str),
    /// The field for the entry.
    pub(crate) value: &'static str,
}

/// A field that a kind puts into its documents for who asks, shown in a part of documents of another kind.
#[derive(Debug, PartialEq)]
pub(crate) struct Splice {
    /// The kind that puts it in.
    pub(crate) kind: &'static str,
    /// The field of its documents that holds such an object; empty: the object is one of its documents.
    pub(crate) at: &'static str,
    /// It holds a list of them.
    pub(crate) in_list: bool,
    /// The fields of the object that count; beside it stand those of `told_below`.
    pub(crate) needs: &'static [&'static str],
    /// Arguments, and the parameters of the kind that they are.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    /// Parameters of the kind that are always sent, with their values.
    pub(crate) asked: &'static [(&'static str, &'static str)],
    /// The field that is put in.
    pub(crate) shows: &'static str,
    /// How it is shown.
    pub(crate) form: Form,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the type of the field says.
    Value,
    /// One text of a localized text, by the arguments `locale` and `acceptLanguage`.
    Text,
    /// All texts of a localized text.
    Texts,
}

/// A list of which a part is shown, by `include…` and `exclude…` of a field of its elements, `sort`, `limit` and
/// `offset`.
#[derive(Debug, PartialEq)]
pub(crate) struct PagedList {
    /// The type that has the list, and its field in the model.
    pub(crate) field: (&'static str, &'static str),
    /// The field of the elements that the arguments choose by.
    pub(crate) by: &'static str,
    /// The two arguments.
    pub(crate) arguments: (&'static str, &'static str),
    /// The type of such a part.
    pub(crate) result: &'static str,
}
