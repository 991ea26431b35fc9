//! Parses query parameters, and converts them to list requests and view options.

use kontor_engine::{ListRequest, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use kontor_model::{Kind, Model, OperationKind, ServedOperation};
use kontor_search::parameters::parse_bool;
use std::str::FromStr;

/// The prefix of input variables, which the engine expects.
const VARIABLE_PREFIX: &str = "var.";

/// The parameters of every query endpoint.
const QUERY_PARAMETERS: [&str; 7] = ["where", "sort", "expand", "offset", "limit", "withTotal", "staged"];

/// The decoded parameters of a request, in their order.
#[derive(Clone)]
pub struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    /// Parses a query string.
    pub fn parse(query: Option<&str>) -> Self {
        let pairs = query.map(|query| form_urlencoded::parse(query.as_bytes()).into_owned().collect());
        Self(pairs.unwrap_or_default())
    }

    /// Returns the parameters with those of a form. The official TypeScript SDK sends a form as a JSON string.
    pub(crate) fn with_form(&self, form: &[u8]) -> Self {
        let Self(mut pairs) = self.clone();
        let unquoted = kontor_json::from_slice::<String>(form).ok();
        let form = unquoted.as_ref().map_or(form, String::as_bytes);
        pairs.extend(form_urlencoded::parse(form).into_owned());
        Self(pairs)
    }

    /// Returns all parameters.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Returns all values of a parameter that may be repeated.
    pub fn values(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    /// Returns true if the parameter is given.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Returns the value of a parameter that must not be repeated: the first one.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the parsed value. `expected` describes it in the error message.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> ApiResult<Option<T>> {
        match self.value(name) {
            None => Ok(None),
            Some(text) => text
                .parse()
                .map(Some)
                .map_err(|_| malformed_parameter(name, &format!("'{text}' was sent, expected {expected}"))),
        }
    }

    /// Returns the value of a flag: `true` or `false`. Fails with 400 for any other value.
    pub fn flag(&self, name: &str) -> ApiResult<Option<bool>> {
        let read = |text| {
            parse_bool(text).ok_or_else(|| {
                malformed_parameter(name, &format!("'{text}' was sent, expected true or false"))
            })
        };
        self.value(name).map(read).transpose()
    }

    /// Returns the version that a deletion must have.
    pub(crate) fn version(&self) -> ApiResult<Option<i64>> {
        self.parsed("version", "a whole number")
    }

    /// Returns the view options for the operation's kind or view. Fails with 400 for an invalid parameter.
    pub fn view_options(
        &self,
        model: &Model,
        operation: &ServedOperation,
        store: Option<&str>,
    ) -> ApiResult<ViewOptions> {
        let Some(kind) = operation.kind.map(|kind| model.kind(kind)) else {
            return Ok(ViewOptions::default());
        };
        match operation.operation_kind {
            OperationKind::Documents(_) => self.read_view_options(kind, &kind.parameters, store),
            OperationKind::View(position) => match kind.views.get(position) {
                Some(view) => self.read_view_options(kind, &view.parameters, store),
                None => Err(ApiError::bug(format!("there is no view {position}"))),
            },
            _ => Ok(ViewOptions::default()),
        }
    }

    /// Returns the view options for a kind with the parameters `known`.
    pub(crate) fn read_view_options(
        &self,
        kind: &Kind,
        known: &[String],
        store: Option<&str>,
    ) -> ApiResult<ViewOptions> {
        let staged = match kind.projection {
            Some(_) => self.flag("staged")?.unwrap_or(false),
            None => false,
        };
        let parameters = self.0.iter().filter(|(name, _)| known.contains(name)).cloned().collect();
        let store = store.filter(|_| kind.projection.is_some()).map(str::to_owned);
        Ok(ViewOptions { staged, store, parameters, ..ViewOptions::default() })
    }

    /// Returns the input variables of predicates. Clients also send them without their prefix, if no parameter has that
    /// name.
    fn variables(&self) -> Vec<(String, String)> {
        let is_prefixed = |name: &str| name.starts_with(VARIABLE_PREFIX);
        let variables = self.0.iter().filter_map(|(name, value)| {
            if is_prefixed(name) {
                return Some((name.clone(), value.clone()));
            }
            let prefixed = format!("{VARIABLE_PREFIX}{name}");
            let is_free = !QUERY_PARAMETERS.contains(&name.as_str()) && !self.contains(&prefixed);
            is_free.then(|| (prefixed, value.clone()))
        });
        variables.collect()
    }

    /// Returns the list request. `counts_by_default`: whether the total is calculated if the request does not say.
    ///
    /// # Errors
    /// `InvalidInput` for a malformed parameter.
    pub fn list_request(&self, counts_by_default: bool) -> ApiResult<ListRequest> {
        let bounded = |name: &str, max: usize, default: usize| -> ApiResult<usize> {
            let value: Option<i64> = self.parsed(name, "a whole number")?;
            match value {
                None => Ok(default),
                Some(value) => usize::try_from(value).ok().filter(|value| *value <= max).ok_or_else(|| {
                    malformed_parameter(name, &format!("{value} was sent, expected 0 to {max}"))
                }),
            }
        };
        Ok(ListRequest {
            wheres: self.values("where"),
            variables: self.variables(),
            sort: self.values("sort"),
            expand: self.values("expand"),
            offset: bounded("offset", OFFSET_MAX, 0)?,
            limit: bounded("limit", LIMIT_MAX, LIMIT_DEFAULT)?,
            with_total: self.flag("withTotal")?.unwrap_or(counts_by_default),
            ..ListRequest::default()
        })
    }
}

/// Returns a 400 for a query parameter, in the platform's wording.
pub(crate) fn malformed_parameter(name: &str, why: &str) -> ApiError {
    ApiError::invalid_input(format!("Malformed parameter: {name}: {why}."))
}
