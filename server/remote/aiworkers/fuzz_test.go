package aiworkers_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/rpc"
)

// Whatever a worker says of itself, what is taken of it is bounded.
func FuzzRegistration(f *testing.F) {
	own := offer(llm("m"), 1, true)
	own.Node, own.Worker, own.Instance = "tutti/1", "rig", "i"
	own.Models = []*rpc.WorkerModel{
		{Capability: 33, ModelId: "m", State: "ready", Capacity: 7, Operations: []string{"chat", "embedding"}, Context: -1,
			Devices: []string{"0"}},
		{Capability: 27, ModelId: "n", State: "what", Reason: "a\nb"},
	}
	for _, req := range []*rpc.RegisterAIWorkerRequest{own, offer(llm("m"), 1<<31, false), {}} {
		b, err := proto.Marshal(req)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		req := new(rpc.RegisterAIWorkerRequest)
		if proto.Unmarshal(data, req) != nil {
			return
		}
		models, err := aiworkers.ReadRegistration(req)
		if err != nil {
			if fault.CodeOf(err) != fault.AIWorkerRefused {
				t.Fatal(err)
			}
			return
		}
		for _, s := range models {
			_, known := pipeline.Lookup(s.Model.Capability)
			if !known || s.Model.ID == "" || len(s.Model.ID) > pm.MaxModelID || !utf8.ValidString(s.Model.ID) ||
				s.Capacity < 0 || s.Capacity > 1<<16 || len(s.Reason) > 512 || len(s.Devices) > 64 || s.Context < 0 ||
				len(s.RunnerVersion) > 64 {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// An answer in parts becomes JSON, or nothing.
func FuzzMixed(f *testing.F) {
	_, body := mixed(
		part{"Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png", "x"},
		part{"Content-Type: application/" +
			"json", `{"images":[{"url":"a.png","seed":18446744073709551615},{"url":1}],"audio":{"url":"a.png"}}`})
	f.Add(body.Bytes())
	f.Add([]byte("--0123456789abcdef0123--"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := aiworkers.JoinParts(data, "0123456789abcdef0123")
		if err == nil && !json.Valid(out) {
			t.Fatalf("%q", out)
		}
	})
}

// What workers of the network get about a job is JSON, whatever a client sent.
func FuzzNetworkRequest(f *testing.F) {
	f.Add(33, []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":5}`), "application/json")
	f.Add(27, []byte(`{"model_id":"m","prompt":"p"}`), "application/json")
	form := "--b\r\nContent-Disposition: form-data; name=\"image\"; " +
		"filename=\"i\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"seed\"\r\n\r\n4.0\r\n--b--\r\n"
	f.Add(28, []byte(form), "multipart/form-data; boundary=b")
	f.Fuzz(func(t *testing.T, id int, body []byte, kind string) {
		job := &inference.Job{Model: inference.Model{Capability: capability.ID(id), ID: "m"}, Body: body, ContentType: kind}
		request, _, err := aiworkers.NetworkRequest(job)
		if err == nil && !json.Valid(request) {
			t.Fatalf("%q", request)
		}
	})
}

// scattered gives a text in pieces, and breaks off after it if it is broken.
type scattered struct {
	text   []byte
	cuts   []byte
	broken bool
}

func (s *scattered) Read(p []byte) (int, error) {
	if len(s.text) == 0 {
		if s.broken {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	}
	n := len(s.text)
	if len(s.cuts) > 0 {
		n, s.cuts = min(n, int(s.cuts[0])), s.cuts[1:]
	}
	n = copy(p, s.text[:n])
	s.text = s.text[n:]
	return n, nil
}

// A stream reaches its job byte for byte, however it comes, and one that breaks off
// never looks whole.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {}\n\ndata: [DONE]\n\n"), []byte{3, 0, 9}, 4, false)
	f.Add([]byte{}, []byte{0}, 1, false)
	f.Add([]byte("data: x"), []byte{}, 100, true)
	f.Fuzz(func(t *testing.T, text, cuts []byte, size int, broken bool) {
		got, err := aiworkers.Through(&scattered{text, cuts, broken}, size&0xffff)
		switch {
		case len(text) == 0:
			if fault.CodeOf(err) != fault.AIWorkerLost {
				t.Fatal(err)
			}
		case broken != (err != nil) || !bytes.Equal(got, text):
			t.Fatalf("%q, %v", got, err)
		case broken && fault.CodeOf(err) != fault.StreamBroken:
			t.Fatal(err)
		}
	})
}

// A worker's failure is a fault with a code of the table and a public text of one line.
func FuzzFailure(f *testing.F) {
	f.Add("", "llm container returned 400: no")
	f.Add("RunnerOutOfMemory", "out of memory")
	f.Add("Unexpected", "panic\nat")
	f.Fuzz(func(t *testing.T, code, text string) {
		err := aiworkers.Failure(fault.Code(code), text)
		if _, known := fault.Lookup(fault.CodeOf(err)); !known || fault.ClassOf(err) == fault.Internal {
			t.Fatalf("%v", err)
		}
	})
}
