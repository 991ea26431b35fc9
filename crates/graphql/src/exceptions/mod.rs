//! Every place where the official schema leaves the naming conventions.
//!
//! The conventions themselves are in `derive/` and are written down in `docs/guide/graphql.md`. A name on the
//! left is one of the model (or, where a table says so, of this face); a name on the right is one of the
//! official schema. Nothing else in this crate knows the name of a resource.
//!
//! [`Area`] says what tables there are. Each file beside this one has the rows of some resources; a table is read
//! through the constant of its name, which goes through the areas.

mod approval_rules;
mod assortment;
mod attributes;
mod business_units;
mod carts;
mod customers;
mod discounts;
mod events;
mod extra;
mod interfaces;
mod limits;
mod mcp_servers;
mod modular;
mod order_edits;
mod orders;
mod prices;
mod products;
mod project;
pub(crate) mod projection_search;
mod quotes;
mod recurring_orders;
mod rows;
pub(crate) mod searches;
mod shipping;
mod shopping_lists;
mod stores;
mod table;
mod types;
mod unreached;
mod values;
mod variants;
mod workflow;

pub(crate) use extra::{EntryDefinition, Extra, Form, MapPage, PagedList, Splice};
pub(crate) use interfaces::{INTERFACES, Interface};
pub(crate) use limits::{ALL_LIMITS, LIMIT_WITH_CURRENT, LIMITS, LIMITS_PROJECTION, LimitOf};
pub(crate) use rows::{
    ActionAlias, ActionSplit, EndpointNames, ExtraInput, KindNames, MapInput, ParameterRoot, Reader,
    Selector, SentPart, ServiceQuery, Shown, ShownBy, Side,
};
pub(crate) use unreached::{RefusedField, Unreached, UnreachedInput};

use rows::NO_EXCEPTION;
use table::Table;

/// Where rows stand; one line an area.
static AREAS: &[Area] = &[
    approval_rules::AREA,
    assortment::AREA,
    attributes::AREA,
    business_units::AREA,
    carts::AREA,
    customers::AREA,
    discounts::AREA,
    events::AREA,
    mcp_servers::AREA,
    modular::AREA,
    order_edits::AREA,
    orders::AREA,
    prices::AREA,
    products::AREA,
    projection_search::AREA,
    project::AREA,
    quotes::AREA,
    recurring_orders::AREA,
    shipping::AREA,
    shopping_lists::AREA,
    stores::AREA,
    types::AREA,
    unreached::AREA,
    values::AREA,
    variants::AREA,
    workflow::AREA,
];

