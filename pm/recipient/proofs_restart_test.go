//go:build cgo

package recipient_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// What a gateway has left in a model's account when the node starts again is drawn in a session that drew on it or paid
// before, or by new tickets: others, who know what it signs for jobs, have nothing of it.
func TestBalancesOfBeforeAStart(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	s := r.session(r.gateway(1), "33_m", llama)
	r.admit(s.by("a", "1", 4)).Release()
	r.restart()
	r.refuse(s.by("x", "9", 0), fault.InsufficientBalance, "")
	if err := r.MayPay(t.Context(), s.by("x", "1", 0)); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Error("an address is known over a start:", err)
	}
	for _, own := range [][2]string{{"a", "2"}, {"b", "2"}, {"b", "3"}} {
		r.admit(s.by(own[0], own[1], 0)).Release()
	}
	r.refuse(s.by("x", "9", 0), fault.InsufficientBalance, "")
	r.restart()
	s = r.session(s.g, "33_m", llama)
	r.refuse(s.by("c", "4", 0), fault.InsufficientBalance, "")
	r.admit(s.by("c", "4", 1)).Release()
	if free := r.Available(s.by("c", "4", 0)); free.Cmp(s.ev(5)) != 0 {
		t.Errorf("its tickets open %s, want %s", free, s.ev(5))
	}
	r.refuse(s.by("x", "9", 0), fault.InsufficientBalance, "")
}

// In an upgrade the addresses of payers are known as well.
func TestPartiesOfAnUpgrade(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	s := r.session(r.gateway(1), "33_m", llama)
	r.admit(s.by("a", "1", 4)).Release()
	r.admit(s.by("thief", "9", 1)).Release()
	for range 2 { // the second one passes on what it got
		list := r.Parties()
		r.restart()
		r.RestoreParties(list)
	}
	for _, other := range [][2]string{{"x", "9"}, {"thief", "9"}, {"x", "8"}} {
		r.refuse(s.by(other[0], other[1], 0), fault.InsufficientBalance, "")
	}
	r.admit(s.by("b", "1", 0)).Release()
	r.admit(s.by("b", "2", 0)).Release()
	r.refuse(s.by("x", "9", 0), fault.InsufficientBalance, "")
}
