package signature_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/signature"
)

func TestSignatureVectors(t *testing.T) {
	t.Parallel()
	keys := vectorKeys(t)
	var file struct {
		Cases []struct {
			Name, Signer string
			Preimage     hexBytes `json:"preimage_hex"`
			Keccak       hexBytes `json:"keccak256_of_preimage"`
			Digest       hexBytes `json:"eip191_hash"`
			Signature    hexBytes
		}
	}
	readVectors(t, "signatures.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			key := keys[c.Signer]
			// A vector with an inner hash was made by NodeSign, the others by EthSign.
			digest, sign, verify := signature.EthDigest, signature.EthSign, signature.EthVerify
			if len(c.Keccak) > 0 {
				digest, sign, verify = signature.NodeDigest, signature.NodeSign, signature.NodeVerify
				if got := signature.Keccak256(c.Preimage); !bytes.Equal(got[:], c.Keccak) {
					t.Errorf("keccak %x, want %x", got, c.Keccak)
				}
			}
			if got := digest(c.Preimage); !bytes.Equal(got[:], c.Digest) {
				t.Errorf("digest %x, want %x", got, c.Digest)
			}
			got, err := sign(key, c.Preimage)
			if err != nil || !bytes.Equal(got, c.Signature) {
				t.Errorf("signature %x, %v, want %x", got, err, c.Signature)
			}
			if err := verify(address(key), c.Preimage, c.Signature); err != nil {
				t.Errorf("verify: %v", err)
			}
		})
	}
}

func TestRequestPreimage(t *testing.T) {
	t.Parallel()
	want := "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"
	if got := string(signature.Request(common.HexToAddress(want))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	keys := vectorKeys(t)
	key, message := keys["gateway"], []byte("message")
	good, err := signature.NodeSign(key, message)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(sig []byte) []byte) []byte { return change(bytes.Clone(good)) }
	for _, row := range []struct {
		name   string
		sig    []byte
		signer common.Address
		want   error
	}{
		{"empty", nil, address(key), signature.ErrLength},
		{"short", good[:64], address(key), signature.ErrLength},
		{"long", append(bytes.Clone(good), 27), address(key), signature.ErrLength},
		{"v of 0", with(func(s []byte) []byte { s[64] -= 27; return s }), address(key), signature.ErrV},
		{"v of 29", with(func(s []byte) []byte { s[64] = 29; return s }), address(key), signature.ErrV},
		{"high s", highS(good), address(key), signature.ErrHighS},
		{"s of all ones", with(func(s []byte) []byte { copy(s[32:], bytes.Repeat([]byte{255}, 32)); return s }),
			address(key), signature.ErrHighS},
		{"r and s of 0", with(func(s []byte) []byte { clear(s[:64]); return s }), address(key), signature.ErrNoKey},
		{"another signer", good, address(keys["orchestrator"]), signature.ErrSigner},
		{"other v", with(func(s []byte) []byte { s[64] = 27 + 28 - s[64]; return s }), address(key), signature.ErrSigner},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if err := signature.NodeVerify(row.signer, message, row.sig); !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
		})
	}
	if err := signature.NodeVerify(address(key), message, good); err != nil {
		t.Errorf("good signature: %v", err)
	}
	if err := signature.EthVerify(address(key), message, good); !errors.Is(err, signature.ErrSigner) {
		t.Errorf("EthVerify of a NodeSign: %v", err)
	}
}

// highS is the other signature of the same message that plain ECDSA accepts.
func highS(sig []byte) []byte {
	s := new(big.Int).SetBytes(sig[32:64])
	s.Sub(crypto.S256().Params().N, s)
	out := bytes.Clone(sig)
	s.FillBytes(out[32:64])
	out[64] = 27 + 28 - out[64]
	return out
}

// FuzzVerify: no bytes make a signature hold for a key that did not sign, and
// none panic.
func FuzzVerify(f *testing.F) {
	good, err := hex.DecodeString(
		"f43599799a5e0e37c926e84208112385030179cba9b7fbe255758615229836243295b04081924e7fa6a4236cca49532205a0eb896adaf9e51" +
			"27ca861627104321c",
	)
	if err != nil {
		f.Fatal(err)
	}
	stranger := common.HexToAddress("0x00000000000000000000000000000000000000ff")
	f.Add([]byte("0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"), good)
	f.Add([]byte{}, make([]byte, 65))
	f.Add([]byte("m"), append(bytes.Repeat([]byte{0x7f}, 64), 28))
	f.Fuzz(func(t *testing.T, message, sig []byte) {
		if signature.NodeVerify(stranger, message, sig) == nil || signature.EthVerify(stranger, message, sig) == nil {
			t.Fatal("a stranger's signature holds")
		}
	})
}

func TestSignRefusesNoKey(t *testing.T) {
	t.Parallel()
	broken := &ecdsa.PrivateKey{D: new(big.Int), PublicKey: ecdsa.PublicKey{Curve: crypto.S256()}}
	if _, err := signature.EthSign(broken, nil); err == nil {
		t.Error("signed with a key of zero")
	}
}
