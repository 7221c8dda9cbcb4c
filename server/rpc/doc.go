// Package rpc is what nodes say to each other: the protobuf messages and gRPC
// services of the network (net.proto and its generated code), their header
// encoding, and the conversions between messages and the domain's own types.
//
// It decides nothing: signatures, tokens, capacity and payments are checked by
// its callers (server, remote workers, the gateway).
package rpc

//go:generate ./generate.sh
