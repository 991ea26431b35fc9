//! Compiles one test of a field: checks that the field's shape supports the operator and its values.

use super::Binder;
use crate::condition::{Condition, GeoCircle, ValueCheck};
use crate::literal::ComparisonForm;
use crate::predicate::{Comparison, Operand, PredicateName, PredicateTest};
use crate::scope::{FieldShape, ScopePlace};
use crate::value::ConditionValue;
use kontor_errors::ApiResult;
use kontor_model::Shape;

impl<'a> Binder<'_, 'a> {
    pub(super) fn check(
        &mut self,
        name: &PredicateName,
        test: &PredicateTest,
        field: &FieldShape<'a>,
    ) -> ApiResult<Condition> {
        let shape = &*field.shape;
        let field_name = name.text.as_str();
        let check = |check: ValueCheck| field.checked(field_name, check);
        if self.scope.scalars_only && (shape.is_list() || ComparisonForm::from_shape(shape).is_none()) {
            return Err(self.not_scalar(name));
        }
        match test {
            PredicateTest::Compare(comparison, operand) => self.compare(name, *comparison, operand, field),
            PredicateTest::In { negated, values } => {
                let form = self.form(name, "in", shape)?;
                let values = self.list(field_name, form, values)?.into_iter().flatten().collect();
                let condition = check(ValueCheck::any_value_of(values));
                Ok(if *negated { Condition::not(condition) } else { condition })
            }
            PredicateTest::Contains { all, values } => {
                let form = self.form(name, "contains", shape)?;
                if !shape.is_list() && form != ComparisonForm::Any {
                    return Err(self.unsupported(name, "contains"));
                }
                let values = self.list(field_name, form, values)?;
                Ok(match all {
                    false => check(ValueCheck::any_value_of(values.into_iter().flatten().collect())),
                    true if values.iter().all(|options| options.len() == 1) => {
                        check(ValueCheck::ContainsAll(values.into_iter().flatten().collect()))
                    }
                    true => Condition::all(
                        values.into_iter().map(|options| check(ValueCheck::any_value_of(options))).collect(),
                    ),
                })
            }
            PredicateTest::Defined { negated } => {
                let defined = check(ValueCheck::Defined);
                Ok(if *negated { Condition::not(defined) } else { defined })
            }
            PredicateTest::Empty { negated } => {
                if !can_be_empty(shape) {
                    return Err(self.unsupported(name, "is empty"));
                }
                Ok(check(ValueCheck::Empty(!negated)))
            }
            PredicateTest::WithinCircle(operands) => self.bind_circle(name, operands, field),
            PredicateTest::MatchesIgnoreCase(operand) => self.ignoring_case(name, operand, field),
            PredicateTest::Changed { negated } => {
                if !self.scope.asks_for_changes {
                    let sentence = "can be asked whether it has changed in conditions of API Extensions only";
                    return Err(self.refuse(name, sentence));
                }
                if self.in_list {
                    return Err(self.refuse(name, "is part of a list: ask whether the list has changed"));
                }
                let changed = Condition::Changed { path: vec![field.stored_name(field_name).into()] };
                Ok(if *negated { Condition::not(changed) } else { changed })
            }
            PredicateTest::Equals { .. } => Err(self.unsupported(name, "= (")),
            PredicateTest::Nested(_) | PredicateTest::Outcome { .. } => Err(self.unsupported(name, "(")),
        }
    }

    fn compare(
        &self,
        name: &PredicateName,
        comparison: Comparison,
        operand: &Operand,
        field: &FieldShape<'_>,
    ) -> ApiResult<Condition> {
        let field_name = name.text.as_str();
        let check = |check: ValueCheck| field.checked(field_name, check);
        let form = self.form(name, comparison.symbol(), &field.shape)?;
        if form == ComparisonForm::Boolean && comparison.range().is_some() {
            return Err(self.unsupported(name, comparison.symbol()));
        }
        let values = form
            .values(field_name, operand, self.variables)
            .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
        Ok(match comparison.range() {
            Some(range) => Condition::any(
                values.into_iter().map(|value| check(ValueCheck::Range(range, value))).collect(),
            ),
            None if comparison == Comparison::NotEqual => {
                Condition::not(check(ValueCheck::any_value_of(values)))
            }
            None => check(ValueCheck::any_value_of(values)),
        })
    }

    fn ignoring_case(
        &self,
        name: &PredicateName,
        operand: &Operand,
        field: &FieldShape<'_>,
    ) -> ApiResult<Condition> {
        let field_name = name.text.as_str();
        let check = |check: ValueCheck| field.checked(field_name, check);
        if !matches!(
            ComparisonForm::from_shape(&field.shape),
            Some(ComparisonForm::Text | ComparisonForm::Any)
        ) {
            return Err(self.unsupported(name, "matches ignore case"));
        }
        let values = ComparisonForm::Text
            .values(field_name, operand, self.variables)
            .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
        Ok(Condition::any(
            values
                .into_iter()
                .filter_map(|value| match value {
                    ConditionValue::Text(text) => {
                        Some(check(ValueCheck::TextIgnoringCase(text.to_lowercase().into())))
                    }
                    _ => None,
                })
                .collect(),
        ))
    }

    fn bind_circle(
        &self,
        name: &PredicateName,
        operands: &[Operand; 3],
        field: &FieldShape<'a>,
    ) -> ApiResult<Condition> {
        let has_point = self.scope.nested_place(field).is_some_and(|below| match below {
            ScopePlace::Open => true,
            ScopePlace::Objects(_) => self.scope.field(&below, "coordinates").is_some(),
            _ => false,
        });
        if !has_point || field.shape.is_list() {
            return Err(self.unsupported(name, "within circle"));
        }
        let number = |operand: &Operand, what: &str, most: f64| {
            let values = ComparisonForm::Number
                .values(&name.text, operand, self.variables)
                .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
            match values.first() {
                Some(ConditionValue::Number(number)) if number.as_f64().abs() <= most => Ok(number.as_f64()),
                _ => {
                    let sentence = format!("The {what} {operand} is beyond {most}.");
                    Err(self.source.refuse(operand.span.start, &sentence))
                }
            }
        };
        let circle = GeoCircle {
            longitude: number(&operands[0], "longitude", 180.0)?,
            latitude: number(&operands[1], "latitude", 90.0)?,
            radius_m: number(&operands[2], "radius", f64::MAX)?,
        };
        Ok(Condition::check(&name.text, ValueCheck::WithinCircle(circle)))
    }
}

/// Whether values of a shape have a size, so that `is empty` applies.
fn can_be_empty(shape: &Shape) -> bool {
    let has_members = matches!(
        shape,
        Shape::Json | Shape::AnyObject | Shape::Localized | Shape::Map(_) | Shape::FieldContainer
    );
    shape.is_list() || has_members
}