type Name = &'static str;
pub(crate) type Pair = (Name, Name);
pub(crate) type Triple = (Name, Name, Name);
type Quad = (Name, Name, Name, Name);
type Retyped = (Name, Name, Name, Option<Name>);
type ExtraUnion = (Name, Name, Name, &'static [Pair]);
/// A field that only this face has: type, field, arguments, type of the value, what it shows.
type ExtraField = (Name, Name, &'static [Pair], Name, Extra);

/// The rows of some resources, a list for each table. What is left out of [`Area::NONE`] is empty.
pub(crate) struct Area {
    /// Words of kinds that do not follow the conventions.
    pub(crate) kinds: &'static [KindNames],
    /// Kinds whose type does not implement `ReferenceExpandable`.
    pub(crate) not_expandable: &'static [Name],
    /// Kinds whose pages tell their `limit`, too.
    pub(crate) limited_pages: &'static [Name],
    /// Queries of one document by `id` or `key`, although documents of the kind have no key.
    pub(crate) keys_without_key: &'static [Name],
    /// Objects, unions and enums of the model that are called otherwise where they are answered.
    pub(crate) output_names: &'static [Pair],
    /// Objects and unions of the model that are called otherwise where they are sent. Without an exception an
    /// `input` keeps its name, and a `type` or `union` gets `Input` at its end.
    pub(crate) input_names: &'static [Pair],
    /// Further types for an object of the model, for fields that `retyped` gives them to.
    pub(crate) output_aliases: &'static [Pair],
    /// Further inputs for an object or union of the model, for fields that `retyped_inputs` gives them to.
    pub(crate) input_aliases: &'static [Pair],
    /// Unions that are sent as one object with the fields of all members, instead of one field a member.
    pub(crate) flat_unions: &'static [Name],
    /// Values of enums that only this face has.
    pub(crate) extra_enum_values: &'static [Pair],
    /// Fields (of types of this face, named as in the model) that this face does not have.
    pub(crate) hidden: &'static [Pair],
    /// Fields of inputs that this face does not have.
    pub(crate) hidden_inputs: &'static [Pair],
    /// Members of unions that an input does not offer: a set holds no sets.
    pub(crate) hidden_members: &'static [Pair],
    /// Unions (as they are called where they are sent) whose members are sent as the value of their only field.
    pub(crate) bare_members: &'static [Name],
    /// Members of unions that an input offers under names of their own, also several times: the input of the union, the
    /// field of it, the member as the model tells it apart, the input of the field.
    pub(crate) member_inputs: &'static [Quad],
    /// Fields of the default member of a union that its input takes beside the members: the input, the field, its type.
    pub(crate) default_member_inputs: &'static [Triple],
    /// Update actions that this face does not have: kind and action.
    pub(crate) hidden_actions: &'static [Pair],
    /// Kinds whose inputs of update actions are called as the action is, without the kind.
    pub(crate) bare_actions: &'static [Name],
    /// Inputs of update actions that are called otherwise: kind, action, name.
    pub(crate) action_names: &'static [Triple],
    /// Update actions that the other face knows under another name.
    pub(crate) action_aliases: &'static [ActionAlias],
    /// Update actions that are several of the other face.
    pub(crate) action_splits: &'static [ActionSplit],
    /// Fields that are called otherwise: type, name in the model, name here.
    pub(crate) renamed: &'static [Triple],
    /// Types of fields that do not follow from the model, with the JSON that stands for an absent value where the
    /// type admits none. An absent list that must be there is empty without being told so here.
    pub(crate) retyped: &'static [Retyped],
    /// Types of input fields that do not follow from the model.
    pub(crate) retyped_inputs: &'static [Triple],
    /// Input fields that are accepted and mean nothing.
    pub(crate) ignored_inputs: &'static [Triple],
    /// Fields of inputs that only this face has.
    pub(crate) extra_inputs: &'static [ExtraInput],
    /// Arguments of queries that stand for predicates.
    pub(crate) selectors: &'static [Selector],
    /// Fields of shape `Long` that are `Int` in this face, wherever they stand.
    pub(crate) int_fields: &'static [Name],
    /// Flags of inputs whose default this face shows, wherever they stand.
    pub(crate) shown_defaults: &'static [Pair],
    /// Update actions that have a second name here: kind, name, input, action of the model.
    pub(crate) action_synonyms: &'static [Quad],
    /// Objects with free names that are sent as lists.
    pub(crate) map_inputs: &'static [MapInput],
    /// Types that only this face has; their fields are in `extra`.
    pub(crate) extra_outputs: &'static [Pair],
    /// Enums that only this face has.
    pub(crate) extra_enums: &'static [(Name, &'static [Name])],
    /// Interfaces that only this face has: name, what it is, the field that tells its types apart, and for each of its
    /// values the type.
    pub(crate) extra_unions: &'static [ExtraUnion],
    /// Types to which no field leads.
    pub(crate) unreached: &'static [Unreached],
    /// Inputs that nothing of the model takes.
    pub(crate) unreached_inputs: &'static [UnreachedInput],
    /// Fields that send what the other face refuses.
    pub(crate) refused_inputs: &'static [RefusedField],
    /// Types, and interfaces that they implement beside those of their unions.
    pub(crate) implements: &'static [Pair],
    /// `typeId`s of resources whose Messages have an interface of their own, and that.
    pub(crate) message_interfaces: &'static [Pair],
    /// Objects and unions that are sent, of which what is kept is shown as what they become: both as in the model.
    pub(crate) kept_types: &'static [Pair],
    /// Actions that are kept, of which a draft is shown: the action, and the type of the draft.
    pub(crate) kept_drafts: &'static [Pair],
    /// Fields of an object that fields further down depend on.
    pub(crate) told_below: &'static [(Name, &'static [Name])],
    /// Fields that only this face has.
    pub(crate) extra: &'static [ExtraField],
    /// Endpoints that are called otherwise.
    pub(crate) endpoints: &'static [EndpointNames],
    /// Endpoints that make documents whose fields are arguments, in the place of a draft: kind and endpoint.
    pub(crate) bare_endpoints: &'static [Pair],
    /// Arguments that a mutation does not have.
    pub(crate) hidden_arguments: &'static [Pair],
    /// Lists whose elements the arguments `includeNames` and `excludeNames` choose by their `name`.
    pub(crate) named_lists: &'static [Pair],
    /// Lists of which the argument `id` chooses an element.
    pub(crate) identified_lists: &'static [Pair],
    /// Lists of which a part is shown.
    pub(crate) paged_lists: &'static [PagedList],
    /// `typeId`s of resources whose Messages have references without what they point to.
    pub(crate) unfollowed_messages: &'static [Name],
    /// Kinds whose sides are shown as another kind shows them.
    pub(crate) views: &'static [ShownBy],
    /// Enums whose values are texts in this face.
    pub(crate) text_enums: &'static [Name],
    /// What belongs to who asks, by its name in the model: its actions have inputs of their own even where they are
    /// the same as elsewhere.
    pub(crate) own_actions: &'static [Name],
    /// Mutations that take `personalDataErasure` although nothing of the kind is personal.
    pub(crate) erasures: &'static [Name],
    /// Queries that endpoints answer with objects of their own.
    pub(crate) readers: &'static [Reader],
    /// Queries that operations of services answer.
    pub(crate) service_queries: &'static [ServiceQuery],
    /// Queries of one document that endpoints find: kind, endpoint, query.
    pub(crate) finders: &'static [Triple],
    /// Kinds with `@projection` whose documents have queries of their own.
    pub(crate) sides: &'static [Side],
    /// Queries of another object that a document is shown as.
    pub(crate) shown: &'static [Shown],
    /// Searches with parameters.
    pub(crate) parameter_searches: &'static [ParameterRoot],
}

