package upstream_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
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

func submit(t *testing.T, uri, node string) (*inference.Reply, error) {
	t.Helper()
	c := client(t, upstream.Options{Node: "tutti/1"})
	reply, err := c.Submit(t.Context(), terms(t, c, uri, node), job())
	if err == nil {
		t.Cleanup(func() { reply.Body.Close() })
	}
	return reply, err
}

func TestSubmitHeaders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		node string
		want map[string]string
	}{
		"existing network": {"", map[string]string{"Tutti-Node": "", "Tutti-Operation": "", "X-Request-Id": ""}},
		"our own":          {"tutti/9", map[string]string{"Tutti-Node": "tutti/1", "Tutti-Operation": "chat", "X-Request-Id": "req-1"}},
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
			if err != nil || string(answer) != `{"a":1}` || reply.Length != 7 || reply.Status != 200 || reply.ContentType != "application/json" {
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

func (s *signer) PayJob(context.Context, upstream.Info, inference.Model, inference.Units) ([]byte, error) {
	return s.payment, nil
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
	info := &rpc.OrchestratorInfo{Transcoder: s.URL, Capabilities: rpc.FromCapabilities(wants.Capabilities), AuthToken: given.GetAuthToken()}
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

func TestSubmitRefusals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		own    bool
		status int
		code   fault.Code // header of our own nodes
		text   string
		want   fault.Code
	}{
		"capacity":                    {status: 503, text: "insufficient capacity", want: fault.OrchestratorFull},
		"capacity in other letters":   {status: 500, text: "Error: Insufficient Capacity.", want: fault.OrchestratorFull},
		"capped":                      {status: 403, text: "OrchestratorCapped", want: fault.OrchestratorFull},
		"too many":                    {status: 429, text: "", want: fault.OrchestratorFull},
		"ticket params":               {status: 400, text: "TicketParams expired", want: fault.TicketParamsStale},
		"nonce":                       {status: 400, text: "invalid ticket senderNonce", want: fault.TicketNonceRefused},
		"balance":                     {status: 400, text: "Insufficient balance", want: fault.InsufficientBalance},
		"runner's 400":                {status: 500, text: "request to runner returned 400: bad", want: fault.JobRefused},
		"bad request":                 {status: 400, text: "MaxTokens not specified", want: fault.JobRefused},
		"old token":                   {status: 403, text: "expired auth token", want: fault.ExpiredAuthToken},
		"token of another process":    {status: 403, text: "invalid auth token", want: fault.InvalidAuthToken},
		"other refusal":               {status: 403, text: "incompatible capabilities", want: fault.JobDeclined},
		"no such path":                {status: 404, text: "404 page not found", want: fault.JobDeclined},
		"failure":                     {status: 500, text: "container died", want: fault.JobFailed},
		"proxy without anybody":       {status: 502, text: "<html>", want: fault.JobFailed},
		"redirect":                    {status: 302, text: "", want: fault.AnswerUnreadable},
		"ours: line full":             {own: true, status: 503, code: fault.ModelLineFull, text: "insufficient capacity", want: fault.ModelLineFull},
		"ours: drains":                {own: true, status: 403, code: fault.Draining, text: "OrchestratorCapped", want: fault.Draining},
		"ours: token":                 {own: true, status: 403, code: fault.InvalidAuthToken, text: "invalid auth token", want: fault.InvalidAuthToken},
		"ours: no such code":          {own: true, status: 500, code: "Strange", text: "x", want: fault.JobFailed},
		"ours: not a peer's to say":   {own: true, status: 401, code: fault.Canceled, text: "x", want: fault.JobDeclined},
		"ours: key of another":        {own: true, status: 401, code: "KeyUnknown", text: "x", want: fault.JobDeclined},
		"a code of the others' nodes": {status: 500, code: fault.ModelLineFull, text: "x", want: fault.JobFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				if row.code != "" {
					w.Header().Set("Tutti-Code", string(row.code))
				}
				http.Error(w, row.text, row.status)
			})
			node := ""
			if row.own {
				node = "tutti/1"
			}
			_, err := submit(t, s.URL, node)
			if fault.CodeOf(err) != row.want {
				t.Errorf("%v, want %s", err, row.want)
			}
			if _, text := fault.Public(err); row.text != "" && !strings.Contains(text, row.text) {
				t.Errorf("the client is told %q", text)
			}
		})
	}
}

func TestSubmitRefusalIsBounded(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, strings.Repeat("x", 1<<20))
	})
	_, err := submit(t, s.URL, "")
	if f, _ := errors.AsType[*fault.Fault](err); f == nil || len(f.Detail) > 8<<10 {
		t.Errorf("%.100v", err)
	}
}

func TestSubmitPassesARunnersWordsOn(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(422)
		io.WriteString(w, `{"error":{}}`)
	})
	reply, err := submit(t, s.URL, "tutti/1")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(reply.Body)
	if reply.Status != 422 || string(body) != `{"error":{}}` {
		t.Errorf("%d %q", reply.Status, body)
	}
	if _, err := submit(t, s.URL, ""); !errors.Is(err, fault.JobRefused) {
		t.Errorf("from the existing network: %v", err)
	}
}

