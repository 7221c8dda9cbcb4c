// Package adminapi is the vocabulary of the node's admin API, version 1: the paths
// and the JSON documents that go in and out.
//
// It opens no connection, knows no HTTP and decides nothing. server/admin answers
// with these types, cmd/tutti_cli asks with them, and the OpenAPI document that
// the node serves describes them. Amounts are decimal strings of the smallest
// unit, cuts are parts per million, times are RFC 3339, addresses are checksummed.
package adminapi