impl Area {
    const NONE: Self = Self {
        kinds: &[],
        not_expandable: &[],
        limited_pages: &[],
        keys_without_key: &[],
        output_names: &[],
        input_names: &[],
        output_aliases: &[],
        input_aliases: &[],
        flat_unions: &[],
        extra_enum_values: &[],
        hidden: &[],
        hidden_inputs: &[],
        hidden_members: &[],
        bare_members: &[],
        member_inputs: &[],
        default_member_inputs: &[],
        hidden_actions: &[],
        bare_actions: &[],
        action_names: &[],
        action_aliases: &[],
        action_splits: &[],
        renamed: &[],
        retyped: &[],
        retyped_inputs: &[],
        ignored_inputs: &[],
        extra_inputs: &[],
        selectors: &[],
        int_fields: &[],
        shown_defaults: &[],
        action_synonyms: &[],
        map_inputs: &[],
        extra_outputs: &[],
        extra_enums: &[],
        extra_unions: &[],
        unreached: &[],
        unreached_inputs: &[],
        refused_inputs: &[],
        implements: &[],
        message_interfaces: &[],
        kept_types: &[],
        kept_drafts: &[],
        told_below: &[],
        extra: &[],
        endpoints: &[],
        bare_endpoints: &[],
        hidden_arguments: &[],
        named_lists: &[],
        identified_lists: &[],
        paged_lists: &[],
        unfollowed_messages: &[],
        views: &[],
        text_enums: &[],
        own_actions: &[],
        erasures: &[],
        readers: &[],
        service_queries: &[],
        finders: &[],
        sides: &[],
        shown: &[],
        parameter_searches: &[],
    };
}

