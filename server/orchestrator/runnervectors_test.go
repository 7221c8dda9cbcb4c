package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// runnerEvent is what the recorded runner wrote down.
type runnerEvent struct {
	Event string
	Data  []json.RawMessage
}

// recordedRunner is the recorded runner of a gateway's stream: the request that it got and what it saw on its channels.
func recordedRunner(t *testing.T) (request json.RawMessage, seen []runnerEvent) {
	t.Helper()
	var doc struct{ Exchanges []json.RawMessage }
	readRecording(t, "live_gateway.json", &doc)
	for _, raw := range doc.Exchanges {
		var e struct {
			What    string
			Request []struct{ Body json.RawMessage }
			Events  []runnerEvent
		}
		if json.Unmarshal(raw, &e) != nil {
			continue // one of the gateway's, whose request is of another form
		}
		switch e.What {
		case "what the runner got":
			request = e.Request[0].Body
		case "what the runner saw on its channels":
			seen = e.Events
		}
	}
	if request == nil || seen == nil {
		t.Fatal("the recording has no runner")
	}
	return request, seen
}

// runnerSide does what the recorded runner did, and the gateway's part that it needs.
type runnerSide struct {
	*liveNode
	id string
	// input and control are the reads in progress.
	input, control chan channelAnswer
	// next is the number of the control channel that is read.
	next int
}

type channelAnswer struct {
	status int
	header http.Header
	body   string
}

// channel sends a request to a channel; its answer comes.
func (s *runnerSide) channel(method, path, body string) chan channelAnswer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.uri+"/ai/trickle/"+s.id+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	out := make(chan channelAnswer, 1)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return // the test sees that there is no answer
		}
		defer res.Body.Close()
		data, _ := io.ReadAll(res.Body)
		res.Header.Del("Date")
		if len(res.TransferEncoding) > 0 {
			res.Header.Set("Transfer-Encoding", res.TransferEncoding[0])
		}
		out <- channelAnswer{res.StatusCode, res.Header, string(data)}
	}()
	return out
}

func (s *runnerSide) wait(c chan channelAnswer) channelAnswer {
	s.t.Helper()
	select {
	case a := <-c:
		return a
	case <-time.After(30 * time.Second):
		s.t.Fatal("no answer")
		return channelAnswer{}
	}
}

// read begins to read a channel and returns when it waits.
func (s *runnerSide) read(suffix, number string) chan channelAnswer {
	s.t.Helper()
	c := s.hub.Channel(s.id + suffix)
	before := c.Readers()
	out := s.channel(http.MethodGet, suffix+"/"+number, "")
	eventually(s.t, func() bool { return c.Readers() > before || len(out) > 0 })
	return out
}

// begin begins a session; the runner reads its input and its control channel.
func (s *runnerSide) begin() {
	s.t.Helper()
	res, text := s.liveNode.begin(`{"model_id":"noop","params":{"prompt":"a cat"},"gateway_request_id":"0011aabb",` +
		`"stream_id":"sid-stream1"}`)
	var a liveAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatal(res.Status, text)
	}
	s.id, s.next = a.ID, 0
	s.input, s.control = s.read("", "-1"), s.read("-control", "-1")
}

// same compares the headers of an answer with recorded ones. That a closed channel counts a publisher that waited, and
// was released, depends on which request was answered first.
func (s *runnerSide) same(e *runnerEvent, got channelAnswer, status int, headers json.RawMessage) {
	s.t.Helper()
	var want map[string]string
	if err := json.Unmarshal(headers, &want); err != nil {
		s.t.Fatal(err)
	}
	have := make(map[string]string)
	for k := range got.header {
		have[k] = got.header.Get(k)
	}
	delete(want, "Date")
	if want["Lp-Trickle-Closed"] != "" {
		delete(want, "Lp-Trickle-Latest")
		delete(have, "Lp-Trickle-Latest")
	}
	if got.status != status || !reflect.DeepEqual(have, want) {
		s.t.Errorf("%s: %d %v, want %d %v", e.Event, got.status, have, status, want)
	}
}

