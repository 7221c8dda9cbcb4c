package orchestrate_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestArtifactsAreBounded(t *testing.T) {
	t.Parallel()
	clk := coretest.NewClock(time.Unix(1_700_000_000, 0))
	a := orchestrate.NewArtifacts(100, clk.Now)
	put := func(n int) orchestrate.ArtifactPath {
		t.Helper()
		p, err := a.Put(rand.Reader, "job", "png", make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, second := put(40), put(40)
	_, err := a.Put(rand.Reader, "job", "png", make([]byte, 50))
	wantCode(t, err, fault.ArtifactsFull) // both may still be on their way to a gateway
	clk.Forward(4 * time.Second)
	third := put(50)
	if _, ok := a.Get(first); ok {
		t.Error("the oldest did not make room")
	}
	if _, ok := a.Get(second); !ok || a.Bytes() != 90 {
		t.Errorf("%d bytes", a.Bytes())
	}
	_, err = a.Put(rand.Reader, "job", "png", make([]byte, 101))
	wantCode(t, err, fault.ArtifactsFull)
	if fault.Wire(err) != "Could not create storage to receive results" {
		t.Error(fault.Wire(err))
	}
	_, err = a.Put(rand.Reader, "job", "exe", nil)
	wantCode(t, err, fault.ArtifactsFull)
	_, err = a.Put(failing{}, "job", "png", nil)
	wantCode(t, err, fault.Unexpected)

	clk.Forward(10*time.Minute - time.Second)
	a.Sweep(clk.Now())
	if _, ok := a.Get(third); !ok {
		t.Error("gone before its time")
	}
	clk.Forward(time.Second)
	a.Sweep(clk.Now())
	if a.Bytes() != 0 {
		t.Errorf("%d bytes after ten minutes", a.Bytes())
	}
}

func TestAwaitArtifacts(t *testing.T) {
	t.Parallel()
	clk := coretest.NewClock(time.Unix(1_700_000_000, 0))
	a := orchestrate.NewArtifacts(100, clk.Now)
	p, err := a.Put(rand.Reader, "job", "png", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.AwaitFetched(ctx); err == nil {
		t.Error("did not wait for unfetched artifacts")
	}
	done := make(chan error, 1)
	go func() { done <- a.AwaitFetched(t.Context()) }()
	a.Get(p)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := a.Put(rand.Reader, "job", "png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	clk.Forward(time.Minute)
	if err := a.AwaitFetched(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestKeepArtifact(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Rand = rand.Reader })
	url, err := n.KeepArtifact("job-1", "wav", []byte("sound"))
	if err != nil {
		t.Fatal(err)
	}
	path, ok := strings.CutPrefix(url, serviceURI+"/stream/job-1/")
	if !ok || len(path) != len("000000000000000000000000.wav") {
		t.Fatal(url)
	}
	p, ok := orchestrate.ParseArtifactPath("job-1/" + path)
	if !ok || p.MIME() != "audio/wav" {
		t.Fatalf("%+v", p)
	}
	if data, err := n.Artifact(p); err != nil || !bytes.Equal(data, []byte("sound")) {
		t.Errorf("%q, %v", data, err)
	}
	p.ID = "00000000"
	_, err = n.Artifact(p)
	wantCode(t, err, fault.ResultNotFound)
}

func TestArtifactPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"job/0123abcd.png": true, "a.b-c_d/0123abcd.mp4": true, "job/0123456789abcdef01234567.png": true,
		"": false, "job": false, "job/": false, "/0123abcd.png": false, "../0123abcd.png": false,
		"job/0123ABCD.png": false, "job/0123abc.png": false, "job/0123abcd.exe": false,
		"job/0123abcd.png/x": false, "j ob/0123abcd.png": false, "0123abcd/p/7.ts": false,
	} {
		p, ok := orchestrate.ParseArtifactPath(text)
		if ok != want || ok && p.String() != text {
			t.Errorf("%q: %v, %q", text, ok, p)
		}
	}
}