pub(crate) const KINDS: Table<KindNames> = Table(|area| area.kinds);
pub(crate) const NOT_EXPANDABLE: Table<Name> = Table(|area| area.not_expandable);
pub(crate) const LIMITED_PAGES: Table<Name> = Table(|area| area.limited_pages);
pub(crate) const KEYS_WITHOUT_KEY: Table<Name> = Table(|area| area.keys_without_key);
pub(crate) const OUTPUT_NAMES: Table<Pair> = Table(|area| area.output_names);
pub(crate) const INPUT_NAMES: Table<Pair> = Table(|area| area.input_names);
pub(crate) const OUTPUT_ALIASES: Table<Pair> = Table(|area| area.output_aliases);
pub(crate) const INPUT_ALIASES: Table<Pair> = Table(|area| area.input_aliases);
pub(crate) const FLAT_UNIONS: Table<Name> = Table(|area| area.flat_unions);
pub(crate) const EXTRA_ENUM_VALUES: Table<Pair> = Table(|area| area.extra_enum_values);
pub(crate) const HIDDEN: Table<Pair> = Table(|area| area.hidden);
pub(crate) const HIDDEN_INPUTS: Table<Pair> = Table(|area| area.hidden_inputs);
pub(crate) const HIDDEN_MEMBERS: Table<Pair> = Table(|area| area.hidden_members);
pub(crate) const BARE_MEMBERS: Table<Name> = Table(|area| area.bare_members);
pub(crate) const MEMBER_INPUTS: Table<Quad> = Table(|area| area.member_inputs);
pub(crate) const DEFAULT_MEMBER_INPUTS: Table<Triple> = Table(|area| area.default_member_inputs);
pub(crate) const HIDDEN_ACTIONS: Table<Pair> = Table(|area| area.hidden_actions);
pub(crate) const BARE_ACTIONS: Table<Name> = Table(|area| area.bare_actions);
pub(crate) const ACTION_NAMES: Table<Triple> = Table(|area| area.action_names);
pub(crate) const ACTION_ALIASES: Table<ActionAlias> = Table(|area| area.action_aliases);
pub(crate) const ACTION_SPLITS: Table<ActionSplit> = Table(|area| area.action_splits);
pub(crate) const RENAMED: Table<Triple> = Table(|area| area.renamed);
pub(crate) const RETYPED: Table<Retyped> = Table(|area| area.retyped);
pub(crate) const RETYPED_INPUTS: Table<Triple> = Table(|area| area.retyped_inputs);
pub(crate) const IGNORED_INPUTS: Table<Triple> = Table(|area| area.ignored_inputs);
pub(crate) const EXTRA_INPUTS: Table<ExtraInput> = Table(|area| area.extra_inputs);
pub(crate) const SELECTORS: Table<Selector> = Table(|area| area.selectors);
pub(crate) const INT_FIELDS: Table<Name> = Table(|area| area.int_fields);
pub(crate) const SHOWN_DEFAULTS: Table<Pair> = Table(|area| area.shown_defaults);
pub(crate) const ACTION_SYNONYMS: Table<Quad> = Table(|area| area.action_synonyms);
pub(crate) const MAP_INPUTS: Table<MapInput> = Table(|area| area.map_inputs);
pub(crate) const EXTRA_OUTPUTS: Table<Pair> = Table(|area| area.extra_outputs);
pub(crate) const EXTRA_ENUMS: Table<(Name, &'static [Name])> = Table(|area| area.extra_enums);
pub(crate) const EXTRA_UNIONS: Table<ExtraUnion> = Table(|area| area.extra_unions);
pub(crate) const UNREACHED: Table<Unreached> = Table(|area| area.unreached);
pub(crate) const UNREACHED_INPUTS: Table<UnreachedInput> = Table(|area| area.unreached_inputs);
pub(crate) const REFUSED_INPUTS: Table<RefusedField> = Table(|area| area.refused_inputs);
pub(crate) const IMPLEMENTS: Table<Pair> = Table(|area| area.implements);
pub(crate) const MESSAGE_INTERFACES: Table<Pair> = Table(|area| area.message_interfaces);
pub(crate) const KEPT_TYPES: Table<Pair> = Table(|area| area.kept_types);
pub(crate) const KEPT_DRAFTS: Table<Pair> = Table(|area| area.kept_drafts);
pub(crate) const TOLD_BELOW: Table<(Name, &'static [Name])> = Table(|area| area.told_below);
pub(crate) const EXTRA: Table<ExtraField> = Table(|area| area.extra);
pub(crate) const ENDPOINTS: Table<EndpointNames> = Table(|area| area.endpoints);
pub(crate) const BARE_ENDPOINTS: Table<Pair> = Table(|area| area.bare_endpoints);
pub(crate) const HIDDEN_ARGUMENTS: Table<Pair> = Table(|area| area.hidden_arguments);
pub(crate) const NAMED_LISTS: Table<Pair> = Table(|area| area.named_lists);
pub(crate) const IDENTIFIED_LISTS: Table<Pair> = Table(|area| area.identified_lists);
pub(crate) const PAGED_LISTS: Table<PagedList> = Table(|area| area.paged_lists);
pub(crate) const UNFOLLOWED_MESSAGES: Table<Name> = Table(|area| area.unfollowed_messages);
pub(crate) const VIEWS: Table<ShownBy> = Table(|area| area.views);
pub(crate) const TEXT_ENUMS: Table<Name> = Table(|area| area.text_enums);
pub(crate) const OWN_ACTIONS: Table<Name> = Table(|area| area.own_actions);
pub(crate) const ERASURES: Table<Name> = Table(|area| area.erasures);
pub(crate) const READERS: Table<Reader> = Table(|area| area.readers);
pub(crate) const SERVICE_QUERIES: Table<ServiceQuery> = Table(|area| area.service_queries);
pub(crate) const FINDERS: Table<Triple> = Table(|area| area.finders);
pub(crate) const SIDES: Table<Side> = Table(|area| area.sides);
pub(crate) const SHOWN: Table<Shown> = Table(|area| area.shown);
pub(crate) const PARAMETER_SEARCHES: Table<ParameterRoot> = Table(|area| area.parameter_searches);

/// The argument that asks for the sides of documents that are being worked on.
pub(crate) const STAGED: (&str, &str) = ("staged", "Boolean! = false");
/// The arguments that choose elements by their name.
pub(crate) const CHOSEN: (&str, &str) = ("includeNames", "excludeNames");

/// What a page is asked for by.
const PAGE: &[(&str, &str)] =
    &[("where", "String"), ("sort", "[String!]"), ("limit", "Int"), ("offset", "Int")];

/// The field of `Query` whose object shows what belongs to one Store, and that object.
pub(crate) const IN_STORE: (&str, &str) = ("inStore", "InStore");
/// The field of `Query` that shows the same for several.
pub(crate) const IN_STORES: &str = "inStores";
/// The argument of mutations that names a Store.
pub(crate) const STORE_KEY: &str = "storeKey";
/// The field of `Query` whose object shows what an associate works with, that object, and the argument of mutations that
/// says who acts, with its type.
pub(crate) const AS_ASSOCIATE: (&str, &str) = ("asAssociate", "AsAssociate");
pub(crate) const ACTS: (&str, &str) = ("asAssociate", "AsAssociateArgument");
/// The arguments that name the unit and the associate.
pub(crate) const UNIT_KEY: &str = "businessUnitKey";
pub(crate) const ASSOCIATE_ID: &str = "associateId";
/// The field whose object shows what belongs to who asks, that object, and the one below a Store.
pub(crate) const ME: (&str, &str, &str) = ("me", "Me", "InStoreMe");

/// The kind whose documents are messages, and the kind that defines custom fields (as it is called here).
pub(crate) const MESSAGE: &str = "Message";
pub(crate) const CUSTOM_TYPE: &str = "TypeDefinition";
