// Package endpoint is the node's client of the layer-2 chain over several JSON-RPC
// endpoints: it knows which of them is healthy, asks the best one, asks a second
// one when the first is slow, and sends a signed transaction to all.
//
// It is not a contract client and not a transaction manager: it decodes no ABI,
// holds no key and chooses no nonce or fee. The contract readers, the watchers and
// the transaction manager of package eth call it; cmd/tutti makes the one Pool and
// runs it.
//
// What admits work or moves money is read from a quorum: as many endpoints as a
// minority that lies cannot be must answer alike. One that answers otherwise, twice,
// is named in a condition and left alone for an hour.
//
// Three rules hold everywhere. A JSON-RPC answer that would be the same anywhere,
// such as a revert, is an answer and, outside a quorum, never tried elsewhere. Who learnt of block N
// is not answered from an endpoint that is behind N. And nothing that is shown of
// an endpoint has more in it than scheme, host and port, because providers put
// their keys in paths, queries and user parts.
package endpoint
