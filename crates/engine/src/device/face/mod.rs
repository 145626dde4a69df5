//! What whoever holds the drive asks of it: requests, policies of their own, preparation.

pub(super) mod fetch;
mod front;
mod own_policies;
mod preparing;
mod tenants;
