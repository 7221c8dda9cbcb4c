package orchestrator_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// TestPaidOffer is the table of fields by case, in the messages' own form.
func TestPaidOffer(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	self := c.self.Address()
	transcoding := rpc.FromCapabilities(capability.Capabilities{Bits: capability.Of(capability.H264,
		capability.AuthToken)})
	for name, tc := range map[string]struct {
		wanted *rpc.Capabilities
		price  pm.Price
		prices bool
	}{
		"without capabilities": {nil, segmentPrice, true},
		"transcoding":          {transcoding, segmentPrice, false},
		"llm":                  {wantsLlama(), tokenPrice, false},
	} {
		in := c.terms(tc.wanted)
		if p, ok := rpc.FromPriceInfo(in.GetPriceInfo()); !ok || !p.Equal(tc.price) {
			t.Errorf("%s: price %v", name, p)
		}
		tp := in.GetTicketParams()
		if len(tp.GetRecipient()) != 20 || len(tp.GetRecipientRandHash()) != 32 ||
			!bytes.Equal(tp.GetExpirationBlock(), []byte{140}) || tp.GetExpirationParams() == nil {
			t.Errorf("%s: ticket params %v", name, tp)
		}
		if !bytes.Equal(in.GetAddress(), self[:]) || in.GetTranscoder() != c.uri || in.GetAuthToken() == nil ||
			in.GetCapabilities().GetConstraints() == nil {
			t.Errorf("%s: incomplete: %v", name, in)
		}
		if (len(in.GetCapabilitiesPrices()) > 0) != tc.prices {
			t.Errorf("%s: prices %v", name, in.GetCapabilitiesPrices())
		}
	}
	got := c.terms(nil).GetCapabilitiesPrices()[0]
	want := &rpc.PriceInfo{PricePerUnit: 123, PixelsPerUnit: 1, Capability: 33, Constraint: llama.ID}
	if !proto.Equal(got, want) {
		t.Errorf("model price %v, want %v", got, want)
	}
}

func TestPaidOfferRefused(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	unsigned := c.ask(nil)
	unsigned.Sig[3] ^= 1
	var trailer metadata.MD
	_, err := c.rpc.GetOrchestrator(t.Context(), unsigned, grpc.Trailer(&trailer))
	wantRPC(t, err, "Invalid orchestrator request: orchestrator req sig check failed")
	if got := trailer.Get("tutti-code"); !slices.Equal(got, []string{"RequestSignature"}) {
		t.Errorf("code %v", got)
	}
	c.pay.OnTerms = func(*pm.Quote) error { return fault.New(fault.InsufficientSenderReserve, "make terms", "") }
	_, err = c.rpc.GetOrchestrator(t.Context(), c.ask(nil))
	wantRPC(t, err, "Invalid orchestrator request: insufficient sender reserve")
}

func wantRPC(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.HasSuffix(err.Error(), "desc = "+text) {
		t.Errorf("got %v, want %q", err, text)
	}
}

