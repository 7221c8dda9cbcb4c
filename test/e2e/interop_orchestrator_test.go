package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/pipelines"
)

// only is one warm model.
func only(m inference.Model) map[inference.Model]bool { return map[inference.Model]bool{m: true} }

// TestForeignOrchestrator points stock clients at a gateway before an orchestrator
// of the existing network.
func TestForeignOrchestrator(t *testing.T) {
	t.Parallel()
	o := newForeignOrchestrator(t, only(recordedModel))
	_, gw := gateway(t, o.addr)
	user := func(content any) []any { return []any{map[string]any{"role": "user", "content": content}} }
	type object = map[string]any
	for _, row := range []struct {
		name    string
		request object
		// body is what reaches the orchestrator.
		body string
	}{
		{"as the network has it", object{"messages": user("hi"), "max_tokens": 3, "temperature": 0.5, "top_p": 0.9,
			"top_k": 40},
			`{"messages":[{"role":"user","content":"hi"}],"model":"` + networkModel +
				`","max_tokens":3,"stream":false,"temperature":0.5,"top_p":0.9,"top_k":40}`},
		{"without a bound", object{"messages": user("hi")},
			`{"messages":[{"role":"user","content":"hi"}],"model":"` + networkModel + `","max_tokens":256,"stream":false}`},
		{"parts of text", object{"messages": user([]any{object{"type": "text", "text": "grüß \"dich\""},
			object{"type": "text", "text": "du"}}), "max_completion_tokens": 4},
			`{"messages":[{"role":"user","content":"grüß \"dich\"\ndu"}],"model":"` + networkModel +
				`","max_tokens":4,"stream":false}`},
		{"all that the form has no word for", object{
			"messages": append(user("hi"), object{"role": "assistant", "content": nil, "tool_calls": []any{object{"id": "1"}}},
				object{"role": "tool", "tool_call_id": "1", "content": "7"}),
			"tools": []any{object{"type": "function", "function": object{"name": "f"}}}, "tool_choice": "auto",
			"stop": []any{"x"}, "seed": 1, "n": 1,
			"response_format": object{"type": "json_object"}, "logprobs": true, "presence_penalty": 0.5, "user": "me",
			"max_tokens": 5, "temperature": nil,
		}, `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":""},{"role":"tool","content":"7"}],` +
			`"model":"` + networkModel + `","max_tokens":5,"stream":false}`},
	} {
		row.request["model"] = networkModel
		var request struct {
			Max *int `json:"max_tokens"`
		}
		if err := json.Unmarshal([]byte(row.body), &request); err != nil {
			t.Fatal(err)
		}
		words := min(5, *request.Max)
		o.handles(nil)
		for _, path := range []string{"/v1/chat/completions", "/llm"} {
			a := mustAsk(t, gw+path, "", row.request)
			if a.Text != pipelines.Words(words) || a.Finish != "stop" || a.Tokens != words {
				t.Errorf("%s, %s: %+v", row.name, path, a)
			}
			if got := string(o.last().Body); got != row.body {
				t.Errorf("%s, %s: the orchestrator was sent\n%s, want\n%s", row.name, path, got, row.body)
			}
			o.checkJob(o.last(), recordedModel)
		}
		row.request["stream"] = true
		for _, asks := range []bool{false, true} {
			row.request["stream_options"] = object{"include_usage": asks}
			a := mustAsk(t, gw+"/v1/chat/completions", "", row.request)
			events, tokens := words+1, 0
			if asks { // an event of its own
				events, tokens = words+2, words
			}
			if a.Text != pipelines.Words(words) || a.Finish != "stop" || !a.Done || a.Events != events || a.Tokens != tokens {
				t.Errorf("%s, stream: %+v", row.name, a)
			}
			if want := strings.Replace(row.body, `"stream":false`, `"stream":true`, 1); string(o.last().Body) != want {
				t.Errorf("%s, stream: the orchestrator was sent\n%s, want\n%s", row.name, o.last().Body, want)
			}
		}
	}
	// What the form has no word for at all is refused, not sent.
	o.handles(nil)
	for path, input := range map[string]string{"/v1/completions": "prompt", "/v1/embeddings": "input"} {
		a, err := ask(t.Context(), gw+path, "", object{"model": networkModel, input: "x"})
		if err != nil || a.Status != http.StatusNotFound || a.Error != "OperationUnknown" {
			t.Errorf("%s: %v, %+v", path, err, a)
		}
	}
	if _, jobs := o.counts(); jobs != 0 {
		t.Errorf("%d jobs came that have no form", jobs)
	}
	// One session does for all of it: its jobs have one token.
	if asked, _ := o.counts(); asked > 3 {
		t.Errorf("asked for terms %d times", asked)
	}
}

