package orchestrator_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	hello = `data: {"id":"i","model":"m","created":5,"choices":[{"index":0,"delta":{"role":"assistant",` +
		`"content":"hel"}}]}` + "\n\n"
	stop = `data: {"id":"i","model":"m","created":5,"choices":[{"index":0,"delta":{"content":"lo"},` +
		`"finish_reason":"stop"}]}` + "\n\n"
	usage = `data: {"id":"i","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,` +
		`"prompt_tokens_details":{"cached_tokens":4}}}` + "\n\n"
	end = "data: [DONE]\n\n"
)

// event is a chunk as the existing network's gateways read it.
type event struct {
	Choices []struct {
		Delta        struct{ Content string }
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		Total int `json:"total_tokens"`
	}
}

// readAsNetwork reads a stream as those gateways do, which end at the first
// finish reason and fail on an event without a choice or a long line.
func readAsNetwork(t *testing.T, r io.Reader) (text, reason string, total int) {
	t.Helper()
	lines := bufio.NewScanner(r) // 64 KiB, as theirs
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e event
		if json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		if len(e.Choices) == 0 {
			t.Fatalf("an event that crashes gateways: %s", data)
		}
		text += e.Choices[0].Delta.Content
		if e.Usage != nil {
			total = e.Usage.Total
		}
		if reason = e.Choices[0].FinishReason; reason != "" {
			return text, reason, total
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return text, reason, total
}

func TestStreamToExistingNetwork(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		long := strings.Repeat("x", 200_000)
		a.says(200, "text/event-stream; charset=utf-8", hello+
			`data: {"choices":[{"index":0,"delta":{"content":"`+long+`"}}]}`+"\n\n"+stop+usage+end)
		res, err := client(a).Do(a.chat(`"max_tokens":10,"stream":true`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" ||
			res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
		text, reason, total := readAsNetwork(t, res.Body)
		if text != "hel"+long+"lo" || reason != "stop" || total != 9 {
			t.Errorf("%d bytes, %q, %d tokens", len(text), reason, total)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		if f := a.done.last(t, 1); f.Usage != (inference.Usage{Prompt: 7, Completion: 2, Cached: 4}) || !f.Stream ||
			f.Events != 4 {
			t.Errorf("%+v", f)
		}
	})
}

// TestStreamToOwnGateway: bytes pass as they come, each piece at once.
func TestStreamToOwnGateway(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		begun := a.streams("text/event-stream")
		got := make(chan *http.Response, 1)
		go func() {
			res, err := client(a).Do(asOwn(a.chat(`"stream":true`)))
			if err != nil {
				t.Error(err)
			}
			got <- res
		}()
		l := <-begun
		l.say(t, ": odd bytes\r\n\r\n"+hello[:20])
		res := <-got
		defer res.Body.Close()
		// What the test writes must arrive before it goes on: nothing is held back.
		expect := func(text string) {
			t.Helper()
			buf := make([]byte, len(text))
			if _, err := io.ReadFull(res.Body, buf); err != nil || string(buf) != text {
				t.Fatalf("%q, %v; want %q", buf, err, text)
			}
		}
		expect(": odd bytes\r\n\r\n" + hello[:20])
		for _, piece := range []string{hello[20:], stop, usage, end} {
			l.say(t, piece)
			expect(piece)
		}
		l.w.Close()
		if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
		if f := a.done.last(t, 1); f.Code != "" || f.Usage.Cached != 4 {
			t.Errorf("%+v", f)
		}
	})
}

// TestBrokenStream: our own gateways see that a stream is not whole, the existing
// network's get an end that they survive.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		for n, cause := range []error{errors.New("connection reset"), nil, fault.New(fault.RunnerBroke, "read", "")} {
			begun := a.streams("text/event-stream")
			for _, own := range []bool{true, false} {
				req := a.chat(`"max_tokens":10,"stream":true`)
				if own {
					req = asOwn(req)
				}
				go func() {
					l := <-begun
					l.say(t, hello)
					_ = l.w.CloseWithError(cause) // nil: it just ends
				}()
				res, err := client(a).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				if own {
					if text, err := io.ReadAll(res.Body); err == nil || string(text) != hello {
						t.Errorf("%d: %q, %v", n, text, err)
					}
				} else if text, reason, _ := readAsNetwork(t, res.Body); text != "hel" || reason != "error" {
					t.Errorf("%d: %q, %q", n, text, reason)
				} else if _, err := io.Copy(io.Discard, res.Body); err != nil {
					t.Errorf("%d: %v", n, err)
				}
				res.Body.Close()
				a.free()
				want := fault.StreamBroken
				if n == 2 {
					want = fault.RunnerBroke
				}
				if f := a.done.last(t, 2*n+map[bool]int{true: 1, false: 2}[own]); f.Code != want {
					t.Errorf("%+v", f)
				}
			}
		}
	})
}

