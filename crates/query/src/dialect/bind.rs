//! Compiles a parsed predicate of a dialect into a [`Condition`].

use super::resolve::{PathEnd, ResolvedPath, Resolver, UnknownName};
use super::{Dialect, DialectFunction, FunctionResult};
use crate::amount::CurrencyAmount;
use crate::condition::{Condition, ValueCheck};
use crate::limits::LIST_VALUES_MAX;
use crate::literal::ComparisonForm;
use crate::number::ExactNumber;
use crate::predicate::{
    Comparison, Literal, Operand, Predicate, PredicateExpression, PredicateName, PredicateTest,
    PredicateValues,
};
use crate::source::ParameterText;
use crate::value::ConditionValue;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Model, Shape, is_country};

/// Compiles an expression; returns the condition and the documents that the predicate references by id.
pub(super) fn bind(
    dialect: &'static Dialect,
    predicate: &Predicate,
    model: &Model,
) -> ApiResult<(Condition, Vec<(String, String)>)> {
    let resolver = Resolver { dialect, model };
    let source = ParameterText { text: &predicate.text, parameter: &predicate.parameter };
    let mut binder = DialectBinder { resolver, source, referenced_documents: Vec::new() };
    let condition = binder.expression(&predicate.expression, None)?;
    Ok((condition, binder.referenced_documents))
}

struct DialectBinder<'a> {
    resolver: Resolver<'a>,
    source: ParameterText<'a>,
    referenced_documents: Vec<(String, String)>,
}

/// The possible readings of one operand: `"10.00 EUR"` may be an amount or a text.
type Readings = Vec<ConditionValue>;

impl<'a> DialectBinder<'a> {
    /// Compiles an expression. Inside of a function, names are relative to `element`.
    fn expression(
        &mut self,
        expression: &PredicateExpression,
        element: Option<&ResolvedPath<'a>>,
    ) -> ApiResult<Condition> {
        let mut each = |members: &[PredicateExpression]| -> ApiResult<Vec<Condition>> {
            members.iter().map(|member| self.expression(member, element)).collect()
        };
        match expression {
            PredicateExpression::All(members) => Ok(Condition::all(each(members)?)),
            PredicateExpression::Any(members) => Ok(Condition::any(each(members)?)),
            PredicateExpression::Not(inner) => Ok(Condition::not(self.expression(inner, element)?)),
            PredicateExpression::Constant(constant) => Ok(Condition::Constant(*constant)),
            PredicateExpression::Field(name, PredicateTest::Nested(of)) => {
                self.function(name, of, None, element)
            }
            PredicateExpression::Field(name, PredicateTest::Outcome { filter, comparison, operand }) => {
                self.function(name, filter, Some((*comparison, operand)), element)
            }
            PredicateExpression::Field(name, test) => self.field(name, test, element),
        }
    }

    fn field(
        &mut self,
        name: &PredicateName,
        test: &PredicateTest,
        element: Option<&ResolvedPath<'a>>,
    ) -> ApiResult<Condition> {
        let top = self.resolver.top();
        let ways = self.resolver.resolve(element.unwrap_or(&top), &name.text);
        let ways = ways.map_err(|unknown| self.unknown_name_error(name, &unknown))?;
        match test {
            PredicateTest::Compare(Comparison::Equal, operand) => {
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                Ok(is_exactly(&ways, values))
            }
            PredicateTest::Compare(Comparison::NotEqual, operand) => {
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                Ok(Condition::not(is_one_of(&ways, values)))
            }
            PredicateTest::Compare(comparison, operand) => {
                let range = comparison.range().ok_or_else(|| self.unsupported(name))?;
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                let readings = values.into_iter().flatten();
                Ok(Condition::any(
                    readings.map(|value| any_value_passes(&ways, &ValueCheck::Range(range, value))).collect(),
                ))
            }
            PredicateTest::Equals { negated: false, values } => {
                Ok(is_exactly(&ways, self.values(name, &ways, listed(values))?))
            }
            PredicateTest::Equals { negated: true, values } | PredicateTest::In { negated: true, values } => {
                Ok(Condition::not(is_one_of(&ways, self.values(name, &ways, listed(values))?)))
            }
            PredicateTest::In { negated: false, values } | PredicateTest::Contains { all: false, values } => {
                Ok(is_one_of(&ways, self.values(name, &ways, listed(values))?))
            }
            PredicateTest::Contains { all: true, values } => {
                Ok(has_all(&ways, self.values(name, &ways, listed(values))?))
            }
            PredicateTest::Defined { negated } => {
                let defined = Condition::any(ways.iter().map(is_defined).collect());
                Ok(if *negated { Condition::not(defined) } else { defined })
            }
            PredicateTest::Empty { negated } => {
                let filled = Condition::any(ways.iter().map(is_filled).collect());
                Ok(if *negated { filled } else { Condition::not(filled) })
            }
            PredicateTest::Nested(_)
            | PredicateTest::Outcome { .. }
            | PredicateTest::WithinCircle(_)
            | PredicateTest::MatchesIgnoreCase(_)
            | PredicateTest::Changed { .. } => Err(self.unsupported(name)),
        }
    }