// TestForeignReactions: the network's texts, and what a gateway makes of them where
// there is another orchestrator to go to.
func TestForeignReactions(t *testing.T) {
	t.Parallel()
	// The first is loaded and so has the first try; the second is not.
	first := newForeignOrchestrator(t, only(recordedModel))
	second := newForeignOrchestrator(t, map[inference.Model]bool{recordedModel: false})
	node, gw := gateway(t, first.addr+","+second.addr)
	// Both are known to the gateway before anything goes wrong.
	second.handles(nil)
	first.refuses(always, 503, "insufficient capacity")
	node.Wait("the second to be known", harnessTime, func() bool {
		a, err := ask(t.Context(), gw+"/llm", "", chatRequest(networkModel, 3, false))
		return err == nil && a.Status == http.StatusOK
	})
	for _, row := range []struct {
		name                  string
		times, status         int
		text                  string
		wantFirst, wantSecond int
		wantStatus            int
		code, says            string
		renewed               bool
	}{
		{name: "full", times: always, status: 503, text: "insufficient capacity", wantFirst: 1, wantSecond: 1,
			wantStatus: 200},
		{name: "full, in other letters", times: always, status: 500, text: "Insufficient Capacity", wantFirst: 1,
			wantSecond: 1, wantStatus: 200},
		{name: "old parameters", times: 1, status: 400, text: "TicketParams expired", wantFirst: 2, wantStatus: 200,
			renewed: true},
		{name: "old parameters thrice", times: 3, status: 400, text: "ticketparams expired", wantFirst: 4, wantStatus: 200,
			renewed: true},
		{name: "parameters that stay old", times: always, status: 400, text: "TicketParams expired", wantFirst: 4,
			wantSecond: 1, wantStatus: 200, renewed: true},
		{name: "nonce", times: always, status: 400, text: "invalid ticket senderNonce", wantFirst: 1, wantSecond: 1,
			wantStatus: 200},
		{name: "token", times: 1, status: 403, text: "expired auth token", wantFirst: 2, wantStatus: 200, renewed: true},
		{name: "balance", times: always, status: 400, text: "Insufficient balance", wantFirst: 1, wantSecond: 1,
			wantStatus: 200},
		{name: "a client's mistake", times: always, status: 500, text: "LLM container returned 400: bad temperature",
			wantFirst: 1, wantStatus: 400, code: "JobRefused", says: "bad temperature"},
		{name: "a mistake in the body", times: always, status: 400, text: "no such field", wantFirst: 1, wantStatus: 400,
			code: "JobRefused", says: "no such field"},
		{name: "a defect", times: always, status: 500, text: "LLM container returned 500: boom", wantFirst: 1, wantSecond: 1,
			wantStatus: 200},
		{name: "nothing said", times: always, status: 500, text: "", wantFirst: 1, wantSecond: 1, wantStatus: 200},
	} {
		tries := 0
		firstHasTurn := func() bool {
			first.handles(nil)
			second.handles(nil)
			tries++
			a, err := ask(t.Context(), gw+"/llm", "", fresh(fmt.Sprint(row.name, tries)))
			_, jobs := first.counts()
			return err == nil && a.Status == http.StatusOK && jobs == 1
		}
		var a answer
		var err error
		var before, after, jobs, others int
		// On a busy machine the first may look the slower one after all, and the
		// second gets it alone: then nothing was seen of how the first is left. Or
		// the gateway has renewed the terms just before, and need not do it again.
		node.Wait("the first to be asked first: "+row.name, harnessTime, func() bool {
			node.Wait("the first to have its turn before: "+row.name, harnessTime, firstHasTurn)
			second.handles(nil)
			first.refuses(row.times, row.status, row.text)
			before, _ = first.counts()
			a, err = ask(t.Context(), gw+"/llm", "", fresh(fmt.Sprint(row.name, " again ", tries)))
			after, jobs = first.counts()
			_, others = second.counts()
			return (err != nil || jobs > 0 || a.Status != http.StatusOK) && (!row.renewed || after > before)
		})
		if err != nil || a.Status != row.wantStatus || jobs != row.wantFirst || others != row.wantSecond ||
			a.Error != row.code || !strings.Contains(a.Body, row.says) {
			t.Errorf("%s: %v, %+v; %d and %d jobs, want %+v", row.name, err, a, jobs, others, row)
		}
	}
}

