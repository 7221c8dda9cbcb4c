package upstream_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/telemetry"
)

var model = inference.Model{Capability: capability.LLM, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}

func job() *inference.Job {
	return &inference.Job{
		Model: model, Operation: inference.Chat, Body: []byte(`{"messages":[]}`), ContentType: "application/json",
		RequestID: "req-1", Units: 256,
	}
}

// server is an orchestrator's HTTP side.
func server(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, opt upstream.Options) *upstream.Client {
	t.Helper()
	c := upstream.New(opt)
	t.Cleanup(c.Close)
	return c
}

// terms makes an orchestrator's offer ready. node is "" for the existing network.
func terms(t *testing.T, c *upstream.Client, uri, node string) *upstream.Terms {
	t.Helper()
	wants := upstream.JobWants(model, "0.9.1", "", "")
	info := &rpc.OrchestratorInfo{
		Transcoder: uri, Node: node, Capabilities: rpc.FromCapabilities(wants.Capabilities),
		AuthToken: &rpc.AuthToken{Token: []byte{1}, SessionId: "0011aabb", Expiration: time.Now().Add(time.Hour).Unix()},
	}
	found := upstream.Found{Asked: uri, Info: info, Offer: upstream.OfferOf(info, time.Now())}
	got, err := c.Terms(t.Context(), found, model, &wants)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func submit(t *testing.T, uri, node string) (*upstream.Answer, error) {
	t.Helper()
	c := client(t, upstream.Options{Node: "tutti/1"})
	reply, err := c.Submit(traced(t), terms(t, c, uri, node), job())
	if err == nil {
		t.Cleanup(func() { reply.Body.Close() })
	}
	return reply, err
}

const traceID = "0af7651916cd43dd8448eb211c80319c"

// traced is a request's context with a span in it.
func traced(t *testing.T) context.Context {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	x, err := telemetry.NewOTLP(t.Context(), telemetry.OTLPOptions{Endpoint: core.NewSecret("http://127.0.0.1:1"),
		Ratio: 1, Log: log, Board: health.New(log, time.Now, nil)})
	if err != nil {
		t.Fatal(err)
	}
	parent := coretelemetry.ParseParent("00-"+traceID+"-b7ad6b7169203331-01", "app=1")
	ctx, _ := x.Tracer().Start(t.Context(), parent, false, coretelemetry.Server, "POST", "/llm", time.Now())
	return ctx
}

func TestSubmitHeaders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		node string
		want map[string]string
	}{
		"existing network": {"", map[string]string{"Tutti-Node": "", "Tutti-Operation": "", "X-Request-Id": ""}},
		"our own": {"tutti/9", map[string]string{"Tutti-Node": "tutti/1", "Tutti-Operation": "chat",
			"X-Request-Id": "req-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"a":1}`)
			})
			reply, err := submit(t, s.URL, row.node)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(reply.Body)
			if err != nil || string(answer) != `{"a":1}` || reply.Length != 7 || reply.Status != 200 ||
				reply.ContentType != "application/json" || reply.Peer != netip.MustParseAddr("127.0.0.1") {
				t.Errorf("%q %v %+v", answer, err, reply)
			}
			if got.Method != "POST" || got.URL.Path != "/llm" || string(body) != `{"messages":[]}` || got.ContentLength != 15 {
				t.Errorf("%s %s %d %q", got.Method, got.URL.Path, got.ContentLength, body)
			}
			for k, v := range map[string]string{"Authorization": "Livepeer-AI-Worker-1.0", "Content-Type": "application/json"} {
				if got.Header.Get(k) != v {
					t.Errorf("%s: %q", k, got.Header.Get(k))
				}
			}
			for k, v := range row.want {
				if got.Header.Get(k) != v {
					t.Errorf("%s: %q, want %q", k, got.Header.Get(k), v)
				}
			}
			// Off-chain the payment is there, and empty.
			if p, there := got.Header["Livepeer-Payment"]; !there || !slices.Equal(p, []string{""}) {
				t.Errorf("payment %q, %v", p, there)
			}
			if _, there := got.Header["Idempotency-Key"]; there {
				t.Error("a header is sent that the network does not know")
			}
			parent, state := got.Header.Get("Traceparent"), got.Header.Get("Tracestate")
			if own := row.node != ""; strings.HasPrefix(parent, "00-"+traceID) != own || (state == "app=1") != own ||
				!own && parent+state != "" {
				t.Errorf("traceparent %q, tracestate %q", parent, state)
			}
		})
	}
}

// signer checks what is signed, and pays.
type signer struct {
	upstream.FreePayments
	preimage, sig, payment []byte
}

func (s *signer) Sign(_ context.Context, preimage []byte) ([]byte, error) {
	s.preimage = preimage
	return s.sig, nil
}

func (s *signer) PaymentTerms(upstream.Info, upstream.Work) (upstream.PaymentTerms, error) {
	return &paymentTerms{header: base64.StdEncoding.EncodeToString(s.payment)}, nil
}

func TestSubmitVector(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name, Signature string
		Flatten         string `json:"flatten_hex"`
		Header          string `json:"livepeer_segment_header"`
	}
	var file struct{ Cases []vector }
	raw, err := os.ReadFile("../../../test/vectors/segdata.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(file.Cases, func(v vector) bool { return v.Name == "ai_llm_empty_segment" })
	v := file.Cases[i]
	sig, err := hex.DecodeString(strings.TrimPrefix(v.Signature, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	given, err := rpc.DecodeSegData(v.Header)
	if err != nil {
		t.Fatal(err)
	}
	var header http.Header
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		io.WriteString(w, "{}")
	})
	pay := &signer{sig: sig, payment: []byte{1, 2, 3}}
	c := client(t, upstream.Options{Payments: pay})
	wants := upstream.JobWants(model, "0.9.1", "", "")
	info := &rpc.OrchestratorInfo{Transcoder: s.URL, Capabilities: rpc.FromCapabilities(wants.Capabilities),
		AuthToken: given.GetAuthToken()}
	found := upstream.Found{Asked: s.URL, Info: info, Offer: upstream.OfferOf(info, time.Now())}
	ready, err := c.Terms(t.Context(), found, model, &wants)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Submit(t.Context(), ready, job())
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if got := "0x" + hex.EncodeToString(pay.preimage); got != v.Flatten {
		t.Errorf("signed %s, want %s", got, v.Flatten)
	}
	if got := header.Get("Livepeer-Segment"); got != v.Header {
		t.Errorf("segment header\n%s, want\n%s", got, v.Header)
	}
	if got := header.Get("Livepeer-Payment"); got != "AQID" {
		t.Errorf("payment header %q", got)
	}
}
