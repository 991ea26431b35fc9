//! The response of a server to a command, and the error in it.

use kontor_json::Value;

/// A complete response: status and JSON body.
#[derive(Debug, Clone)]
pub(crate) struct CommandResponse {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// The first error of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandRefusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl CommandResponse {
    /// Returns the body of a successful response, or the error.
    pub(crate) fn accepted(self) -> Result<Value, CommandRefusal> {
        if (200..300).contains(&self.status) { Ok(self.body) } else { Err(self.refusal()) }
    }

    /// Returns the error of a response.
    pub(crate) fn refusal(&self) -> CommandRefusal {
        let error = &self.body["errors"][0];
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        let mut message = text("message");
        if let Some(detail) = error["detailedErrorMessage"].as_str() {
            message = format!("{message} {detail}");
        }
        let mut code = text("code");
        if error.is_null() {
            // Proxies and authorization services have their own error formats.
            let own = |name: &str| self.body[name].as_str().map(str::to_owned);
            code = own("error").unwrap_or_else(|| self.status.to_string());
            message = own("error_description").or_else(|| own("message")).unwrap_or_default();
        }
        CommandRefusal { code, message }
    }
}

impl std::fmt::Display for CommandRefusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for CommandRefusal {}
