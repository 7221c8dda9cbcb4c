package chain

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/protocol"
)

func TestRoundAt(t *testing.T) {
	t.Parallel()
	read := protocol.RoundState{Number: 10, Initialized: true, LastInitialized: 10, Start: 1000, Length: 100,
		LockLength: 10}
	for _, tt := range []struct {
		height      protocol.L1Block
		number      protocol.Round
		start       protocol.L1Block
		initialized bool
		locked      bool
	}{
		{1000, 10, 1000, true, false}, {1089, 10, 1000, true, false}, {1090, 10, 1000, true, true},
		{1099, 10, 1000, true, true},
		{1100, 11, 1100, false, false}, {1195, 11, 1100, false, true}, {1350, 13, 1300, false, false},
	} {
		got := roundAt(read, tt.height)
		if got.Number != tt.number || got.Start != tt.start || got.Initialized != tt.initialized || got.Locked != tt.locked {
			t.Errorf("at %d: %+v", tt.height, got)
		}
	}
	if got := roundAt(protocol.RoundState{}, 5); got != (protocol.RoundState{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// What is computed step by step is what is computed at once, and what the contract
// computes from its two settings.
func TestRoundAtAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		length := protocol.L1Block(rapid.Uint64Range(1, 6377).Draw(t, "length"))
		base := protocol.L1Block(rapid.Uint64Range(0, 1e7).Draw(t, "base"))
		lock := protocol.L1Block(rapid.Uint64Range(0, uint64(length)).Draw(t, "lock"))
		first := protocol.RoundState{Number: 5, LastInitialized: 5, Start: base, Length: length, LockLength: lock}
		stepped, height := first, base
		for _, by := range rapid.SliceOfN(rapid.Uint64Range(0, 3*uint64(length)), 1, 10).Draw(t, "steps") {
			height += protocol.L1Block(by)
			stepped = roundAt(stepped, height)
		}
		passed := (height - base) / length
		want := protocol.RoundState{
			Number: 5 + protocol.Round(passed), LastInitialized: 5, Start: base + passed*length, Length: length,
			LockLength:  lock,
			Initialized: passed == 0, Locked: (height-base)%length >= length-lock,
		}
		if stepped != want || roundAt(first, height) != want {
			t.Fatalf("at %d: %+v in steps, %+v at once, want %+v", height, stepped, roundAt(first, height), want)
		}
	})
}
