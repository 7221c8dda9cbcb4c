package gateway

import "testing"

// One key may have the whole limit, however small it is, and others find some then; clients without a key have a limit
// of their own.
func TestKeyShares(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2, 3, 4, 5, 6, 7, 256, 1000} {
		s := newKeyShares(limit)
		fill := func(key string) (n int) {
			for s.enter(key) {
				n++
			}
			return n
		}
		if n := fill("a"); n != limit {
			t.Errorf("of %d one key has %d", limit, n)
		}
		if n := fill("b"); n == 0 && limit > 8 {
			t.Errorf("of %d another key has none", limit)
		}
		if n := fill(""); n != limit {
			t.Errorf("of %d clients without a key have %d", limit, n)
		}
		for _, key := range []string{"a", "b", ""} {
			for range map[string]int{"": s.others, "a": s.keyed["a"], "b": s.keyed["b"]}[key] {
				s.leave(key)
			}
		}
		if s.sum != 0 || s.others != 0 || len(s.keyed) != 0 {
			t.Errorf("of %d these stay: %v", limit, s)
		}
	}
}
