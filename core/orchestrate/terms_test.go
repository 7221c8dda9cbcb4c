package orchestrate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// TestOfferOnChain lists what an offer contains for which request.
func TestOfferOnChain(t *testing.T) {
	t.Parallel()
	pay := paying()
	expensive := pm.Price{PerUnit: 7000, PixelsPerUnit: 1}
	pay.Models = map[inference.Model]pm.Price{llama: expensive}
	state := ready(1)
	state.Devices = []string{"0", "1"}
	n, _ := aiNode(t, state, func(o *orchestrate.Options) { o.Payments, o.Signatures = pay, signatures{} })
	units := func(c *capability.Capabilities, ids ...capability.ID) *capability.Capabilities {
		out := *c
		out.Capacities = make(map[capability.ID]uint32)
		for _, id := range ids {
			out.Capacities[id] = 1
		}
		return &out
	}
	llm := wantsLlama(t)
	unknown := *llm
	unknown.Constraints.PerCapability = map[capability.ID]capability.Models{capability.LLM: {"another": {}}}
	seen := make(map[protocol.Hash]bool)
	for name, tc := range map[string]struct {
		wanted *capability.Capabilities
		price  pm.Price
		models []inference.Model
		survey bool
	}{
		"a comparison":          {nil, price, nil, true},
		"a transcoding job":     {&capability.Capabilities{Bits: capability.Of(capability.H264)}, price, nil, false},
		"a model":               {llm, expensive, []inference.Model{llama}, false},
		"a model without units": {units(llm, capability.H264), price, nil, false},
		"units without a model": {units(&capability.Capabilities{Bits: capability.Of(capability.H264)},
			capability.LLM), price, nil, false},
		"a model that is not here": {&unknown, price, nil, false},
	} {
		in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:], Wanted: tc.wanted})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if in.Address != (core.Address{19: 1}) || in.ServiceURI != serviceURI || in.Token.Session == "" ||
			in.Capabilities.Version != "0.9.1" {
			t.Errorf("%s: incomplete: %+v", name, in)
		}
		q := in.Terms.Quote
		if q.Sender != payer || q.Price != tc.price || !slices.Equal(q.Models, tc.models) {
			t.Errorf("%s: quote %+v", name, q)
		}
		if carried, err := pm.ParseQuote(in.Token.Code[32:]); err != nil || fmt.Sprint(carried) != fmt.Sprint(q) {
			t.Errorf("%s: the token says %+v, %v", name, carried, err)
		}
		if hash := in.Terms.Params.RecipientRandHash; seen[hash] {
			t.Errorf("%s: the parameters are not fresh", name)
		} else {
			seen[hash] = true
		}
		if got := len(in.Prices) == 1 && len(in.Hardware) == 1; got != tc.survey || !tc.survey &&
			len(in.Prices)+len(in.Hardware) > 0 {
			t.Errorf("%s: prices %v, hardware %v", name, in.Prices, in.Hardware)
		}
	}
}

func TestOfferOffChain(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(1))
	in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: make([]byte, 20)})
	if err != nil {
		t.Fatal(err)
	}
	if in.Terms != nil || in.Prices != nil || !in.Address.IsZero() || len(in.Token.Code) != 32 {
		t.Errorf("%+v", in)
	}
}

// TestOfferWithoutTerms: capacity comes before money, and both refuse.
func TestOfferWithoutTerms(t *testing.T) {
	t.Parallel()
	n, pay := paidNode(t, func(o *orchestrate.Options) { o.Limit = 1 })
	pay.OnTerms = func(*pm.Quote) error { return fault.New(fault.InsufficientSenderReserve, "make terms", "") }
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:]})
	wantCode(t, err, fault.InsufficientSenderReserve)
	if got := fault.Wire(err); got != "insufficient sender reserve" {
		t.Errorf("gateways get %q", got)
	}
	pay.OnTerms = nil
	n.sendPaid(n.payerToken())
	pay.OnTerms = func(*pm.Quote) error { return fault.New(fault.InsufficientSenderReserve, "make terms", "") }
	_, err = n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:]})
	wantCode(t, err, fault.OrchestratorCapped)
}

// TestManyModels: a quote holds a limited number; the offer is made all the same.
func TestManyModels(t *testing.T) {
	t.Parallel()
	models := make(capability.Models)
	for i := range 40 {
		models[fmt.Sprintf("model-%02d", i)] = capability.Model{Capacity: 1}
	}
	n, _ := paidNode(t, func(o *orchestrate.Options) {
		o.Capabilities = func() capability.Capabilities {
			c := capability.Offer(capability.Default().With(capability.LLM), "0.9.1")
			c.Constraints.PerCapability = map[capability.ID]capability.Models{capability.LLM: models}
			return c
		}
	})
	wanted := *wantsLlama(t)
	wanted.Constraints.PerCapability = map[capability.ID]capability.Models{capability.LLM: models}
	in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: payer[:], Wanted: &wanted})
	if err != nil || len(in.Terms.Quote.Models) != pm.MaxQuoteModels || in.Terms.Quote.Models[15].ID != "model-15" {
		t.Errorf("%+v, %v", in.Terms, err)
	}
}

// TestReplyKeepsThePrice: a price that changes in mid-session is for new sessions.
func TestReplyKeepsThePrice(t *testing.T) {
	t.Parallel()
	n, pay := paidNode(t)
	tok := n.payerToken()
	pay.Price = pm.Price{PerUnit: 5000, PixelsPerUnit: 1}
	first := n.admitPaid(tok, 1)
	a := first.Info()
	first.Close()
	second := n.admitPaid(tok, 1)
	b := second.Info()
	second.Close()
	for _, in := range []orchestrate.Info{a, b} {
		if in.Token.Session != tok.Session || string(in.Token.Code) != string(tok.Code) ||
			in.Terms.Quote.Price != price {
			t.Errorf("%+v", in)
		}
	}
	if a.Terms.Params.RecipientRandHash == b.Terms.Params.RecipientRandHash {
		t.Error("the parameters are not fresh")
	}
}