// fresh is a chat whose beginning no orchestrator has seen.
func fresh(text string) map[string]any {
	r := chatRequest(networkModel, 3, false)
	r["messages"] = []any{map[string]string{"role": "user", "content": text}}
	return r
}

// TestForeignOrchestratorsFail: no orchestrator is left, and what the client gets.
func TestForeignOrchestratorsFail(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		text   string
		want   int
		code   string
	}{
		{"full", 503, "insufficient capacity", 503, "OrchestratorsFull"},
		{"broken", 500, "LLM container returned 500: boom", 502, "JobFailed"},
		{"a page", 200, "<html>", 502, "AnswerUnreadable"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			o := newForeignOrchestrator(t, only(recordedModel))
			_, gw := gateway(t, o.addr)
			o.handles(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				if row.status == http.StatusOK {
					w.Header().Set("Content-Type", "text/html")
				}
				w.WriteHeader(row.status)
				fmt.Fprintln(w, row.text)
				return true
			})
			a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(networkModel, 3, false))
			if err != nil || a.Status != row.want || a.Error != row.code {
				t.Errorf("%v, %+v, want %d %s", err, a, row.want, row.code)
			}
			if row.want == 503 && a.Header.Get("Retry-After") == "" {
				t.Errorf("when to come back is not told: %v", a.Header)
			}
		})
	}
}

// TestForeignStreamsBreak: an answer that has begun is never asked for again, and
// its client is told that it is not whole.
func TestForeignStreamsBreak(t *testing.T) {
	t.Parallel()
	first := newForeignOrchestrator(t, only(recordedModel))
	second := newForeignOrchestrator(t, map[inference.Model]bool{recordedModel: false})
	_, gw := gateway(t, first.addr+","+second.addr)
	for name, end := range map[string]func(http.ResponseWriter){
		"cut": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"cut in a line": func(w http.ResponseWriter) {
			fmt.Fprint(w,
				`data: {"choices":[{"ind`)
			panic(http.ErrAbortHandler)
		},
		"over too early": func(http.ResponseWriter) {},
		"an error event": func(w http.ResponseWriter) { fmt.Fprint(w, "data: {\"error\":\"boom\"}\n\n") },
	} {
		first.handles(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			q, err := pipelines.ReadLLM(first.last().Body)
			if err != nil {
				t.Error(err)
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			q.Event(w, " one", "", 1)
			q.Event(w, " two", "", 2)
			end(w)
			return true
		})
		second.handles(nil)
		res, err := post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(networkModel, 9, true))
		if err != nil {
			t.Fatal(err)
		}
		text := string(readAll(t, res))
		events := strings.Split(strings.TrimSpace(text), "\n\n")
		if last := events[len(events)-1]; res.StatusCode != 200 || !strings.Contains(text, " two") ||
			!strings.HasPrefix(last, `data: {"error":`) || strings.Contains(text, "[DONE]") {
			t.Errorf("%s: %s:\n%s", name, res.Status, text)
		}
		_, jobs := first.counts()
		if _, others := second.counts(); jobs != 1 || others != 0 {
			t.Errorf("%s: %d and %d jobs", name, jobs, others)
		}
		// Breaks in a row would make it rest.
		first.handles(nil)
		if res, err = post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(networkModel, 9, true)); err != nil {
			t.Fatal(err)
		}
		readAll(t, res)
	}
}

