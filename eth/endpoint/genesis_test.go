package endpoint

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

func TestGenesis(t *testing.T) {
	t.Parallel()
	hash := protocol.Hash{7}
	tests := []struct {
		name   string
		answer rpcAnswer
		want   fault.Code
	}{
		{"a hash is enough", gives(map[string]any{"hash": hash}), ""},
		{"it is not kept", gives(nil), fault.RPCBlockUnknown},
		{"its state is not kept", says(-32000, "missing trie node"), fault.RPCBlockUnknown},
		{"no hash", gives(map[string]any{"number": "0x0"}), fault.RPCGarbage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := newFakeNode(t)
			n.answers["eth_getBlockByNumber"] = tt.answer
			got, err := poolOf(t, nil, n).Genesis(t.Context())
			if tt.want == "" && (err != nil || got != hash) || tt.want != "" && !errors.Is(err, tt.want) {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}
