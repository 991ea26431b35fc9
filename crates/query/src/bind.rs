//! Binds a parsed predicate to the model: checks every name, inserts variables, and converts values into the
//! form of documents.

mod check;

use crate::condition::{Condition, Range};
use crate::limits::LIST_VALUES_MAX;
use crate::literal::ComparisonForm;
use crate::predicate::{
    Comparison, Predicate, PredicateExpression, PredicateName, PredicateTest, PredicateValues,
};
use crate::scope::{FieldShape, NameScope, ScopePlace};
use crate::source::ParameterText;
use crate::value::ConditionValue;
use crate::variables::InputVariables;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Shape;

impl Predicate {
    /// Compiles the predicate for documents of `scope`.
    ///
    /// # Errors
    /// 400 `InvalidInput` that names the field and its position: for an unknown field, an operator that the field does
    /// not support, a value of another shape, a missing variable.
    pub fn bind(&self, scope: &NameScope<'_>, variables: &InputVariables) -> ApiResult<Condition> {
        let source = ParameterText { text: &self.text, parameter: &self.parameter };
        let mut binder = Binder { scope, variables, source, path: Vec::new(), in_list: false };
        binder.expression(&self.expression, &scope.root())
    }
}

/// Parses and binds all `where` parameters of a request; a document must match every one.
///
/// # Errors
/// Those of [`Predicate::parse`] and [`Predicate::bind`].
pub fn bind_all<'t>(
    wheres: impl IntoIterator<Item = &'t str>,
    scope: &NameScope<'_>,
    variables: &InputVariables,
) -> ApiResult<Condition> {
    let conditions: ApiResult<Vec<Condition>> =
        wheres.into_iter().map(|text| Predicate::parse(text, "where")?.bind(scope, variables)).collect();
    Ok(Condition::all(conditions?))
}

struct Binder<'s, 'a> {
    scope: &'s NameScope<'a>,
    variables: &'s InputVariables,
    source: ParameterText<'s>,
    /// The names from the root to the current place, for messages.
    path: Vec<String>,
    in_list: bool,
}

impl<'a> Binder<'_, 'a> {
    fn expression(
        &mut self,
        expression: &PredicateExpression,
        place: &ScopePlace<'a>,
    ) -> ApiResult<Condition> {
        match expression {
            PredicateExpression::All(members) => Ok(Condition::all(self.members(members, place)?)),
            PredicateExpression::Any(members) => Ok(Condition::any(self.members(members, place)?)),
            PredicateExpression::Not(inner) => Ok(Condition::not(self.expression(inner, place)?)),
            PredicateExpression::Field(name, test) => self.field(name, test, place),
            PredicateExpression::Constant(constant) => Ok(Condition::Constant(*constant)),
        }
    }

    fn members(
        &mut self,
        members: &[PredicateExpression],
        place: &ScopePlace<'a>,
    ) -> ApiResult<Vec<Condition>> {
        members.iter().map(|member| self.expression(member, place)).collect()
    }

    fn field(
        &mut self,
        name: &PredicateName,
        test: &PredicateTest,
        place: &ScopePlace<'a>,
    ) -> ApiResult<Condition> {
        let Some(field) = self.scope.field(place, &name.text) else {
            return self.field_of_implied(name, test, place);
        };
        self.path.push(name.text.clone());
        let condition = match test {
            PredicateTest::Nested(inner) => self.bind_nested(name, inner, &field, place),
            test => self.check(name, test, &field),
        };
        self.path.pop();
        condition
    }

    /// Binds a field of nested objects whose names may be omitted: it is searched in each of them.
    fn field_of_implied(
        &mut self,
        name: &PredicateName,
        test: &PredicateTest,
        place: &ScopePlace<'a>,
    ) -> ApiResult<Condition> {
        let mut conditions = Vec::new();
        for (holder, below) in self.scope.implied(place) {
            if self.scope.field(&below, &name.text).is_some() {
                conditions.push(Condition::nested(holder, self.field(name, test, &below)?));
            }
        }
        if !conditions.is_empty() {
            return Ok(Condition::any(conditions));
        }
        if self.scope.admits_any_name && matches!(place, ScopePlace::Objects(_)) {
            return self.field(name, test, &ScopePlace::Open);
        }
        Err(self.unknown_field_error(name, place))
    }

    fn bind_nested(
        &mut self,
        name: &PredicateName,
        inner: &PredicateExpression,
        field: &FieldShape<'a>,
        place: &ScopePlace<'a>,
    ) -> ApiResult<Condition> {
        let Some(below) = self.scope.nested_place(field) else {
            return Err(self.refuse(name, "has no fields to ask for in parentheses"));
        };
        let open = matches!(&*field.shape, Shape::Json | Shape::AnyObject);
        let is_plain = matches!(
            below,
            ScopePlace::Objects(_) | ScopePlace::Custom { .. } | ScopePlace::CustomValues { .. }
        );
        if self.scope.scalars_only && (field.shape.is_list() || !is_plain) {
            return Err(self.not_scalar(name));
        }
        if let ScopePlace::Objects(objects) = &below {
            let is_attribute = objects.iter().all(|object| {
                let open = object.field("value").is_some_and(|value| value.shape == Shape::Json);
                object.fields.len() == 2 && open && object.field("name").is_some()
            });
            let needs_both = tests_value(inner) || self.scope.names_need_values;
            if is_attribute && needs_both && !(tests_name(inner) && tests_value(inner)) {
                return Err(self.refuse(
                    name,
                    "needs the name of the attribute beside its value: name=\"…\" and value=…",
                ));
            }
        }
        let outer = self.in_list;
        self.in_list |= field.shape.is_list() || open;
        let condition = self.expression(inner, &below);
        self.in_list = outer;
        let condition = condition?;
        let stored_as = field.stored_name(&name.text);
        if !field.shape.is_list() && !open {
            return Ok(Condition::nested(stored_as, condition));
        }
        let in_list = Condition::element(stored_as, condition.clone());
        // A condition on a product's `variants` includes the master variant, which is stored separately.
        match self.sibling_element(name, field, place) {
            Some(sibling) => Ok(Condition::any(vec![Condition::nested(sibling, condition), in_list])),
            None => Ok(in_list),
        }
    }

    /// Returns, for the list `variants`, the sibling field with one more element of the same shape.
    fn sibling_element(
        &self,
        name: &PredicateName,
        field: &FieldShape<'a>,
        place: &ScopePlace<'a>,
    ) -> Option<&'static str> {
        const LIST: &str = "variants";
        const SIBLING: &str = "masterVariant";
        let sibling = (name.text == LIST).then(|| self.scope.field(place, SIBLING)).flatten()?;
        (!matches!(place, ScopePlace::Open) && *sibling.shape == *field.shape.element()).then_some(SIBLING)
    }

    /// Returns the values of a list, each with its possible readings.
    fn list(
        &self,
        field: &str,
        form: ComparisonForm,
        values: &PredicateValues,
    ) -> ApiResult<Vec<Vec<ConditionValue>>> {
        let operands = match values {
            PredicateValues::Listed(operands) => operands.as_slice(),
            PredicateValues::Variable(operand) => std::slice::from_ref(operand),
        };
        let mut all = Vec::with_capacity(operands.len());
        for operand in operands {
            let refuse = |sentence: String| self.source.refuse(operand.span.start, &sentence);
            all.extend(form.list_values(field, operand, self.variables).map_err(refuse)?);
            if all.len() > LIST_VALUES_MAX {
                return Err(refuse(format!("A list may have at most {LIST_VALUES_MAX} values.")));
            }
        }
        Ok(all)
    }

    fn form(&self, name: &PredicateName, operator: &str, shape: &Shape) -> ApiResult<ComparisonForm> {
        ComparisonForm::from_shape(shape).ok_or_else(|| self.unsupported(name, operator))
    }

    fn unknown_field_error(&self, name: &PredicateName, place: &ScopePlace<'_>) -> ApiError {
        let mut sentence = match self.path.as_slice() {
            [] => format!("The field '{}' does not exist.", name.text),
            path => format!("The field '{}' does not exist in '{}'.", name.text, path.join(".")),
        };
        if let Some(similar) = similar(&name.text, &place.known_names()) {
            sentence.push_str(&format!(" Did you mean '{similar}'?"));
        }
        self.source.refuse(name.span.start, &sentence)
    }

    fn unsupported(&self, name: &PredicateName, operator: &str) -> ApiError {
        self.refuse(name, &format!("does not support the operator '{operator}'"))
    }

    fn not_scalar(&self, name: &PredicateName) -> ApiError {
        self.refuse(
            name,
            "cannot be asked for by a HEAD request: only text, enum, boolean, number, date, time and date-time \
             fields can",
        )
    }

    fn refuse(&self, name: &PredicateName, sentence: &str) -> ApiError {
        self.source.refuse(name.span.start, &format!("The field '{}' {sentence}.", self.path.join(".")))
    }
}

