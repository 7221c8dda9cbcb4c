package nodeenv

import "testing"

// A limit of memory has its usual size from 4 GiB on, and proportionally less below.
func TestMemoryFollowsTheMachine(t *testing.T) {
	t.Parallel()
	const usual = 1 << 30
	for all, want := range map[int64]int64{0: usual, 64 << 30: usual, 4 << 30: usual, 1 << 30: usual / 4,
		512 << 20: usual / 8} {
		if got := memoryOf(usual, all); got != want {
			t.Errorf("of %d MB: %d MB, want %d", all>>20, got>>20, want>>20)
		}
	}
}
