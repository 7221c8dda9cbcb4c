package chain

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts"
)

func addressOf(n byte) core.Address { return core.Address{19: n} }

func rank1(stakes ...uint64) ranking {
	var r ranking
	for i, s := range stakes {
		r = append(r, member{addressOf(byte(i + 1)), core.NewLPT(s)})
	}
	return r
}

func TestPlace(t *testing.T) {
	t.Parallel()
	a, b, c, d, e := addressOf(1), addressOf(2), addressOf(3), addressOf(4), addressOf(5)
	tests := []struct {
		name    string
		pool    ranking
		address core.Address
		stake   uint64
		size    int
		want    contracts.Hints
		order   []core.Address
	}{
		{"into an empty pool", nil, a, 5, 3, contracts.Hints{}, []core.Address{a}},
		{"no stake, no place", rank1(9, 5), a, 0, 3, contracts.Hints{}, []core.Address{b}},
		{"first", rank1(9, 5), c, 10, 3, contracts.Hints{Next: a}, []core.Address{c, a, b}},
		{"last", rank1(9, 5), c, 1, 3, contracts.Hints{Prev: b}, []core.Address{a, b, c}},
		{"between", rank1(9, 5), c, 7, 3, contracts.Hints{Prev: a, Next: b}, []core.Address{a, c, b}},
		{"before its equals", rank1(9, 5, 5), d, 5, 9, contracts.Hints{Prev: a, Next: b}, []core.Address{a, d, b, c}},
		{"moves up", rank1(9, 5, 3), c, 7, 3, contracts.Hints{Prev: a, Next: b}, []core.Address{a, c, b}},
		{"moves down", rank1(9, 5, 3), a, 4, 3, contracts.Hints{Prev: b, Next: c}, []core.Address{b, a, c}},
		{"stays where it is", rank1(9, 5, 3), b, 6, 3, contracts.Hints{Prev: a, Next: c}, []core.Address{a, b, c}},
		{"evicts the last", rank1(9, 5, 3), e, 4, 3, contracts.Hints{Prev: b}, []core.Address{a, b, e}},
		{"as much as the last is too little", rank1(9, 5, 3), e, 3, 3, contracts.Hints{}, []core.Address{a, b, c}},
		{"a pool of one", rank1(9), e, 10, 1, contracts.Hints{}, []core.Address{e}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after, got := tt.pool.move(tt.address, core.NewLPT(tt.stake), tt.size)
			if got != tt.want {
				t.Errorf("hints %v, want %v", got, tt.want)
			}
			if order := names(after); !slices.Equal(order, tt.order) {
				t.Errorf("order %v, want %v", order, tt.order)
			}
		})
	}
}

func names(r ranking) (out []core.Address) {
	for _, m := range r {
		out = append(out, m.address)
	}
	return out
}

// list is the contract's list, as it is without hints and with them.
type list struct {
	entries ranking
	size    int
}

// insert puts an entry where the contract finds its place from the head: before
// the first one that has no more.
func (l *list) insert(m member) {
	i := 0
	for i < len(l.entries) && l.entries[i].stake.Cmp(m.stake) > 0 {
		i++
	}
	l.entries = slices.Insert(l.entries, i, m)
}

// takes reports whether the contract would use a hint for an entry that is not in
// the list.
func (l *list) takes(h contracts.Hints, stake core.LPT) bool {
	at := func(a core.Address) int {
		return slices.IndexFunc(l.entries, func(m member) bool { return m.address == a })
	}
	switch {
	case h.IsZero():
		return len(l.entries) == 0
	case h.Prev.IsZero():
		return at(h.Next) == 0 && stake.Cmp(l.entries[0].stake) >= 0
	case h.Next.IsZero():
		return at(h.Prev) == len(l.entries)-1 && stake.Cmp(l.entries[len(l.entries)-1].stake) <= 0
	}
	p, n := at(h.Prev), at(h.Next)
	return p >= 0 && n == p+1 && l.entries[p].stake.Cmp(stake) >= 0 && stake.Cmp(l.entries[n].stake) >= 0
}

func TestPlaceIsTheContracts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := &list{size: rapid.IntRange(1, 8).Draw(t, "size")}
		// Few different stakes, so that many are equal.
		stakes := rapid.Uint64Range(0, 6)
		for range rapid.IntRange(1, 30).Draw(t, "moves") {
			m := member{addressOf(byte(rapid.IntRange(1, 12).Draw(t, "address"))), core.NewLPT(stakes.Draw(t, "stake"))}
			after, hints := l.entries.move(m.address, m.stake, l.size)
			was := len(l.entries)
			l.entries = slices.DeleteFunc(slices.Clone(l.entries), func(o member) bool { return o.address == m.address })
			enters := !m.stake.IsZero()
			if enters && len(l.entries) == was && was == l.size {
				last := l.entries[was-1]
				if enters = m.stake.Cmp(last.stake) > 0; enters {
					l.entries = l.entries[:was-1]
				}
			}
			if enters {
				if !l.takes(hints, m.stake) {
					t.Fatalf("%v is no valid hint for %v in %v", hints, m, names(l.entries))
				}
				l.insert(m)
			} else if !hints.IsZero() {
				t.Fatalf("hints %v for an orchestrator that does not enter", hints)
			}
			if !slices.EqualFunc(after, l.entries, func(a, b member) bool {
				return a.address == b.address &&
					a.stake.Cmp(b.stake) == 0
			}) {
				t.Fatalf("order %v, the contract's is %v", names(after), names(l.entries))
			}
		}
	})
}
