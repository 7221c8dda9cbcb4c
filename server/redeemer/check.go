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
	return s.checkFunds(ctx, t)
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

// callerAddr is the address of the caller.
func callerAddr(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		return p.Addr.String()
	}
	return ""
}
