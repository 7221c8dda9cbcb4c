package signature_test

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// readVectors reads a file of test/vectors.
func readVectors(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// hexBytes is "0x…" in a vector.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	*h = b
	return err
}

type vectorKey struct {
	Address string   `json:"address_checksummed"`
	Private hexBytes `json:"private_key"`
}

// vectorKeys are the signers of the vectors by name.
func vectorKeys(t *testing.T) map[string]*ecdsa.PrivateKey {
	t.Helper()
	var file struct{ Keys map[string]vectorKey }
	readVectors(t, "signatures.json", &file)
	keys := make(map[string]*ecdsa.PrivateKey)
	for name, k := range file.Keys {
		key, err := crypto.ToECDSA(k.Private)
		if err != nil {
			t.Fatal(err)
		}
		if got := address(key).Hex(); got != k.Address {
			t.Fatalf("%s: address %s, want %s", name, got, k.Address)
		}
		keys[name] = key
	}
	if len(keys) == 0 {
		t.Fatal("no keys in the vectors")
	}
	return keys
}

func address(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }
