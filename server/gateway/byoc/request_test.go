package byoc_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/byoc"
)

// A request goes to a worker as it is, signed by the gateway, and the answer comes back with the orchestrator's name.
func TestARequestIsAnswered(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	res, text := g.do(t, "POST", "/process/request/run/de%2Fep?a=1", job(` {"run":"x"}`, "{}", 10), "", `{"in":1}`)
	var got map[string]string
	if json.Unmarshal([]byte(text), &got) != nil || res.StatusCode != http.StatusOK ||
		got["line"] != "POST /process/request/run/de%2Fep?a=1" || got["body"] != `{"in":1}` {
		t.Fatal(res.Status, text)
	}
	for name, want := range map[string]string{"X-Orchestrator-Url": o.srv.URL, "X-Metadata": `{"k":1}`,
		"Livepeer-Balance": "0", "Content-Type": "application/json"} {
		if res.Header.Get(name) != want {
			t.Errorf("%s: %q", name, res.Header.Get(name))
		}
	}
	s := o.saw("/process/request/")[0]
	j := s.job
	if j.Request != `{"run":"x"}` || j.Parameters != "{}" || j.Capability != "demo-cap" || j.Timeout != 10 ||
		len(j.ID) != 32 || j.Sender != "0x0000000000000000000000000000000000000000" || len(j.Sig) != 132 {
		t.Errorf("%+v", j)
	}
	if s.header.Get("Content-Type") != "application/json" || s.header.Get("Authorization") != "" ||
		s.header.Get("Livepeer-Payment") != "" {
		t.Error(s.header)
	}
}

// What is wrong with a job is said, and no orchestrator gets the request.
func TestJobsThatAreRefused(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.Limits.Body = 100 }, o)
	for name, header := range map[string]string{
		"none": "", "no base64": "!", "no JSON": "e30x", "no timeout": job("{}", "", 0), "a negative one": job("{}", "", -1),
		"a long one": job("{}", "", 86401), "plain": job("plain", "", 1), "a list": job("[]", "", 1),
		"parameters": job("{}", "[", 1), "a wrong field": job("{}", `{"enable_video_ingress":1}`, 1),
		"a control": job("{\"a\":\"\x01\"}", "", 1),
	} {
		res, text := g.do(t, "POST", "/process/request/x", header, "", "")
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "CapabilityJobInvalid") {
			t.Errorf("%s: %s %s", name, res.Status, text)
		}
	}
	res, text := g.do(t, "GET", "/process/request/x", job("{}", "", 1), "", "")
	refused(t, res, text, http.StatusMethodNotAllowed, "MethodNotAllowed")
	res, text = g.do(t, "POST", "/process/request/x", job("{}", "", 1), "", strings.Repeat("x", 101))
	refused(t, res, text, http.StatusRequestEntityTooLarge, "RequestTooLarge")
	if n := len(o.saw("/")); n != 0 {
		t.Errorf("%d requests to an orchestrator", n)
	}
}

// Orchestrators are tried in the order of their answers, without those that the job leaves out; a status below 500 is
// the answer, and no other one gets the request then.
func TestChangeOfOrchestrator(t *testing.T) {
	t.Parallel()
	broken, full, good, other := newOrchestrator(t), newOrchestrator(t), newOrchestrator(t), newOrchestrator(t)
	full.capacity = 0
	broken.request = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "job not able to be processed", http.StatusInternalServerError)
		return true
	}
	follow := func(o, first *orchestrator) { // its answer comes after the other one's
		o.token = func(_ http.ResponseWriter, r *http.Request) bool {
			for int(first.answered.Load()) < len(o.saw("/process/token")) && r.Context().Err() == nil {
				runtime.Gosched()
			}
			select {
			case <-time.After(100 * time.Millisecond): // on its way
			case <-r.Context().Done():
			}
			return false
		}
	}
	follow(good, broken)
	follow(other, good)
	g := newGateway(t, nil, other, good, full, broken)
	g.list = append(g.list, "https://127.0.0.1:1") // nothing is there
	res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 10), "", "")
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Orchestrator-Url") != good.srv.URL {
		t.Error(res.Status, text)
	}
	if len(broken.saw("/process/request")) != 1 || len(full.saw("/process/request")) != 0 {
		t.Error("the order of the answers was not kept")
	}
	good.request = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no such thing", http.StatusNotFound)
		return true
	}
	if res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 10), "", ""); res.StatusCode !=
		http.StatusNotFound || text != "no such thing\n" {
		t.Error(res.Status, text)
	}
	good.token, other.token = nil, nil
	for parameters, want := range map[string]string{
		`{"orchestrators":{"include":["` + other.srv.URL + `/"]}}`:                        other.srv.URL,
		`{"orchestrators":{"exclude":["` + broken.srv.URL + `","` + good.srv.URL + `"]}}`: other.srv.URL,
	} {
		if res, text := g.do(t, "POST", "/process/request/x", job("{}", parameters, 10), "", ""); res.StatusCode !=
			http.StatusOK || res.Header.Get("X-Orchestrator-Url") != want {
			t.Error(parameters, res.Status, text)
		}
	}
	if n := len(other.saw("/process/request")); n != 2 {
		t.Errorf("the last one got %d jobs", n)
	}
}

