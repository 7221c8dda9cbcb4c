package sender

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// perSigner is how many tickets justify another signing goroutine: a signature takes tens of
// microseconds, a goroutine's start and end a few.
const perSigner = 8

// sign makes n tickets with the nonces from first on.
func (s *Sender) sign(params *pm.Params, first uint32, n int) ([]pm.Signed, error) {
	tickets := make([]pm.Signed, n)
	signers := min(runtime.GOMAXPROCS(0), n/perSigner)
	if signers < 2 {
		return tickets, s.signSome(params, first, tickets)
	}
	var group errgroup.Group
	for i := range signers {
		from, to := i*n/signers, (i+1)*n/signers
		group.Go(func() error { return s.signSome(params, first+uint32(from), tickets[from:to]) })
	}
	return tickets, group.Wait()
}

func (s *Sender) signSome(params *pm.Params, first uint32, tickets []pm.Signed) error {
	for i := range tickets {
		nonce := first + uint32(i)
		ticket, err := params.TicketMessage(s.opt.Account, nonce)
		if err != nil {
			return fault.Wrap(fault.PaymentUnsigned, "make a ticket", err)
		}
		sig, err := s.opt.Sign(ticket)
		if err != nil {
			return fault.Wrap(fault.PaymentUnsigned, "sign a ticket", err)
		}
		tickets[i] = pm.Signed{Nonce: nonce, Sig: sig}
	}
	return nil
}