// TestStreamBrokenBeforeItBegan is told by the status, so that gateways try
// elsewhere.
func TestStreamBrokenBeforeItBegan(t *testing.T) {
	t.Parallel()
	a := newAINode(t)
	for _, own := range []bool{true, false} {
		for _, cause := range []error{errors.New("reset"), nil} {
			begun := a.streams("text/event-stream")
			go func() { _ = (<-begun).w.CloseWithError(cause) }()
			req := a.chat(`"max_tokens":10,"stream":true`)
			if own {
				req = asOwn(req)
			}
			res, body := do(t, a.h2, req)
			wantText(t, res, body, 500, "the stream broke")
			if res.Header.Get("Tutti-Code") != "StreamBroken" {
				t.Error(res.Header)
			}
			a.free()
		}
	}
}

// TestFailureWithinStream: the runner's own words pass to our gateways, others
// get an end.
func TestFailureWithinStream(t *testing.T) {
	t.Parallel()
	a := newAINode(t)
	text := hello + `data: {"error":"too long"}` + "\n\n"
	a.says(200, "text/event-stream", text)
	if res, body := do(t, a.h1, asOwn(a.chat(`"stream":true`))); res.StatusCode != 200 || string(body) != text {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	_, body := do(t, a.h1, a.chat(`"max_tokens":1,"stream":true`))
	if got, reason, _ := readAsNetwork(t, strings.NewReader(string(body))); got != "hel" || reason != "error" {
		t.Errorf("%s", body)
	}
	if f := a.done.last(t, 2); f.Code != fault.StreamFailed {
		t.Errorf("%+v", f)
	}
}

// TestGatewayLeaves: the runner's context ends and the slot comes back, wherever
// in its job the gateway goes.
func TestGatewayLeaves(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		for _, stream := range []bool{true, false} {
			a := newAINode(t)
			begun := a.streams(map[bool]string{true: "text/event-stream", false: "application/json"}[stream])
			send := func(ctx context.Context) <-chan *http.Response {
				req := asOwn(a.chat(fmt.Sprintf(`"stream":%v`, stream))).WithContext(ctx)
				got := make(chan *http.Response, 1)
				go func() {
					res, err := client(a).Do(req)
					if err != nil {
						close(got)
						return
					}
					got <- res
				}()
				return got
			}
			// Before the first byte.
			ctx, cancel := context.WithCancel(t.Context())
			got := send(ctx)
			l := <-begun
			cancel()
			<-l.ctx.Done()
			if res, ok := <-got; ok {
				res.Body.Close()
			}
			a.free()
			if f := a.done.last(t, 1); f.Code != fault.Canceled || f.Status != 499 {
				t.Errorf("%+v", f)
			}
			if !stream {
				continue
			}
			// In the middle.
			ctx, cancel = context.WithCancel(t.Context())
			got = send(ctx)
			l = <-begun
			l.say(t, hello)
			res := <-got
			if _, err := io.ReadFull(res.Body, make([]byte, len(hello))); err != nil {
				t.Error(err)
			}
			cancel()
			<-l.ctx.Done()
			res.Body.Close()
			a.free()
			if f := a.done.last(t, 2); f.Code != fault.Canceled {
				t.Errorf("%+v", f)
			}
		}
	})
}

// TestGatewayLeavesTheLine: a gateway that waits for a slot and goes away leaves the
// line.
func TestGatewayLeavesTheLine(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t)
		a.worker.Set(llama, func(s *inference.ModelState) { s.Capacity = 0 })
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		req := asOwn(a.chat(`"stream":true`)).WithContext(ctx)
		go func() {
			_, err := client(a).Do(req)
			gone <- err
		}()
		eventually(t, func() bool { return a.worker.Waiting() == 1 })
		cancel()
		if err := <-gone; err == nil {
			t.Error("it got an answer")
		}
		eventually(t, func() bool { return a.worker.Waiting() == 0 })
	})
}

func TestDrainFinishesStreams(t *testing.T) {
	t.Parallel()
	a := newAINode(t)
	begun := a.streams("text/event-stream")
	type answer struct {
		text []byte
		err  error
	}
	got := make(chan answer, 1)
	req := asOwn(a.chat(`"stream":true`))
	next := a.chat(`"max_tokens":10`)
	go func() {
		res, err := a.h2.Do(req)
		if err != nil {
			got <- answer{err: err}
			return
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		got <- answer{text, err}
	}()
	l := <-begun
	l.say(t, hello)
	drained := make(chan error, 1)
	go func() { drained <- a.server.Drain(t.Context()) }()
	eventually(t, a.orch.Draining)
	res, body := do(t, a.h2, next)
	wantText(t, res, body, 503, "insufficient capacity")
	if res.Header.Get("Tutti-Code") != "JobsDraining" {
		t.Error(res.Header)
	}
	l.say(t, stop+end)
	l.w.Close()
	if g := <-got; g.err != nil || string(g.text) != hello+stop+end {
		t.Errorf("%q, %v", g.text, g.err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}