    /// Compiles a call of a function, alone or compared with a value. Functions cannot be nested.
    fn function(
        &mut self,
        name: &PredicateName,
        of: &PredicateExpression,
        outcome: Option<(Comparison, &Operand)>,
        element: Option<&ResolvedPath<'a>>,
    ) -> ApiResult<Condition> {
        let functions = if element.is_some() { &[] } else { self.resolver.dialect.functions };
        let Some(function) = functions.iter().find(|function| function.name == name.text) else {
            return Err(self.no_function(name, functions));
        };
        let mut elements = Vec::new();
        for path in function.of {
            let found = self.resolver.raw(&self.resolver.top(), path);
            elements.extend(found.map_err(|unknown| self.unknown_name_error(name, &unknown))?);
        }
        let conditions: ApiResult<Vec<(&ResolvedPath<'a>, Condition)>> = elements
            .iter()
            .map(|way| {
                // Names are relative to the element.
                let start = ResolvedPath { path: Vec::new(), many: false, ..way.clone() };
                Ok((way, self.expression(of, Some(&start))?))
            })
            .collect();
        let conditions = conditions?;
        let some = |conditions: Vec<(&ResolvedPath<'a>, Condition)>| {
            let each = conditions.into_iter().map(|(way, condition)| Condition::Element {
                path: way.path.clone(),
                condition: Box::new(condition),
            });
            Condition::any(each.collect())
        };
        let holds = match function.gives {
            FunctionResult::Sum(addend) => return self.sum(name, function, addend, conditions, outcome),
            FunctionResult::Exists => some(conditions),
            FunctionResult::All => {
                let negated = conditions.into_iter().map(|(way, condition)| (way, Condition::not(condition)));
                Condition::not(some(negated.collect()))
            }
        };
        match outcome {
            None => Ok(holds),
            Some((comparison, operand)) => {
                let readings = ComparisonForm::Boolean.reading(&operand.value).unwrap_or_default();
                let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                match readings.first().filter(|_| is_equality) {
                    Some(ConditionValue::Boolean(wanted)) if *wanted == (comparison == Comparison::Equal) => {
                        Ok(holds)
                    }
                    Some(_) => Ok(Condition::not(holds)),
                    None => Err(self.wrong_outcome(name, function, "true or false", Some(operand))),
                }
            }
        }
    }

    fn sum(
        &mut self,
        name: &PredicateName,
        function: &DialectFunction,
        addend: &str,
        conditions: Vec<(&ResolvedPath<'a>, Condition)>,
        outcome: Option<(Comparison, &Operand)>,
    ) -> ApiResult<Condition> {
        let Some((way, of)) = conditions.into_iter().next() else { return Err(self.unsupported(name)) };
        let start = ResolvedPath { path: Vec::new(), many: false, ..way.clone() };
        let ways =
            self.resolver.raw(&start, addend).map_err(|unknown| self.unknown_name_error(name, &unknown))?;
        let Some(addend) = ways.into_iter().next() else { return Err(self.unsupported(name)) };
        let form = self.resolver.form(&addend).unwrap_or(ComparisonForm::Number);
        let wrong = |operand| self.wrong_outcome(name, function, form.expected(), operand);
        let Some((comparison, operand)) = outcome else { return Err(wrong(None)) };
        let Some(value) = form.reading(&operand.value).into_iter().flatten().next() else {
            return Err(wrong(Some(operand)));
        };
        let nothing = match &value {
            ConditionValue::Amount(amount) => ConditionValue::Amount(CurrencyAmount::zero(amount.currency)),
            _ => ConditionValue::Number(ExactNumber::Integer(0)),
        };
        let check = match comparison.range() {
            Some(range) => ValueCheck::Range(range, value),
            None => ValueCheck::Equals(value),
        };
        let sum = Condition::Sum {
            path: way.path.clone(),
            filter: Box::new(of),
            addend: addend.path,
            nothing,
            check: Box::new(check),
        };
        Ok(if comparison == Comparison::NotEqual { Condition::not(sum) } else { sum })
    }

    /// Returns the readings of each operand that fit the value at the ends of the ways.
    fn values(
        &mut self,
        name: &PredicateName,
        ways: &[ResolvedPath<'a>],
        operands: &[Operand],
    ) -> ApiResult<Vec<Readings>> {
        let form = ways.first().and_then(|way| self.resolver.form(way));
        if operands.len() > LIST_VALUES_MAX {
            let sentence = format!("A list may have at most {LIST_VALUES_MAX} values.");
            return Err(self.source.refuse(name.span.start, &sentence));
        }
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            let Some(readings) = form.and_then(|form| form.reading(&operand.value)) else {
                let expected = form.map_or("one of its fields", ComparisonForm::expected);
                let sentence = format!(
                    "The field '{}' cannot be compared with {operand}; expected {expected}.",
                    name.text
                );
                return Err(self.source.refuse(operand.span.start, &sentence));
            };
            if let Literal::Text(text) = &operand.value
                && ways.iter().any(is_of_country)
                && !is_country(text)
            {
                // The wording of the reference type `SemanticErrorError`.
                let sentence =
                    format!("Invalid country code '{text}' provided for the field '{}'.", name.text);
                return Err(self.source.refuse(operand.span.start, &sentence));
            }
            values.push(readings);
            if let (Some(type_id), Literal::Text(id)) =
                (ways.iter().find_map(|way| way.type_id), &operand.value)
                && !self.referenced_documents.iter().any(|(known, named)| known == type_id && named == id)
            {
                self.referenced_documents.push((type_id.to_owned(), id.clone()));
            }
        }
        Ok(values)
    }

    fn unknown_name_error(&self, name: &PredicateName, unknown: &UnknownName) -> ApiError {
        let sentence = format!(
            "The field '{}' does not exist; expected one of {}.",
            name.text,
            unknown.expected.join(", ")
        );
        self.source.refuse(name.span.start, &sentence)
    }

    fn unsupported(&self, name: &PredicateName) -> ApiError {
        let sentence = format!("The field '{}' does not support the operator.", name.text);
        self.source.refuse(name.span.start, &sentence)
    }

    fn no_function(&self, name: &PredicateName, functions: &[DialectFunction]) -> ApiError {
        if functions.is_empty() {
            return self.unsupported(name);
        }
        let names: Vec<&str> = functions.iter().map(|function| function.name).collect();
        let sentence = format!("'{}' is no function; expected one of {}.", name.text, names.join(", "));
        self.source.refuse(name.span.start, &sentence)
    }

    fn wrong_outcome(
        &self,
        name: &PredicateName,
        function: &DialectFunction,
        expected: &str,
        operand: Option<&Operand>,
    ) -> ApiError {
        let found = operand.map_or("nothing".to_owned(), ToString::to_string);
        let at = operand.map_or(name.span.start, |operand| operand.span.start);
        let sentence =
            format!("The outcome of '{}' is compared with {expected}, found {found}.", function.name);
        self.source.refuse(at, &sentence)
    }
}

fn listed(values: &PredicateValues) -> &[Operand] {
    match values {
        PredicateValues::Listed(operands) => operands,
        PredicateValues::Variable(operand) => std::slice::from_ref(operand),
    }
}

/// Whether the value is the code of a country.
fn is_of_country(way: &ResolvedPath<'_>) -> bool {
    matches!(&way.at, PathEnd::Field(field) if *field.shape.element() == Shape::Country)
}

/// The condition that there is a value. An empty list of name-value pairs has none for any name.
fn is_defined(way: &ResolvedPath<'_>) -> Condition {
    match way.in_pairs {
        true => is_filled(way),
        false => Condition::Check { path: way.path.clone(), check: ValueCheck::Defined },
    }
}

/// The condition that there is a value that is not empty.
fn is_filled(way: &ResolvedPath<'_>) -> Condition {
    let at = |check| Condition::Check { path: way.path.clone(), check };
    Condition::all(vec![at(ValueCheck::Defined), Condition::not(at(ValueCheck::Empty(true)))])
}

/// The condition that the value at one of the ways passes a check.
fn any_value_passes(ways: &[ResolvedPath<'_>], check: &ValueCheck) -> Condition {
    let each = ways.iter().map(|way| Condition::Check { path: way.path.clone(), check: check.clone() });
    Condition::any(each.collect())
}

fn is_one_of(ways: &[ResolvedPath<'_>], values: Vec<Readings>) -> Condition {
    any_value_passes(ways, &ValueCheck::any_value_of(values.into_iter().flatten().collect()))
}

fn has_all(ways: &[ResolvedPath<'_>], values: Vec<Readings>) -> Condition {
    Condition::all(
        values
            .into_iter()
            .map(|readings| any_value_passes(ways, &ValueCheck::any_value_of(readings)))
            .collect(),
    )
}

/// The condition that a list has all of these values and no others.
fn is_exactly(ways: &[ResolvedPath<'_>], values: Vec<Readings>) -> Condition {
    if !ways.iter().any(|way| way.many) && ways.len() == 1 && values.len() == 1 {
        return is_one_of(ways, values);
    }
    let all: Vec<ConditionValue> = values.iter().flatten().cloned().collect();
    let others = Condition::not(any_value_passes(ways, &ValueCheck::other_than(all)));
    Condition::all(vec![has_all(ways, values), others])
}

impl ComparisonForm {
    /// Returns the possible readings of a literal for values of this form; `None` if there is none.
    fn reading(self, literal: &Literal) -> Option<Readings> {
        match (literal, self) {
            (Literal::Text(text), ComparisonForm::Any) => {
                let amount = CurrencyAmount::parse(text).map(ConditionValue::Amount);
                Some(self.text_values(text).into_iter().chain(amount).collect())
            }
            (Literal::Text(text), ComparisonForm::Amount) => {
                Some(vec![ConditionValue::Amount(CurrencyAmount::parse(text)?)])
            }
            (_, ComparisonForm::Amount) => None,
            (Literal::Text(text), ComparisonForm::Number | ComparisonForm::Boolean) => {
                Some(self.text_values(text)).filter(|values| !values.is_empty())
            }
            // A text that is no date is allowed here, but equals no date.
            (Literal::Text(text), form) => Some(vec![
                form.normal_text(text)
                    .map_or_else(|| ConditionValue::text(text), |text| ConditionValue::text(&text)),
            ]),
            (Literal::Number(number), ComparisonForm::Number | ComparisonForm::Any) => {
                Some(vec![ConditionValue::Number(*number)])
            }
            (Literal::Boolean(boolean), ComparisonForm::Boolean | ComparisonForm::Any) => {
                Some(vec![ConditionValue::Boolean(*boolean)])
            }
            _ => None,
        }
    }

    /// Returns the name of the form in error messages.
    fn expected(self) -> &'static str {
        match self {
            ComparisonForm::Number => "a number",
            ComparisonForm::Amount => "an amount with a currency, such as \"10.50 EUR\"",
            ComparisonForm::Boolean => "true or false",
            ComparisonForm::Any => "a value",
            ComparisonForm::Text | ComparisonForm::DateTime | ComparisonForm::Date | ComparisonForm::Time => {
                "a text"
            }
        }
    }
}
