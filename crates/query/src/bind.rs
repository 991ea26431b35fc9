//! Turns what a predicate says into what it means: every name is checked against the model, variables are
//! filled in, values take the form that documents store.

use crate::condition::{Check, Circle, Condition, Range};
use crate::limits::LIST_VALUES_MAX;
use crate::literal::Form;
use crate::predicate::{Comparison, Expression, Name, Operand, Predicate, Test, Values};
use crate::scope::{FieldShape, Place, Scope};
use crate::source::Source;
use crate::value::Value;
use crate::variables::Variables;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Shape;

impl Predicate {
    /// The condition that this predicate means in `scope`.
    ///
    /// # Errors
    /// 400 `InvalidInput` that names the field and its place: a field that does not exist, an operator that
    /// it does not support, a value of another shape, a variable that was not given.
    pub fn bind(&self, scope: &Scope<'_>, variables: &Variables) -> ApiResult<Condition> {
        let source = Source { text: &self.text, parameter: &self.parameter };
        let mut binder = Binder { scope, variables, source, path: Vec::new(), in_list: false };
        binder.expression(&self.expression, &scope.root())
    }
}

/// Reads and binds every `where` of a request; all must hold.
///
/// # Errors
/// As [`Predicate::parse`] and [`Predicate::bind`].
pub fn bind_all<'t>(
    wheres: impl IntoIterator<Item = &'t str>,
    scope: &Scope<'_>,
    variables: &Variables,
) -> ApiResult<Condition> {
    let conditions: ApiResult<Vec<Condition>> =
        wheres.into_iter().map(|text| Predicate::parse(text, "where")?.bind(scope, variables)).collect();
    Ok(Condition::all(conditions?))
}

struct Binder<'s, 'a> {
    scope: &'s Scope<'a>,
    variables: &'s Variables,
    source: Source<'s>,
    /// Names on the way to the current place, for messages.
    path: Vec<String>,
    in_list: bool,
}

