package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/pipelines"
	"github.com/tuttinode/tutti/test/tinymodel"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// recordedModel is the model of the network's recorded messages.
var recordedModel = inference.Model{Capability: capability.LLM, ID: networkModel}

func pipelineModel(t *testing.T, name string) inference.Model {
	t.Helper()
	id, err := capability.FromPipeline(name)
	if err != nil {
		t.Fatal(err)
	}
	return inference.Model{Capability: id, ID: pipelines.Model(name)}
}

// TestForeignGateway is a gateway of the existing network that has a real model
// server behind one of our orchestrators answer, over both versions of HTTP.
func TestForeignGateway(t *testing.T) {
	t.Parallel()
	server := llamaServer(t, llama.Options{})
	node, orch := aiOrchestrator(t, []entry{llmEntry(networkModel, server.URL)})
	awaitModel(t, node, orch, networkModel, "ready")
	g := newForeignGateway(t, orch)

	first, again := g.discover(recordedModel), g.discover(recordedModel)
	checkOffer(t, first, g.base, recordedModel)
	if first.GetAuthToken().GetSessionId() == again.GetAuthToken().GetSessionId() {
		t.Error("two sessions have one id")
	}
	g.asksForSegments()

	for version := range g.http {
		for name, payment := range map[string][]string{"empty": {""}, "absent": nil, "without tickets": {g.emptyPayment()}} {
			j := g.chat(recordedModel, 7, false)
			j.Header["Livepeer-Payment"] = payment
			if payment == nil {
				delete(j.Header, "Livepeer-Payment")
			}
			res, body := g.answered(version, j)
			var c networkChunk
			if err := json.Unmarshal(body, &c); err != nil || res.StatusCode != http.StatusOK || c.complete() != nil ||
				c.Choices[0].Message == nil || c.Choices[0].Message.Content != tinymodel.Text(7) ||
				*c.Choices[0].FinishReason == "" {
				t.Errorf("%s, payment %s: %v, %s: %s", version, name, err, res.Status, body)
			}
			if !strings.Contains(res.Header.Get("Content-Type"), "json") {
				t.Errorf("%s: content type %q", version, res.Header.Get("Content-Type"))
			}
		}
		res, err := g.send(version, g.chat(recordedModel, 300, true))
		if err != nil {
			t.Fatal(err)
		}
		s, err := readNetworkStream(res.Body)
		res.Body.Close()
		if err != nil || s.text != tinymodel.Text(200) || s.finish != "stop" || s.events < 100 || s.total <= 200 {
			t.Errorf("%s: %v, %d events, %d tokens, %q, %d bytes", version, err, s.events, s.total, s.finish, len(s.text))
		}
		if res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", version, res.Header)
		}
	}
	checkIdle(t, node, orch, networkModel)
}

