package signature_test

import (
	"crypto/sha256"
	"testing"

	"github.com/tuttinode/tutti/core/signature"
)

func TestBackground(t *testing.T) {
	t.Parallel()
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	for _, step := range []int{1000, 4096, len(data)} {
		b := signature.StartBackgroundHash(signature.Keccak)
		for from := 0; from < len(data); from += step {
			b.Add(data[from:min(from+step, len(data))])
		}
		if b.Sum() != signature.Keccak256(data) {
			t.Errorf("in steps of %d: another hash", step)
		}
	}
	sha := signature.StartBackgroundHash(signature.SHA256)
	sha.Add([]byte("a"))
	sha.Add([]byte("bc"))
	if sha.Sum() != sha256.Sum256([]byte("abc")) || signature.SHA256.Sum([]byte("abc")) != sha256.Sum256([]byte("abc")) {
		t.Error("SHA-256 in parts is another")
	}
	if signature.StartBackgroundHash(signature.Keccak).Sum() != signature.Keccak256(nil) {
		t.Error("of nothing: another hash")
	}
}
