//! The tables of exceptions: each place where the official schema does not follow the naming conventions.
//!
//! The conventions themselves are in `derive/` and in `docs/guide/graphql.md`. In a row, the name on the left is one of
//! the model (or of the GraphQL schema, if the table says so), the name on the right one of the official schema.
//!
//! [`ExceptionArea`] lists the tables. Each file in this folder has the rows for some resources; code reads a table through its
//! constant (e.g. [`RENAMED`]), which joins the rows of all areas.
//!
//! **Invariant:** nothing else in this crate knows the name of a resource.

mod approval_rules;
mod assortment;
mod attributes;
mod business_units;
mod carts;
mod customers;
mod discounts;
mod events;
mod extra_fields;
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
mod unreached_types;
mod values;
mod variants;
mod workflow;

pub(crate) use extra_fields::{EntryDefinition, ExtraSource, MapPage, PagedList, Splice, SpliceForm};
pub(crate) use interfaces::{INTERFACES, Interface};
pub(crate) use limits::{ALL_LIMITS, LIMIT_WITH_CURRENT, LIMITS, LIMITS_PROJECTION, LimitRow};
pub(crate) use rows::{
    ActionAlias, ActionSplit, EndpointNames, EndpointQuery, ExtraInput, ForwardedPart, KindNames, MapInput,
    ParameterSearchQueries, Selector, ServiceQuery, ShownQuery, SideQuery, SideView,
};
pub(crate) use unreached_types::{RejectedField, UnreachedInput, UnreachedType};

use rows::NO_EXCEPTION;
use table::ExceptionTable;

/// The areas, in the order of their names.
static AREAS: &[ExceptionArea] = &[
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
    unreached_types::AREA,
    values::AREA,
    variants::AREA,
    workflow::AREA,
];

type StaticName = &'static str;
pub(crate) type NamePair = (StaticName, StaticName);
pub(crate) type NameTriple = (StaticName, StaticName, StaticName);
type NameQuad = (StaticName, StaticName, StaticName, StaticName);
type RetypedField = (StaticName, StaticName, StaticName, Option<StaticName>);
type ExtraUnion = (StaticName, StaticName, StaticName, &'static [NamePair]);
/// A field that only GraphQL has: type, field, arguments, type of the value, source of the value.
type ExtraField = (StaticName, StaticName, &'static [NamePair], StaticName, ExtraSource);

/// The rows for some resources, a list for each table. Start from [`ExceptionArea::NONE`], whose tables are empty.
pub(crate) struct ExceptionArea {
    /// Names of kinds that do not follow the conventions.
    pub(crate) kinds: &'static [KindNames],
    /// Kinds whose type does not implement `ReferenceExpandable`.
    pub(crate) not_expandable: &'static [StaticName],
    /// Kinds whose pages also have the field `limit`.
    pub(crate) limited_pages: &'static [StaticName],
    /// Kinds whose query of one document takes `id` or `key`, although the documents have no key.
    pub(crate) keys_without_key: &'static [StaticName],
    /// Objects, unions and enums of the model that have another name in responses.
    pub(crate) output_names: &'static [NamePair],
    /// Objects and unions of the model that have another name in requests. By convention an `input` of the model keeps
    /// its name, and a `type` or `union` gets the suffix `Input`.
    pub(crate) input_names: &'static [NamePair],
    /// Further types for an object of the model, used by fields that `retyped` lists.
    pub(crate) output_aliases: &'static [NamePair],
    /// Further inputs for an object or union of the model, used by fields that `retyped_inputs` lists.
    pub(crate) input_aliases: &'static [NamePair],
    /// Unions that are sent as one object with the fields of all members, instead of one field for each member.
    pub(crate) flat_unions: &'static [StaticName],
    /// Values of enums that only GraphQL has.
    pub(crate) extra_enum_values: &'static [NamePair],
    /// Fields that GraphQL does not have: the GraphQL type, and the field's name in the model.
    pub(crate) hidden: &'static [NamePair],
    /// Fields of inputs that GraphQL does not have.
    pub(crate) hidden_inputs: &'static [NamePair],
    /// Members of unions that an input does not have, e.g. `set` in the element type of a set.
    pub(crate) hidden_members: &'static [NamePair],
    /// Unions (by their input's name) whose members are sent as the value of their only field.
    pub(crate) bare_members: &'static [StaticName],
    /// Members of unions that have other names in an input, possibly several: the input of the union, its field, the
    /// member's discriminator in the model, the input of the field.
    pub(crate) member_inputs: &'static [NameQuad],
    /// Fields of a union's default member that the union's input has directly: the input, the field, its type.
    pub(crate) default_member_inputs: &'static [NameTriple],
    /// Update actions that GraphQL does not have: kind and action.
    pub(crate) hidden_actions: &'static [NamePair],
    /// Kinds whose inputs of update actions are named like the action, without the kind.
    pub(crate) bare_actions: &'static [StaticName],
    /// Inputs of update actions that have another name: kind, action, name.
    pub(crate) action_names: &'static [NameTriple],
    /// Update actions that have another name in REST.
    pub(crate) action_aliases: &'static [ActionAlias],
    /// Update actions that are several actions in REST.
    pub(crate) action_splits: &'static [ActionSplit],
    /// Fields that have another name: type, name in the model, name in GraphQL.
    pub(crate) renamed: &'static [NameTriple],
    /// Types of fields that do not follow from the model, with the JSON that replaces an absent value if the type is
    /// not nullable. An absent list that is not nullable is empty without such JSON.
    pub(crate) retyped: &'static [RetypedField],
    /// Types of input fields that do not follow from the model.
    pub(crate) retyped_inputs: &'static [NameTriple],
    /// Input fields that are accepted and have no effect.
    pub(crate) ignored_inputs: &'static [NameTriple],
    /// Fields of inputs that only GraphQL has.
    pub(crate) extra_inputs: &'static [ExtraInput],
    /// Arguments of queries that replace a predicate.
    pub(crate) selectors: &'static [Selector],
    /// Fields of shape `Long` that are `Int` in GraphQL, in any type.
    pub(crate) int_fields: &'static [StaticName],
    /// Boolean input fields whose default the schema shows, in any input.
    pub(crate) shown_defaults: &'static [NamePair],
    /// Second names of update actions: kind, name, input, action of the model.
    pub(crate) action_synonyms: &'static [NameQuad],
    /// Objects with free names that are sent as lists of entries.
    pub(crate) map_inputs: &'static [MapInput],
    /// Types that only GraphQL has; their fields are in `extra`.
    pub(crate) extra_outputs: &'static [NamePair],
    /// Enums that only GraphQL has.
    pub(crate) extra_enums: &'static [(StaticName, &'static [StaticName])],
    /// Interfaces that only GraphQL has: name, description, the discriminator, and the type for each of its values.
    pub(crate) extra_unions: &'static [ExtraUnion],
    /// Types to which no field leads.
    pub(crate) unreached: &'static [UnreachedType],
    /// Inputs that no field of the model uses.
    pub(crate) unreached_inputs: &'static [UnreachedInput],
    /// Input fields whose values REST rejects.
    pub(crate) refused_inputs: &'static [RejectedField],
    /// Types, and interfaces that they implement in addition to those of their unions.
    pub(crate) implements: &'static [NamePair],
    /// Resources whose Messages have an interface of their own: the `typeId`, and the interface.
    pub(crate) message_interfaces: &'static [NamePair],
    /// Objects and unions that are stored in their sent form but shown in that of a response: both names of the
    /// model.
    pub(crate) kept_types: &'static [NamePair],
    /// Staged actions of which a draft is shown: the action, and the type of the draft.
    pub(crate) kept_drafts: &'static [NamePair],
    /// Fields of an object that are passed down, because fields further down depend on them.
    pub(crate) passed_fields: &'static [(StaticName, &'static [StaticName])],
    /// Fields that only GraphQL has.
    pub(crate) extra: &'static [ExtraField],
    /// Endpoints that have another name.
    pub(crate) endpoints: &'static [EndpointNames],
    /// Endpoints that create a document from arguments instead of a draft: kind and endpoint.
    pub(crate) bare_endpoints: &'static [NamePair],
    /// Arguments that a mutation does not have: mutation and argument.
    pub(crate) hidden_arguments: &'static [NamePair],
    /// Lists whose elements the arguments `includeNames` and `excludeNames` choose by their `name`.
    pub(crate) named_lists: &'static [NamePair],
    /// Lists of which the argument `id` chooses one element.
    pub(crate) identified_lists: &'static [NamePair],
    /// Lists of which a part is shown.
    pub(crate) paged_lists: &'static [PagedList],
    /// `typeId`s of resources whose Messages have references but not the documents that these point to.
    pub(crate) unfollowed_messages: &'static [StaticName],
    /// Kinds whose sides are shown in the form of another kind.
    pub(crate) views: &'static [SideView],
    /// Enums that are `String` in GraphQL.
    pub(crate) text_enums: &'static [StaticName],
    /// Kinds below `me`, by their `My…` name, whose actions have inputs of their own even if the same action exists
    /// outside of `me`.
    pub(crate) own_actions: &'static [StaticName],
    /// Mutations with the argument `personalDataErasure` although the kind has no personal data.
    pub(crate) erasures: &'static [StaticName],
    /// Queries for endpoints that return objects of their own.
    pub(crate) readers: &'static [EndpointQuery],
    /// Queries for operations of services.
    pub(crate) service_queries: &'static [ServiceQuery],
    /// Queries of one document that an endpoint finds: kind, endpoint, query.
    pub(crate) finders: &'static [NameTriple],
    /// Kinds with `@projection` whose documents have queries of their own.
    pub(crate) side_queries: &'static [SideQuery],
    /// Queries that show documents as other objects.
    pub(crate) shown_queries: &'static [ShownQuery],
    /// Searches with parameters.
    pub(crate) parameter_searches: &'static [ParameterSearchQueries],
}

