package aiworkers_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
)

// Workers of the existing network, scripted after its wire format.

func TestRegistrationIsRefused(t *testing.T) {
	b := newBench(t, nil)
	req := offer(llm("m"), 1, true)
	req.Secret = "wrong"
	_, err := b.register(req).stream.Recv()
	if s := status.Convert(err); s.Message() != "invalid secret" || s.Code() == codes.Canceled {
		t.Errorf("wrong secret: %v", err)
	}
	req = offer(llm("m"), 1, true)
	req.Capabilities.Version = "0.9.0"
	if _, err := b.register(req).stream.Recv(); err != io.EOF {
		t.Errorf("too old: %v", err)
	}
	req = offer(llm(strings.Repeat("m", 400)), 1, true)
	if _, err := b.register(req).stream.Recv(); err == nil || status.Code(err) == codes.Canceled {
		t.Errorf("long name: %v", err)
	}
	if len(b.pool.Workers()) != 0 {
		t.Errorf("%+v", b.pool.Workers())
	}
}

func TestEverySecretIsTaken(t *testing.T) {
	b := newBench(t, nil)
	req := offer(llm("m"), 1, true)
	req.Secret = "the old one"
	b.register(req)
	b.has(llm("m"), 1)
}

func TestModelsComeAndGo(t *testing.T) {
	b := newBench(t, nil)
	first := b.register(offer(llm("m"), 2, true))
	b.has(llm("m"), 2)
	b.register(offer(llm("m"), 3, true))
	b.register(offer(llm("cold"), 1, false))
	b.has(llm("m"), 5)
	b.has(llm("cold"), 1)
	for _, s := range b.pool.Models() {
		want := inference.Ready
		if s.Model.ID == "cold" {
			want = inference.Absent
		}
		if s.State != want || !s.Offered() || s.RunnerVersion != "0.1.0" {
			t.Errorf("%+v", s)
		}
	}
	first.close()
	b.has(llm("m"), 3)
}

func TestChatOfTheNetwork(t *testing.T) {
	b := newBench(t, nil)
	h := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	n := h.next()
	input, fields := h.request(n)
	if n.GetAIJobData().GetPipeline() != "llm" || input != "" || fields["model"] != "m" ||
		fields["max_tokens"] != 16.0 || fields["seed"] != nil || n.GetJob() != nil {
		t.Errorf("%s", n.GetAIJobData().GetRequestData())
	}
	kind, body := mixed(part{"Content-Type: application/json\r\nContent-Length: 11", `{"id":"abc"}`})
	if code, text := b.post(n.GetTaskId(), kind, body, nil); code != 200 || text != "OK" {
		t.Errorf("%d %s", code, text)
	}
	out := <-done
	if out.err != nil || out.text !=
		`{"id":"abc"}` || out.reply.ContentType != "application/json" || out.reply.Worker != "127.0.0.1" {
		t.Errorf("%+v", out)
	}
	// Again: no caller waits any more, and the network's workers are not notified.
	_, body = mixed(part{"Content-Type: application/json", `{}`})
	if code, text := b.post(n.GetTaskId(), kind, body, nil); code != 200 || text != "OK" {
		t.Errorf("a second time: %d %s", code, text)
	}
}

func TestStreamOfTheNetwork(t *testing.T) {
	b := newBench(t, nil)
	h := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	r, w := io.Pipe()
	posted := make(chan int, 1)
	go func() {
		n := h.next()
		code, _ := b.post(n.GetTaskId(), "text/event-stream", r, nil)
		posted <- code
	}()
	go func() { _, _ = io.WriteString(w, "data: {\"a\":1}\n\n") }()
	reply, err := slot.Run(t.Context(), chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"data: {\"a\":1}\n\n", "data: {\"a\":2}\n\n"} {
		got := make([]byte, len(text))
		if _, err := io.ReadFull(reply.Body, got); err != nil || string(got) != text {
			t.Fatalf("%q, %v", got, err)
		}
		if text[len(text)-4] == '1' {
			_, _ = io.WriteString(w, "data: {\"a\":2}\n\n")
		}
	}
	w.Close()
	if _, err := reply.Body.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
	reply.Body.Close()
	if code := <-posted; code != 200 {
		t.Error(code)
	}
}

