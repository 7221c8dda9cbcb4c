package signature_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// A description over SHA-256 is another one than any over Keccak-256 of the same segment, of the same form, and what is
// signed of it.
func TestSegmentOverSHA256(t *testing.T) {
	t.Parallel()
	key, sum := vectorKeys(t)["gateway"], [signature.HashSize]byte{1}
	names := []string{"P240p30fps16x9"}
	network := signature.Segment("stream", 7, sum, names)
	own := signature.SegmentOver(signature.Digest{Algorithm: signature.SHA256, Sum: sum}, "stream", 7, names)
	if !bytes.Equal(network, signature.SegmentOver(signature.Digest{Sum: sum}, "stream", 7, names)) {
		t.Error("the network's is another")
	}
	if want := len(network) + 8; bytes.Equal(own, network) || len(own) != want {
		t.Errorf("%d bytes, want %d", len(own), want)
	}
	if _, err := signature.SegmentMessage(address(key), own); err != nil {
		t.Error(err)
	}
	sig, err := signature.NodeSign(key, own)
	if err != nil || signature.NodeVerify(address(key), own, sig) != nil {
		t.Error(err)
	}
	if signature.NodeVerify(address(key), network, sig) == nil {
		t.Error("a signature over SHA-256 is one over Keccak-256")
	}
}

func TestSegmentVectors(t *testing.T) {
	t.Parallel()
	keys := vectorKeys(t)
	var file struct {
		Signer string
		Body   hexBytes `json:"segment_body_hex"`
		Hash   hexBytes `json:"segment_body_keccak256"`
		Cases  []struct {
			Name      string
			Manifest  core.ManifestID    `json:"manifest_id"`
			Seq       core.SegmentNumber `json:"seq"`
			Hash      hexBytes
			Profiles  []string `json:"profile_names"`
			Flatten   hexBytes `json:"flatten_hex"`
			Keccak    hexBytes `json:"keccak256_flatten"`
			Digest    hexBytes `json:"eip191_hash"`
			Signature hexBytes
		}
	}
	readVectors(t, "segdata.json", &file)
	if got := signature.Keccak256(file.Body); !bytes.Equal(got[:], file.Hash) {
		t.Errorf("hash of the body %x, want %x", got, file.Hash)
	}
	if len(file.Cases) != 5 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	key := keys[file.Signer]
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			flat := signature.Segment(c.Manifest, c.Seq, [32]byte(c.Hash), c.Profiles)
			if !bytes.Equal(flat, c.Flatten) {
				t.Errorf("preimage %x, want %x", flat, c.Flatten)
			}
			if got := signature.Keccak256(flat); !bytes.Equal(got[:], c.Keccak) {
				t.Errorf("keccak %x, want %x", got, c.Keccak)
			}
			if got := signature.NodeDigest(flat); !bytes.Equal(got[:], c.Digest) {
				t.Errorf("digest %x, want %x", got, c.Digest)
			}
			if err := signature.NodeVerify(address(key), flat, c.Signature); err != nil {
				t.Errorf("verify: %v", err)
			}
			if got, err := signature.NodeSign(key, flat); err != nil || !bytes.Equal(got, c.Signature) {
				t.Errorf("signature %x, %v", got, err)
			}
		})
	}
}

// TestSegmentNumber: numbers that no node sends do not panic, and stand as their
// amount.
func TestSegmentNumber(t *testing.T) {
	t.Parallel()
	for number, want := range map[core.SegmentNumber]string{
		-1:            "0000000000000001",
		math.MinInt64: "8000000000000000",
		math.MaxInt64: "7fffffffffffffff",
	} {
		flat := signature.Segment("", number, [32]byte{}, nil)
		if got := hex.EncodeToString(flat[24:32]); got != want {
			t.Errorf("%d: %s, want %s", number, got, want)
		}
	}
}

func TestPresetIDs(t *testing.T) {
	t.Parallel()
	for _, p := range core.Presets() {
		if got := signature.ProfileID(p.Profile.Name); got != p.ID {
			t.Errorf("%s: %x, table has %x", p.Profile.Name, got, p.ID)
		}
	}
	names := signature.ProfileNames([]core.Profile{{Name: "a"}, {Name: "b"}})
	if len(names) != 2 || names[0] != "a" || names[1] != "b" {
		t.Errorf("names %v", names)
	}
}

func TestResultVector(t *testing.T) {
	t.Parallel()
	var v struct {
		Signer    string
		One       hexBytes `json:"rendition_1_hex"`
		Two       hexBytes `json:"rendition_2_hex"`
		Hash1     hexBytes `json:"hash_1"`
		Hash2     hexBytes `json:"hash_2"`
		All       hexBytes `json:"hash_of_hashes"`
		Digest    hexBytes `json:"eip191_hash"`
		Signature hexBytes
	}
	readVectors(t, "transcode_result.json", &v)
	key := vectorKeys(t)[v.Signer]
	hashes := [][32]byte{signature.Keccak256(v.One), signature.Keccak256(v.Two)}
	if !bytes.Equal(hashes[0][:], v.Hash1) || !bytes.Equal(hashes[1][:], v.Hash2) {
		t.Errorf("hashes %x", hashes)
	}
	all := signature.Result(hashes)
	if !bytes.Equal(all[:], v.All) {
		t.Errorf("hash of hashes %x, want %x", all, v.All)
	}
	if got := signature.EthDigest(all[:]); !bytes.Equal(got[:], v.Digest) {
		t.Errorf("digest %x, want %x", got, v.Digest)
	}
	sig, err := signature.EthSign(key, all[:])
	if err != nil || !bytes.Equal(sig, v.Signature) {
		t.Errorf("signature %x, %v", sig, err)
	}
	if err := signature.EthVerify(address(key), all[:], v.Signature); err != nil {
		t.Errorf("verify: %v", err)
	}
}
