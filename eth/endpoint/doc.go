// Package endpoint is the node's client of the layer-2 chain over several JSON-RPC endpoints. It tracks the
// health of each endpoint, sends a read to the best one, hedges a slow read with a second one, and broadcasts
// a signed transaction to all.
//
// It is not a contract client and not a transaction manager: it decodes no ABI, holds no key and chooses no
// nonce or fee. The contract readers, the watchers and the transaction manager of package eth call it;
// cmd/tutti makes the one Pool and runs it.
//
// Reads that admit work or move money come from a quorum: so many endpoints must answer alike that a lying
// minority cannot. An endpoint that answers differently twice gets a condition and is quarantined for an
// hour.
//
// Three rules hold everywhere. A JSON-RPC error that every endpoint would return, such as a revert, is an
// answer and, outside a quorum, never retried elsewhere. A caller that has seen block N gets no answer from
// an endpoint behind N. Nothing shown of an endpoint has more in it than scheme, host and port, because
// providers put their keys in paths, queries and user parts.
package endpoint