// emptyPayment is a payment of nothing, as the network encodes it.
func (g *foreignGateway) emptyPayment() string {
	g.t.Helper()
	var file struct {
		Payment string `json:"payment_onchain_no_tickets"`
	}
	vector(g.t, "protobuf_messages.json", &file)
	data, err := hex.DecodeString(strings.TrimPrefix(file.Payment, "0x"))
	if err != nil {
		g.t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// asksForSegments: a gateway that wants segments transcoded asks in the network's
// recorded bytes. A node that does only AI tells it to go elsewhere.
func (g *foreignGateway) asksForSegments() {
	g.t.Helper()
	var file struct {
		Request string `json:"orchestrator_request_offchain_zero_address_empty_sig"`
	}
	vector(g.t, "protobuf_messages.json", &file)
	data, err := hex.DecodeString(strings.TrimPrefix(file.Request, "0x"))
	req := new(rpc.OrchestratorRequest)
	if err == nil {
		err = proto.Unmarshal(data, req)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	if info, err := g.rpc.GetOrchestrator(g.t.Context(), req); err == nil ||
		!strings.Contains(err.Error(), "OrchestratorCapped") {
		g.t.Errorf("%v, %v", info, err)
	}
}

// TestForeignGatewayStreams has a model server send what would harm a gateway of
// the existing network: it must never get that far.
func TestForeignGatewayStreams(t *testing.T) {
	t.Parallel()
	event := func(text string) string {
		b, _ := json.Marshal(text)
		return `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,` +
			`"delta":{"content":` + string(b) + `},"finish_reason":null}]}` + "\n\n"
	}
	const stop = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,` +
		`"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	const usage = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"x","choices":[],` +
		`"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}` + "\n\n"
	const done = "data: [DONE]\n\n"
	long := strings.Repeat("ein großes Wort, \"quoted\"\n", 8000)
	for _, row := range []struct {
		name, stream string
		broken       bool
		want         networkStream
	}{
		{"usage alone at the end", event(" a") + event(" b") + stop + usage + done, false,
			networkStream{" a b", "stop", 3, 7}},
		{"a line of 200 KiB", event(" a") + event(long) + stop + usage + done, false,
			networkStream{" a" + long, "stop", 0, 7}},
		{"comments and a role", ": hello\n\nevent: x\n" + event("") + ": again\n\n" + event(" a") + stop + done, false,
			networkStream{" a", "stop", 3, 0}},
		{"no reason", event(" a") + done, false, networkStream{" a", "stop", 2, 0}},
		{"no end", event(" a"), false, networkStream{" a", "error", 2, 0}},
		{"an error in the middle", event(" a") + `data: {"error":{"message":"boom","code":500}}` + "\n\n", false,
			networkStream{" a", "error", 2, 0}},
		{"cut in the middle of an event", event(" a") + event(" b")[:40], true, networkStream{" a", "error", 2, 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := canned(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, row.stream)
				_ = http.NewResponseController(w).Flush()
				if row.broken {
					panic(http.ErrAbortHandler)
				}
			})
			node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
			awaitModel(t, node, orch, cannedModel, "ready")
			g := newForeignGateway(t, orch)
			m := inference.Model{Capability: capability.LLM, ID: cannedModel}
			for version := range g.http {
				res, err := g.send(version, g.chat(m, 10, true))
				if err != nil {
					t.Fatal(err)
				}
				got, err := readNetworkStream(res.Body)
				res.Body.Close()
				if row.want.events == 0 {
					got.events = 0
				}
				if err != nil || got != row.want {
					t.Errorf("%s: %v: %d events, %d tokens, %q, %.100q", version, err, got.events, got.total, got.finish, got.text)
				}
			}
			checkIdle(t, node, orch, cannedModel)
		})
	}
}

// TestForeignGatewayLives: events reach the gateway one by one, as the model server
// sends them, and when the gateway leaves the model server is notified.
func TestForeignGatewayLives(t *testing.T) {
	t.Parallel()
	next, left := make(chan struct{}), make(chan struct{}, 1)
	node, orch, _ := cannedPath(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			_, _ = io.WriteString(w, cannedEvent)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				left <- struct{}{}
				return
			}
		}
	})
	g := newForeignGateway(t, orch)
	m := inference.Model{Capability: capability.LLM, ID: cannedModel}
	for version := range g.http {
		ctx, leave := context.WithCancel(t.Context())
		j := g.chat(m, 10, true)
		j.Request = j.WithContext(ctx)
		res, err := g.send(version, j)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(res.Body)
		for range 5 {
			for _, want := range []string{"data: {", "\n"} {
				if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
					t.Fatalf("%s: %v, %q", version, err, line)
				}
			}
			next <- struct{}{}
		}
		leave()
		res.Body.Close()
		<-left
		checkIdle(t, node, orch, cannedModel)
	}
}

// TestForeignGatewayMedia has media made for gateways that fetch them and for those
// that do not say that they do.
func TestForeignGatewayMedia(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	g := newForeignGateway(t, n.orch)
	for _, name := range []string{"text-to-image", "upscale", "text-to-speech", "image-to-video"} {
		m := pipelineModel(t, name)
		checkOffer(t, g.discover(m), g.base, m)
		for version := range g.http {
			for _, marked := range []bool{true, false} {
				j := g.mediaJob(m)
				if !marked {
					j.Header.Del("Authorization")
				}
				res, body := g.answered(version, j)
				out := readMedia(t, res, body)
				if out.Audio != nil {
					out.Images = append(out.Images, *out.Audio)
				}
				if len(out.Images) != 1 {
					t.Fatalf("%s: %.300s", name, body)
				}
				got := g.media(version, out.Images[0].URL, marked)
				if name == "image-to-video" {
					if info, err := libav.Probe(t.Context(), got); err != nil || info.VideoCodec != "h264" || info.Width != 256 {
						t.Errorf("%s, %s: %v, %+v", name, version, err, info)
					}
				} else if !bytes.Equal(got, n.runner.Made(name)[0]) {
					t.Errorf("%s, %s, marked %v: %d bytes that the runner did not make", name, version, marked, len(got))
				}
			}
		}
	}
}

