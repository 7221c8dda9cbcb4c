package gateway_test

import (
	"crypto/sha256"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
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
func (o *fakeOrchestrator) sign(td *rpc.TranscodeData, hashes [][signature.HashSize]byte) {
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

// signSHA256 signs the SHA-256 of the renditions of an answer, if the gateway accepts that.
func (o *fakeOrchestrator) signSHA256(td *rpc.TranscodeData, meta *rpc.SegmentMeta) {
	if !meta.AcceptsSHA256 {
		return
	}
	var hashes [][signature.HashSize]byte
	o.mu.Lock()
	for _, s := range td.Segments {
		hashes = append(hashes, sha256.Sum256(o.store[strings.TrimPrefix(s.Url, o.uri)]))
	}
	o.mu.Unlock()
	o.sign(td, hashes)
	td.Sha256 = true
}
