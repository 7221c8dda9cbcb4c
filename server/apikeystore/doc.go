// Package apikeystore keeps the API keys of a gateway: those of `tutti key` and what
// was used of every key in SQLite (tutti.db), those of a key file, and what the
// operator's webhook decides.
//
// It holds no rules about requests; those are core/apikeys, whose ports it
// implements. cmd/tutti opens it: the gateway as an Authorizer that notices
// changes which `tutti key` makes in another process, the command as the Store.
//
// The API lets clients of the gateway manage keys over HTTP, with an admin key, and see what keys used and cost, with
// their own. cmd/tutti/internal/gateway mounts it next to the AI interface.
package apikeystore
