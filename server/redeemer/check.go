package redeemer

import (
	"context"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/grpc/peer"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

const opQueue = "take a ticket"

// checkTicket refuses what any client can make, with the cheapest test first: up to the
// signature nothing is read, written or remembered. Any client can also sign with an account
// without funds, so the funds are checked last.
func (s *service) checkTicket(ctx context.Context, t *protocol.WinningTicket) error {
	hash := t.Hash()
	switch {
	case t.Recipient != s.opt.Recipient:
		return fault.New(fault.TicketForeign, opQueue, fmt.Sprintf("it pays %s, this redeemer works for %s", t.Recipient,
			s.opt.Recipient))
	case t.Sender.IsZero():
		return fault.New(fault.TicketMalformed, opQueue, "it has no sender")
	case pm.RandHash(t.RecipientRand) != t.RecipientRandHash:
		return fault.New(fault.TicketSecretWrong, opQueue, "")
	case !pm.Wins(t.Signature[:], t.RecipientRand, t.WinProb):
		return fault.New(fault.TicketNotWinning, opQueue, "")
	case signature.EthVerify(common.Address(t.Sender), hash[:], t.Signature[:]) != nil:
		return fault.New(fault.TicketSignatureWrong, opQueue, "")
	}
	if err := s.checkRoundHash(t); err != nil {
		return err
	}
	return s.checkFunds(ctx, t)
}

// checkRoundHash refuses a ticket that is not of a round of the chain. The contract never pays it, so
// a client that signs such tickets risks nothing, and one of a round to come would never be
// archived. The chain may be at the next round before this node sees that: some tickets of it
// are accepted. The client keeps a ticket that is refused, and offers it again.
func (s *service) checkRoundHash(t *protocol.WinningTicket) error {
	if s.opt.View == nil {
		return nil
	}
	v := s.opt.View()
	if !v.Known || v.Stale {
		return nil
	}
	last := v.Round.LastInitialized
	var want protocol.Hash
	switch {
	case t.CreationRound > last:
		if t.CreationRound <= v.Round.Number+1 && s.early.allowIn(last) {
			return nil
		}
		return fault.New(fault.TicketRoundUnknown, opQueue, fmt.Sprintf("of round %d, the last initialized one is %d",
			t.CreationRound, last))
	case t.CreationRound == last:
		want = v.Round.LastHash
	case t.CreationRound+1 == last:
		want = v.Round.PreviousHash
	}
	if !want.IsZero() && t.CreationRoundHash != want {
		return fault.New(fault.TicketRoundUnknown, opQueue, fmt.Sprintf("round %d has another hash", t.CreationRound))
	}
	return nil
}

// checkFunds refuses a ticket without funds behind it. The client keeps it and offers it again.
// While funds cannot be read, some tickets are accepted unverified: losing a real one would be
// worse.
func (s *service) checkFunds(ctx context.Context, t *protocol.WinningTicket) error {
	funds, err := s.opt.Funds(ctx, t.Sender)
	switch {
	case err != nil && s.unverified.allow():
		return nil
	case err != nil:
		return err
	}
	s.unverified.reset()
	if funds.Deposit.IsZero() && funds.Reserve.FundsRemaining.IsZero() {
		if err := s.checkRound(t); err != nil {
			return err
		}
		return fault.New(fault.SenderEmpty, opQueue, "it has neither deposit nor reserve")
	}
	return nil
}

// validRounds is how many rounds tickets hold by the network's terms.
const validRounds protocol.Round = 2

// checkRound refuses a ticket whose rounds are over. It is only used for a ticket that is
// refused anyway, so that its owner stops offering it; for others the redeemer knows more
// exactly.
func (s *service) checkRound(t *protocol.WinningTicket) error {
	if s.opt.View == nil {
		return nil
	}
	if v := s.opt.View(); v.Known && !v.Stale && v.Round.Number >= t.CreationRound+validRounds {
		return fault.New(fault.TicketExpired, opQueue, fmt.Sprintf("of round %d, this is %d", t.CreationRound,
			v.Round.Number))
	}
	return nil
}

// unverifiedQuota counts tickets of senders whose funds could not be read.
type unverifiedQuota struct {
	most int

	mu sync.Mutex
	n  int // guarded by mu
}

// allow counts one more; false if the quota is used up.
func (u *unverifiedQuota) allow() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n >= u.most {
		return false
	}
	u.n++
	return true
}

func (u *unverifiedQuota) reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.n = 0
}

// earlyQuota counts tickets of rounds that this node has not seen begin.
type earlyQuota struct {
	most int

	mu sync.Mutex
	// n were allowed while in was the last round. Guarded by mu.
	n  int
	in protocol.Round
}

// allowIn counts one more while a round is the last; false if the quota is used up.
func (e *earlyQuota) allowIn(last protocol.Round) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.in != last {
		e.in, e.n = last, 0
	}
	if e.n >= e.most {
		return false
	}
	e.n++
	return true
}

// callerAddr returns the address of the caller.
func callerAddr(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		return p.Addr.String()
	}
	return ""
}
