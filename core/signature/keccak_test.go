package signature_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	gethkeccak "github.com/ethereum/go-ethereum/crypto/keccak"

	"github.com/tuttinode/tutti/core/signature"
)

// reference hashes with the library that is the fallback.
func reference(p []byte) []byte {
	h := gethkeccak.NewLegacyKeccak256()
	h.Write(p)
	return h.Sum(nil)
}

func randomBytes(n int) []byte {
	src := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	p := make([]byte, n)
	_, _ = src.Read(p)
	return p
}

func TestHashKnown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
	} {
		got := signature.Keccak256([]byte(in))
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("keccak(%q) = %x, want %s", in, got, want)
		}
	}
}

// TestHashEveryLength compares around every block boundary, and beyond what one
// call of the assembly takes.
func TestHashEveryLength(t *testing.T) {
	t.Parallel()
	data := randomBytes(200_000)
	lengths := []int{512*136 - 1, 512 * 136, 512*136 + 1, 1025 * 136, len(data)}
	for n := range 700 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		h := signature.NewKeccak256()
		h.Write(data[:n])
		if got := h.Sum(nil); !bytes.Equal(got, reference(data[:n])) {
			t.Fatalf("%d bytes: got %x, want %x", n, got, reference(data[:n]))
		}
	}
}

// TestHashInPieces: pieces of any size, sums in between and Reset change nothing.
func TestHashInPieces(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	h := signature.NewKeccak256()
	for range 300 {
		h.Reset()
		data := randomBytes(rnd.IntN(3000))
		for rest := data; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 400))
			if wrote, err := h.Write(rest[:n]); wrote != n || err != nil {
				t.Fatalf("Write = %d, %v, want %d", wrote, err, n)
			}
			rest = rest[n:]
			done := data[:len(data)-len(rest)]
			if got := h.Sum(nil); !bytes.Equal(got, reference(done)) {
				t.Fatalf("after %d bytes: got %x, want %x", len(done), got, reference(done))
			}
		}
	}
	if got := h.Sum([]byte("kept")); !bytes.HasPrefix(got, []byte("kept")) || len(got) != 4+signature.HashSize {
		t.Errorf("Sum does not append: %x", got)
	}
}

func FuzzHash(f *testing.F) {
	f.Add([]byte("segment"), 3)
	f.Add(bytes.Repeat([]byte{0xff}, 272), 136)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = max(0, min(cut, len(data)))
		h := signature.NewKeccak256()
		h.Write(data[:cut])
		h.Write(data[cut:])
		if got := h.Sum(nil); !bytes.Equal(got, reference(data)) {
			t.Fatalf("got %x, want %x", got, reference(data))
		}
	})
}

func BenchmarkHash(b *testing.B) {
	data := randomBytes(1_500_000)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			signature.Keccak256(data)
		}
	})
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			reference(data)
		}
	})
}
