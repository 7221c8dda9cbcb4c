package ledger

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNoncesSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nonces := rapid.SliceOfDistinct(rapid.Uint32(), rapid.ID).Draw(t, "nonces")
		sorted := slices.Sorted(slices.Values(nonces))
		got, err := unpackNonces(packNonces(nonces))
		if err != nil || !slices.Equal(got, sorted) {
			t.Fatal(got, err)
		}
		pages := map[int64][]byte{}
		for _, n := range nonces {
			at, i, mask := bit(n)
			if hasBit(pages[at], i, mask) {
				t.Fatalf("%d is marked already", n)
			}
			pages[at] = setBit(pages[at], i, mask)
		}
		var marked []uint32
		for at, bits := range pages {
			marked = appendNonces(marked, at, bits)
		}
		slices.Sort(marked)
		if !slices.Equal(marked, sorted) {
			t.Fatal(marked)
		}
	})
}

// appendNonces appends the nonces of a page.
func appendNonces(to []uint32, page int64, bits []byte) []uint32 {
	for at, b := range bits {
		for n := range 8 {
			if b&(1<<n) != 0 {
				to = append(to, uint32(page)*pageNonces+uint32(at*8+n))
			}
		}
	}
	return to
}

func FuzzNonces(f *testing.F) {
	for _, seed := range [][]uint32{nil, {0}, {1, 2, 3}, {0, 1 << 20}, {1<<32 - 1}} {
		f.Add(packNonces(seed))
	}
	f.Add([]byte{0x80})
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, packed []byte) {
		nonces, err := unpackNonces(packed)
		if err != nil {
			return
		}
		if !slices.IsSorted(nonces) || len(slices.Compact(slices.Clone(nonces))) != len(nonces) {
			t.Fatalf("%v is not in order, or has one twice", nonces)
		}
		again, err := unpackNonces(packNonces(nonces))
		if err != nil || !slices.Equal(again, nonces) {
			t.Fatal(again, err)
		}
	})
}
