// Package keycmd is `tutti key`: it creates, lists and revokes API keys in a data directory,
// whether or not a node runs on it. cmd/tutti calls it; `tutti ledger` shares its flags.
package keycmd
