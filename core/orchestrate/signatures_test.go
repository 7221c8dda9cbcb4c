package orchestrate_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
)

// hexBytes is "0x…" in a vector.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	*h = b
	return err
}

// vectors reads a file of test/vectors.
func vectors[T any](t testing.TB, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// signer signs with a key in memory, as a keystore's does.
type signer struct{ key *ecdsa.PrivateKey }

func (s signer) Address() core.Address { return core.Address(crypto.PubkeyToAddress(s.key.PublicKey)) }
func (s signer) SignMessage(m signature.Message) ([]byte, error) {
	return signature.EthSign(s.key, m.Bytes())
}

// keyOf is the key of 32 equal bytes, as the vectors have them: 1 is the
// gateway's, 2 the orchestrator's.
func keyOf(t testing.TB, b byte) signer {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return signer{key}
}

func TestRequestAndPingVectors(t *testing.T) {
	t.Parallel()
	file := vectors[struct {
		Cases []struct {
			Name      string
			Preimage  hexBytes `json:"preimage_hex"`
			Signature hexBytes
		}
	}](t, "signatures.json")
	gateway := keyOf(t, 1).Address()
	s := orchestrate.NewKeySignatures(keyOf(t, 2))
	seen := 0
	for _, c := range file.Cases {
		switch c.Name {
		case "orchestrator_request":
			seen++
			if err := s.CheckRequest(gateway[:], c.Signature); err != nil {
				t.Error(err)
			}
			other := s.Address()
			if err := s.CheckRequest(other[:], c.Signature); !errors.Is(err, signature.ErrSigner) {
				t.Errorf("another address: %v", err)
			}
			for _, address := range [][]byte{nil, gateway[:19], make([]byte, 20), append(gateway[:], 0)} {
				if s.CheckRequest(address, c.Signature) == nil {
					t.Errorf("address %x was taken", address)
				}
			}
			if s.CheckRequest(gateway[:], nil) == nil {
				t.Error("no signature was taken")
			}
		case "ping_reply":
			seen++
			got, err := s.SignPing(c.Preimage)
			if err != nil || !bytes.Equal(got, c.Signature) {
				t.Errorf("ping: %x, %v", got, err)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d cases seen", seen)
	}
}

func TestResultVector(t *testing.T) {
	t.Parallel()
	v := vectors[struct {
		Signature hexBytes
		One       hexBytes `json:"rendition_1_hex"`
		Two       hexBytes `json:"rendition_2_hex"`
	}](t, "transcode_result.json")
	s := orchestrate.NewKeySignatures(keyOf(t, 2))
	got, err := s.SignRenditions(signature.Keccak, []core.Rendition{{Data: v.One}, {Data: v.Two}})
	if err != nil || !bytes.Equal(got, v.Signature) {
		t.Errorf("%x, %v; want %x", got, err, v.Signature)
	}
	swapped, err := s.SignRenditions(signature.Keccak, []core.Rendition{{Data: v.Two}, {Data: v.One}})
	if err != nil || bytes.Equal(swapped, v.Signature) {
		t.Errorf("the order does not count: %v", err)
	}
}

// TestLargeRenditions: what is hashed side by side comes out in order.
func TestLargeRenditions(t *testing.T) {
	t.Parallel()
	var all []core.Rendition
	var hashes [][signature.HashSize]byte
	for i := range 7 {
		data := bytes.Repeat([]byte{byte(i)}, 60_000*(i%3)+1)
		all, hashes = append(all, core.Rendition{Data: data}), append(hashes, signature.Keccak256(data))
	}
	k := keyOf(t, 2)
	got, err := orchestrate.NewKeySignatures(k).SignRenditions(signature.Keccak, all)
	if err != nil {
		t.Fatal(err)
	}
	want := signature.Result(hashes)
	if err := signature.EthVerify(crypto.PubkeyToAddress(k.key.PublicKey), want[:], got); err != nil {
		t.Error(err)
	}
}

type segmentCase struct {
	Name      string
	Manifest  core.ManifestID    `json:"manifest_id"`
	Seq       core.SegmentNumber `json:"seq"`
	Hash      hexBytes
	Names     []string `json:"profile_names"`
	Signature hexBytes
}

func (c *segmentCase) request(sender core.Address) *orchestrate.SegmentRequest {
	req := &orchestrate.SegmentRequest{
		Manifest: c.Manifest, Number: c.Seq, Hash: c.Hash, SegmentSig: c.Signature, Sender: sender,
	}
	for _, n := range c.Names {
		req.Profiles = append(req.Profiles, core.Profile{Name: n})
	}
	return req
}

func TestSegmentVectors(t *testing.T) {
	t.Parallel()
	file := vectors[struct{ Cases []segmentCase }](t, "segdata.json")
	s, gateway := orchestrate.NewKeySignatures(keyOf(t, 2)), keyOf(t, 1).Address()
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		if err := s.CheckSegment(c.request(gateway)); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		for what, change := range map[string]func(*orchestrate.SegmentRequest){
			"manifest":   func(r *orchestrate.SegmentRequest) { r.Manifest += "x" },
			"number":     func(r *orchestrate.SegmentRequest) { r.Number++ },
			"hash":       func(r *orchestrate.SegmentRequest) { r.Hash = bytes.Clone(r.Hash); r.Hash[0] ^= 1 },
			"short hash": func(r *orchestrate.SegmentRequest) { r.Hash = r.Hash[:31] },
			"profile": func(r *orchestrate.SegmentRequest) {
				r.Profiles = append(r.Profiles,
					core.Profile{Name: "x"})
			},
			"sender":       func(r *orchestrate.SegmentRequest) { r.Sender[0] ^= 1 },
			"no sender":    func(r *orchestrate.SegmentRequest) { r.Sender = core.Address{} },
			"no signature": func(r *orchestrate.SegmentRequest) { r.SegmentSig = nil },
			"v of 0 and 1": func(r *orchestrate.SegmentRequest) {
				r.SegmentSig = bytes.Clone(r.SegmentSig)
				r.SegmentSig[64] -= 27
			},
			"one byte less": func(r *orchestrate.SegmentRequest) { r.SegmentSig = r.SegmentSig[:64] },
		} {
			req := c.request(gateway)
			change(req)
			if s.CheckSegment(req) == nil {
				t.Errorf("%s: another %s was taken", c.Name, what)
			}
		}
	}
}

// locked cannot sign.
type locked struct{ signer }

var errLocked = errors.New("the key is locked")

func (locked) SignMessage(signature.Message) ([]byte, error) { return nil, errLocked }

func TestLockedKey(t *testing.T) {
	t.Parallel()
	s := orchestrate.NewKeySignatures(locked{keyOf(t, 2)})
	if _, err := s.SignRenditions(signature.Keccak, nil); !errors.Is(err, errLocked) {
		t.Error(err)
	}
	if _, err := s.SignPing([]byte("ping")); !errors.Is(err, errLocked) {
		t.Error(err)
	}
}

func TestPingsOfValueAreRefused(t *testing.T) {
	t.Parallel()
	s := orchestrate.NewKeySignatures(keyOf(t, 2))
	for _, value := range [][]byte{nil, make([]byte, 32), make([]byte, 232), []byte(s.Address().String())} {
		if sig, err := s.SignPing(value); !errors.Is(err, fault.PingRefused) || sig != nil {
			t.Errorf("%x: %x, %v", value, sig, err)
		}
	}
}

// A gateway gives its tickets to orchestrators; one of them shows a ticket's signature
// as the credentials of a job of its own.
func TestTicketIsNoCredential(t *testing.T) {
	t.Parallel()
	gateway := keyOf(t, 1)
	sender := gateway.Address()
	name := make([]byte, 104)
	copy(name[20:], sender[:])
	req := orchestrate.SegmentRequest{Sender: sender, Manifest: core.ManifestID(name), Number: 1,
		Hash: make([]byte, 32)}
	ticket := signature.Segment(req.Manifest, req.Number, [signature.HashSize]byte{}, nil)
	sig, err := signature.NodeSign(gateway.key, ticket)
	if err != nil {
		t.Fatal(err)
	}
	req.SegmentSig = sig
	if orchestrate.NewKeySignatures(keyOf(t, 2)).CheckSegment(&req) == nil {
		t.Error("a ticket's signature opened a session")
	}
}
