package orchestrate_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/pm"
)

// countsOf is what a counter reports, by kind and code.
func countsOf(b *requeststats.Counter) map[requeststats.Kind]map[fault.Code]uint64 {
	out := make(map[requeststats.Kind]map[fault.Code]uint64)
	for _, a := range b.Report().Answers {
		if out[a.Kind] == nil {
			out[a.Kind] = make(map[fault.Code]uint64)
		}
		out[a.Kind][a.Code] += a.Count
	}
	return out
}

func TestAnswersAreCounted(t *testing.T) {
	t.Parallel()
	var b *requeststats.Counter
	n := newNode(t, func(o *orchestrate.Options) {
		b = requeststats.New(o.Now)
		o.RequestStats, o.Limit = b, 1
	})
	first, second := n.token(), n.token()
	seg := n.admit(first)
	defer seg.Close()
	if _, err := n.Admit(context.Background(), request(second)); err == nil {
		t.Fatal("a second session was let in")
	}
	if _, err := n.Offer(context.Background(), orchestrate.OfferRequest{}); err == nil {
		t.Fatal("a full node made an offer")
	}
	got := countsOf(b)
	if got[requeststats.TranscodingOffer][""] != 2 ||
		got[requeststats.TranscodingOffer][fault.OrchestratorCapped] != 1 ||
		got[requeststats.Segment][""] != 1 || got[requeststats.Segment][fault.OrchestratorCapped] != 1 {
		t.Errorf("%v", got)
	}
}

// A gateway that wants more than there is gets an offer, reads it and chooses another node.
func TestWhatIsMissingIsCounted(t *testing.T) {
	t.Parallel()
	var b *requeststats.Counter
	n := newNode(t, func(o *orchestrate.Options) {
		b = requeststats.New(o.Now)
		o.RequestStats = b
	})
	wanted := capability.Offer(capability.Set{}.With(capability.HEVCDecode), "")
	in, err := n.Offer(context.Background(), orchestrate.OfferRequest{Wanted: &wanted})
	if err != nil {
		t.Fatal(err)
	}
	req := request(&in.Token)
	req.Capabilities = &wanted
	req.Payment.Expected = &pm.Price{PerUnit: 5, PixelsPerUnit: 1}
	if _, err := n.Admit(context.Background(), req); fault.CodeOf(err) != fault.IncompatibleCapabilities {
		t.Fatal(err)
	}
	r := b.Report()
	if len(r.Missing) != 2 || r.Missing[0].Text != r.Missing[1].Text || r.Missing[0].Text == "" {
		t.Errorf("%+v", r.Missing)
	}
	if len(r.Prices) != 1 || r.Prices[0].Expected.RatString() != "5" {
		t.Errorf("%+v", r.Prices)
	}
}

// refusing accepts no signature.
type refusing struct{ orchestrate.Signatures }

func (refusing) CheckRequest([]byte, []byte) error {
	return fault.New(fault.RequestSignature, "check", "")
}

func TestUnprovenSenderIsNotCounted(t *testing.T) {
	t.Parallel()
	var b *requeststats.Counter
	n := newNode(t, func(o *orchestrate.Options) {
		b = requeststats.New(o.Now)
		o.RequestStats, o.Signatures = b, refusing{}
	})
	party := core.Address{1, 2, 3}
	if _, err := n.Offer(context.Background(),
		orchestrate.OfferRequest{Address: party[:]}); fault.CodeOf(err) != fault.RequestSignature {
		t.Fatal(err)
	}
	if a := b.Report().Answers; len(a) != 1 || a[0].Gateway != "" || a[0].Code != fault.RequestSignature {
		t.Errorf("%+v", a)
	}
}
