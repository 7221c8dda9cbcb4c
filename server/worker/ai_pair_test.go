package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Our two sides against each other, over a real listener.

func TestPairWhole(t *testing.T) {
	form, formType := multipartBody(t, "image", "image bytes")
	sound, soundType := multipartBody(t, "audio", "sound bytes")
	image := inference.Model{Capability: capability.ImageToImage, ID: "m"}
	audio := inference.Model{Capability: capability.AudioToText, ID: "m"}
	embed := chat(llm("m"), false)
	embed.Operation, embed.Body = inference.Embedding, []byte(`{"model":"m","input":"a"}`)
	for name, job := range map[string]*inference.Job{
		"chat":      chat(llm("m"), false),
		"embedding": embed,
		"image":     {Model: image, Operation: "image-to-image", Body: form, ContentType: formType, Units: 5},
		"audio":     {Model: audio, Operation: "audio-to-text", Body: sound, ContentType: soundType, Units: 7},
	} {
		t.Run(name, func(t *testing.T) {
			p, addr := newPool(t)
			m := newModels(job.Model, 1)
			newRig(t, "rig9", addr, m)
			has(t, p, job.Model, 1)
			reply, text := whole(t, p, job)
			if text != `{"ok":true}` || reply.Status != 200 || reply.ContentType !=
				"application/json" || reply.Length != 11 || reply.Worker != "rig9 box" {
				t.Fatalf("%q %+v", text, reply)
			}
			got := m.seen()[0]
			if !bytes.Equal(got.Body, job.Body) || got.ContentType != job.ContentType || got.Operation != job.Operation ||
				got.Units != job.Units || got.RequestID != job.RequestID || got.MaxTokens != job.MaxTokens {
				t.Errorf("the runner got %+v", got)
			}
		})
	}
}

func TestPairMistakeOfTheClient(t *testing.T) {
	p, addr := newPool(t)
	m := newModels(llm("m"), 1)
	m.run = says(422, "application/json", `{"detail":"no"}`)
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	if reply, text := whole(t, p, chat(llm("m"), false)); reply.Status != 422 || text != `{"detail":"no"}` {
		t.Errorf("%d %s", reply.Status, text)
	}
}

func TestPairFailure(t *testing.T) {
	p, addr := newPool(t)
	m := newModels(llm("m"), 1)
	m.run = func(context.Context, *inference.Job) (*inference.Reply, error) {
		return nil, fault.New(fault.RunnerOutOfMemory, "", "LLM container returned 500: out of memory")
	}
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	_, _, err := do(t.Context(), p, chat(llm("m"), false))
	if fault.CodeOf(err) != fault.RunnerOutOfMemory {
		t.Errorf("%v", err)
	}
	free(t, p, 0)
}

// free waits until so many slots are in use.
func free(t *testing.T, w inference.Worker, inUse int) {
	t.Helper()
	aiUntil(t, "slots are given back", func() bool { return w.Models()[0].InUse == inUse })
}

func TestPairStream(t *testing.T) {
	p, addr := newPool(t)
	m, w := newModels(llm("m"), 1), newWriter()
	m.run = w.run
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	first := "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	go func() { <-w.begun; _, _ = io.WriteString(w.w, first) }()
	reply, slot, err := do(t.Context(), p, chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	expect(t, reply.Body, first)
	for _, piece := range []string{"data: second\n\n", "data: [DONE]\n\n"} {
		w.say(t, piece)
		// It comes while the runner still writes, and is not read.
		expect(t, reply.Body, piece)
	}
	w.w.Close()
	if n, err := reply.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
	select {
	case <-w.closed:
	case <-time.After(30 * time.Second):
		t.Error("the runner's answer was not closed")
	}
}

func expect(t *testing.T, r io.Reader, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != text {
		t.Fatalf("got %q, %v; want %q", got, err, text)
	}
}

func TestPairCancelEndsTheRunnersWork(t *testing.T) {
	for name, cancelBy := range map[string]func(cancel func(), reply *inference.Reply){
		"close":   func(_ func(), reply *inference.Reply) { _ = reply.Body.Close() },
		"context": func(cancel func(), _ *inference.Reply) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			p, addr := newPool(t)
			m, w := newModels(llm("m"), 1), newWriter()
			m.run = w.run
			newRig(t, "rig9", addr, m)
			has(t, p, llm("m"), 1)
			go func() { <-w.begun; _, _ = io.WriteString(w.w, "data: x\n\n") }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			reply, slot, err := do(ctx, p, chat(llm("m"), true))
			if err != nil {
				t.Fatal(err)
			}
			defer slot.Release()
			defer reply.Body.Close()
			expect(t, reply.Body, "data: x\n\n")
			cancelBy(cancel, reply)
			select {
			case <-w.closed:
			case <-time.After(30 * time.Second):
				t.Fatal("the runner works on")
			}
		})
	}
}

