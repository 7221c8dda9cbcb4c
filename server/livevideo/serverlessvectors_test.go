package livevideo_test

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

type frame struct {
	Dir  string          `json:"dir"`
	Data json.RawMessage `json:"data"`
}

type recording struct {
	Exchanges []struct {
		What    string
		Request struct {
			Line string
			Body json.RawMessage
		}
		Response struct {
			Status  string
			Headers map[string]string
			Body    json.RawMessage
		}
		Frames []frame
	}
}

// script is the recorded runner: what it says, and what it must be told.
type script struct {
	t      *testing.T
	frames []frame

	// one is held by the connection that is played.
	one sync.Mutex

	mu sync.Mutex
	// names are the ids that stand for those of the recording.
	names map[string]string
	at    int
}

func (s *script) position() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// text replaces the recording's ids, once they are known.
func (s *script) text(data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := string(data)
	for name, id := range s.names {
		out = strings.ReplaceAll(out, name, id)
	}
	return strings.ReplaceAll(out, "<FAL_API_KEY>", "fal-key")
}

// serve plays one connection.
func (s *script) serve(r *http.Request, ws *websocket.Conn) {
	s.one.Lock()
	defer s.one.Unlock()
	p := &peer{s.t, ws}
	for first := true; ; first = false {
		s.mu.Lock()
		if s.at == len(s.frames) || !first && s.frames[s.at].Dir == "connect" {
			s.mu.Unlock()
			return
		}
		f := s.frames[s.at]
		s.mu.Unlock()
		switch f.Dir {
		case "connect":
			s.checkOpening(r, f.Data)
		case "runner -> O":
			data := s.text(f.Data)
			if i := strings.Index(data, "ping-<unix ns>"); i >= 0 {
				data = `{"type":"pong"}`
			}
			p.say(data)
		case "O -> runner":
			s.checkMessage(f.Data, p.next())
		case "closed":
			if m := p.next(); len(m) > 0 {
				s.t.Errorf("the runner got %v, want the end", m)
			}
		}
		s.mu.Lock()
		s.at++
		s.mu.Unlock()
	}
}

func (s *script) checkOpening(r *http.Request, data json.RawMessage) {
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		s.t.Error(err)
	}
	if got := r.Method + " " + r.URL.Path + " " + r.Proto; got != lines[0] {
		s.t.Errorf("%s, want %s", got, lines[0])
	}
	for _, line := range lines[1:] {
		name, want, _ := strings.Cut(line, ": ")
		if name == "Manifest-Id" {
			s.mu.Lock()
			s.names[want] = r.Header.Get(name)
			s.mu.Unlock()
		}
		if got, want := r.Header.Get(name), s.text([]byte(want)); got != want || got == "" {
			s.t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func (s *script) checkMessage(data json.RawMessage, got map[string]any) {
	var want map[string]any
	if err := json.Unmarshal([]byte(s.text(data)), &want); err != nil {
		s.t.Error(err)
	}
	if want["type"] == "ping" {
		id, _ := got["request_id"].(string)
		if _, isNumber := got["timestamp"].(float64); !strings.HasPrefix(id, "ping-") || !isNumber {
			s.t.Errorf("the runner got %v", got)
		}
		got["request_id"], got["timestamp"] = want["request_id"], want["timestamp"]
	}
	if !reflect.DeepEqual(got, want) {
		s.t.Errorf("the runner got %v, want %v", got, want)
	}
}

// The recorded requests get the recorded answers, and the recorded runner what it was told.
func TestRecordedScope(t *testing.T) {
	data, err := os.ReadFile("../../test/vectors/live/live_scope.json")
	var doc recording
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	last := len(doc.Exchanges) - 1
	s := &script{t: t, frames: doc.Exchanges[last].Frames, names: make(map[string]string)}
	closed := 0
	for i, f := range s.frames {
		if strings.Contains(string(f.Data), "close_channels") {
			closed = i
		}
	}
	g := newRig(t, nil)
	g.runner = s.serve
	for _, e := range doc.Exchanges[:last] {
		method, rest, _ := strings.Cut(e.Request.Line, " ")
		path, _, _ := strings.Cut(rest, " ")
		switch e.What {
		case "channels made over the WebSocket":
			eventually(t, "channels are made and closed", func() bool { return s.position() > closed })
		case "closed over the WebSocket":
			name := s.text([]byte(strings.TrimSuffix(strings.TrimPrefix(path, "/ai/trickle/"), "/next")))
			eventually(t, "a channel is closed", func() bool { return g.hub.Channel(name) == nil })
		case "after the time limit everything is closed":
			g.clock.fire(t, pingTime)
			g.clock.fire(t, pingTime)
			g.clock.fire(t, sessionTime)
			g.clock.fire(t, graceTime)
			g.over()
		}
		body, plain := string(e.Request.Body), ""
		if json.Unmarshal(e.Request.Body, &plain) == nil {
			body = plain
		}
		res, text := g.do(method, s.text([]byte(path)), body)
		if "HTTP/1.1 "+res.Status != e.Response.Status {
			t.Errorf("%s: %s %s, want %s", e.What, res.Status, text, e.Response.Status)
		}
		varies := strings.Contains(string(e.Response.Body), "orch.test") // and so does its length
		for k, want := range e.Response.Headers {
			if got := res.Header.Get(k); got != want && (k != "Content-Length" || !varies) {
				t.Errorf("%s: %s: %q, want %q", e.What, k, got, want)
			}
		}
		for k := range res.Header {
			if _, there := e.Response.Headers[k]; !there && k != "Date" {
				t.Errorf("%s: %s: %q is not recorded", e.What, k, res.Header[k])
			}
		}
		var got, want any
		if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal(e.Response.Body, &plain) == nil {
			got = text
		}
		if err := json.Unmarshal([]byte(s.text(e.Response.Body)), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", e.What, got, want)
		}
	}
	eventually(t, "the whole script was played", func() bool { return s.position() == len(s.frames) })
}