impl ExceptionArea {
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
        passed_fields: &[],
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
        side_queries: &[],
        shown_queries: &[],
        parameter_searches: &[],
    };
}

pub(crate) const KINDS: ExceptionTable<KindNames> = ExceptionTable(|area| area.kinds);
pub(crate) const NOT_EXPANDABLE: ExceptionTable<StaticName> = ExceptionTable(|area| area.not_expandable);
pub(crate) const LIMITED_PAGES: ExceptionTable<StaticName> = ExceptionTable(|area| area.limited_pages);
pub(crate) const KEYS_WITHOUT_KEY: ExceptionTable<StaticName> = ExceptionTable(|area| area.keys_without_key);
pub(crate) const OUTPUT_NAMES: ExceptionTable<NamePair> = ExceptionTable(|area| area.output_names);
pub(crate) const INPUT_NAMES: ExceptionTable<NamePair> = ExceptionTable(|area| area.input_names);
pub(crate) const OUTPUT_ALIASES: ExceptionTable<NamePair> = ExceptionTable(|area| area.output_aliases);
pub(crate) const INPUT_ALIASES: ExceptionTable<NamePair> = ExceptionTable(|area| area.input_aliases);
pub(crate) const FLAT_UNIONS: ExceptionTable<StaticName> = ExceptionTable(|area| area.flat_unions);
pub(crate) const EXTRA_ENUM_VALUES: ExceptionTable<NamePair> = ExceptionTable(|area| area.extra_enum_values);
pub(crate) const HIDDEN: ExceptionTable<NamePair> = ExceptionTable(|area| area.hidden);
pub(crate) const HIDDEN_INPUTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.hidden_inputs);
pub(crate) const HIDDEN_MEMBERS: ExceptionTable<NamePair> = ExceptionTable(|area| area.hidden_members);
pub(crate) const BARE_MEMBERS: ExceptionTable<StaticName> = ExceptionTable(|area| area.bare_members);
pub(crate) const MEMBER_INPUTS: ExceptionTable<NameQuad> = ExceptionTable(|area| area.member_inputs);
pub(crate) const DEFAULT_MEMBER_INPUTS: ExceptionTable<NameTriple> =
    ExceptionTable(|area| area.default_member_inputs);
