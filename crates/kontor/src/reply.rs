//! What a server answers, and why it refuses.

use kontor_json::Value;

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// Why something was refused: the first error of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Reply {
    /// The body of an answer that did not refuse.
    pub(crate) fn accepted(self) -> Result<Value, Refusal> {
        if (200..300).contains(&self.status) { Ok(self.body) } else { Err(self.refusal()) }
    }

    /// Why it refused.
    pub(crate) fn refusal(&self) -> Refusal {
        let error = &self.body["errors"][0];
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        let mut message = text("message");
        if let Some(detail) = error["detailedErrorMessage"].as_str() {
            message = format!("{message} {detail}");
        }
        let mut code = text("code");
        if error.is_null() {
            // Proxies and authorization services have words of their own.
            let own = |name: &str| self.body[name].as_str().map(str::to_owned);
            code = own("error").unwrap_or_else(|| self.status.to_string());
            message = own("error_description").or_else(|| own("message")).unwrap_or_default();
        }
        Refusal { code, message }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Refusal {}