// TestPaidSegment follows one segment: what was quoted is billed, and the answer
// is signed and has fresh terms under the same token.
func TestPaidSegment(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		c := newChainNode(t)
		in := c.terms(nil)
		res, body := do(t, client(c.aiNode), c.segment(in, 3))
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		m := result(t, body)
		fresh := m.GetInfo()
		if !proto.Equal(fresh.GetAuthToken(), in.GetAuthToken()) || !proto.Equal(fresh.GetPriceInfo(), in.GetPriceInfo()) {
			t.Errorf("token or price changed: %v", fresh)
		}
		if bytes.Equal(fresh.GetTicketParams().GetRecipientRandHash(), in.GetTicketParams().GetRecipientRandHash()) ||
			!bytes.Equal(fresh.GetAddress(), in.GetAddress()) {
			t.Errorf("terms are not fresh, or not complete: %v", fresh)
		}
		var hashes [][signature.HashSize]byte
		var pixels int64
		for _, s := range m.GetData().GetSegments() {
			_, data := get(t, c.h1, s.GetUrl())
			hashes = append(hashes, signature.Keccak256(data))
			pixels += s.GetPixels()
		}
		signed := signature.Result(hashes)
		if err := signature.EthVerify(crypto.PubkeyToAddress(c.self.key.PublicKey), signed[:],
			m.GetData().GetSig()); err != nil {
			t.Error(err)
		}
		if w := c.pay.Work(); len(w) != 1 || w[0].Units != pixels {
			t.Errorf("billed %+v, reported %d", w, pixels)
		}
		job := c.pay.Jobs()[0]
		if job.Account != (pm.Account{Sender: c.gateway.Address(), Key: core.ManifestID(in.GetAuthToken().GetSessionId())}) ||
			job.Model != nil || job.Estimate != 2*60*(1280*720+640*360) || len(job.Payment.Tickets) != 3 {
			t.Errorf("job %+v", job)
		}
	})
}

// TestPaidSegmentRefused: status and text are what gateways of the network know,
// and our own read the code next to them.
func TestPaidSegmentRefused(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	in := c.terms(nil)
	stranger := *c
	stranger.gateway = accountOf(t, 3)
	for _, tc := range []struct {
		name   string
		req    *http.Request
		terms  error
		admit  error
		status int
		text   string
		code   fault.Code
	}{
		{"signature", c.segment(in, 1, func(m *rpc.SegmentMeta) { m.Number++ }), nil, nil, 403, "ErrSegSig", fault.ErrSegSig},
		{"another's token", stranger.segment(in, 1), nil, nil, 403, "invalid auth token", fault.InvalidAuthToken},
		{"terms", c.segment(in, 1), fault.New(fault.InsufficientSenderReserve, "", ""), nil, 500, "Internal Server Error",
			fault.ReplyTermsFailed},
		{"balance", c.segment(in, 0), nil, nil, 400, "Insufficient balance", fault.InsufficientBalance},
		{"expired", c.segment(in, 1), nil, fault.New(fault.TicketParamsStale, "", ""), 400, "TicketParams expired",
			fault.TicketParamsStale},
		{"our books", c.segment(in, 1), nil, errors.New("disk I/O error"), 500, "Internal Server Error", fault.Unexpected},
		{"no room in the books", c.segment(in, 1), nil, fault.New(fault.AccountsFull, "", ""), 503, "AccountsFull",
			fault.AccountsFull},
	} {
		c.pay.OnTerms = func(*pm.Quote) error { return tc.terms }
		c.pay.OnAdmit = func(*pm.Job) error { return tc.admit }
		res, body := do(t, c.h2, tc.req)
		t.Log(tc.name)
		wantText(t, res, body, tc.status, tc.text)
		if got := res.Header.Get("Tutti-Code"); got != string(tc.code) {
			t.Errorf("code %q", got)
		}
		if c.pay.Open() != 0 || c.orch.Usage().Sessions != 0 {
			t.Errorf("%d holds, %d sessions", c.pay.Open(), c.orch.Usage().Sessions)
		}
	}
}

