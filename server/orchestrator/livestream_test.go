package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// pending is a request of the recorded gateway that has no answer yet. Its body ends when the test writes.
type pending struct {
	body   *io.PipeWriter
	answer chan *http.Response
}

// stream replays what a gateway of the existing network does with a session's channels.
type stream struct {
	*liveNode
	id      string
	pending map[string]*pending
}

// open sends a request of the recording, "POST /ai/trickle/<id8-2>/0".
func (s *stream) open(line string) {
	s.t.Helper()
	method, path, _ := strings.Cut(line, " ")
	r, w := io.Pipe()
	var body io.Reader = r
	if method != http.MethodPost {
		body = http.NoBody
	}
	q, err := http.NewRequestWithContext(s.t.Context(), method, s.uri+strings.ReplaceAll(path, "<id8-2>", s.id), body)
	if err != nil {
		s.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "video/MP2T")
	p := &pending{body: w, answer: make(chan *http.Response, 1)}
	go func() {
		res, err := http.DefaultClient.Do(q)
		if err == nil {
			p.answer <- res
		}
	}()
	s.pending[line] = p
	if method == http.MethodGet {
		// The recorded order of requests matters to what a number means.
		eventually(s.t, func() bool { return s.requests() == s.reading() || len(p.answer) > 0 })
	}
}

// requests counts those that read channels.
func (s *stream) requests() (n int) {
	for _, suffix := range []string{"", "-out", "-control", "-events"} {
		if c := s.hub.Channel(s.id + suffix); c != nil {
			n += c.Readers()
		}
	}
	return n
}

// reading counts the requests that read and have no answer yet.
func (s *stream) reading() (n int) {
	for line := range s.pending {
		if strings.HasPrefix(line, http.MethodGet) {
			n++
		}
	}
	return n
}

// proceed does what the recorded answer to a request waited for.
func (s *stream) proceed(line string, headers map[string]string) {
	method, path, _ := strings.Cut(line, " ")
	p := s.pending[line]
	number, _ := strconv.ParseInt(headers["Lp-Trickle-Seq"], 10, 64)
	switch {
	case headers["Lp-Trickle-Closed"] != "" || method == http.MethodDelete:
	case method == http.MethodPost:
		_, _ = io.WriteString(p.body, "segment")
		_ = p.body.Close()
	default: // the runner writes
		name := strings.Split(strings.TrimPrefix(path, "/ai/trickle/"), "/")[0]
		c := s.hub.Channel(strings.ReplaceAll(name, "<id8-2>", s.id))
		for c.Next() <= number {
			write(s.t, c)
		}
	}
}

func write(t testing.TB, c *trickle.Channel) {
	t.Helper()
	if err := c.Put([]byte("output")); err != nil {
		t.Fatal(err)
	}
}

// check compares an answer with the recorded one.
func (s *stream) check(line, status string, headers map[string]string) {
	s.t.Helper()
	var res *http.Response
	select {
	case res = <-s.pending[line].answer:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("%s: no answer", line)
	}
	_ = s.pending[line].body.Close()
	delete(s.pending, line)
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	eventually(s.t, func() bool { return s.requests() <= s.reading() })
	if "HTTP/1.1 "+res.Status != status {
		s.t.Errorf("%s: %s, want %s", line, res.Status, status)
	}
	for _, k := range []string{"Content-Type", "Lp-Trickle-Seq", "Lp-Trickle-Latest", "Lp-Trickle-Closed"} {
		if got := res.Header.Get(k); got != headers[k] {
			s.t.Errorf("%s: %s %q, want %q", line, k, got, headers[k])
		}
	}
	if res.Close != (headers["Connection"] == "close") {
		s.t.Errorf("%s: closes the connection: %t", line, res.Close)
	}
}

// A gateway of the existing network sends a stream, reads its output and ends it, as recorded.
func TestRecordedLiveVideoStream(t *testing.T) {
	n := newLiveNode(t)
	var doc struct {
		Start []struct {
			Headers map[string]string
			Body    json.RawMessage
		}
		Trickle []struct {
			Request  string
			AnswerTo string `json:"answer_to"`
			Status   string
			Headers  map[string]string
			Skipped  string `json:"..."`
		}
	}
	readRecording(t, "live_gateway_to_orch.json", &doc)
	res, text := n.begin(string(doc.Start[0].Body))
	var got, want map[string]string
	if err := json.Unmarshal([]byte(text), &got); err != nil || res.Header.Get("Content-Type") != "application/json" {
		t.Fatal(res.Status, text)
	}
	id := got["manifest_id"]
	_ = json.Unmarshal([]byte(strings.ReplaceAll(string(doc.Start[1].Body), "<id8-2>", id)), &want)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	s := &stream{liveNode: n, id: id, pending: make(map[string]*pending)}
	write(t, n.hub.Channel(id+"-events")) // the runner's first event, which the recorded gateway came too late for
	skipped := false
	for _, step := range doc.Trickle {
		switch {
		case step.Skipped != "":
			skipped = true
			s.skipTo(map[string]int64{"": 13, "-out": 13, "-control": 3, "-events": 6})
		case step.Request != "":
			s.open(step.Request)
		case skipped && s.pending[step.AnswerTo] == nil:
			continue // its request is among those left out
		default:
			s.proceed(step.AnswerTo, step.Headers)
			s.check(step.AnswerTo, step.Status, step.Headers)
		}
	}
	eventually(t, func() bool { return n.hub.Len() == 0 && n.live.Sessions() == 0 })
	n.free()
}

// skipTo goes on where the recording does: requests in progress are answered, those that it answers later
// are sent.
func (s *stream) skipTo(next map[string]int64) {
	for _, p := range s.pending {
		_ = p.body.Close()
	}
	clear(s.pending)
	for suffix, number := range next {
		c := s.hub.Channel(s.id + suffix)
		for c.Next() < number {
			write(s.t, c)
		}
	}
	eventually(s.t, func() bool { return s.requests() == 0 })
	s.open("POST /ai/trickle/<id8-2>-control/3")
	s.open("POST /ai/trickle/<id8-2>/13")
	s.open("GET /ai/trickle/<id8-2>-events/6")
}
