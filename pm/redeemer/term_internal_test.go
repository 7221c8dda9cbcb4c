package redeemer

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

func TestAvailable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                        string
		deposit, left, all, claimed uint64
		pool                        int
		active                      bool
		want                        uint64
	}{
		{"all of a reserve alone", 5, 10, 0, 0, 1, true, 15},
		{"a share", 5, 10, 0, 0, 4, true, 7},
		{"a share that others drew of", 0, 6, 4, 0, 2, true, 5},
		{"less what was drawn", 0, 6, 4, 4, 2, true, 1},
		{"more drawn than the share is now", 3, 6, 4, 9, 2, true, 3},
		{"no more than there is", 0, 1, 9, 0, 1, true, 1},
		{"not active", 5, 10, 0, 0, 1, false, 5},
		{"an empty pool", 5, 10, 0, 0, 0, true, 5},
	} {
		f := protocol.SenderFunds{Sender: protocol.Sender{
			Deposit: core.NewWei(tt.deposit),
			Reserve: protocol.Reserve{FundsRemaining: core.NewWei(tt.left), ClaimedInCurrentRound: core.NewWei(tt.all)},
		}, Claimed: core.NewWei(tt.claimed)}
		if got := available(f, tt.pool, tt.active); got.Cmp(core.NewWei(tt.want)) != 0 {
			t.Errorf("%s: %v, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	round := protocol.RoundState{Number: 11, Start: 1100, Length: 100}
	for _, tt := range []struct {
		created protocol.Round
		l1      protocol.L1Block
		want    term
	}{
		{11, 1100, term{last: 12, until: 1299}},
		{10, 1100, term{last: 11, until: 1199, lastRound: true}},
		{10, 1173, term{last: 11, until: 1199, lastRound: true}},
		{10, 1174, term{last: 11, until: 1199, lastRound: true, ending: true}},
		{9, 1100, term{last: 10, over: true}},
		{12, 1100, term{last: 13, until: 1399}},
	} {
		if got := termOf(tt.created, 2, round, tt.l1); got != tt.want {
			t.Errorf("round %d at %d: %+v, want %+v", tt.created, tt.l1, got, tt.want)
		}
	}
}

func TestRemaining(t *testing.T) {
	t.Parallel()
	for left, want := range map[protocol.L1Block]string{
		0: "within 1 blocks of layer 1, about 1 min", 30: "within 40 blocks of layer 1, about 8 min",
		1440: "within 1450 blocks of layer 1, about 290 min",
	} {
		if got := remaining(5000+left, 5000); got != want {
			t.Errorf("%d: %s", left, got)
		}
	}
}
