package redeemer_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// queue hands a ticket in and returns the status and the code of the answer.
func (r *rig) queue(t protocol.WinningTicket) (codes.Code, fault.Code) {
	return r.queueMessage(rpc.ToTicket(&t, 140))
}

func (r *rig) queueMessage(m *rpc.Ticket) (codes.Code, fault.Code) {
	r.Helper()
	var trailer metadata.MD
	_, err := r.api.QueueTicket(context.Background(), m, grpc.Trailer(&trailer))
	code := ""
	if got := trailer.Get(redeemer.CodeTrailer); len(got) == 1 {
		code = got[0]
	}
	return status.Code(err), fault.Code(code)
}

func TestATicketIsTakenAndTakenAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one := ticket(1)
	for range 2 {
		if c, code := r.queue(one); c != codes.OK {
			t.Fatal(c, code)
		}
	}
	if r.queued[one.Hash()] != 2 {
		t.Errorf("queued: %v", r.queued)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	foreign := coretest.Ticket(key(0), core.Address{2}, core.NewWei(1000), 1, protocol.RoundState{})
	loser := ticket(1)
	loser.WinProb = protocol.Word{31: 1}
	loser = coretest.SignTicket(key(0), loser)
	secret := ticket(1)
	secret.RecipientRand[0]++
	forged := ticket(1)
	forged.Sender = coretest.AddressOf(key(1))
	noSender := ticket(1)
	noSender.Sender = core.Address{}
	short := ticket(1)
	malformed := rpc.ToTicket(&short, 140)
	malformed.SenderParams.Sig = malformed.SenderParams.Sig[:64]
	for name, c := range map[string]struct {
		message *rpc.Ticket
		status  codes.Code
		code    fault.Code
	}{
		"another's recipient": {rpc.ToTicket(&foreign, 140), codes.PermissionDenied, fault.TicketForeign},
		"no winner":           {rpc.ToTicket(&loser, 140), codes.Internal, fault.TicketNotWinning},
		"another secret":      {rpc.ToTicket(&secret, 140), codes.Internal, fault.TicketSecretWrong},
		"another's signature": {rpc.ToTicket(&forged, 140), codes.Internal, fault.TicketSignatureWrong},
		"no sender":           {rpc.ToTicket(&noSender, 140), codes.Internal, fault.TicketMalformed},
		"malformed":           {malformed, codes.Internal, fault.PaymentMessage},
		"empty":               {&rpc.Ticket{}, codes.Internal, fault.PaymentMessage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if st, code := r.queueMessage(c.message); st != c.status || code != c.code {
				t.Errorf("%v %v, want %v %v", st, code, c.status, c.code)
			}
			if len(r.queued) != 0 || r.reads != 0 {
				t.Errorf("it cost %d reads of the chain and %d writes", r.reads, len(r.queued))
			}
		})
	}
}

func TestWhoHasNoMoneyIsWorthNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.funds = func() (protocol.SenderFunds, error) { return protocol.SenderFunds{}, nil }
	if st, code := r.queue(ticket(1)); st != codes.Internal || code != fault.SenderEmpty || len(r.queued) != 0 {
		t.Error(st, code, r.queued)
	}
}

// TestALateTicketOfWhoHasNoMoneyIsLate: its orchestrator would offer it forever.
func TestALateTicketOfWhoHasNoMoneyIsLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		view protocol.View
		code fault.Code
	}{
		{protocol.View{Known: true, Round: protocol.RoundState{Number: 8}}, fault.SenderEmpty},
		{protocol.View{Known: true, Round: protocol.RoundState{Number: 9}}, fault.TicketExpired},
		{protocol.View{Known: true, Stale: true, Round: protocol.RoundState{Number: 9}}, fault.SenderEmpty},
		{protocol.View{}, fault.SenderEmpty},
	} {
		r := newRig(t, func(o *redeemer.Options) { o.View = func() protocol.View { return c.view } })
		r.funds = func() (protocol.SenderFunds, error) { return protocol.SenderFunds{}, nil }
		if _, code := r.queue(ticket(1)); code != c.code || len(r.queued) != 0 {
			t.Errorf("%+v: %s, want %s", c.view, code, c.code)
		}
	}
}

func TestTicketsAreTakenUnseenForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) { o.Unverified = 2 })
	away := func() (protocol.SenderFunds, error) {
		return protocol.SenderFunds{}, fault.Wrap(fault.ChainUnavailable, "read funds", errChain)
	}
	there := func() (protocol.SenderFunds, error) {
		return protocol.SenderFunds{Sender: protocol.Sender{Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)}}}, nil
	}
	for i, c := range []struct {
		funds func() (protocol.SenderFunds, error)
		code  fault.Code
	}{{away, ""}, {away, ""}, {away, fault.ChainUnavailable}, {there, ""}, {away, ""}, {away, ""},
		{away, fault.ChainUnavailable}} {
		r.mu.Lock()
		r.funds = c.funds
		r.mu.Unlock()
		if _, code := r.queue(ticket(uint64(i))); code != c.code {
			t.Errorf("ticket %d: %q, want %q", i, code, c.code)
		}
	}
}

func TestTheRedeemersOwnFailureIsInternal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fail = fault.Wrap(fault.LedgerFailed, "append", errChain)
	if st, code := r.queue(ticket(1)); st != codes.Internal || code != fault.LedgerFailed {
		t.Error(st, code)
	}
	if _, err := r.api.MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: me[:]}); status.Code(err) != codes.Internal {
		t.Error(err)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if st, _ := r.queueMessage(&rpc.Ticket{RecipientRand: make([]byte, 1<<20)}); st != codes.ResourceExhausted {
		t.Error(st)
	}
	if st, code := r.queue(ticket(1)); st != codes.OK {
		t.Error(st, code)
	}
}

// TestTicketsOfNoRound: the contract never pays a ticket whose round or hash is not the chain's, so
// that any number of them is backed by one wei, and the books would hold those of rounds to
// come forever. Of a round that has just begun some are taken.
func TestTicketsOfNoRound(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) {
		o.Unverified = 2
		o.View = func() protocol.View {
			return protocol.View{Known: true, Round: protocol.RoundState{Number: 7, LastInitialized: 7,
				LastHash: protocol.Hash{7}, PreviousHash: protocol.Hash{6}}}
		}
	})
	for i, c := range []struct {
		round protocol.Round
		hash  protocol.Hash
		code  fault.Code
	}{
		{round: 7, hash: protocol.Hash{7}},
		{round: 6, hash: protocol.Hash{6}},
		{round: 7, hash: protocol.Hash{1}, code: fault.TicketRoundUnknown},
		{round: 6, hash: protocol.Hash{1}, code: fault.TicketRoundUnknown},
		{round: 9, hash: protocol.Hash{9}, code: fault.TicketRoundUnknown},
		{round: 1 << 40, code: fault.TicketRoundUnknown},
		{round: 8, hash: protocol.Hash{8}},
		{round: 8, hash: protocol.Hash{9}},
		{round: 8, hash: protocol.Hash{8}, code: fault.TicketRoundUnknown},
	} {
		one := coretest.Ticket(key(0), me, core.NewWei(1000), uint64(i),
			protocol.RoundState{LastInitialized: c.round, LastHash: c.hash})
		if _, code := r.queue(one); code != c.code || (r.queued[one.Hash()] == 0) != (c.code != "") {
			t.Errorf("round %d, %v: %q, want %q", c.round, c.hash, code, c.code)
		}
	}
}