func TestImageOfTheNetwork(t *testing.T) {
	b := newBench(t, nil)
	model := inference.Model{Capability: capability.ImageToImage, ID: "m"}
	h := b.register(offer(model, 1, true))
	b.has(model, 1)
	form, kind := imageForm(t)
	done := b.start(&inference.Job{Model: model, Operation: "image-to-image", Body: form, ContentType: kind})
	n := h.next()
	input, fields := h.request(n)
	if v, there := fields["image"]; !there || v != nil || fields["strength"] != 0.5 || fields["safety_check"] != true ||
		fields["seed"] != 42.0 || fields["prompt"] != "p" {
		t.Errorf("%s", n.GetAIJobData().GetRequestData())
	}
	res, err := b.http.Get(input)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(file) != "image bytes" {
		t.Errorf("input: %d %q", res.StatusCode, file)
	}
	kind, body := mixed(
		part{"Content-Type: image/png\r\nContent-Length: 4\r\nContent-Disposition: attachment; filename=0a1b2c3d.png",
			"\x89PNG"},
		part{"Content-Type: application/" +
			"json", `{"images":[{"url":"0a1b2c3d.png","seed":18446744073709551615,"nsfw":false}]}`})
	b.post(n.GetTaskId(), kind, body, nil)
	out := <-done
	if out.err != nil {
		t.Fatal(out.err)
	}
	var a struct {
		Images []struct {
			URL  string
			Seed json.Number
		}
	}
	if err := json.Unmarshal([]byte(out.text), &a); err != nil || len(a.Images) != 1 ||
		a.Images[0].URL != "data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte("\x89PNG")) ||
		a.Images[0].Seed != "18446744073709551615" {
		t.Errorf("%s", out.text)
	}
	if res, err := b.http.Get(input); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("the input stays: %v %v", res, err)
	} else {
		res.Body.Close()
	}
}

func imageForm(t *testing.T) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	p, err := w.CreateFormFile("image", "i.png")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(p, "image bytes")
	for _, f := range [][2]string{{"model_id", "m"}, {"prompt", "p"}, {"strength", "0.500000"}, {"safety_check", "true"},
		{"seed", "42"}} {
		_ = w.WriteField(f[0], f[1])
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

func TestErrorsOfTheNetwork(t *testing.T) {
	for text, want := range map[string]fault.Code{
		"llm container returned 400: too long":   fault.JobUnreadable,
		"no workers can process job requested":   fault.AIWorkerBusy,
		"CUDA out of memory":                     fault.RunnerOutOfMemory,
		"something else":                         fault.AIWorkerFailed,
		"":                                       fault.AIWorkerFailed,
		"llm container returned 500: it is sick": fault.AIWorkerFailed,
	} {
		t.Run(text, func(t *testing.T) {
			b := newBench(t, nil)
			h := b.register(offer(llm("m"), 1, true))
			b.has(llm("m"), 1)
			done := b.start(chat(llm("m"), false))
			b.post(h.next().GetTaskId(), "livepeer/ai-worker-error", strings.NewReader(text), nil)
			if out := <-done; fault.CodeOf(out.err) != want {
				t.Errorf("%v", out.err)
			}
			b.until("the slot is given back", func() bool { return b.pool.Models()[0].InUse == 0 })
		})
	}
}

func TestABusyWorkerIsPassedOver(t *testing.T) {
	b := newBench(t, nil)
	first := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	second := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 2)
	done := b.start(chat(llm("m"), false))
	b.post(first.next().GetTaskId(), "livepeer/ai-worker-error",
		strings.NewReader("no workers can process job requested"), nil)
	kind, body := mixed(part{"Content-Type: application/json", `{}`})
	b.post(second.next().GetTaskId(), kind, body, nil)
	if out := <-done; out.err != nil || out.reply.Worker != "127.0.0.1-2" {
		t.Errorf("%+v", out)
	}
}

