//! Compiles a parsed predicate of a dialect into a [`Condition`].

use super::resolve::{At, Resolver, Unknown, Way};
use super::{Dialect, Function, Gives};
use crate::amount::Amount;
use crate::condition::{Check, Condition};
use crate::limits::LIST_VALUES_MAX;
use crate::literal::Form;
use crate::number::Number;
use crate::predicate::{Comparison, Expression, Literal, Name, Operand, Predicate, Test, Values};
use crate::source::Source;
use crate::value::Value;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Model, Shape, is_country};

/// Compiles an expression; returns the condition and the documents that the predicate references by id.
pub(super) fn bind(
    dialect: &'static Dialect,
    predicate: &Predicate,
    model: &Model,
) -> ApiResult<(Condition, Vec<(String, String)>)> {
    let resolver = Resolver { dialect, model };
    let source = Source { text: &predicate.text, parameter: &predicate.parameter };
    let mut binder = DialectBinder { resolver, source, named: Vec::new() };
    let condition = binder.expression(&predicate.expression, None)?;
    Ok((condition, binder.named))
}

struct DialectBinder<'a> {
    resolver: Resolver<'a>,
    source: Source<'a>,
    named: Vec<(String, String)>,
}

/// The possible readings of one operand: `"10.00 EUR"` may be an amount or a text.
type Readings = Vec<Value>;

impl<'a> DialectBinder<'a> {
    /// Compiles an expression. Inside of a function, names are relative to `element`.
    fn expression(&mut self, expression: &Expression, element: Option<&Way<'a>>) -> ApiResult<Condition> {
        let mut each = |members: &[Expression]| -> ApiResult<Vec<Condition>> {
            members.iter().map(|member| self.expression(member, element)).collect()
        };
        match expression {
            Expression::All(members) => Ok(Condition::all(each(members)?)),
            Expression::Any(members) => Ok(Condition::any(each(members)?)),
            Expression::Not(inner) => Ok(Condition::not(self.expression(inner, element)?)),
            Expression::Constant(constant) => Ok(Condition::Constant(*constant)),
            Expression::Field(name, Test::Inside(of)) => self.function(name, of, None, element),
            Expression::Field(name, Test::Outcome { of, comparison, operand }) => {
                self.function(name, of, Some((*comparison, operand)), element)
            }
            Expression::Field(name, test) => self.field(name, test, element),
        }
    }

    fn field(&mut self, name: &Name, test: &Test, element: Option<&Way<'a>>) -> ApiResult<Condition> {
        let top = self.resolver.top();
        let ways = self.resolver.resolve(element.unwrap_or(&top), &name.text);
        let ways = ways.map_err(|unknown| self.unknown(name, &unknown))?;
        match test {
            Test::Compare(Comparison::Equal, operand) => {
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                Ok(is_exactly(&ways, values))
            }
            Test::Compare(Comparison::NotEqual, operand) => {
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                Ok(Condition::not(is_one_of(&ways, values)))
            }
            Test::Compare(comparison, operand) => {
                let range = comparison.range().ok_or_else(|| self.unsupported(name))?;
                let values = self.values(name, &ways, std::slice::from_ref(operand))?;
                let readings = values.into_iter().flatten();
                Ok(Condition::any(readings.map(|value| at_any(&ways, &Check::Range(range, value))).collect()))
            }
            Test::Equals { negated: false, values } => {
                Ok(is_exactly(&ways, self.values(name, &ways, listed(values))?))
            }
            Test::Equals { negated: true, values } | Test::In { negated: true, values } => {
                Ok(Condition::not(is_one_of(&ways, self.values(name, &ways, listed(values))?)))
            }
            Test::In { negated: false, values } | Test::Contains { all: false, values } => {
                Ok(is_one_of(&ways, self.values(name, &ways, listed(values))?))
            }
            Test::Contains { all: true, values } => {
                Ok(has_all(&ways, self.values(name, &ways, listed(values))?))
            }
            Test::Defined { negated } => {
                let defined = Condition::any(ways.iter().map(is_defined).collect());
                Ok(if *negated { Condition::not(defined) } else { defined })
            }
            Test::Empty { negated } => {
                let filled = Condition::any(ways.iter().map(is_filled).collect());
                Ok(if *negated { filled } else { Condition::not(filled) })
            }
            Test::Inside(_)
            | Test::Outcome { .. }
            | Test::WithinCircle(_)
            | Test::MatchesIgnoreCase(_)
            | Test::Changed { .. } => Err(self.unsupported(name)),
        }
    }