func TestSubmitAnswerTypes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		pipeline capability.ID
		node     string
		typ      string
		want     fault.Code
	}{
		"page":                     {capability.LLM, "", "text/html; charset=utf-8", fault.AnswerUnreadable},
		"page of ours":             {capability.LLM, "tutti/1", "text/html", fault.AnswerUnreadable},
		"llm of any type":          {capability.LLM, "", "text/plain", ""},
		"image pipeline, text":     {capability.TextToImage, "", "text/plain", fault.AnswerUnreadable},
		"image pipeline, JSON":     {capability.TextToImage, "", "application/json", ""},
		"image pipeline of ours":   {capability.TextToImage, "tutti/1", "image/png", ""},
		"image pipeline, no type":  {capability.TextToImage, "", "", fault.AnswerUnreadable},
		"audio pipeline, whatever": {capability.AudioToText, "", "text/plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{row.typ}
				io.WriteString(w, "x")
			})
			c := client(t, upstream.Options{})
			j := job()
			j.Model.Capability = row.pipeline
			reply, err := c.Submit(t.Context(), terms(t, c, s.URL, row.node), j)
			if err == nil {
				reply.Body.Close()
			}
			if row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

func TestSubmitConnections(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	refused := listen()
	refused.Close()
	stalled := listen() // the backlog takes the connection, nobody speaks TLS
	t.Cleanup(func() { stalled.Close() })
	closes := server(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	empty := server(t, func(http.ResponseWriter, *http.Request) {})
	cut := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	for name, row := range map[string]struct {
		uri  string
		want fault.Code
	}{
		"refused":               {"https://" + refused.Addr().String(), fault.OrchestratorUnreachable},
		"plain, refused":        {"http://" + refused.Addr().String(), fault.OrchestratorUnreachable},
		"TLS stalls":            {"https://" + stalled.Addr().String(), fault.OrchestratorUnreachable},
		"no answer":             {closes.URL, fault.JobBroke},
		"empty answer":          {empty.URL, fault.JobBroke},
		"ends after the header": {cut.URL, fault.JobBroke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := submit(t, row.uri, "tutti/1"); !errors.Is(err, row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
}

func TestSubmitFirstByteDeadline(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"no header": func(http.ResponseWriter) {},
		"no byte":   func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				close(arrived)
				begin(w)
				<-r.Context().Done()
				close(gone)
			})
			c := client(t, upstream.Options{FirstByte: 500 * time.Millisecond})
			if _, err := c.Submit(t.Context(), terms(t, c, s.URL, "tutti/1"), job()); !errors.Is(err, fault.JobLate) {
				t.Errorf("%v", err)
			}
			select {
			case <-arrived:
				<-gone // the orchestrator is told
			default: // the time was over before it was reached
			}
		})
	}
}

func TestSubmitHasNoLimitAfterTheFirstByte(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-more
		io.WriteString(w, "data: 2\n\n")
	})
	c := client(t, upstream.Options{FirstByte: 200 * time.Millisecond})
	reply, err := c.Submit(t.Context(), terms(t, c, s.URL, "tutti/1"), job())
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	timer := time.AfterFunc(300*time.Millisecond, func() { close(more) })
	defer timer.Stop()
	if body, err := io.ReadAll(iotest.OneByteReader(reply.Body)); err != nil || string(body) != "data: 1\n\ndata: 2\n\n" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestSubmitEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		begin bool
		leave func(cancel func(), r *inference.Reply)
	}{
		"before the answer": {false, nil},
		"by its context":    {true, func(cancel func(), _ *inference.Reply) { cancel() }},
		"by closing":        {true, func(_ func(), r *inference.Reply) { r.Body.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if row.begin {
					io.WriteString(w, "data: 1\n\n")
					w.(http.Flusher).Flush()
				}
				close(arrived)
				<-r.Context().Done()
				close(gone)
			})
			c := client(t, upstream.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ready := terms(t, c, s.URL, "tutti/1")
			if !row.begin {
				go func() { <-arrived; cancel() }()
				if _, err := c.Submit(ctx, ready, job()); !errors.Is(err, fault.Canceled) {
					t.Errorf("%v", err)
				}
				<-gone
				return
			}
			reply, err := c.Submit(ctx, ready, job())
			if err != nil {
				t.Fatal(err)
			}
			row.leave(cancel, reply)
			<-gone
			if name == "by its context" {
				if _, err := io.ReadAll(reply.Body); !errors.Is(err, fault.Canceled) {
					t.Errorf("read after the end: %v", err)
				}
			}
			reply.Body.Close()
		})
	}
}

func TestSubmitTellsABrokenAnswer(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	reply, err := submit(t, s.URL, "tutti/1")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(reply.Body); string(body) != "data: 1\n\n" || !errors.Is(err, fault.CompletionBroken) {
		t.Errorf("%q, %v", body, err)
	}
}

// A kept connection that the other side has closed costs no job.
func TestSubmitOnADeadConnection(t *testing.T) {
	t.Parallel()
	n := 0
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 2 {
			panic(http.ErrAbortHandler) // closes the reused connection without a byte
		}
		io.WriteString(w, "{}")
	})
	c := client(t, upstream.Options{})
	ready := terms(t, c, s.URL, "")
	for i := range 2 {
		reply, err := c.Submit(t.Context(), ready, job())
		if err != nil {
			t.Fatalf("job %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, reply.Body); err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
	}
	if n != 3 {
		t.Errorf("%d requests, want the second one twice", n)
	}
}