// TestPaymentFaults: whatever is wrong with a payment is a bad request, on both
// routes.
func TestPaymentFaults(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	in, job := c.terms(nil), c.terms(wantsLlama())
	for code, text := range map[fault.Code]string{
		fault.SenderFundsUnknown:       "could not get sender info for 0x1: down",
		fault.SenderUnlockingSoon:      "deposit and reserve for sender 0x1 is set to unlock soon",
		fault.TicketForAnother:         "invalid ticket recipient",
		fault.TicketSenderMissing:      "invalid ticket sender",
		fault.TicketParamsForeign:      "invalid recipientRand for ticket recipientRandHash",
		fault.TicketSignatureInvalid:   "invalid ticket signature",
		fault.TicketNonceSeen:          "invalid ticket senderNonce: already seen sender=0x1 nonce=5",
		fault.TicketNonceTooMany:       "invalid ticket senderNonce: too many values sender=0x1 nonce=5",
		fault.TicketParamsStale:        "TicketParams expired",
		fault.ExpectedPriceWrong:       `invalid expected price sent with payment err="x"`,
		fault.NotActiveForPayment:      "orchestrator 0x1 is inactive in round 5, cannot process payments",
		fault.PaymentExpirationMissing: "",
		fault.PaymentSenderMissing:     "",
	} {
		row, _ := fault.Lookup(code)
		detail := text
		if before, after, cut := strings.Cut(row.Wire, "{detail}"); cut {
			detail = strings.TrimSuffix(strings.TrimPrefix(text, before), after)
		}
		err := fault.New(code, "check payment", detail)
		c.pay.OnAdmit = func(*pm.Job) error { return err }
		if text == "" {
			text = fault.Wire(err)
		}
		for _, req := range []*http.Request{c.segment(in, 1), c.llm(job, 1, paidChat)} {
			res, body := do(t, c.h2, req)
			wantText(t, res, body, http.StatusBadRequest, text)
		}
	}
}

// greedy makes more of a segment than is expected, when the test allows it.
type greedy struct{ begun, release chan struct{} }

func (g greedy) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	g.begun <- struct{}{}
	<-g.release
	res := &core.TranscodeResult{Worker: "gpu 0"}
	for range job.Profiles {
		res.Renditions = append(res.Renditions, core.Rendition{Data: make([]byte, 100), Pixels: 1e12})
	}
	return res, nil
}

func (greedy) EndSession(core.SessionID) {}

// TestBalanceGone: a segment whose turn comes when its predecessor has used up the
// balance gets that inside its answer, which has begun.
func TestBalanceGone(t *testing.T) {
	t.Parallel()
	g := greedy{make(chan struct{}, 1), make(chan struct{})}
	c := newChainNode(t, func(s *setup) { s.rules.Transcoder = g })
	in := c.terms(nil)
	// One estimate and more than a ticket, so that two come in.
	first, second := c.segment(in, 2*60*(1280*720+640*360)*6/5/value+3), c.segment(in, 0)
	done := make(chan *rpc.TranscodeResult, 1)
	go func() {
		_, body := do(t, c.h2, first)
		done <- result(t, body)
	}()
	<-g.begun
	res, err := c.h2.Do(second) // its status is there before its turn
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	close(g.release)
	if m := <-done; m.GetError() != "" {
		t.Error(m.GetError())
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if m := result(t, body); res.StatusCode != http.StatusOK || m.GetError() != "Insufficient balance" ||
		m.GetInfo().GetTicketParams() == nil {
		t.Errorf("%d %v", res.StatusCode, m)
	}
	if got := res.Trailer.Get("Tutti-Code"); got != "InsufficientBalance" {
		t.Errorf("code %q", got)
	}
	if got, want := c.pay.Work(), []pm.Work{{Units: 2e12, Produced: -1, Worker: "gpu 0"}}; !slices.Equal(got, want) {
		t.Errorf("billed %+v", got)
	}
}

// TestRefusedBodyIsNotBilled: the money of a segment that is not what it was said
// to be goes back.
func TestRefusedBodyIsNotBilled(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	req := c.segment(c.terms(nil), 1)
	req.Body, req.ContentLength, req.GetBody = io.NopCloser(strings.NewReader("another")), 7, nil
	res, body := do(t, c.h2, req)
	wantText(t, res, body, http.StatusForbidden, "Forbidden")
	eventually(t, func() bool { return c.pay.Open() == 0 })
	if len(c.pay.Jobs()) != 1 || len(c.pay.Work()) != 0 {
		t.Errorf("%d jobs, billed %v", len(c.pay.Jobs()), c.pay.Work())
	}
}
