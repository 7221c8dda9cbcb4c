// Package chain is the protocol as the node sees it: it follows the chain, keeps a view of it that never
// blocks, publishes events, serves reads, and turns actions into transactions. It implements the ports of
// package protocol.
//
// It opens no connection, encodes no call and owns no nonce: packages endpoint, contracts and txmgr do. It
// holds no rule, such as when a reward is due. cmd/tutti makes the one Chain and runs it; core, the admin API
// and payments see only the ports.
//
// # How it follows
//
// State is always read, never summed up from logs: a log only tells what to read again. So neither a lost
// log, nor a reorg, nor the number of orchestrators and delegators makes the view wrong for longer
// than until the next full reading, which comes every round and every FullRead.
//
// # What it costs
//
// A block costs no call here: its header comes from the endpoint client, which asks for it once per
// PollInterval, or on a websocket notification, and the round follows from its layer-1 height. Once per
// PollInterval one eth_getLogs, filtered by contract and topic, asks for the new blocks and an overlap of 128
// blocks; where an endpoint accepts fewer blocks per request, there are as many requests as the new blocks
// need and one for the overlap. Only a log about the node, or about a watched gateway, triggers a read: one
// batch, or two where locks or round hashes changed. A full reading is two batches and a balance. A head is
// about 15 µs of work.
//
// The funds of an unknown address cost one batch, shared by all concurrent callers. The number of such
// batches is bounded, because the sender of a request names the address.
//
// onchain.go assembles the parts of package eth: the endpoints, the view of the protocol, the
// transactions of one account, and the key that signs them. The parts are lifecycle components that
// cmd/tutti runs in order.
package chain
