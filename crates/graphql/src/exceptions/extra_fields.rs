//! Row types for fields that have no counterpart in the model ([`ExtraSource`]) and for lists that are shown in parts.

/// Where a field that has no counterpart in the model takes its value from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExtraSource {
    /// Always this value, in JSON.
    Constant(&'static str),
    /// The reference at a path of the stored document.
    Reference(&'static [&'static str]),
    /// The document that the reference at a path points to.
    Target(&'static [&'static str]),
    /// The document of a kind whose id is stored as a plain string.
    TargetById { kind: &'static str, field: &'static str },
    /// The document that a reference points to, then the document that the same field of that one points to, and so on;
    /// the topmost first.
    Ancestors(&'static str),
    /// Documents of a kind that refer to this one at a path.
    Referrers { kind: &'static str, path: &'static str },
    /// The number of documents of a kind that refer to this one at a path; 0 while the kind is not served.
    CountOfReferrers { kind: &'static str, path: &'static str },
    /// A number that the Rust of a kind counts for each of its documents, e.g. the applications of a Discount Code.
    Counted { kind: &'static str, name: &'static str },
    /// Documents that references in a free JSON value point to, by the argument `expand`.
    ReferencedResources,
    /// The value of another stored field.
    Stored(&'static str),
    /// The value at a path of stored objects.
    At(&'static [&'static str]),
    /// The elements of a stored list whose `id` is the value of another stored field, or is in the list there.
    Elements { list: &'static str, by: &'static str },
    /// The distinct texts at some paths.
    Scalars(&'static [&'static str]),
    /// The elements of a stored list that the arguments choose, after an element stored in another field.
    Chosen { first: Option<&'static str>, list: &'static str },
    /// The element of those that has the `sku` or `key` of the arguments.
    ChosenOne { first: Option<&'static str>, list: &'static str },
    /// The entries of a stored object, as objects with these fields.
    MapEntries { field: &'static str, name: &'static str, value: &'static str },
    /// One entry of a stored object, whose name an argument gives.
    MapEntry { field: &'static str, argument: &'static str },
    /// A stored list of `{name, value}`, as entries.
    NamedValues(&'static str),
    /// The name of an entry.
    EntryName,
    /// The value of an entry.
    EntryValue,
    /// The document that the value of an entry points to.
    EntryTarget,
    /// The documents that the value of an entry points to.
    EntryTargets,
    /// The value of an entry that is a list of `{name, value}`.
    EntryNamedValues,
    /// A page of a list of the model: the kind of its documents, and its name.
    ListPage { kind: &'static str, list: &'static str },
    /// The object itself if it has this field, `null` otherwise.
    IfPresent(&'static str),
    /// A part of the entries of a stored object whose names are ids.
    MapPage(&'static MapPage),
    /// All entries of such an object.
    MapReferences(&'static MapPage),
    /// A field that the kind calculates for each request, e.g. the price that fits the request's currency and country.
    Spliced(&'static Splice),
    /// The definition of an entry: the element with the entry's name in a list of another document.
    EntryDefinition(&'static EntryDefinition),
}

/// Where the definitions of named values are, e.g. the definitions of Attributes in the `attributes` of a Product Type.
#[derive(Debug, PartialEq)]
pub(crate) struct EntryDefinition {
    /// The field that refers to the document with the definitions. If an object above the entry has no such field, the
    /// field is looked up in the documents that the object refers to.
    pub(crate) reference: &'static str,
    /// The list of definitions in that document.
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

/// A field that a kind calculates for each request, shown in a part of documents of another kind, e.g. the availability
/// of a variant in a line item.
#[derive(Debug, PartialEq)]
pub(crate) struct Splice {
    /// The kind that calculates the field.
    pub(crate) kind: &'static str,
    /// The field of its documents that holds such an object; empty if the object is a whole document.
    pub(crate) at: &'static str,
    /// True if that field holds a list of objects.
    pub(crate) in_list: bool,
    /// The fields of the object that the calculation needs, in addition to `passed_fields`.
    pub(crate) needs: &'static [&'static str],
    /// Arguments, and the parameters of the kind that they set.
    pub(crate) parameters: &'static [(&'static str, &'static str)],
    /// Parameters of the kind that always have these values.
    pub(crate) fixed_parameters: &'static [(&'static str, &'static str)],
    /// The calculated field.
    pub(crate) shows: &'static str,
    /// How its value is shown.
    pub(crate) form: SpliceForm,
}

/// How the value of a [`Splice`] is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpliceForm {
    /// As the type of the field requires.
    Value,
    /// One text of a localized string, by the arguments `locale` and `acceptLanguage`.
    Text,
    /// All texts of a localized string.
    Texts,
}

/// A list that is shown in parts: by `include…` and `exclude…` of a field of its elements, by `sort`, `limit` and
/// `offset`.
#[derive(Debug, PartialEq)]
pub(crate) struct PagedList {
    /// The type that has the list, and its field in the model.
    pub(crate) field: (&'static str, &'static str),
    /// The field of the elements that the arguments compare.
    pub(crate) by: &'static str,
    /// The including and the excluding argument.
    pub(crate) arguments: (&'static str, &'static str),
    /// The type of a part.
    pub(crate) result: &'static str,
}
