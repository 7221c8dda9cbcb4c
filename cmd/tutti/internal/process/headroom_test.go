package process

import "testing"

func TestCollectAt(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 800, 1 << 20: 800, 6 << 20: 400, 8 << 20: 300, 24 << 20: 100, 1 << 30: 100} {
		if got := collectAt(live); got != want {
			t.Errorf("%d live bytes: %d %%, want %d", live, got, want)
		}
	}
}