// mediaJob is a job with which nothing is wrong.
func (g *foreignGateway) mediaJob(m inference.Model) *foreignJob {
	g.t.Helper()
	switch m.Capability {
	case capability.TextToImage:
		return g.job(m, "application/json", []byte(`{"model_id":"`+m.ID+`","prompt":"a cat","width":64,"height":48}`))
	case capability.TextToSpeech:
		return g.job(m, "application/json", []byte(`{"model_id":"`+m.ID+`","text":"hello"}`))
	case capability.ImageToVideo:
		contentType, body := written(g.t, part{"image", pipelines.PNG(64, 48, 1)}, videoFields)
		return g.job(m, contentType, body)
	}
	contentType, body := written(g.t, part{"image", pipelines.PNG(64, 48, 1)},
		map[string]string{"model_id": m.ID, "prompt": "x", "safety_check": "true"})
	return g.job(m, contentType, body)
}

// media is what a URL stands for: one to fetch for a gateway with the marker, else
// the media themselves.
func (g *foreignGateway) media(version, url string, marked bool) []byte {
	g.t.Helper()
	if !marked {
		head, text, _ := strings.Cut(url, ",")
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !strings.HasPrefix(head, "data:") || !strings.HasSuffix(head, ";base64") {
			g.t.Errorf("%v: %.100s", err, url)
		}
		return data
	}
	if !strings.HasPrefix(url, g.base+"/stream/") {
		g.t.Fatalf("a result is at %.100s", url)
	}
	res, err := g.http[version].Get(url)
	if err != nil {
		g.t.Fatal(err)
	}
	data := readAll(g.t, res)
	h := res.Header
	if res.StatusCode != http.StatusOK || res.ContentLength != int64(len(data)) ||
		h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Expose-Headers") != "Content-Length" ||
		!strings.Contains("image/png video/mp4 audio/wav audio/x-wav", h.Get("Content-Type")) {
		g.t.Errorf("%s: %s, %d bytes, %v", url, res.Status, res.ContentLength, h)
	}
	return data
}

// TestForeignGatewaysShare: several gateways share a model's slots, and one that
// gets none sees it in time to go elsewhere.
func TestForeignGatewaysShare(t *testing.T) {
	t.Parallel()
	const slots = 2
	runner := pipelines.Start(t)
	begun, finish := make(chan struct{}, slots), make(chan struct{})
	runner.Does("llm", func(w http.ResponseWriter, q *http.Request) {
		begun <- struct{}{}
		select {
		case <-finish:
		case <-q.Context().Done():
		}
		_, _ = fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x"}}]}`)
	})
	m := pipelineModel(t, "llm")
	e := llmEntry(m.ID, runner.URL("llm"))
	e["capacity"] = slots
	node, orch := aiOrchestrator(t, []entry{e})
	awaitModel(t, node, orch, m.ID, "ready")

	var wg sync.WaitGroup
	for range slots {
		g := newForeignGateway(t, orch)
		j := g.chat(m, 5, false)
		wg.Go(func() {
			res, err := g.send("HTTP/2.0", j)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("%v, %+v", err, res)
			}
			if err == nil {
				res.Body.Close()
			}
		})
	}
	for range slots {
		<-begun
	}
	g := newForeignGateway(t, orch)
	for version := range g.http {
		// The time in which such a gateway begins another attempt.
		within(t, 2*time.Second, func(ctx context.Context) {
			j := g.chat(m, 5, true)
			j.Request = j.WithContext(ctx)
			res, body := g.answered(version, j)
			if res.StatusCode != http.StatusServiceUnavailable || strings.TrimSpace(string(body)) != "insufficient capacity" {
				t.Errorf("%s: %s %s", version, res.Status, body)
			}
		})
	}
	close(finish)
	wg.Wait()
	if res, body := g.answered("HTTP/2.0", g.chat(m, 5, false)); res.StatusCode != http.StatusOK {
		t.Errorf("with free slots: %s %s", res.Status, body)
	}
	checkIdle(t, node, orch, m.ID)
}
