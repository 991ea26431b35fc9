//! Serializes a [`Value`], and Rust types into a [`Value`] (`serde`).

use crate::{Error, Map, Name, Value};
use serde::ser::{
    Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use smol_str::ToSmolStr;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(elements) => elements.serialize(serializer),
            Value::Object(members) => members.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// Serializes a Rust value into a [`Value`].
///
/// # Errors If a map has keys that are not strings, or serialization fails.
pub fn to_value<T: Serialize>(value: T) -> Result<Value, Error> {
    value.serialize(ToValue)
}

struct ToValue;

/// A list being serialized, inside of an enum variant with this name.
struct ListSerializer {
    elements: Vec<Value>,
    variant: Option<&'static str>,
}

/// An object being serialized, inside of an enum variant with this name.
struct ObjectSerializer {
    members: Map,
    /// The name of the next value.
    name: Option<Name>,
    variant: Option<&'static str>,
}

impl ListSerializer {
    fn with_capacity(len: usize, variant: Option<&'static str>) -> Self {
        Self { elements: Vec::with_capacity(len), variant }
    }

    fn push_element(&mut self, element: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.elements.push(element.serialize(ToValue)?);
        Ok(())
    }

    fn finish(self) -> Result<Value, Error> {
        Ok(wrap_variant(self.variant, Value::Array(self.elements)))
    }
}

impl ObjectSerializer {
    fn with_capacity(len: usize, variant: Option<&'static str>) -> Self {
        Self { members: Map::with_capacity(len), name: None, variant }
    }

    fn insert_member(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.members.insert(Name::new_static(name), value.serialize(ToValue)?);
        Ok(())
    }

    fn finish(self) -> Result<Value, Error> {
        Ok(wrap_variant(self.variant, Value::Object(self.members)))
    }
}

fn wrap_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(name) => Value::Object(Map::from([(Name::new_static(name), value)])),
        None => value,
    }
}

macro_rules! plain {
    ($($method:ident: $type:ty),+) => {$(
        fn $method(self, value: $type) -> Result<Value, Error> {
            Ok(value.into())
        }
    )+};
}

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = ListSerializer;
    type SerializeTuple = ListSerializer;
    type SerializeTupleStruct = ListSerializer;
    type SerializeTupleVariant = ListSerializer;
    type SerializeMap = ObjectSerializer;
    type SerializeStruct = ObjectSerializer;
    type SerializeStructVariant = ObjectSerializer;

    plain!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f64: f64,
        serialize_str: &str
    );

    fn serialize_f32(self, value: f32) -> Result<Value, Error> {
        Ok(f64::from(value).into())
    }

    fn serialize_char(self, value: char) -> Result<Value, Error> {
        Ok(value.to_string().into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Error> {
        Ok(value.into())
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(wrap_variant(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ListSerializer, Error> {
        Ok(ListSerializer::with_capacity(len.unwrap_or(0), None))
    }

    fn serialize_tuple(self, len: usize) -> Result<ListSerializer, Error> {
        Ok(ListSerializer::with_capacity(len, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<ListSerializer, Error> {
        Ok(ListSerializer::with_capacity(len, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ListSerializer, Error> {
        Ok(ListSerializer::with_capacity(len, Some(variant)))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<ObjectSerializer, Error> {
        Ok(ObjectSerializer::with_capacity(len.unwrap_or(0), None))
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<ObjectSerializer, Error> {
        Ok(ObjectSerializer::with_capacity(len, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ObjectSerializer, Error> {
        Ok(ObjectSerializer::with_capacity(len, Some(variant)))
    }
}

macro_rules! lists {
    ($($of:ident: $method:ident),+) => {$(
        impl $of for ListSerializer {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Error> {
                self.push_element(element)
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    )+};
}
lists!(
    SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! objects {
    ($($of:ident),+) => {$(
        impl $of for ObjectSerializer {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.insert_member(name, value)
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    )+};
}
objects!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for ObjectSerializer {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        self.name = Some(name.serialize(ToName)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = self.name.take().ok_or_else(|| Error::custom("a value without a name"))?;
        self.members.insert(name, value.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        self.finish()
    }
}

/// Serializes into a member name.
struct ToName;

fn no_name<T>() -> Result<T, Error> {
    Err(Error::custom("key must be a string"))
}

macro_rules! names {
    ($($method:ident: $type:ty),+) => {$(
        fn $method(self, value: $type) -> Result<Name, Error> {
            Ok(value.to_smolstr())
        }
    )+};
}

macro_rules! no_names {
    ($($method:ident($($type:ty),*) -> $made:ty;)+) => {$(
        fn $method(self, $(_: $type),*) -> Result<$made, Error> {
            no_name()
        }
    )+};
}

type Never = Impossible<Name, Error>;

impl Serializer for ToName {
    type Ok = Name;
    type Error = Error;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    names!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_char: char,
        serialize_str: &str
    );

    no_names!(
        serialize_f32(f32) -> Name;
        serialize_f64(f64) -> Name;
        serialize_bytes(&[u8]) -> Name;
        serialize_none() -> Name;
        serialize_unit() -> Name;
        serialize_unit_struct(&'static str) -> Name;
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_map(Option<usize>) -> Never;
        serialize_struct(&'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    );

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Name, Error> {
        Ok(Name::new_static(variant))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Name, Error> {
        no_name()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        name: &T,
    ) -> Result<Name, Error> {
        name.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Name, Error> {
        no_name()
    }
}
