package livepay

import (
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// modelPrices price each model like live video in the recordings.
type modelPrices struct{ noPrices }

func (modelPrices) Model(core.Address, inference.Model) (*big.Rat, bool) {
	return big.NewRat(5023, 1), true
}

// TestADrainKeepsPaidLiveVideo: a token ends after half an hour. A node that drains makes a new one for who pays for a
// session in progress, by which it is paid on, and for no other payer; a new session is refused to all.
func TestADrainKeepsPaidLiveVideo(t *testing.T) {
	t.Parallel()
	noop := inference.Model{Capability: capability.LiveVideoToVideo, ID: "noop"}
	n := newNode(t, 138888888888*600)
	n.opt.Prices = modelPrices{}
	n.rules.Worker = coretest.NewWorker(inference.ModelState{Model: noop, State: inference.Ready, Capacity: 2})
	n.start()
	wanted := n.orch.Capabilities()
	work := orchestrate.LiveWork{Name: "noop", Unit: orchestrate.LivePixels, App: noop.String(), Model: &noop}
	ask := func(b byte) (orchestrate.Info, error) {
		a := newAccount(b)
		n.chain.fund(a.address())
		sig, err := a.SignMessage(signature.RequestMessage(common.Address(a.address())))
		if err != nil {
			t.Fatal(err)
		}
		address := a.address()
		return n.orch.Offer(t.Context(), orchestrate.OfferRequest{Address: address[:], Sig: sig, Wanted: &wanted})
	}
	payer := n.payer(9)
	params, manifest, err := n.wall.Challenge(t.Context(), orchestrate.LiveOfferRequest{
		Sender: payer.Account, Work: work, Price: pm.Price{PerUnit: 5023, PixelsPerUnit: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	paid, err := payer.Open(params, manifest)
	if err != nil {
		t.Fatal(err)
	}
	read := func(h http.Header) *orchestrate.LivePayment {
		r := httptest.NewRequest(http.MethodPost, service, nil)
		r.Header = h
		p, err := n.wall.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	session, err := n.orch.BeginLive(t.Context(), read(n.paid(paid, 60*orchestrate.PixelsPerSecond)), work, manifest)
	if err != nil {
		t.Fatal(err)
	}
	defer session.End()
	if err := n.orch.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.later(31 * time.Minute)
	if _, err := ask(8); fault.CodeOf(err) != fault.Draining {
		t.Error("an offer to who has no session:", err)
	}
	in, err := ask(9)
	if err != nil {
		t.Fatal("no offer to who pays for a session in progress: ", err)
	}
	if in.Token.Expires <= n.time().Unix() {
		t.Error("the token has ended")
	}
	if _, _, err := n.wall.Challenge(t.Context(), orchestrate.LiveOfferRequest{Sender: payer.Account, Work: work,
		Price: pm.Price{PerUnit: 5023, PixelsPerUnit: 1}}); fault.CodeOf(err) != fault.Draining {
		t.Error("a new session:", err)
	}
	session.End()
	if _, err := ask(9); fault.CodeOf(err) != fault.Draining {
		t.Error("an offer after its end:", err)
	}
}
