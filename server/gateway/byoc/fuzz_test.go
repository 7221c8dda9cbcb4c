package byoc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// Any header is a job that can be signed and sent, or is refused with a code.
func FuzzJob(f *testing.F) {
	for _, s := range []string{"", "{}", `{"request":"{}","parameters":"{}","capability":"c","timeout_seconds":1}`,
		`{"request":"{}","parameters":"{\"orchestrators\":{\"include\":[\"x\"]}}","capability":"c","timeout_seconds":1e9}`,
		`{"request":" {\"a\":\"\u0001\"} ","capability":"a,b","timeout_seconds":5}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := parseJob(base64.StdEncoding.EncodeToString(data))
		if err != nil {
			if fault.CodeOf(err) != fault.CapabilityJobInvalid {
				t.Error(err)
			}
			return
		}
		if !json.Valid([]byte(j.request)) || j.parameters != "" && !json.Valid([]byte(j.parameters)) || j.seconds <= 0 ||
			j.seconds > maxTimeout || strings.ContainsAny(j.capability, ",\r\n\x00") || j.capability == "" {
			t.Errorf("%+v", j)
		}
		j.allows("https://127.0.0.1:8935")
		st := &stream{job: j, id: "s"}
		if err := st.nameRequest(); err == nil && !strings.Contains(st.job.request, `"stream_id":"s"`) {
			t.Error(st.job.request)
		}
	})
}

// The end of an event stream is the same however its bytes are cut, and nothing before it is lost.
func FuzzLastEvent(f *testing.F) {
	f.Add([]byte("data: 1\n\ndata: [DONE]\n\n\n"), 3)
	f.Add([]byte("data:[DONE]\r\nx"), 1)
	f.Add([]byte("data: [DONE"), 2)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		if step = max(1, step); step > len(data)+1 {
			step = len(data) + 1
		}
		var whole, cut lastEvent
		n, done := whole.feed(data)
		var got []byte
		gotDone := false
		for rest := data; len(rest) > 0 && !gotDone; {
			piece := rest[:min(step, len(rest))]
			rest = rest[len(piece):]
			var m int
			m, gotDone = cut.feed(piece)
			got = append(got, piece[:m]...)
		}
		if !bytes.Equal(got, data[:n]) || gotDone != done || !done && n != len(data) {
			t.Errorf("%q: %q %v, %q %v", data, got, gotDone, data[:n], done)
		}
	})
}

// Whatever an orchestrator calls a channel, its address is on the orchestrator's own host.
func FuzzChannel(f *testing.F) {
	for _, s := range []string{"http://x/ai/trickle/a", "/a", "//evil/a", "@evil/", "http:///a", ":",
		"https://u:p@h:1/a?b#c", "/..//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, named string) {
		at, err := channelAt("https://own.example:8935", named)
		if err != nil {
			return
		}
		u, err := url.Parse(at)
		if err != nil || u.Host != "own.example:8935" || u.User != nil || u.Scheme != "https" {
			t.Errorf("%q: %q", named, at)
		}
		if _, err := http.NewRequest(http.MethodGet, at, nil); err != nil {
			t.Errorf("%q: %v", at, err)
		}
	})
}

// Data of a worker makes events of one line each, whatever is in it.
func FuzzData(f *testing.F) {
	f.Add([]byte(`{"a":1}`))
	f.Add([]byte("a\rdata: b"))
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil) // it ends a line
		d := readers{most: 1, memory: &memory{limit: 1 << 30, by: make(map[string]int64)}}
		r, _ := d.join()
		d.send(line)
		events, _ := r.take()
		if len(bytes.TrimSpace(line)) == 0 {
			if len(events) != 0 {
				t.Errorf("%q", events)
			}
			return
		}
		if !bytes.HasPrefix(events, []byte("data: ")) || !bytes.HasSuffix(events, []byte("\n\n")) ||
			bytes.Count(events, []byte("\n")) != 2 || bytes.ContainsRune(events, '\r') {
			t.Errorf("%q", events)
		}
	})
}
