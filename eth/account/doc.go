// Package account keeps the node's key: it makes, lists, imports and opens key files of the usual encrypted
// form, and signs with the open one.
//
// An open key never leaves the package. It signs messages, and transactions of contract calls that package
// contracts built; any other transaction is refused. The package neither prompts nor reads settings;
// cmd/tutti and tutti_cli call it.
package account
