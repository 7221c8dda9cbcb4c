package signature_test

import (
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
		b := signature.StartBackground()
		for from := 0; from < len(data); from += step {
			b.Add(data[from:min(from+step, len(data))])
		}
		if b.Sum() != signature.Keccak(data) {
			t.Errorf("in steps of %d: another hash", step)
		}
	}
	if signature.StartBackground().Sum() != signature.Keccak(nil) {
		t.Error("of nothing: another hash")
	}
}
