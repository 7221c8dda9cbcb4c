package gateway_test

import (
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/keccak"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/server/rpc"
)

func (o *fakeOrchestrator) address() core.Address {
	return core.Address(crypto.PubkeyToAddress(o.key.PublicKey))
}

// rendition is what it makes of an input for a profile, and how many pixels that has.
func (o *fakeOrchestrator) rendition(name string, data []byte) ([]byte, int64) {
	if o.made == nil {
		return rendition(name, data), 100
	}
	v, err := verify.Count(o.made)
	if err != nil {
		o.t.Error(err)
	}
	return o.made, int64(v.Pixels)
}

// sign signs a result.
func (o *fakeOrchestrator) sign(td *rpc.TranscodeData, hashes [][keccak.Size]byte) {
	if o.key == nil {
		return
	}
	preimage := signature.Result(hashes)
	sig, err := signature.EthSign(o.key, preimage[:])
	if err != nil {
		o.t.Error(err)
	}
	td.Sig = sig
}