impl Comparison {
    pub(crate) fn range(self) -> Option<Range> {
        match self {
            Comparison::Equal | Comparison::NotEqual => None,
            Comparison::Less => Some(Range::Less),
            Comparison::LessOrEqual => Some(Range::LessOrEqual),
            Comparison::Greater => Some(Range::Greater),
            Comparison::GreaterOrEqual => Some(Range::GreaterOrEqual),
        }
    }
}

/// Whether `expression` tests an attribute's value.
fn tests_value(expression: &PredicateExpression) -> bool {
    match expression {
        PredicateExpression::All(members) | PredicateExpression::Any(members) => {
            members.iter().any(tests_value)
        }
        PredicateExpression::Not(inner) => tests_value(inner),
        PredicateExpression::Field(name, _) => name.text == "value",
        PredicateExpression::Constant(_) => false,
    }
}

/// Whether `expression` can match only attributes with given names.
fn tests_name(expression: &PredicateExpression) -> bool {
    match expression {
        PredicateExpression::All(members) => members.iter().any(tests_name),
        PredicateExpression::Any(members) => members.iter().all(tests_name),
        PredicateExpression::Not(_) | PredicateExpression::Constant(_) => false,
        PredicateExpression::Field(name, test) => {
            let fixed = matches!(
                test,
                PredicateTest::Compare(Comparison::Equal, _) | PredicateTest::In { negated: false, .. }
            );
            name.text == "name" && fixed
        }
    }
}

/// Longer names are not compared with the known ones for a suggestion: no field has such a long name.
const SIMILAR_BYTES_MAX: usize = 64;

/// Returns the known name that differs from `name` in case or in one or two letters only.
fn similar<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    if name.len() > SIMILAR_BYTES_MAX {
        return None;
    }
    let name = name.to_lowercase();
    let (distance, best) = known
        .iter()
        .map(|candidate| (distance(&name, &candidate.to_lowercase()), *candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 2 && distance * 2 < name.chars().count()).then_some(best)
}

/// Returns the Levenshtein distance: how many letters must be changed, added or removed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
