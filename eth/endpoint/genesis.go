package endpoint

import (
	"context"
	"encoding/json"

	"github.com/tuttinode/tutti/core/protocol"
)

// Genesis returns the hash of block 0. It tells chains with the same number apart, such as a test chain and its
// restart. Only the hash is read, because the oldest blocks of a network may lack fields of later ones. The
// fault RPCBlockUnknown means that no endpoint keeps the block.
func (p *Pool) Genesis(ctx context.Context) (protocol.Hash, error) {
	parse := func(raw []byte) (protocol.Hash, *failure) {
		if isNull(raw) {
			return protocol.Hash{}, fail(behind, "", "does not have block 0")
		}
		var block struct {
			Hash *protocol.Hash `json:"hash"`
		}
		if json.Unmarshal(raw, &block) != nil || block.Hash == nil || block.Hash.IsZero() {
			return protocol.Hash{}, fail(garbage, "", "a block without a hash")
		}
		return *block.Hash, nil
	}
	return readQuorumValue(ctx, p, query{op: "read block 0"}, equal[protocol.Hash], parse, "eth_getBlockByNumber",
		blockTag(0),
		false)
}
