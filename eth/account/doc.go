// Package account keeps the node's key: it makes, lists, imports and opens key
// files of the usual encrypted form, and signs with the one that is open.
//
// An open key leaves the package in no form. It signs transactions of contract
// calls that package contracts built, and messages; it cannot be asked to sign
// any other transaction. The package neither prompts nor reads settings;
// cmd/tutti and tutti_cli are its callers.
package account
