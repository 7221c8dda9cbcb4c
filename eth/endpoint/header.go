package endpoint

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// rawHeader is the part of a block object that is read. Typed header decoders drop l1BlockNumber, which is
// why this exists.
type rawHeader struct {
	Number *hexutil.Uint64 `json:"number"`
	Hash   *protocol.Hash  `json:"hash"`
	Parent *protocol.Hash  `json:"parentHash"`
	L1     *hexutil.Uint64 `json:"l1BlockNumber"`
	Time   *hexutil.Uint64 `json:"timestamp"`
	// BaseFee is absent on chains without EIP-1559.
	BaseFee *hexutil.Big `json:"baseFeePerGas"`
}

// arbitrumOne is the chain ID of Arbitrum One, whose blocks always have l1BlockNumber.
const arbitrumOne = 42161

// parseHeader reads a block object as eth_getBlockByNumber returns it. A chain without layer 1, such as a
// test chain, has no l1BlockNumber; its own number is used for both. On Arbitrum One the member is required:
// rounds are counted in it, and the chain's own number would be millions of rounds off.
func parseHeader(raw []byte, chainID uint64) (protocol.Head, bool) {
	var h rawHeader
	if json.Unmarshal(raw, &h) != nil || h.Number == nil || h.Hash == nil || h.Parent == nil || h.Time == nil {
		return protocol.Head{}, false
	}
	if h.L1 == nil && chainID == arbitrumOne {
		return protocol.Head{}, false
	}
	if h.Hash.IsZero() || uint64(*h.Time) > math.MaxInt64/2 {
		return protocol.Head{}, false
	}
	head := protocol.Head{
		Number: protocol.L2Block(*h.Number), Hash: *h.Hash, Parent: *h.Parent,
		L1: protocol.L1Block(*h.Number), Time: time.Unix(int64(*h.Time), 0),
	}
	if h.L1 != nil {
		head.L1 = protocol.L1Block(*h.L1)
	}
	if h.BaseFee != nil {
		fee, err := core.WeiOf(h.BaseFee.ToInt())
		if err != nil {
			return protocol.Head{}, false
		}
		head.BaseFee = fee
	}
	return head, true
}

// readHeader reads the answer to a request for a block; null means that the endpoint does not have it.
func (r *remote) readHeader(raw []byte) (protocol.Head, *failure) {
	if isNull(raw) {
		return protocol.Head{}, fail(behind, "", "does not have the block")
	}
	head, ok := parseHeader(raw, r.chain.get())
	if !ok {
		return protocol.Head{}, fail(garbage, "", "a block without the members of a block")
	}
	return head, nil
}

func readQuantity(raw []byte) (uint64, *failure) {
	n, err := hexutil.DecodeUint64(unquote(raw))
	if err != nil {
		return 0, fail(garbage, "", "a number that is none")
	}
	return n, nil
}

func readWei(raw []byte) (core.Wei, *failure) {
	n, err := hexutil.DecodeBig(unquote(raw))
	if err != nil {
		return core.Wei{}, fail(garbage, "", "an amount that is none")
	}
	w, err := core.WeiOf(n)
	if err != nil {
		return core.Wei{}, fail(garbage, "", "an amount that is none")
	}
	return w, nil
}

func readBytes(raw []byte) ([]byte, *failure) {
	var b hexutil.Bytes
	if isNull(raw) || json.Unmarshal(raw, &b) != nil {
		return nil, fail(garbage, "", "data that is not hexadecimal")
	}
	return b, nil
}

// unquote removes the quotes of a JSON string of hexadecimal digits.
func unquote(raw []byte) string {
	s, ok := strings.CutPrefix(string(raw), `"`)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(s, `"`)
}

// blockTag writes a height as a parameter.
func blockTag(n protocol.L2Block) string { return hexutil.EncodeUint64(uint64(n)) }