impl<'a> Binder<'_, 'a> {
    fn expression(&mut self, expression: &Expression, place: &Place<'a>) -> ApiResult<Condition> {
        match expression {
            Expression::All(members) => Ok(Condition::all(self.members(members, place)?)),
            Expression::Any(members) => Ok(Condition::any(self.members(members, place)?)),
            Expression::Not(inner) => Ok(Condition::not(self.expression(inner, place)?)),
            Expression::Field(name, test) => self.field(name, test, place),
            Expression::Constant(constant) => Ok(Condition::Constant(*constant)),
        }
    }

    fn members(&mut self, members: &[Expression], place: &Place<'a>) -> ApiResult<Vec<Condition>> {
        members.iter().map(|member| self.expression(member, place)).collect()
    }

    fn field(&mut self, name: &Name, test: &Test, place: &Place<'a>) -> ApiResult<Condition> {
        let Some(field) = self.scope.field(place, &name.text) else {
            return self.field_of_implied(name, test, place);
        };
        self.path.push(name.text.clone());
        let condition = match test {
            Test::Inside(inner) => self.inside(name, inner, &field, place),
            test => self.check(name, test, &field),
        };
        self.path.pop();
        condition
    }

    /// Of a field that stands in others whose names may be left out: it is asked for in each of them.
    fn field_of_implied(&mut self, name: &Name, test: &Test, place: &Place<'a>) -> ApiResult<Condition> {
        let mut conditions = Vec::new();
        for (holder, below) in self.scope.implied(place) {
            if self.scope.field(&below, &name.text).is_some() {
                conditions.push(Condition::inside(holder, self.field(name, test, &below)?));
            }
        }
        if conditions.is_empty() { Err(self.unknown(name, place)) } else { Ok(Condition::any(conditions)) }
    }

    fn inside(
        &mut self,
        name: &Name,
        inner: &Expression,
        field: &FieldShape<'a>,
        place: &Place<'a>,
    ) -> ApiResult<Condition> {
        let Some(below) = self.scope.below(field) else {
            return Err(self.refuse(name, "has no fields to ask for in parentheses"));
        };
        let open = matches!(&*field.shape, Shape::Json | Shape::AnyObject);
        let is_plain = matches!(below, Place::Objects(_) | Place::Custom { .. } | Place::CustomValues { .. });
        if self.scope.scalars_only && (field.shape.is_list() || !is_plain) {
            return Err(self.not_scalar(name));
        }
        if let Place::Objects(objects) = &below {
            let is_attribute = objects.iter().all(|object| {
                let open = object.field("value").is_some_and(|value| value.shape == Shape::Json);
                object.fields.len() == 2 && open && object.field("name").is_some()
            });
            let both = field.pairs.is_some_and(|pairs| pairs.both);
            if is_attribute && (asks_value(inner) || both) && !(asks_name(inner) && asks_value(inner)) {
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
        if !field.shape.is_list() && !open {
            return Ok(Condition::inside(&name.text, condition));
        }
        let in_list = Condition::element(&name.text, condition.clone());
        // What a product says of its `variants` is meant of the master variant too, which is stored apart.
        match self.sibling_element(name, field, place) {
            Some(sibling) => Ok(Condition::any(vec![Condition::inside(sibling, condition), in_list])),
            None => Ok(in_list),
        }
    }

    /// For the list `variants`: the field beside it that holds one more element of the same shape.
    fn sibling_element(
        &self,
        name: &Name,
        field: &FieldShape<'a>,
        place: &Place<'a>,
    ) -> Option<&'static str> {
        const LIST: &str = "variants";
        const SIBLING: &str = "masterVariant";
        let sibling = (name.text == LIST).then(|| self.scope.field(place, SIBLING)).flatten()?;
        (!matches!(place, Place::Open) && *sibling.shape == *field.shape.element()).then_some(SIBLING)
    }

    fn check(&mut self, name: &Name, test: &Test, field: &FieldShape<'a>) -> ApiResult<Condition> {
        let shape = &*field.shape;
        let field_name = name.text.as_str();
        let check = |check: Check| Condition::check(field_name, check);
        if self.scope.scalars_only && (shape.is_list() || Form::of(shape).is_none()) {
            return Err(self.not_scalar(name));
        }
        match test {
            Test::Compare(comparison, operand) => {
                let form = self.form(name, comparison.symbol(), shape)?;
                if form == Form::Boolean && comparison.range().is_some() {
                    return Err(self.unsupported(name, comparison.symbol()));
                }
                let values = form
                    .values(field_name, operand, self.variables)
                    .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
                Ok(match comparison.range() {
                    Some(range) => Condition::any(
                        values.into_iter().map(|value| check(Check::Range(range, value))).collect(),
                    ),
                    None if *comparison == Comparison::NotEqual => {
                        Condition::not(check(Check::one_of(values)))
                    }
                    None => check(Check::one_of(values)),
                })
            }
            Test::In { negated, values } => {
                let form = self.form(name, "in", shape)?;
                let values = self.list(field_name, form, values)?.into_iter().flatten().collect();
                let condition = check(Check::one_of(values));
                Ok(if *negated { Condition::not(condition) } else { condition })
            }
            Test::Contains { all, values } => {
                let form = self.form(name, "contains", shape)?;
                if !shape.is_list() && form != Form::Any {
                    return Err(self.unsupported(name, "contains"));
                }
                let values = self.list(field_name, form, values)?;
                Ok(match all {
                    false => check(Check::one_of(values.into_iter().flatten().collect())),
                    true if values.iter().all(|options| options.len() == 1) => {
                        check(Check::ContainsAll(values.into_iter().flatten().collect()))
                    }
                    true => Condition::all(
                        values.into_iter().map(|options| check(Check::one_of(options))).collect(),
                    ),
                })
            }
            Test::Defined { negated } => {
                let defined = check(Check::Defined);
                Ok(if *negated { Condition::not(defined) } else { defined })
            }
            Test::Empty { negated } => {
                let counts = shape.is_list()
                    || matches!(
                        shape,
                        Shape::Json
                            | Shape::AnyObject
                            | Shape::Localized
                            | Shape::Map(_)
                            | Shape::FieldContainer
                    );
                if !counts {
                    return Err(self.unsupported(name, "is empty"));
                }
                Ok(check(Check::Empty(!negated)))
            }
            Test::WithinCircle(operands) => self.circle(name, operands, field),
            Test::MatchesIgnoreCase(operand) => {
                if !matches!(Form::of(shape), Some(Form::Text | Form::Any)) {
                    return Err(self.unsupported(name, "matches ignore case"));
                }
                let values = Form::Text
                    .values(field_name, operand, self.variables)
                    .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
                Ok(Condition::any(
                    values
                        .into_iter()
                        .filter_map(|value| match value {
                            Value::Text(text) => {
                                Some(check(Check::TextIgnoringCase(text.to_lowercase().into())))
                            }
                            _ => None,
                        })
                        .collect(),
                ))
            }
            Test::Changed { negated } => {
                if !self.scope.asks_for_changes {
                    let sentence = "can be asked whether it has changed in conditions of API Extensions only";
                    return Err(self.refuse(name, sentence));
                }
                if self.in_list {
                    return Err(self.refuse(name, "is part of a list: ask whether the list has changed"));
                }
                let changed = Condition::Changed { path: vec![field_name.into()] };
                Ok(if *negated { Condition::not(changed) } else { changed })
            }
            Test::Equals { .. } => Err(self.unsupported(name, "= (")),
            Test::Inside(_) | Test::Outcome { .. } => Err(self.unsupported(name, "(")),
        }
    }

    fn circle(&self, name: &Name, operands: &[Operand; 3], field: &FieldShape<'a>) -> ApiResult<Condition> {
        let has_point = self.scope.below(field).is_some_and(|below| match below {
            Place::Open => true,
            Place::Objects(_) => self.scope.field(&below, "coordinates").is_some(),
            _ => false,
        });
        if !has_point || field.shape.is_list() {
            return Err(self.unsupported(name, "within circle"));
        }
        let number = |operand: &Operand, what: &str, most: f64| {
            let values = Form::Number
                .values(&name.text, operand, self.variables)
                .map_err(|sentence| self.source.refuse(operand.span.start, &sentence))?;
            match values.first() {
                Some(Value::Number(number)) if number.as_f64().abs() <= most => Ok(number.as_f64()),
                _ => {
                    let sentence = format!("The {what} {operand} is beyond {most}.");
                    Err(self.source.refuse(operand.span.start, &sentence))
                }
            }
        };
        let circle = Circle {
            longitude: number(&operands[0], "longitude", 180.0)?,
            latitude: number(&operands[1], "latitude", 90.0)?,
            radius_m: number(&operands[2], "radius", f64::MAX)?,
        };
        Ok(Condition::check(&name.text, Check::WithinCircle(circle)))
    }

    /// The values of a list, each with the readings it may have.
    fn list(&self, field: &str, form: Form, values: &Values) -> ApiResult<Vec<Vec<Value>>> {
        let operands = match values {
            Values::Listed(operands) => operands.as_slice(),
            Values::Variable(operand) => std::slice::from_ref(operand),
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

    fn form(&self, name: &Name, operator: &str, shape: &Shape) -> ApiResult<Form> {
        Form::of(shape).ok_or_else(|| self.unsupported(name, operator))
    }

    fn unknown(&self, name: &Name, place: &Place<'_>) -> ApiError {
        let mut sentence = match self.path.as_slice() {
            [] => format!("The field '{}' does not exist.", name.text),
            path => format!("The field '{}' does not exist in '{}'.", name.text, path.join(".")),
        };
        if let Some(similar) = similar(&name.text, &place.known_names()) {
            sentence.push_str(&format!(" Did you mean '{similar}'?"));
        }
        self.source.refuse(name.span.start, &sentence)
    }

    fn unsupported(&self, name: &Name, operator: &str) -> ApiError {
        self.refuse(name, &format!("does not support the operator '{operator}'"))
    }

    fn not_scalar(&self, name: &Name) -> ApiError {
        self.refuse(
            name,
            "cannot be asked for by a HEAD request: only text, enum, boolean, number, date, time and date-time \
             fields can",
        )
    }

    fn refuse(&self, name: &Name, sentence: &str) -> ApiError {
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

/// Whether `expression` says something of an attribute's value.
fn asks_value(expression: &Expression) -> bool {
    match expression {
        Expression::All(members) | Expression::Any(members) => members.iter().any(asks_value),
        Expression::Not(inner) => asks_value(inner),
        Expression::Field(name, _) => name.text == "value",
        Expression::Constant(_) => false,
    }
}

/// Whether `expression` holds only of attributes of given names.
fn asks_name(expression: &Expression) -> bool {
    match expression {
        Expression::All(members) => members.iter().any(asks_name),
        Expression::Any(members) => members.iter().all(asks_name),
        Expression::Not(_) | Expression::Constant(_) => false,
        Expression::Field(name, test) => {
            let fixed = matches!(test, Test::Compare(Comparison::Equal, _) | Test::In { negated: false, .. });
            name.text == "name" && fixed
        }
    }
}

/// Longer names than this are not compared with those that exist: no field is called so.
const SIMILAR_BYTES_MAX: usize = 64;

/// The name that differs from `name` in case or in one or two letters only.
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

/// How many letters must be changed, added or left out (Levenshtein).
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
