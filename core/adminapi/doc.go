// Package adminapi is the vocabulary of the node's admin API, version 1: the paths
// and the JSON documents that go in and out.
//
// It opens no connection, knows no HTTP and decides nothing. server/admin answers
// with these types, and cmd/tutti_cli asks with them. Amounts are decimal strings of the smallest
// unit, cuts are parts per million, times are RFC 3339, addresses are checksummed.
//
// orchestratorstatus.go sums up the public status of an orchestrator on the chain: the round, its
// state in the active set, its stake and its rewards. All of it is public on the chain; it contains
// nothing of the operator's own.
//
// openapi.go writes the OpenAPI 3.1 document from server/admin's table of routes and the Go types that
// they take and give, so that document and answers cannot drift apart. jsonbody.go reads the JSON
// objects that the API takes, strictly: a field that is unknown, missing, given twice or wrong is
// refused by its name.
package adminapi