    /// Compiles a call of a function, alone or compared with a value. Functions cannot be nested.
    fn function(
        &mut self,
        name: &Name,
        of: &Expression,
        outcome: Option<(Comparison, &Operand)>,
        element: Option<&Way<'a>>,
    ) -> ApiResult<Condition> {
        let functions = if element.is_some() { &[] } else { self.resolver.dialect.functions };
        let Some(function) = functions.iter().find(|function| function.name == name.text) else {
            return Err(self.no_function(name, functions));
        };
        let mut elements = Vec::new();
        for path in function.of {
            let found = self.resolver.raw(&self.resolver.top(), path);
            elements.extend(found.map_err(|unknown| self.unknown(name, &unknown))?);
        }
        let conditions: ApiResult<Vec<(&Way<'a>, Condition)>> = elements
            .iter()
            .map(|way| {
                // Names are relative to the element.
                let start = Way { path: Vec::new(), many: false, ..way.clone() };
                Ok((way, self.expression(of, Some(&start))?))
            })
            .collect();
        let conditions = conditions?;
        let some = |conditions: Vec<(&Way<'a>, Condition)>| {
            let each = conditions.into_iter().map(|(way, condition)| Condition::Element {
                path: way.path.clone(),
                condition: Box::new(condition),
            });
            Condition::any(each.collect())
        };
        let holds = match function.gives {
            Gives::Sum(addend) => return self.sum(name, function, addend, conditions, outcome),
            Gives::Exists => some(conditions),
            Gives::All => {
                let negated = conditions.into_iter().map(|(way, condition)| (way, Condition::not(condition)));
                Condition::not(some(negated.collect()))
            }
        };
        match outcome {
            None => Ok(holds),
            Some((comparison, operand)) => {
                let readings = Form::Boolean.reading(&operand.value).unwrap_or_default();
                let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                match readings.first().filter(|_| is_equality) {
                    Some(Value::Boolean(wanted)) if *wanted == (comparison == Comparison::Equal) => Ok(holds),
                    Some(_) => Ok(Condition::not(holds)),
                    None => Err(self.wrong_outcome(name, function, "true or false", Some(operand))),
                }
            }
        }
    }

    fn sum(
        &mut self,
        name: &Name,
        function: &Function,
        addend: &str,
        conditions: Vec<(&Way<'a>, Condition)>,
        outcome: Option<(Comparison, &Operand)>,
    ) -> ApiResult<Condition> {
        let Some((way, of)) = conditions.into_iter().next() else { return Err(self.unsupported(name)) };
        let start = Way { path: Vec::new(), many: false, ..way.clone() };
        let ways = self.resolver.raw(&start, addend).map_err(|unknown| self.unknown(name, &unknown))?;
        let Some(addend) = ways.into_iter().next() else { return Err(self.unsupported(name)) };
        let form = self.resolver.form(&addend).unwrap_or(Form::Number);
        let wrong = |operand| self.wrong_outcome(name, function, form.expected(), operand);
        let Some((comparison, operand)) = outcome else { return Err(wrong(None)) };
        let Some(value) = form.reading(&operand.value).into_iter().flatten().next() else {
            return Err(wrong(Some(operand)));
        };
        let nothing = match &value {
            Value::Amount(amount) => Value::Amount(Amount::nothing(amount.currency)),
            _ => Value::Number(Number::Integer(0)),
        };
        let check = match comparison.range() {
            Some(range) => Check::Range(range, value),
            None => Check::Equals(value),
        };
        let sum = Condition::Sum {
            path: way.path.clone(),
            of: Box::new(of),
            addend: addend.path,
            nothing,
            check: Box::new(check),
        };
        Ok(if comparison == Comparison::NotEqual { Condition::not(sum) } else { sum })
    }

    /// Returns the readings of each operand that fit the value at the ends of the ways.
    fn values(&mut self, name: &Name, ways: &[Way<'a>], operands: &[Operand]) -> ApiResult<Vec<Readings>> {
        let form = ways.first().and_then(|way| self.resolver.form(way));
        if operands.len() > LIST_VALUES_MAX {
            let sentence = format!("A list may have at most {LIST_VALUES_MAX} values.");
            return Err(self.source.refuse(name.span.start, &sentence));
        }
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            let Some(readings) = form.and_then(|form| form.reading(&operand.value)) else {
                let expected = form.map_or("one of its fields", Form::expected);
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
                (ways.iter().find_map(|way| way.names), &operand.value)
                && !self.named.iter().any(|(known, named)| known == type_id && named == id)
            {
                self.named.push((type_id.to_owned(), id.clone()));
            }
        }
        Ok(values)
    }

    fn unknown(&self, name: &Name, unknown: &Unknown) -> ApiError {
        let sentence = format!(
            "The field '{}' does not exist; expected one of {}.",
            name.text,
            unknown.expected.join(", ")
        );
        self.source.refuse(name.span.start, &sentence)
    }

    fn unsupported(&self, name: &Name) -> ApiError {
        let sentence = format!("The field '{}' does not support the operator.", name.text);
        self.source.refuse(name.span.start, &sentence)
    }

    fn no_function(&self, name: &Name, functions: &[Function]) -> ApiError {
        if functions.is_empty() {
            return self.unsupported(name);
        }
        let names: Vec<&str> = functions.iter().map(|function| function.name).collect();
        let sentence = format!("'{}' is no function; expected one of {}.", name.text, names.join(", "));
        self.source.refuse(name.span.start, &sentence)
    }

    fn wrong_outcome(
        &self,
        name: &Name,
        function: &Function,
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

fn listed(values: &Values) -> &[Operand] {
    match values {
        Values::Listed(operands) => operands,
        Values::Variable(operand) => std::slice::from_ref(operand),
    }
}

/// Whether the value is the code of a country.
fn is_of_country(way: &Way<'_>) -> bool {
    matches!(&way.at, At::Field(field) if *field.shape.element() == Shape::Country)
}

/// The condition that there is a value. An empty list of name-value pairs has none for any name.
fn is_defined(way: &Way<'_>) -> Condition {
    match way.in_pairs {
        true => is_filled(way),
        false => Condition::Check { path: way.path.clone(), check: Check::Defined },
    }
}

/// The condition that there is a value that is not empty.
fn is_filled(way: &Way<'_>) -> Condition {
    let at = |check| Condition::Check { path: way.path.clone(), check };
    Condition::all(vec![at(Check::Defined), Condition::not(at(Check::Empty(true)))])
}

/// The condition that the value at one of the ways passes a check.
fn at_any(ways: &[Way<'_>], check: &Check) -> Condition {
    let each = ways.iter().map(|way| Condition::Check { path: way.path.clone(), check: check.clone() });
    Condition::any(each.collect())
}

fn is_one_of(ways: &[Way<'_>], values: Vec<Readings>) -> Condition {
    at_any(ways, &Check::one_of(values.into_iter().flatten().collect()))
}

fn has_all(ways: &[Way<'_>], values: Vec<Readings>) -> Condition {
    Condition::all(values.into_iter().map(|readings| at_any(ways, &Check::one_of(readings))).collect())
}

/// The condition that a list has all of these values and no others.
fn is_exactly(ways: &[Way<'_>], values: Vec<Readings>) -> Condition {
    if !ways.iter().any(|way| way.many) && ways.len() == 1 && values.len() == 1 {
        return is_one_of(ways, values);
    }
    let all: Vec<Value> = values.iter().flatten().cloned().collect();
    let others = Condition::not(at_any(ways, &Check::other_than(all)));
    Condition::all(vec![has_all(ways, values), others])
}

impl Form {
    /// Returns the possible readings of a literal for values of this form; `None` if there is none.
    fn reading(self, literal: &Literal) -> Option<Readings> {
        match (literal, self) {
            (Literal::Text(text), Form::Any) => {
                let amount = Amount::parse(text).map(Value::Amount);
                Some(self.text_values(text).into_iter().chain(amount).collect())
            }
            (Literal::Text(text), Form::Amount) => Some(vec![Value::Amount(Amount::parse(text)?)]),
            (_, Form::Amount) => None,
            (Literal::Text(text), Form::Number | Form::Boolean) => {
                Some(self.text_values(text)).filter(|values| !values.is_empty())
            }
            // A text that is no date is allowed here, but equals no date.
            (Literal::Text(text), form) => Some(vec![
                form.normal_text(text).map_or_else(|| Value::text(text), |text| Value::text(&text)),
            ]),
            (Literal::Number(number), Form::Number | Form::Any) => Some(vec![Value::Number(*number)]),
            (Literal::Boolean(boolean), Form::Boolean | Form::Any) => Some(vec![Value::Boolean(*boolean)]),
            _ => None,
        }
    }

    /// Returns the name of the form in error messages.
    fn expected(self) -> &'static str {
        match self {
            Form::Number => "a number",
            Form::Amount => "an amount with a currency, such as \"10.50 EUR\"",
            Form::Boolean => "true or false",
            Form::Any => "a value",
            Form::Text | Form::DateTime | Form::Date | Form::Time => "a text",
        }
    }
}
