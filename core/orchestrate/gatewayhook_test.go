package orchestrate_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// onlyPayer admits the payer, and records the requests.
type onlyPayer struct{ asked []core.Address }

func (h *onlyPayer) Admit(_ context.Context, gateway core.Address, from string) error {
	if h.asked = append(h.asked, gateway); gateway != payer || from != "203.0.113.7" {
		return fault.New(fault.GatewayDenied, "admit", "not on the list")
	}
	return nil
}

// A gateway that the operator's service does not admit gets no offer, and no terms for live work.
func TestGatewayHook(t *testing.T) {
	t.Parallel()
	hook := &onlyPayer{}
	n, _ := paidNode(t, func(o *orchestrate.Options) { o.GatewayHook = hook })
	other := core.Address{19: 9}
	for name, ask := range map[string]func(sender core.Address) error{
		"an offer": func(sender core.Address) error {
			_, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: sender[:], From: "203.0.113.7"})
			return err
		},
		"live work": func(sender core.Address) error {
			_, err := n.LiveOffer(t.Context(), orchestrate.LiveOfferRequest{
				Sender: sender, Work: orchestrate.LiveWork{Name: "x", Unit: orchestrate.LiveSeconds, App: "x"}, Price: price,
				From: "203.0.113.7"})
			return err
		},
		"live work of a model": func(sender core.Address) error {
			_, err := n.LiveModelOffer(t.Context(), sender, llama, "203.0.113.7")
			return err
		},
		"terms of a capability": func(sender core.Address) error {
			_, err := n.CapabilityTerms(t.Context(), sender, price, "203.0.113.7")
			return err
		},
	} {
		had := len(hook.asked)
		if err := ask(payer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := ask(other)
		if fault.CodeOf(err) != fault.GatewayDenied || fault.Wire(err) != "authentication failed: not on the list" {
			t.Errorf("%s for another gateway: %v", name, err)
		}
		if len(hook.asked) != had+2 {
			t.Errorf("%s: asked %v", name, hook.asked[had:])
		}
	}
	work := &orchestrate.CapabilityWork{Capability: "x", Sender: other, Price: price, From: "203.0.113.7"}
	if _, err := n.BeginCapability(t.Context(), work); fault.CodeOf(err) != fault.GatewayDenied {
		t.Error("work of a capability:", err)
	}
}

// Off-chain a request's account proves nothing, so the service gets no account.
func TestGatewayHookWithoutAccounts(t *testing.T) {
	t.Parallel()
	hook := &onlyPayer{}
	n := newNode(t, func(o *orchestrate.Options) { o.GatewayHook = hook })
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:], From: "203.0.113.7"})
	if fault.CodeOf(err) != fault.GatewayDenied || len(hook.asked) != 1 || !hook.asked[0].IsZero() {
		t.Error(err, hook.asked)
	}
}

// A full node asks nothing: the service's time is for gateways that can be served.
func TestFullNodeAsksNothing(t *testing.T) {
	t.Parallel()
	hook := &onlyPayer{}
	n, _ := paidNode(t, func(o *orchestrate.Options) { o.GatewayHook = hook })
	if err := n.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:], From: "203.0.113.7"})
	if fault.CodeOf(err) != fault.Draining || len(hook.asked) != 0 {
		t.Error(err, hook.asked)
	}
}
