//! Which documents who asks may see that are not asked for by themselves.

use super::Rules;
use crate::document::Document;
use crate::inside::Inside;

impl<'a> Rules<'a> {
    /// The same rules for who sees so much of documents, by the positions of their kinds; `None`: all.
    #[must_use]
    pub(crate) fn seeing(self, inside: Option<&'a [Inside]>) -> Self {
        Self { inside, ..self }
    }

    /// Whether who asks may see a document of the kind with this `typeId`, as if they asked for it by itself.
    pub fn sees(&self, type_id: &str, document: &Document) -> bool {
        let (Some(inside), Some(kind)) = (self.inside, self.model.kind_by_type_id(type_id)) else {
            return true;
        };
        kontor_json::to_vec(document).is_ok_and(|body| Inside::shows(inside, self.model, kind, &body))
    }
}
