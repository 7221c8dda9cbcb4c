package keccak_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/keccak"
)

func TestBackground(t *testing.T) {
	t.Parallel()
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	for _, step := range []int{1000, 4096, len(data)} {
		b := keccak.StartBackground()
		for from := 0; from < len(data); from += step {
			b.Add(data[from:min(from+step, len(data))])
		}
		if b.Sum() != keccak.Sum(data) {
			t.Errorf("in steps of %d: another hash", step)
		}
	}
	if keccak.StartBackground().Sum() != keccak.Sum(nil) {
		t.Error("of nothing: another hash")
	}
}