// TestForeignOffers: offers that the network's own gateways do not survive, or
// cannot use, are no harm, and a token that its orchestrator takes for over is replaced. When it is over is
// the orchestrator's to say: clocks may differ.
func TestForeignOffers(t *testing.T) {
	t.Parallel()
	good := newForeignOrchestrator(t, only(recordedModel))
	var bad []string
	for _, change := range []func(*rpc.OrchestratorInfo){
		func(i *rpc.OrchestratorInfo) { i.Capabilities = nil },
		func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints = nil },
		func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints.PerCapability = nil },
		func(i *rpc.OrchestratorInfo) { i.Capabilities.Bitstring = []uint64{0x04005fff} },
		func(i *rpc.OrchestratorInfo) { i.AuthToken = nil },
		func(i *rpc.OrchestratorInfo) { i.Transcoder = "" },
		func(i *rpc.OrchestratorInfo) { i.Transcoder = "gopher://x" },
	} {
		o := newForeignOrchestrator(t, only(recordedModel))
		o.with(func() { o.change = func(_ int, info *rpc.OrchestratorInfo) { change(info) } })
		bad = append(bad, o.addr)
	}
	good.with(func() {
		good.change = func(n int, info *rpc.OrchestratorInfo) {
			if n == 1 {
				info.AuthToken.Expiration = time.Now().Add(-time.Minute).Unix()
			}
		}
	})
	good.handles(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		seg, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
		over := err == nil && string(seg.GetAuthToken().GetToken()) == "token 1"
		if over {
			http.Error(w, "invalid auth token", http.StatusForbidden)
		}
		return over
	})
	_, gw := gateway(t, strings.Join(append(bad, good.addr), ","))
	for range 5 {
		mustAsk(t, gw+"/llm", "", chatRequest(networkModel, 3, false))
	}
	if _, jobs := good.counts(); jobs > 6 {
		t.Errorf("%d jobs for five requests: a token that is over is used again and again", jobs)
	}
}

// TestForeignMedia fetches what an orchestrator of the existing network has made:
// from it, and out of its answer.
func TestForeignMedia(t *testing.T) {
	t.Parallel()
	m := pipelineModel(t, "text-to-image")
	o := newForeignOrchestrator(t, only(m))
	p, gw := gateway(t, o.addr)
	n := &pipelineNodes{gateway: p, gw: gw}
	res, body := n.postJSON(t, "/text-to-image", map[string]any{"model_id": m.ID, "prompt": "x"})
	out := readMedia(t, res, body)
	if len(out.Images) != 2 {
		t.Fatalf("%s", body)
	}
	for i, item := range out.Images {
		if got := n.fetched(t, item.URL); !bytes.Equal(got, pipelines.PNG(8, 8, i+1)) ||
			item.Seed.String() != fmt.Sprint(i+1) || *item.NSFW != (i == 1) {
			t.Errorf("image %d: %d bytes, %+v", i, len(got), item)
		}
	}
	o.checkJob(o.last(), m)
	if j := o.last(); j.Path != "/text-to-image" || !strings.Contains(string(j.Body), `"width":512`) {
		t.Errorf("%s %s", j.Path, j.Body)
	}
	o.refuses(always, 500, "text-to-image container returned 400: too dark")
	if res, body := n.postJSON(t, "/text-to-image",
		map[string]any{"model_id": m.ID, "prompt": "x"}); res.StatusCode != http.StatusBadRequest ||
		!strings.Contains(string(body), "too dark") {
		t.Errorf("%s %s", res.Status, body)
	}
}

// TestRicherRequests: what the network's form loses goes to a node of our own while
// there is one; what it does not lose goes to either.
func TestRicherRequests(t *testing.T) {
	t.Parallel()
	m := pipelineModel(t, "llm")
	foreign := newForeignOrchestrator(t, only(m))
	s := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","created":1,"model":"x","choices":[{"index":0,`+
			`"finish_reason":"stop","message":{"role":"assistant","content":"own"}}]}`)
	})
	e := llmEntry(m.ID, s.URL)
	e["served_model"] = cannedModel
	node, orch := aiOrchestrator(t, []entry{e})
	awaitModel(t, node, orch, m.ID, "ready")
	gate, gw := gateway(t, foreign.addr+","+orch)
	request := chatRequest(m.ID, 5, false)
	text := func(i int) string {
		request["messages"] = []any{map[string]string{"role": "user", "content": fmt.Sprint("question ", i)}}
		return mustAsk(t, gw+"/v1/chat/completions", "", request).Text
	}
	tried := 0
	seen := map[string]bool{}
	gate.Wait("both to be asked", harnessTime, func() bool {
		tried++
		seen[text(tried)] = true
		return len(seen) == 2
	})
	request["tools"] = []any{map[string]any{"type": "function", "function": map[string]any{"name": "f"}}}
	for i := range 10 {
		if got := text(1000 + i); got != "own" {
			t.Fatalf("a request with tools was answered %q", got)
		}
	}
	// Without one of our own the request goes as far as the form has words for it.
	node.Signal(syscall.SIGTERM)
	node.Exit(harnessTime)
	gate.Wait("the other to be asked", harnessTime, func() bool {
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", request)
		return err == nil && a.Text == pipelines.Words(5)
	})
}
