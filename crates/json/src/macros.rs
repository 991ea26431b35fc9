//! The macro [`json!`](crate::json): a [`Value`](crate::Value) in JSON syntax.

/// Creates a [`Value`](crate::Value) from JSON syntax; an expression is serialized.
///
/// # Panics If an expression cannot be serialized.
#[macro_export]
macro_rules! json {
    (null) => { $crate::Value::Null };
    (true) => { $crate::Value::Bool(true) };
    (false) => { $crate::Value::Bool(false) };
    ([]) => { $crate::Value::Array(::std::vec::Vec::new()) };
    ([ $($elements:tt)+ ]) => { $crate::Value::Array($crate::json_part!(@array [] $($elements)+)) };
    ({}) => { $crate::Value::Object($crate::Map::new()) };
    ({ $($members:tt)+ }) => {
        $crate::Value::Object({
            let mut object = $crate::Map::new();
            $crate::json_part!(@object object () $($members)+);
            object
        })
    };
    ($other:expr) => {{
        #[allow(unused_imports)] // One of both is used.
        use $crate::macro_support::{SerializedExpression as _, SharedExpression as _};
        (&$crate::macro_support::JsonExpression(&$other)).value()
    }};
}

/// Parses the inside of a list or of an object of [`json!`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_part {
    (@array [$($done:expr),*]) => { ::std::vec![$($done),*] };
    // `null`, lists and objects are not Rust expressions.
    (@array [$($done:expr),*] $next:tt $(, $($rest:tt)*)?) => {
        $crate::json_part!(@array [$($done,)* $crate::json!($next)] $($($rest)*)?)
    };
    (@array [$($done:expr),*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::json_part!(@array [$($done,)* $crate::json!($next)] $($($rest)*)?)
    };

    (@object $object:ident ()) => {};
    // The name is complete: its value follows.
    (@object $object:ident ($($name:tt)+) : $value:tt $(, $($rest:tt)*)?) => {
        $object.insert($($name)+, $crate::json!($value));
        $crate::json_part!(@object $object () $($($rest)*)?);
    };
    (@object $object:ident ($($name:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $object.insert($($name)+, $crate::json!($value));
        $crate::json_part!(@object $object () $($($rest)*)?);
    };
    // Removes the parentheses around a name.
    (@object $object:ident () ($name:expr) : $($rest:tt)+) => {
        $crate::json_part!(@object $object ($name) : $($rest)+);
    };
    // One more token of the name.
    (@object $object:ident ($($name:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json_part!(@object $object ($($name)* $next) $($rest)*);
    };
}