// When no orchestrator does a job, the answer is an error with a code.
func TestWhenAllFail(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	ask := func() (*http.Response, string) {
		return g.do(t, "POST", "/process/request/x", job("{}", "{}", 1), "", "")
	}
	for _, status := range []int{500, 502} {
		o.request = func(w http.ResponseWriter, _ *http.Request) bool { http.Error(w, "why", status); return true }
		res, text := ask()
		refused(t, res, text, http.StatusBadGateway, "JobFailed")
	}
	unavailable := func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "full", http.StatusServiceUnavailable)
		return true
	}
	o.request = unavailable
	res, text := ask()
	refused(t, res, text, http.StatusServiceUnavailable, "OrchestratorFull")
	o.request = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
	o.srv.Config.ErrorLog = nil
	res, text = ask()
	refused(t, res, text, http.StatusBadGateway, "JobBroke")
	o.capacity = 0
	res, text = ask()
	refused(t, res, text, http.StatusServiceUnavailable, "CapabilityNotOffered")
	o.token = unavailable
	res, text = ask()
	refused(t, res, text, http.StatusServiceUnavailable, "NoOrchestratorReachable")
	g.list = nil
	res, text = ask()
	refused(t, res, text, http.StatusServiceUnavailable, "NoOrchestratorReachable")
}

// Events come as they are made, and the stream ends with its last one, whatever the orchestrator sends after it.
func TestEventStreams(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	next := make(chan struct{})
	o.request = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Livepeer-Payment-Balance", "7")
		io.WriteString(w, "data: {\"n\":0}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-next
		io.WriteString(w, "data: {\"balance\": 0.000}\n\ndata: [DO")
		_ = http.NewResponseController(w).Flush()
		io.WriteString(w, "NE]\r\n")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "\n"); err != nil {
				break
			}
		}
		return true
	}
	g := newGateway(t, nil, o)
	r, err := http.NewRequestWithContext(t.Context(), "POST", g.url+"/process/request/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Livepeer", job("{}", "{}", 60))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := lines(res.Body)
	if first := <-got; first != `data: {"n":0}` || res.Header.Get("Livepeer-Payment-Balance") != "7" ||
		res.Header.Get("Content-Type") != "text/event-stream" {
		t.Error(first, res.Header)
	}
	close(next)
	var rest []string
	for line := range got {
		rest = append(rest, line)
	}
	if text := strings.Join(rest, "|"); text != `|data: {"balance": 0.000}||data: [DONE]|` {
		t.Error(text)
	}
}

// An answer that breaks off is cut for the client too; one that never begins ends with the job's time, and is requested
// nowhere else.
func TestAnswersThatBreakOff(t *testing.T) {
	t.Parallel()
	o, second := newOrchestrator(t), newOrchestrator(t)
	o.request = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "part")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	g := newGateway(t, func(x *setup) { x.Limits.Answer, x.Limits.Grace = 1<<20, time.Millisecond }, o)
	if _, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 5), "", ""); !strings.HasSuffix(text, " CUT") {
		t.Error(text)
	}
	o.request = func(w http.ResponseWriter, r *http.Request) bool { // endless
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				break
			}
		}
		return true
	}
	if _, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 60), "", ""); len(text) > 1<<20+4 ||
		!strings.HasSuffix(text, " CUT") {
		t.Error(len(text))
	}
	o.request = func(_ http.ResponseWriter, r *http.Request) bool { // none
		<-r.Context().Done()
		return true
	}
	second.request = o.request
	g.list = append(g.list, second.srv.URL)
	res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 1), "", "")
	refused(t, res, text, http.StatusGatewayTimeout, "JobLate")
	if asked := len(o.saw("/process/request")) + len(second.saw("/process/request")); asked != 3 {
		t.Errorf("%d jobs", asked)
	}
}

// A server that takes the connection of a token's request and never answers costs the time for tokens alone.
func TestSilentTokens(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o, endless, large := newOrchestrator(t), newOrchestrator(t), newOrchestrator(t)
	endless.token = func(w http.ResponseWriter, r *http.Request) bool {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
				break
			}
		}
		return true
	}
	large.token = func(w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, `{"available_capacity":1,"x":"`+strings.Repeat("y", 1<<17)+`"}`)
		return true
	}
	g := newGateway(t, func(x *setup) { x.Limits = byoc.Limits{Ask: 300 * time.Millisecond, Search: time.Second} },
		endless, large, o)
	g.list = append([]string{"https://" + l.Addr().String()}, g.list...)
	res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 5), "", "")
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Orchestrator-Url") != o.srv.URL {
		t.Error(res.Status, text)
	}
	if len(endless.saw("/process/request")) != 0 || len(large.saw("/process/request")) != 0 {
		t.Error("an unusable token was used")
	}
}