// A runner gets the recorded request, and what it reads and writes is answered as recorded.
func TestRecordedRunner(t *testing.T) {
	s := &runnerSide{liveNode: newLiveNode(t)}
	request, seen := recordedRunner(t)
	// The recording begins with two streams at once, of which nothing came. Here one follows the other.
	seen = append([]runnerEvent{seen[0], seen[2], seen[3], seen[1], seen[4], seen[5]}, seen[6:]...)
	for i := range seen {
		if s.input == nil {
			s.begin()
			s.sameRequest(request)
		}
		switch e := &seen[i]; e.Event {
		case "runner: control ended":
			s.wait(s.channel(http.MethodDelete, "-control", ""))
			s.same(e, s.wait(s.control), http.StatusOK, e.Data[1])
		case "runner: input ended":
			s.endInput(e)
		case "runner: session over":
			eventually(t, func() bool { return s.live.Sessions() == 0 })
			s.input = nil
		case "runner: got segment":
			s.segment(e, e.number())
		case "runner: put segment":
			s.same(e, s.wait(s.channel(http.MethodPost, "-out/"+e.number(), "output")), http.StatusOK, e.Data[3])
		case "runner: control message":
			s.message(e)
		default:
			t.Errorf("%s is not replayed", e.Event)
		}
	}
	eventually(t, func() bool { return s.hub.Len() == 0 })
	s.free()
}

// number is the first that belongs to an event.
func (e *runnerEvent) number() string { return strings.Trim(string(e.Data[0]), `"`) }

// segment has the gateway write a segment and the runner read it: the first one while it waits, the others when they
// were written.
func (s *runnerSide) segment(e *runnerEvent, number string) {
	s.t.Helper()
	s.wait(s.channel(http.MethodPost, "/"+number, "input"))
	if number != "0" {
		s.input = s.read("", number)
	}
	got := s.wait(s.input)
	s.same(e, got, http.StatusOK, e.Data[2])
	if got.body != "input" {
		s.t.Errorf("%s: %q", e.Event, got.body)
	}
}

// message has the gateway write a message, which the runner waits for.
func (s *runnerSide) message(e *runnerEvent) {
	s.t.Helper()
	var text string
	if err := json.Unmarshal(e.Data[1], &text); err != nil {
		s.t.Fatal(err)
	}
	s.wait(s.channel(http.MethodPost, "-control/"+e.number(), text))
	if got := s.wait(s.control); got.body != text || got.header.Get("Lp-Trickle-Seq") != e.number() ||
		got.header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%s: %+v, want %s", e.Event, got, text)
	}
	s.next++
	s.control = s.read("-control", fmt.Sprint(s.next))
}

// endInput has the gateway close the input, after the segments that the runner did not write down.
func (s *runnerSide) endInput(e *runnerEvent) {
	s.t.Helper()
	var want struct {
		Number int64 `json:"Lp-Trickle-Seq,string"`
	}
	if err := json.Unmarshal(e.Data[1], &want); err != nil {
		s.t.Fatal(err)
	}
	if c := s.hub.Channel(s.id); c.Next() < want.Number {
		for c.Next() < want.Number {
			write(s.t, c)
		}
		s.input = s.read("", fmt.Sprint(want.Number))
	}
	s.wait(s.channel(http.MethodDelete, "", ""))
	s.same(e, s.wait(s.input), http.StatusOK, e.Data[1])
}

// sameRequest compares the request that the runner got.
func (s *runnerSide) sameRequest(want json.RawMessage) {
	s.t.Helper()
	text := strings.NewReplacer("<id8-1>", "0011aabb", "<id8-2>", s.id).Replace(string(want))
	var a, b any
	if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(s.sent, &b) != nil || !reflect.DeepEqual(a, b) {
		s.t.Errorf("the runner got %s, want %s", s.sent, text)
	}
}