pub(crate) const HIDDEN_ACTIONS: ExceptionTable<NamePair> = ExceptionTable(|area| area.hidden_actions);
pub(crate) const BARE_ACTIONS: ExceptionTable<StaticName> = ExceptionTable(|area| area.bare_actions);
pub(crate) const ACTION_NAMES: ExceptionTable<NameTriple> = ExceptionTable(|area| area.action_names);
pub(crate) const ACTION_ALIASES: ExceptionTable<ActionAlias> = ExceptionTable(|area| area.action_aliases);
pub(crate) const ACTION_SPLITS: ExceptionTable<ActionSplit> = ExceptionTable(|area| area.action_splits);
pub(crate) const RENAMED: ExceptionTable<NameTriple> = ExceptionTable(|area| area.renamed);
pub(crate) const RETYPED: ExceptionTable<RetypedField> = ExceptionTable(|area| area.retyped);
pub(crate) const RETYPED_INPUTS: ExceptionTable<NameTriple> = ExceptionTable(|area| area.retyped_inputs);
pub(crate) const IGNORED_INPUTS: ExceptionTable<NameTriple> = ExceptionTable(|area| area.ignored_inputs);
pub(crate) const EXTRA_INPUTS: ExceptionTable<ExtraInput> = ExceptionTable(|area| area.extra_inputs);
pub(crate) const SELECTORS: ExceptionTable<Selector> = ExceptionTable(|area| area.selectors);
pub(crate) const INT_FIELDS: ExceptionTable<StaticName> = ExceptionTable(|area| area.int_fields);
pub(crate) const SHOWN_DEFAULTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.shown_defaults);
pub(crate) const ACTION_SYNONYMS: ExceptionTable<NameQuad> = ExceptionTable(|area| area.action_synonyms);
pub(crate) const MAP_INPUTS: ExceptionTable<MapInput> = ExceptionTable(|area| area.map_inputs);
pub(crate) const EXTRA_OUTPUTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.extra_outputs);
pub(crate) const EXTRA_ENUMS: ExceptionTable<(StaticName, &'static [StaticName])> =
    ExceptionTable(|area| area.extra_enums);
pub(crate) const EXTRA_UNIONS: ExceptionTable<ExtraUnion> = ExceptionTable(|area| area.extra_unions);
pub(crate) const UNREACHED: ExceptionTable<UnreachedType> = ExceptionTable(|area| area.unreached);
pub(crate) const UNREACHED_INPUTS: ExceptionTable<UnreachedInput> =
    ExceptionTable(|area| area.unreached_inputs);
pub(crate) const REFUSED_INPUTS: ExceptionTable<RejectedField> = ExceptionTable(|area| area.refused_inputs);
pub(crate) const IMPLEMENTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.implements);
pub(crate) const MESSAGE_INTERFACES: ExceptionTable<NamePair> =
    ExceptionTable(|area| area.message_interfaces);
