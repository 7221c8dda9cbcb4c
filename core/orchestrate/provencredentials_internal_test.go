package orchestrate

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// Credentials that were valid once are remembered, and nothing else is valid because of them: not for another sender,
// with another signature, or for other work.
func TestProvenCredentials(t *testing.T) {
	t.Parallel()
	key, err := crypto.ToECDSA(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	valid := SegmentRequest{Sender: core.Address(crypto.PubkeyToAddress(key.PublicKey)), Manifest: "35_llama"}
	hash := signature.Keccak256(nil)
	valid.Hash = hash[:]
	if valid.SegmentSig, err = signature.NodeSign(key, signature.Segment(valid.Manifest, 0, hash, nil)); err != nil {
		t.Fatal(err)
	}
	s := NewKeySignatures(nil)
	for range 2 {
		if err := s.CheckSegment(&valid); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.proven.known) != 1 {
		t.Errorf("%d are remembered", len(s.proven.known))
	}
	for name, change := range map[string]func(*SegmentRequest){
		"another sender":      func(r *SegmentRequest) { r.Sender[0]++ },
		"another signature":   func(r *SegmentRequest) { r.SegmentSig[5]++ },
		"another v":           func(r *SegmentRequest) { r.SegmentSig[64] ^= 7 },
		"a shorter signature": func(r *SegmentRequest) { r.SegmentSig = r.SegmentSig[:64] },
		"no signature":        func(r *SegmentRequest) { r.SegmentSig = nil },
		"other work":          func(r *SegmentRequest) { r.Manifest = "35_other" },
		"another number":      func(r *SegmentRequest) { r.Number++ },
		"another hash":        func(r *SegmentRequest) { r.Hash[0]++ },
		"another algorithm":   func(r *SegmentRequest) { r.Hashed = signature.SHA256 },
		"a profile":           func(r *SegmentRequest) { r.Profiles = []core.Profile{{Name: "a"}} },
	} {
		req := valid
		req.SegmentSig, req.Hash = append([]byte(nil), valid.SegmentSig...), append([]byte(nil), valid.Hash...)
		change(&req)
		if err := s.CheckSegment(&req); err == nil {
			t.Errorf("%s: valid", name)
		}
	}
	if len(s.proven.known) != 1 {
		t.Errorf("%d are remembered after invalid ones", len(s.proven.known))
	}
	if valid.Sender = (core.Address{}); !errors.Is(s.CheckSegment(&valid), errSender) {
		t.Error("no sender: valid")
	}
}

// New credentials cannot take memory without bound.
func TestProvenCredentialsAreBounded(t *testing.T) {
	t.Parallel()
	var p provenCredentials
	for i := range uint32(3 * maxProven) {
		c := credential{}
		binary.BigEndian.PutUint32(c.sig[:], i)
		p.add(&c)
		if !p.has(&c) || len(p.known) > maxProven {
			t.Fatalf("%d: known %v, %d in all", i, p.has(&c), len(p.known))
		}
	}
}
