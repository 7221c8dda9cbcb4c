package orchestrator_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// paidChat asks for at most 10 tokens.
var paidChat = `{"model":"` + llama.ID + `","max_tokens":10,"messages":[{"role":"user","content":"my secret prompt"}]}`

// TestPaidJob: the bill is max_tokens at the quoted price, under the model's
// account, and what was produced stands next to it.
func TestPaidJob(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		c := newChainNode(t)
		c.says(200, "application/json", plainAnswer)
		in := c.terms(wantsLlama())
		res, body := do(t, client(c.aiNode), c.llm(in, 2, paidChat))
		if res.StatusCode != http.StatusOK || !strings.Contains(string(body), "my secret answer") {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		c.free()
		if got, want := c.pay.Work(), []pm.Work{{Units: 10, Produced: -1}}; !slices.Equal(got, want) {
			t.Errorf("billed %+v", got)
		}
		if got := c.pay.Produced(); !slices.Equal(got, []int64{2}) {
			t.Errorf("produced %v", got)
		}
		job := c.pay.Jobs()[0]
		if job.Account != (pm.Account{Sender: c.gateway.Address(), Key: "33_meta-llama/Meta-Llama-3.1-8B-Instruct"}) ||
			*job.Model != llama || job.Estimate != 10 || string(job.Session) != in.GetAuthToken().GetSessionId() {
			t.Errorf("job %+v", job)
		}
		if got := c.pay.Balance(job.Account).String(); got != "1998766" {
			t.Errorf("2 tickets less 10 tokens at 123.4 leave %s", got)
		}
		if got := res.Header.Get("Tutti-Offer"); got != "" {
			t.Errorf("an offer of %d bytes that is not needed", len(got))
		}
	})
}

// TestCreditedTicketsAreConfirmed to our own gateways, before the answer, and to no other;
// a job without tickets has nothing to confirm.
func TestCreditedTicketsAreConfirmed(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	c.says(200, "application/json", plainAnswer)
	in := c.terms(wantsLlama())
	for _, row := range []struct {
		own     bool
		tickets int
		want    bool
	}{{true, 2, true}, {true, 0, false}, {false, 2, false}} {
		req := c.llm(in, row.tickets, paidChat)
		if row.own {
			asOwn(req)
			req.Header.Set("Tutti-Operation", "chat")
		}
		said, interim := "", 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
				said = h.Get("Tutti-Credited")
				interim++
				return nil
			},
		})
		res, body := do(t, c.h1, req.WithContext(ctx))
		if res.StatusCode != http.StatusOK || res.Header.Get("Tutti-Credited") != "" {
			t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
		}
		if (said != "") != row.want || (interim != 0) != row.want {
			t.Errorf("%+v: said %q in %d interim answers", row, said, interim)
		}
		c.free()
	}
}

// TestPaidJobRefused: see TestPaymentFaults for the rest.
func TestPaidJobRefused(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	c.says(200, "application/json", plainAnswer)
	in := c.terms(wantsLlama())
	stranger := *c
	stranger.gateway = accountOf(t, 3)
	bad := c.llm(in, 1, paidChat)
	bad.Header.Set("Livepeer-Payment", c.payment(in, 1,
		func(p *rpc.Payment) { p.TicketParams.Recipient = make([]byte, 19) }))
	for _, tc := range []struct {
		name   string
		req    *http.Request
		status int
		text   string
		code   fault.Code
	}{
		{"another's token", stranger.llm(in, 1, paidChat), 403, "invalid auth token", fault.InvalidAuthToken},
		{"impossible params", bad, 402, "protobuf unmarshal error: recipient of 19 bytes instead of 20",
			fault.PaymentMessage},
		{"balance", c.llm(in, 0, paidChat), 400, "Insufficient balance", fault.InsufficientBalance},
		{"a quote for segments", c.llm(c.terms(nil), 1, paidChat), 400, "", fault.ExpectedPriceWrong},
	} {
		t.Log(tc.name)
		res, body := do(t, c.h2, tc.req)
		if tc.text != "" {
			wantText(t, res, body, tc.status, tc.text)
		}
		if got := res.Header.Get("Tutti-Code"); res.StatusCode != tc.status || got != string(tc.code) {
			t.Errorf("%d, code %q", res.StatusCode, got)
		}
		c.free()
	}
	if len(c.pay.Work()) != 0 {
		t.Errorf("billed %v", c.pay.Work())
	}
}

// TestBrokenStreamIsBilled: the bill stands once the answer has begun, whoever
// goes away, and what had come by then is recorded.
func TestBrokenStreamIsBilled(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	begun := c.streams("text/event-stream")
	in := c.terms(wantsLlama())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := c.llm(in, 1, strings.Replace(paidChat, `"max_tokens"`, `"stream":true,"max_tokens"`, 1)).WithContext(ctx)
	res, err := c.h2.Do(withAnswer(t, begun, req))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.pay.Work(), []pm.Work{{Units: 10, Produced: -1}}; !slices.Equal(got, want) {
		t.Errorf("billed %+v before the end", got)
	}
	cancel()
	res.Body.Close()
	c.free()
	if got := c.pay.Produced(); len(got) != 1 || len(c.pay.Work()) != 1 {
		t.Errorf("produced %v, billed %v", got, c.pay.Work())
	}
}

// withAnswer has the worker say a first word to a request.
func withAnswer(t *testing.T, begun <-chan live, req *http.Request) *http.Request {
	t.Helper()
	go func() {
		l := <-begun
		l.say(t, `data: {"id":"i","created":5,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`+"\n\n")
	}()
	return req
}

// TestOfferBesideAnswer: our own gateways get fresh terms when theirs end soon, and
// no other node does.
func TestOfferBesideAnswer(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	c.says(200, "application/json", plainAnswer)
	c.pay.Expires = height + 12
	in := c.terms(wantsLlama())
	res, _ := do(t, c.h2, c.llm(in, 1, paidChat))
	if got := res.Header.Get("Tutti-Offer"); got != "" {
		t.Error("an offer for a gateway that does not know it")
	}
	res, _ = do(t, c.h2, asOwn(c.llm(in, 1, paidChat)))
	raw, err := base64.StdEncoding.DecodeString(res.Header.Get("Tutti-Offer"))
	if err != nil || len(raw) == 0 {
		t.Fatalf("%q: %v", raw, err)
	}
	var fresh rpc.OrchestratorInfo
	if err := proto.Unmarshal(raw, &fresh); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(fresh.GetAuthToken(), in.GetAuthToken()) || !proto.Equal(fresh.GetPriceInfo(), in.GetPriceInfo()) ||
		string(fresh.GetTicketParams().GetRecipientRandHash()) == string(in.GetTicketParams().GetRecipientRandHash()) ||
		fresh.GetCapabilities() == nil {
		t.Errorf("%v", &fresh)
	}
	// What failed has none: the gateway asks anyway.
	c.fails(fault.RunnerBusy, "429")
	if res, _ = do(t, c.h2, asOwn(c.llm(&fresh, 1, paidChat))); res.Header.Get("Tutti-Offer") != "" {
		t.Error("an offer next to a refusal")
	}
}

type segmentVector struct {
	Manifest string `json:"manifest_id"`
	Header   string `json:"livepeer_segment_header"`
}

func segmentVectors(t *testing.T) []segmentVector {
	t.Helper()
	text, err := os.ReadFile("../../test/vectors/segdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []segmentVector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// TestVectorHeaders: the bytes that a gateway of the existing network sends are
// read as its signature says.
func TestVectorHeaders(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	c.says(200, "application/json", plainAnswer)
	m := c.credentials(llama, nil)
	m.Sig = c.gateway.sign(t, signature.Segment(llama.Manifest(), 0, signature.Keccak256(nil), nil))
	for _, v := range segmentVectors(t) {
		if v.Manifest != string(llama.Manifest()) {
			continue
		}
		read := segData(t, v.Header)
		if string(read.GetSig()) != string(m.GetSig()) {
			t.Error("our signature is not the network's")
		}
		read.AuthToken = c.terms(wantsLlama()).GetAuthToken() // it is not signed
		req := c.llm(c.terms(wantsLlama()), 1, paidChat)
		req.Header.Set("Livepeer-Segment", b64(read))
		if res, body := do(t, c.h2, req); res.StatusCode != http.StatusOK {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		return
	}
	t.Error("no such vector")
}
