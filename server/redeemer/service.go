package redeemer

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// CodeTrailer is the trailer in which a refusal names its code. Unmodified
// orchestrators go by the status alone.
const CodeTrailer = "tutti-code"

// service answers the calls.
type service struct {
	rpc.UnimplementedTicketRedeemerServer
	opt   Options
	known *known
	// queueing and asking have a slot for each call that may take time.
	queueing, asking *slots
	watchers, calls  *counts
	unverified       unverifiedQuota
	early            earlyQuota
	// ended is closed when the process stops; end closes it.
	ended <-chan struct{}
	end   func()
}

func newService(opt Options) *service {
	ctx, end := context.WithCancel(context.Background())
	k := newKnown(opt.Now)
	return &service{
		opt: opt, known: k, queueing: newSlots(opt.Queueing, k), asking: newSlots(opt.Asking, k),
		watchers: newCounts(opt.Watchers, opt.WatchersEach, k), calls: newCounts(opt.Calls, opt.CallsEach, k),
		unverified: unverifiedQuota{most: opt.Unverified}, early: earlyQuota{most: opt.Unverified},
		ended: ctx.Done(), end: end,
	}
}

// QueueTicket accepts a winning ticket. It is on disk when the answer is sent.
func (s *service) QueueTicket(ctx context.Context, m *rpc.Ticket) (*rpc.QueueTicketRes, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.Answer)
	defer cancel()
	if err := s.take(ctx, m); err != nil {
		s.opt.Log.Debug("ticket refused", "from", callerAddr(ctx), fault.Attr(err))
		return nil, answer(err, func(md metadata.MD) { _ = grpc.SetTrailer(ctx, md) })
	}
	return &rpc.QueueTicketRes{}, nil
}

func (s *service) take(ctx context.Context, m *rpc.Ticket) error {
	ticket, expires, err := rpc.FromTicket(m)
	if err != nil {
		return err
	}
	leave, err := s.queueing.enter(ctx, caller(ctx))
	if err != nil {
		return fault.Wrap(fault.RedeemerCrowded, opQueue, err)
	}
	defer leave()
	if err := s.checkTicket(ctx, &ticket); err != nil {
		return err
	}
	proof := s.proves(ctx, &ticket, expires)
	if err := s.opt.Redeemer.Queue(ctx, pm.Winner{
		Hash: ticket.Hash(), Ticket: ticket, ExpirationBlock: expires, Credited: true, State: pm.TicketWon,
		Account: pm.Account{Sender: ticket.Sender},
	}); err != nil {
		return err
	}
	if proof {
		s.known.prove(caller(ctx), ticket.Hash())
	}
	return nil
}

// MaxFloat returns a gateway's max float.
func (s *service) MaxFloat(ctx context.Context, m *rpc.MaxFloatReq) (*rpc.MaxFloatUpdate, error) {
	trail := func(md metadata.MD) { _ = grpc.SetTrailer(ctx, md) }
	sender, err := senderOf(m)
	if err != nil {
		return nil, answer(err, trail)
	}
	most, err := s.ask(ctx, sender)
	if err != nil {
		return nil, answer(err, trail)
	}
	return update(most), nil
}

// ask reads a max float, for a bounded number of callers at once: it may read from the chain.
func (s *service) ask(ctx context.Context, sender core.Address) (core.Wei, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.Answer)
	defer cancel()
	leave, err := s.asking.enter(ctx, caller(ctx))
	if err != nil {
		return core.Wei{}, fault.Wrap(fault.RedeemerCrowded, "ask for a max float", err)
	}
	defer leave()
	return s.opt.Redeemer.MaxFloat(ctx, sender)
}

func senderOf(m *rpc.MaxFloatReq) (core.Address, error) {
	const op = "read a sender"
	var sender core.Address
	if len(m.GetSender()) != len(sender) {
		return sender, fault.New(fault.PaymentMessage, op, "a sender has 20 bytes")
	}
	copy(sender[:], m.GetSender())
	if sender.IsZero() {
		return sender, fault.New(fault.PaymentMessage, op, "the sender is missing")
	}
	return sender, nil
}

func update(most core.Wei) *rpc.MaxFloatUpdate { return &rpc.MaxFloatUpdate{MaxFloat: rpc.ToWei(most)} }

// answer is a refusal as orchestrators of the network know it: whatever is not about
// another's recipient is Internal. What is wrong with the chain names this redeemer's endpoints
// and quotes their answers: callers, which may be any host, get the table's words.
func answer(err error, trail func(metadata.MD)) error {
	code, text := fault.Public(err)
	if row, known := fault.Lookup(fault.Code(code)); known && row.Class == fault.Upstream {
		text = row.Cause
	}
	trail(metadata.Pairs(CodeTrailer, code))
	if fault.Code(code) == fault.TicketForeign {
		return status.Error(codes.PermissionDenied, text)
	}
	return status.Error(codes.Internal, code+": "+text)
}
