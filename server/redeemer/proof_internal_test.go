package redeemer

import (
	"context"
	"log/slog"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc/peer"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// stored is a redeemer that takes every ticket.
type stored struct {
	Redeemer
	pending core.Wei
}

func (s stored) Queue(context.Context, pm.Winner) error { return nil }
func (s stored) Pending(core.Address) core.Wei          { return s.pending }

// TestWhatProvesAHost: tickets that cost a stranger next to nothing are taken, and make no
// host known: those of other times, of which the chain tells, those of a gateway that cannot
// pay them, and those that are worth less than their gas.
func TestWhatProvesAHost(t *testing.T) {
	t.Parallel()
	const gas, fee, face = 1000, 10, 20_000
	key, err := crypto.ToECDSA(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	me := core.Address{1}
	for name, c := range map[string]struct {
		deposit, pending, face uint64
		round                  protocol.Round
		expires                protocol.L1Block
		taken, stale, want     bool
	}{
		"a new one":                     {deposit: face, face: face, round: 7, want: true},
		"one that others leave money":   {deposit: 3 * face, pending: 2 * face, face: face, round: 7, want: true},
		"one that is in the books":      {deposit: face, face: face, round: 7, taken: true},
		"one of an underfunded gateway": {deposit: 1, face: face, round: 7},
		"one of many of a gateway":      {deposit: face, pending: 1, face: face, round: 7},
		"one that costs what it pays":   {deposit: face, face: gas * fee, round: 7},
		"one of an earlier round":       {deposit: face, face: face, round: 5},
		"one of a round to come":        {deposit: face, face: face, round: 8},
		"one whose time never comes":    {deposit: face, face: face, round: 7, expires: 1 << 40},
		"one while the chain is still":  {deposit: face, face: face, round: 7, stale: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := protocol.View{Known: true, Stale: c.stale, Head: protocol.Head{BaseFee: core.NewWei(fee)},
				Round: protocol.RoundState{Number: 7, LastInitialized: 7, Start: 100, Length: 100}}
			s := newService(Options{Redeemer: stored{pending: core.NewWei(c.pending)}, Recipient: me, RedeemGas: gas,
				View: func() protocol.View { return view }, Log: slog.New(slog.DiscardHandler), Queueing: 1, Asking: 1,
				Answer: 1e9, Unverified: 1, Now: newTestKnown().now,
				Taken: func(context.Context, protocol.Hash) (bool, error) { return c.taken, nil },
				Funds: func(context.Context, core.Address) (protocol.SenderFunds, error) {
					return protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(c.deposit)}}, nil
				}})
			won := coretest.Ticket(key, me, core.NewWei(c.face), 1, protocol.RoundState{LastInitialized: c.round})
			from := &remoteConn{from: "192.0.2.1"}
			ctx := peer.NewContext(t.Context(), &peer.Peer{Addr: from.RemoteAddr()})
			if _, err := s.QueueTicket(ctx, rpc.ToTicket(&won, max(140, c.expires))); err != nil {
				t.Fatal("it is not taken: ", err)
			}
			if known := s.known.has(at(from.from)); known != c.want {
				t.Errorf("its host is known: %v", known)
			}
		})
	}
}
