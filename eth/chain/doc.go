// Package chain is the protocol as the node sees it: it follows the chain, keeps
// a view of it that never blocks anybody, tells of changes, reads what is asked
// for, and turns actions into transactions. It implements the ports of package
// protocol.
//
// It opens no connection, encodes no call and owns no nonce: package endpoint,
// package contracts and package txmgr do. It holds no rule either, such as when a
// reward is due. cmd/tutti makes the one Chain and runs it; core, the admin API
// and payments see the ports alone.
//
// # How it follows
//
// State is always read, never added up from logs: a log only says what to read
// again. So neither a lost log, nor a reorganisation, nor the number of
// orchestrators and delegators makes the view wrong for longer than until the next
// full reading, which comes every round and every FullRead.
//
// # What it costs
//
// A block costs no call here: its header comes from the endpoint client, which asks
// for it once per PollInterval, or where a websocket tells of it, and the round
// follows from its layer-1 height. Once per PollInterval one eth_getLogs, filtered
// by contract and topic, asks for what happened since, 128 blocks of overlap
// included; where an endpoint takes fewer blocks in one request, there are as many
// requests as the new blocks need and one for the overlap. Only a log that is about
// the node, or about a watched gateway, makes it read, and then it is one batch, two
// where locks or round hashes changed. A full reading is two batches and a balance.
// A head is about 15 µs of work.
//
// The funds of an address that nobody asked about before cost one batch, shared by
// all who ask at that time; how many such batches there can be is bounded, because
// whoever sends a request names the address.
package chain
