//! The accounts of a server: create, look up, change, remove.

use futures_util::future::BoxFuture;
use kontor_errors::ApiError;
use kontor_json::json;
use uuid::Uuid;

use super::{
    account::{OperatorAccount, OperatorDraft, RoleAssignment, check_assignments, check_email, check_name},
    end_sessions, end_tokens, overtaken,
    row_value::parse,
    session::OperatorSession,
    sessions::new_session,
};
use crate::{
    AuthService, Result, Secret,
    store::{OperatorRowKind, OperatorStep},
};

impl AuthService {
    /// Returns whether any operator exists. Fails if the store cannot be read.
    pub fn has_operators(&self) -> Result<bool> {
        Ok(!self.store.operator_rows(OperatorRowKind::Account)?.is_empty())
    }

    /// Returns all operators, by e-mail address. Fails if the store cannot be read.
    pub fn operators(&self) -> Result<Vec<OperatorAccount>> {
        let rows = self.store.operator_rows(OperatorRowKind::Account)?;
        let mut all = rows.into_iter().map(OperatorAccount::from_row).collect::<Result<Vec<_>>>()?;
        all.sort_by(|a, b| a.email.cmp(&b.email));
        Ok(all)
    }

    /// Returns the operator with an id. Fails if the store cannot be read.
    pub fn operator(&self, id: &str) -> Result<Option<OperatorAccount>> {
        self.store.operator_row(OperatorRowKind::Account, id)?.map(OperatorAccount::from_row).transpose()
    }

    /// Returns the operator with an e-mail address, however it is capitalized. Fails if the store cannot be read.
    pub fn operator_by_email(&self, email: &str) -> Result<Option<OperatorAccount>> {
        let Ok(email) = check_email(email) else { return Ok(None) };
        let Some(row) = self.store.operator_row(OperatorRowKind::Email, &email)? else { return Ok(None) };
        self.operator(parse(&row)?.as_str().unwrap_or_default())
    }

    /// Creates an operator.
    ///
    /// Fails with 400 `InvalidField` for a draft out of bounds or an unknown role, 400 `DuplicateField` for an e-mail
    /// address that is taken.
    pub fn create_operator<'a>(
        &'a self,
        draft: OperatorDraft,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<OperatorAccount, ApiError>> {
        Box::pin(async move {
            let account = self.new_account(draft, now_ms)?;
            let steps =
                vec![OperatorStep::Insert(account.to_email_row()), OperatorStep::Put(account.to_row())];
            match self.change_operators(steps).await?.is_done {
                true => Ok(account),
                false => Err(ApiError::duplicate_field("email", json!(account.email))),
            }
        })
    }

    /// Checks a draft and returns the account, which is not stored yet.
    pub(super) fn new_account(
        &self,
        draft: OperatorDraft,
        now_ms: i64,
    ) -> std::result::Result<OperatorAccount, ApiError> {
        let email = check_email(&draft.email)?;
        check_name(&draft.name)?;
        check_assignments(&draft.roles)?;
        self.must_have_roles(&draft.roles)?;
        let name = match draft.name.trim() {
            "" => email.clone(),
            name => name.to_owned(),
        };
        let mut account = OperatorAccount {
            id: Uuid::new_v4().to_string(),
            email,
            name,
            roles: draft.roles,
            password_hash: draft.password_hash,
            created_at_ms: now_ms,
            stored: String::new(),
        };
        account.stored = account.to_row().value;
        Ok(account)
    }

    /// Replaces the name or the roles of an operator, or both. Access tokens end, so that new roles apply at once.
    ///
    /// Fails with 400 `InvalidField` for values out of bounds or an unknown role.
    pub fn update_operator<'a>(
        &'a self,
        account: &'a OperatorAccount,
        name: Option<String>,
        roles: Option<Vec<RoleAssignment>>,
    ) -> BoxFuture<'a, std::result::Result<OperatorAccount, ApiError>> {
        Box::pin(async move {
            let mut changed = account.clone();
            if let Some(name) = name {
                check_name(&name)?;
                changed.name = name;
            }
            if let Some(roles) = roles {
                check_assignments(&roles)?;
                self.must_have_roles(&roles)?;
                changed.roles = roles;
            }
            self.replace(account, changed, vec![end_tokens(Some(&account.id))]).await
        })
    }

    /// Removes the password of an operator, who then needs a link to sign in. All sessions, links and access tokens end.
    /// Fails if the account was changed or removed meanwhile, or if the store cannot write.
    pub fn remove_operator_password<'a>(
        &'a self,
        account: &'a OperatorAccount,
    ) -> BoxFuture<'a, std::result::Result<OperatorAccount, ApiError>> {
        Box::pin(async move {
            let changed = OperatorAccount { password_hash: None, ..account.clone() };
            self.replace(account, changed, end_access(account)).await
        })
    }

    /// Sets or removes the operator's own password. All sessions, links and access tokens end, and a new session begins,
    /// which is returned with its token: a stolen cookie is worthless then.
    ///
    /// Fails if the account was changed or removed meanwhile, or if the store cannot write.
    pub fn set_own_operator_password<'a>(
        &'a self,
        account: &'a OperatorAccount,
        password_hash: Option<String>,
        now_ms: i64,
    ) -> BoxFuture<'a, std::result::Result<(Secret, OperatorSession), ApiError>> {
        Box::pin(async move {
            let mut changed = OperatorAccount { password_hash, ..account.clone() };
            changed.stored = changed.to_row().value;
            let (token, session, insert) = new_session(changed.clone(), now_ms);
            let mut steps = end_access(account);
            steps.push(insert);
            self.replace(account, changed, steps).await?;
            Ok((token, session))
        })
    }

    async fn replace(
        &self,
        account: &OperatorAccount,
        mut changed: OperatorAccount,
        further: Vec<OperatorStep>,
    ) -> std::result::Result<OperatorAccount, ApiError> {
        let row = changed.to_row();
        changed.stored = row.value.clone();
        let mut steps = vec![OperatorStep::Replace { row, old_value: account.stored.clone() }];
        steps.extend(further);
        if self.change_operators(steps).await?.is_done { Ok(changed) } else { Err(overtaken()) }
    }

    /// Removes an operator with all sessions, links and access tokens. Returns false if there is none. Fails if the
    /// store cannot write.
    pub fn remove_operator<'a>(&'a self, account: &'a OperatorAccount) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let take = |kind, key: &str| OperatorStep::Take { kind, key: key.to_owned(), now_ms: 0 };
            let mut steps = end_access(account);
            steps.push(take(OperatorRowKind::Account, &account.id));
            steps.push(take(OperatorRowKind::Email, &account.email));
            Ok(self.change_operators(steps).await?.is_done)
        })
    }
}

/// Returns the steps that end all sessions, links and access tokens of an operator.
fn end_access(account: &OperatorAccount) -> Vec<OperatorStep> {
    let mut steps: Vec<OperatorStep> = end_sessions(&account.id).into();
    steps.push(OperatorStep::RemoveAll { kind: OperatorRowKind::Link, owner: Some(account.id.clone()) });
    steps
}