pub(crate) const KEPT_TYPES: ExceptionTable<NamePair> = ExceptionTable(|area| area.kept_types);
pub(crate) const KEPT_DRAFTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.kept_drafts);
pub(crate) const PASSED_FIELDS: ExceptionTable<(StaticName, &'static [StaticName])> =
    ExceptionTable(|area| area.passed_fields);
pub(crate) const EXTRA: ExceptionTable<ExtraField> = ExceptionTable(|area| area.extra);
pub(crate) const ENDPOINTS: ExceptionTable<EndpointNames> = ExceptionTable(|area| area.endpoints);
pub(crate) const BARE_ENDPOINTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.bare_endpoints);
pub(crate) const HIDDEN_ARGUMENTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.hidden_arguments);
pub(crate) const NAMED_LISTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.named_lists);
pub(crate) const IDENTIFIED_LISTS: ExceptionTable<NamePair> = ExceptionTable(|area| area.identified_lists);
pub(crate) const PAGED_LISTS: ExceptionTable<PagedList> = ExceptionTable(|area| area.paged_lists);
pub(crate) const UNFOLLOWED_MESSAGES: ExceptionTable<StaticName> =
    ExceptionTable(|area| area.unfollowed_messages);
pub(crate) const VIEWS: ExceptionTable<SideView> = ExceptionTable(|area| area.views);
pub(crate) const TEXT_ENUMS: ExceptionTable<StaticName> = ExceptionTable(|area| area.text_enums);
pub(crate) const OWN_ACTIONS: ExceptionTable<StaticName> = ExceptionTable(|area| area.own_actions);
pub(crate) const ERASURES: ExceptionTable<StaticName> = ExceptionTable(|area| area.erasures);
pub(crate) const READERS: ExceptionTable<EndpointQuery> = ExceptionTable(|area| area.readers);
pub(crate) const SERVICE_QUERIES: ExceptionTable<ServiceQuery> = ExceptionTable(|area| area.service_queries);
pub(crate) const ENDPOINT_FINDERS: ExceptionTable<NameTriple> = ExceptionTable(|area| area.finders);
pub(crate) const SIDE_QUERIES: ExceptionTable<SideQuery> = ExceptionTable(|area| area.side_queries);
pub(crate) const SHOWN_QUERIES: ExceptionTable<ShownQuery> = ExceptionTable(|area| area.shown_queries);
pub(crate) const PARAMETER_SEARCHES: ExceptionTable<ParameterSearchQueries> =
    ExceptionTable(|area| area.parameter_searches);

/// The argument that requests the staged side of documents.
pub(crate) const STAGED: (&str, &str) = ("staged", "Boolean! = false");
/// The arguments that include or exclude elements by their name.
pub(crate) const NAME_FILTERS: (&str, &str) = ("includeNames", "excludeNames");

/// The arguments of a page.
const PAGE: &[(&str, &str)] =
    &[("where", "String"), ("sort", "[String!]"), ("limit", "Int"), ("offset", "Int")];

/// The field of `Query` that narrows everything below it to one Store, and its type.
pub(crate) const IN_STORE: (&str, &str) = ("inStore", "InStore");
/// The field of `Query` that does the same for several Stores.
pub(crate) const IN_STORES: &str = "inStores";
/// The argument of mutations that names a Store.
pub(crate) const STORE_KEY: &str = "storeKey";
/// The field of `Query` that narrows everything below it to the documents of an associate, and its type; then the argument
/// of mutations that names the acting associate, and its type.
pub(crate) const AS_ASSOCIATE: (&str, &str) = ("asAssociate", "AsAssociate");
pub(crate) const AS_ASSOCIATE_ARGUMENT: (&str, &str) = ("asAssociate", "AsAssociateArgument");
/// The arguments that name the business unit and the associate.
pub(crate) const UNIT_KEY: &str = "businessUnitKey";
pub(crate) const ASSOCIATE_ID: &str = "associateId";
/// The field that narrows everything below it to the caller's own documents, its type, and its type below a Store.
pub(crate) const ME: (&str, &str, &str) = ("me", "Me", "InStoreMe");

/// The kind of Messages, and the GraphQL type of the kind that defines custom fields.
pub(crate) const MESSAGE: &str = "Message";
pub(crate) const CUSTOM_TYPE: &str = "TypeDefinition";
