package orchestrator

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// admittedFor is the network's: how long the answer about a gateway holds. Refusals are short, so that a gateway
	// that was just added is not kept out.
	admittedFor = 30 * time.Minute
	refusedFor  = 5 * time.Second
	// maxAdmitted and maxRefused bound the answers that are kept.
	maxAdmitted, maxRefused = 16384, 4096
	// maxAsking bounds the questions at once, maxUnknown those about gateways that were never admitted: every account
	// may ask for an offer. maxWaiting bounds the requests that wait to ask.
	maxAsking, maxUnknown, maxWaiting = 64, 48, 4096
	// askTime bounds a question: gateways wait a few seconds for an offer.
	askTime = 3 * time.Second
)

const opAsk = "ask whether a gateway is served"

// GatewayHookOptions make a GatewayHook.
type GatewayHookOptions struct {
	// URL is the service's address, which may contain a password.
	URL string
	// Check is the error of a price that cannot be asked for.
	Check func(core.UnitPrice) error
	// Report gets the outcome of each question: nil, or why the service could not be asked. It must not block.
	Report func(error)
	Now    func() time.Time
}

// GatewayHook asks the service. Safe for concurrent use.
type GatewayHook struct {
	o      GatewayHookOptions
	client *http.Client
	// asking queues all questions, unknown those about gateways that were never admitted: peers take turns.
	asking, unknown *fairqueue.Queue

	mu sync.Mutex // guards what follows
	// admitted outlive their time: the price holds until the next answer.
	admitted, refused map[core.Address]hookAnswer
	pending           map[core.Address]chan struct{}
}

// hookAnswer is what the service said of a gateway.
type hookAnswer struct {
	// price is that of a pixel in wei, nil without one.
	price *big.Rat
	// err refuses the gateway.
	err   error
	until time.Time
}

// NewGatewayHook makes a hook that has asked nothing.
func NewGatewayHook(o GatewayHookOptions) *GatewayHook {
	return &GatewayHook{
		o: o, client: newHookClient(),
		asking:   fairqueue.New(fairqueue.Options{Slots: maxAsking, MaxWaiting: maxWaiting}),
		unknown:  fairqueue.New(fairqueue.Options{Slots: maxUnknown, MaxWaiting: maxWaiting}),
		admitted: make(map[core.Address]hookAnswer), refused: make(map[core.Address]hookAnswer),
		pending: make(map[core.Address]chan struct{}),
	}
}

// Admit asks about a gateway at a network address, or returns what the service said before, see
// orchestrate.GatewayHook. Requests of one gateway share a question.
func (h *GatewayHook) Admit(ctx context.Context, gateway core.Address, from string) error {
	for {
		h.mu.Lock()
		if a, ok := h.keptLocked(gateway); ok {
			h.mu.Unlock()
			return a.err
		}
		asked, busy := h.pending[gateway]
		if !busy {
			asked = make(chan struct{})
			h.pending[gateway] = asked
		}
		_, known := h.admitted[gateway]
		h.mu.Unlock()
		if !busy {
			return h.decide(ctx, gateway, core.PeerName(from), known)
		}
		select {
		case <-asked: // look again: the other request may have ended without an answer
		case <-ctx.Done():
			return fault.Wrap(fault.Canceled, opAsk, ctx.Err())
		}
	}
}

// Price returns what the service said that a gateway pays for a pixel, in wei and of the caller's own; nil where it
// set no price.
func (h *GatewayHook) Price(gateway core.Address) *big.Rat {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.admitted[gateway]; a.price != nil {
		return new(big.Rat).Set(a.price)
	}
	return nil
}

// keptLocked finds an answer that still holds.
func (h *GatewayHook) keptLocked(gateway core.Address) (hookAnswer, bool) {
	now := h.o.Now()
	for _, kept := range []map[core.Address]hookAnswer{h.admitted, h.refused} {
		if a, ok := kept[gateway]; ok && now.Before(a.until) {
			return a, true
		}
	}
	return hookAnswer{}, false
}

// decide asks, keeps the answer and wakes the requests that wait for it.
func (h *GatewayHook) decide(ctx context.Context, gateway core.Address, peer string, known bool) error {
	price, err := h.ask(ctx, gateway, peer, known)
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(h.pending[gateway])
	defer delete(h.pending, gateway)
	switch {
	case err == nil:
		delete(h.refused, gateway)
		keepHookAnswer(h.admitted, maxAdmitted, gateway, hookAnswer{price: price, until: h.o.Now().Add(admittedFor)})
	case fault.CodeOf(err) == fault.GatewayDenied:
		delete(h.admitted, gateway)
		keepHookAnswer(h.refused, maxRefused, gateway, hookAnswer{err: err, until: h.o.Now().Add(refusedFor)})
	}
	return err
}

// keepHookAnswer adds an answer, in the place of any other one when there are too many.
func keepHookAnswer(answers map[core.Address]hookAnswer, most int, gateway core.Address, a hookAnswer) {
	if _, there := answers[gateway]; !there && len(answers) >= most {
		for other := range answers {
			delete(answers, other)
			break
		}
	}
	answers[gateway] = a
}

// ask asks within the bounds of questions at once.
func (h *GatewayHook) ask(ctx context.Context, gateway core.Address, peer string, known bool) (*big.Rat, error) {
	party := "peer " + peer
	if known {
		party = "gateway " + gateway.String()
	} else {
		release, err := h.unknown.Acquire(ctx, party)
		if err != nil {
			return nil, waited(err)
		}
		defer release()
	}
	release, err := h.asking.Acquire(ctx, party)
	if err != nil {
		return nil, waited(err)
	}
	defer release()
	// Other requests wait for the answer, so it does not end with this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	price, err := h.call(ctx, gateway)
	if h.o.Report != nil {
		failed := err
		if fault.CodeOf(err) == fault.GatewayDenied {
			failed = nil
		}
		h.o.Report(failed)
	}
	return price, err
}

// waited is the fault of a request that did not come to ask. It says nothing of the service.
func waited(err error) error {
	if errors.Is(err, fairqueue.ErrFull) {
		return fault.New(fault.GatewayHookBusy, opAsk, "")
	}
	return fault.Wrap(fault.Canceled, opAsk, err)
}