func TestPairCancelBeforeTheFirstByte(t *testing.T) {
	p, addr := newPool(t)
	m := newModels(llm("m"), 1)
	begun, ended := make(chan struct{}), make(chan struct{})
	m.run = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, _, err := do(ctx, p, chat(llm("m"), false))
	if fault.CodeOf(err) != fault.Canceled {
		t.Errorf("%v", err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the runner works on")
	}
	free(t, p, 0)
}

func TestPairLostWorkerBeforeTheFirstByte(t *testing.T) {
	p, addr := newPool(t)
	way := newCable(t, addr)
	bad := newModels(llm("m"), 1)
	bad.run = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		way.cut()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	newRig(t, "rig1", way.addr(), bad)
	has(t, p, llm("m"), 1)
	newRig(t, "rig2", addr, newModels(llm("m"), 1))
	has(t, p, llm("m"), 2)
	reply, _ := whole(t, p, chat(llm("m"), false))
	if len(bad.seen()) != 1 || reply.Worker != "rig2 box" {
		t.Errorf("%d jobs at the first, answered by %s", len(bad.seen()), reply.Worker)
	}
	has(t, p, llm("m"), 1)
	free(t, p, 0)
}

func TestPairLostWorkerAfterTheFirstByte(t *testing.T) {
	p, addr := newPool(t)
	way := newCable(t, addr)
	m, w := newModels(llm("m"), 1), newWriter()
	m.run = w.run
	newRig(t, "rig1", way.addr(), m)
	has(t, p, llm("m"), 1)
	go func() { <-w.begun; _, _ = io.WriteString(w.w, "data: x\n\n") }()
	reply, slot, err := do(t.Context(), p, chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	expect(t, reply.Body, "data: x\n\n")
	way.cut()
	_, err = reply.Body.Read(make([]byte, 10))
	if fault.CodeOf(err) != fault.StreamBroken {
		t.Errorf("%v", err)
	}
}

func TestPairAJobLostOnTheWay(t *testing.T) {
	p, addr := newPool(t)
	way := newCable(t, addr)
	m := newModels(llm("m"), 1)
	newRig(t, "rig1", way.addr(), m)
	has(t, p, llm("m"), 1)
	way.drop()
	// The orchestrator sends it into a connection that is dead, and hears of that when
	// the worker is back over another.
	if reply, _ := whole(t, p, chat(llm("m"), false)); reply.Worker != "rig1 box" {
		t.Error(reply.Worker)
	}
	if len(p.Workers()) != 1 {
		t.Errorf("%+v", p.Workers())
	}
}

func TestPairTwoWorkersThreeClients(t *testing.T) {
	p, addr := newPool(t)
	release := make(chan struct{})
	slow := func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return says(200, "application/json", "{}")(ctx, job)
	}
	first, second := newModels(llm("m"), 1), newModels(llm("m"), 1)
	first.run, second.run = slow, slow
	newRig(t, "rig1", addr, first)
	newRig(t, "rig2", addr, second)
	has(t, p, llm("m"), 2)
	results := make(chan error, 3)
	for range 3 {
		go func() {
			reply, slot, err := do(t.Context(), p, chat(llm("m"), false))
			if err == nil {
				_, err = io.ReadAll(reply.Body)
				err = errors.Join(err, reply.Body.Close())
				slot.Release()
			}
			results <- err
		}()
	}
	aiUntil(t, "two run and one waits", func() bool {
		s := p.Models()[0]
		return s.InUse == 2 && s.Waiting == 1 && len(first.seen()) == 1 && len(second.seen()) == 1
	})
	close(release)
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := len(first.seen()) + len(second.seen()); n != 3 {
		t.Errorf("%d jobs", n)
	}
}

func TestPairStatesAndReRegistration(t *testing.T) {
	p, addr := newPool(t)
	m, w := newModels(llm("m"), 1), newWriter()
	m.run = w.run
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	go func() { <-w.begun; _, _ = io.WriteString(w.w, "data: x\n\n") }()
	reply, slot, err := do(t.Context(), p, chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	expect(t, reply.Body, "data: x\n\n")
	m.change(func(s *inference.ModelState) { s.Capacity = 3 })
	has(t, p, llm("m"), 3)
	want := inference.Features{Has: inference.Tools | inference.JSONSchema, Lacks: inference.Vision}
	if s := p.Models()[0]; s.Features != want || s.Context != 4096 {
		t.Errorf("it can do %+v with a context of %d", s.Features, s.Context)
	}
	m.change(func(s *inference.ModelState) {
		s.State, s.Code, s.Reason = inference.Failed, fault.RunnerOutOfMemory, "too large"
	})
	aiUntil(t, "the failure is known", func() bool {
		s := p.Models()[0]
		return s.State == inference.Failed && s.Code == fault.RunnerOutOfMemory && s.Reason == "too large" &&
			s.Devices[0] == "rig9 0"
	})
	if _, err := p.Reserve(t.Context(), llm("m"), ""); fault.CodeOf(err) != fault.ModelFailed {
		t.Errorf("%v", err)
	}
	if len(p.Workers()) != 1 {
		t.Errorf("%+v", p.Workers())
	}
	// The job that ran meanwhile goes on.
	w.say(t, "data: y\n\n")
	expect(t, reply.Body, "data: y\n\n")
	w.w.Close()
	if _, err := io.ReadAll(reply.Body); err != nil {
		t.Error(err)
	}
}

func TestPairDrain(t *testing.T) {
	p, addr := newPool(t)
	m, w := newModels(llm("m"), 2), newWriter()
	m.run = w.run
	r := newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 2)
	go func() { <-w.begun; _, _ = io.WriteString(w.w, "data: x\n\n") }()
	reply, slot, err := do(t.Context(), p, chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	drained := make(chan error, 1)
	go func() { drained <- r.loop.Drain(t.Context()) }()
	aiUntil(t, "the orchestrator knows", func() bool { return p.Models()[0].State == inference.Draining })
	if _, err := p.Reserve(t.Context(), llm("m"), ""); fault.ClassOf(err) != fault.Busy {
		t.Errorf("%v", err)
	}
	w.w.Close()
	if text, err := io.ReadAll(reply.Body); err != nil || string(text) != "data: x\n\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
	aiUntil(t, "the worker is gone", func() bool { return len(p.Models()) == 0 })
}

func multipartBody(t testing.TB, file, content string) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(file, "f.bin")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	for _, f := range [][2]string{{"model_id", "m"}, {"prompt", "p"}, {"strength", "0.500000"}, {"safety_check", "true"},
		{"seed", "42"}} {
		_ = w.WriteField(f[0], f[1])
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}