func TestALostWorkersJobGoesToAnother(t *testing.T) {
	b := newBench(t, nil)
	first := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	first.next()
	second := b.register(offer(llm("m"), 1, false))
	b.has(llm("m"), 2)
	first.close()
	kind, body := mixed(part{"Content-Type: application/json", `{}`})
	b.post(second.next().GetTaskId(), kind, body, nil)
	if out := <-done; out.err != nil {
		t.Error(out.err)
	}
	b.has(llm("m"), 1)
}

func TestTheOnlyWorkerIsLost(t *testing.T) {
	b := newBench(t, nil)
	h := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	h.next()
	h.close()
	if out := <-done; fault.CodeOf(out.err) != fault.AIWorkerLost {
		t.Error(out.err)
	}
	if _, err := b.pool.Reserve(t.Context(), llm("m"), ""); fault.CodeOf(err) != fault.ModelNotServed {
		t.Error(err)
	}
}

func TestASilentWorkerIsDropped(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.Limits.Whole = 50e6 })
	h := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	h.next()
	if out := <-done; fault.CodeOf(out.err) != fault.AIWorkerSilent {
		t.Error(out.err)
	}
	if _, err := h.stream.Recv(); err != io.EOF {
		t.Errorf("the registration: %v", err)
	}
}

func TestRepliesToResults(t *testing.T) {
	b := newBench(t, nil)
	set := func(k, v string) func(http.Header) { return func(h http.Header) { h.Set(k, v) } }
	for name, row := range map[string]struct {
		kind   string
		change func(http.Header)
		code   int
		text   string
	}{
		"secret":       {"multipart/mixed; boundary=x", set("Credentials", "wrong"), 401, "invalid secret"},
		"marker":       {"multipart/mixed; boundary=x", set("Authorization", "Basic"), 401, "Unauthorized"},
		"task":         {"multipart/mixed; boundary=x", set("TaskId", "many"), 400, "Invalid Task ID"},
		"content type": {"a/b; c", nil, 415, "mime: invalid media parameter"},
		"unknown":      {"multipart/mixed; boundary=x", nil, 200, "OK"},
		"unknown, own": {"application/json", set("Tutti-Status", "200"), 410, "no job waits for it"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, text := b.post(77, row.kind, strings.NewReader("x"), row.change); code != row.code || text != row.text {
				t.Errorf("%d %q", code, text)
			}
		})
	}
}

func TestABrokenResultFailsItsJob(t *testing.T) {
	for name, parts := range map[string][]part{
		"no JSON": {{"Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png", "x"}},
		"no name": {{"Content-Type: image/png", "x"}, {"Content-Type: application/json", "{}"}},
		"odd type": {{"Content-Type: text/html\r\nContent-Disposition: attachment; filename=a.html", "x"},
			{"Content-Type: application/json", "{}"}},
		"twice JSON": {{"Content-Type: application/json", "{}"}, {"Content-Type: application/json", "{}"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			h := b.register(offer(llm("m"), 1, true))
			b.has(llm("m"), 1)
			done := b.start(chat(llm("m"), false))
			kind, body := mixed(parts...)
			if code, _ := b.post(h.next().GetTaskId(), kind, body, nil); code != 500 {
				t.Error(code)
			}
			if out := <-done; fault.CodeOf(out.err) != fault.AIWorkerGarbled {
				t.Error(out.err)
			}
		})
	}
}

func TestOperationsThatNoWorkerHas(t *testing.T) {
	b := newBench(t, nil)
	b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	job := chat(llm("m"), false)
	job.Operation = inference.Embedding
	if out := <-b.start(job); fault.CodeOf(out.err) != fault.OperationUnsupported {
		t.Error(out.err)
	}
}
