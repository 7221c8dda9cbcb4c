package pm_test

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/pm"
)

// TestNoncesAreASet compares with a map under any order of calls.
func TestNoncesAreASet(t *testing.T) {
	t.Parallel()
	some := rapid.OneOf(rapid.Uint32Range(0, 70), rapid.Uint32Range(1000, 1100),
		rapid.Uint32Range(pm.MaxNonce-3, pm.MaxNonce+3), rapid.Uint32())
	rapid.Check(t, func(t *rapid.T) {
		var n pm.Nonces
		model := map[uint32]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				v := some.Draw(t, "nonce")
				err := n.Add(v)
				switch {
				case v > pm.MaxNonce:
					if !errors.Is(err, pm.ErrNonceTooMany) {
						t.Fatalf("add %d: %v", v, err)
					}
				case model[v]:
					if !errors.Is(err, pm.ErrNonceSeen) {
						t.Fatalf("add %d again: %v", v, err)
					}
				case err != nil:
					t.Fatalf("add %d: %v", v, err)
				default:
					model[v] = true
				}
			},
			"remove": func(t *rapid.T) {
				v := some.Draw(t, "nonce")
				n.Remove(v)
				delete(model, v)
			},
			"": func(t *rapid.T) {
				if v := some.Draw(t, "nonce"); n.Has(v) != model[v] {
					t.Fatalf("has %d: %t", v, n.Has(v))
				}
				if n.Count() != len(model) || !slices.Equal(n.All(), slices.Sorted(maps.Keys(model))) {
					t.Fatalf("%d %v, want %v", n.Count(), n.All(), model)
				}
			},
		})
	})
}

func TestNoNonces(t *testing.T) {
	t.Parallel()
	var none *pm.Nonces
	if none.Has(1) || none.Count() != 0 || none.All() != nil {
		t.Error("nil holds something")
	}
}

// TestNoncesAreBounded: what a sender chooses costs no more than the bitmap of all.
func TestNoncesAreBounded(t *testing.T) {
	full := func(step uint32) uint64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var n pm.Nonces
		for v := uint32(0); v <= pm.MaxNonce; v += step {
			if err := n.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if want := int((pm.MaxNonce + step) / step); n.Count() != want {
			t.Fatalf("%d nonces, want %d", n.Count(), want)
		}
		return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	for _, step := range []uint32{1, 1024, 65536} {
		if held := full(step); held > 160<<10 {
			t.Errorf("every %dth: %d bytes", step, held)
		}
	}
}
