package backend

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

func fuzzed(f *testing.F) *Server {
	s, err := New(Options{URL: "http://127.0.0.1:1", Model: "m", Pipeline: capability.LLM})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzPull reads the messages of a server that fetches a model.
func FuzzPull(f *testing.F) {
	f.Add(200, `{"status":"pulling","digest":"sha256:a","total":9,"completed":3}`+"\n"+`{"status":"success"}`)
	f.Add(200, `{"digest":"a","total":9223372036854775807}`+"\n"+
		`{"digest":"b","total":9223372036854775807,"completed":-1}`)
	f.Add(500, `{"error":"no \u001b[2J disk"}`)
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, status int, lines string) {
		p := ollamaPull{server: s, name: "m", status: status, layers: make(map[string]PullProgress)}
		for line := range strings.SplitSeq(lines, "\n") {
			now, err := p.add([]byte(line))
			if err != nil {
				if code := fault.CodeOf(err); code.Class() == fault.Internal || strings.Contains(err.Error(), "\x1b") {
					t.Fatalf("%q: %v", line, err)
				}
				return
			}
			if now.Done < 0 || now.Total < now.Done {
				t.Fatalf("%q: %+v", line, now)
			}
		}
	})
}

// FuzzRefusal reads the errors of model servers: each is the client's mistake or a fault of the table.
func FuzzRefusal(f *testing.F) {
	f.Add(500, []byte(`{"detail":[{"loc":["body","a",1],"msg":"out of memory"}]}`), "7")
	f.Add(404, []byte(`{"error":{"message":"model not found"}}`), "")
	f.Add(429, []byte("busy\n"), "99999999999999999999")
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, status int, body []byte, after string) {
		code, failed := s.refusal(status, body)
		if _, known := fault.Lookup(code); failed != known || !failed && !clientError(status) {
			t.Errorf("status %d is %q, %v", status, code, failed)
		}
		if d, ok := retryAfter(after); d < 0 || d > maxRetryAfter || ok != (d > 0) {
			t.Errorf("%q is %v", after, d)
		}
	})
}
