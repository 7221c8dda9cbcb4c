package docker_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

// fake is an engine that answers as a test says, for what a real one does not do
// on demand.
type fake struct {
	api     string // version of its API
	present atomic.Bool
	pulls   atomic.Int32
	// pull answers POST /images/create.
	pull http.HandlerFunc
	// info is what it says of itself, created what it was asked to create.
	info    string
	created atomic.Value
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Api-Version", f.api)
	w.Header().Set("Ostype", "linux")
	path := r.URL.Path
	if strings.HasPrefix(path, "/v") {
		_, path, _ = strings.Cut(path[1:], "/")
		path = "/" + path
	}
	switch {
	case path == "/_ping":
	case path == "/info":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, f.info)
	case path == "/containers/create":
		body, _ := io.ReadAll(r.Body)
		f.created.Store(string(body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"Id":"0","Warnings":[]}`)
	case path == "/images/create":
		f.pulls.Add(1)
		f.pull(w, r)
	case strings.HasPrefix(path, "/images/"):
		w.Header().Set("Content-Type", "application/json")
		if f.present.Load() {
			_, _ = w.Write([]byte(`{"Id":"sha256:0"}`))
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message":"No such image: x"}`))
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"message":"client version 1.56 is too new. Maximum supported API version is ` + f.api + `"}`))
	}
}

func openFake(t *testing.T, f *fake) *docker.Engine {
	t.Helper()
	if f.api == "" {
		f.api = "1.41"
	}
	s := httptest.NewServer(f)
	e, err := docker.Open(docker.Options{Host: strings.Replace(s.URL, "http://", "tcp://", 1), Owner: "node"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		s.CloseClientConnections()
		s.Close()
	})
	return e
}

func TestEnginesThatDoNotFit(t *testing.T) {
	t.Parallel()
	e := openFake(t, &fake{api: "1.38"})
	if _, err := e.Ping(t.Context()); !errors.Is(err, fault.DockerIncompatible) {
		t.Error(err)
	}
	if _, err := docker.Open(docker.Options{Host: "not an address"}); !errors.Is(err, fault.DockerMissing) {
		t.Error(err)
	}
}

// An error may come after the status 200, and so may a break.
func TestPullsThatFailLate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want fault.Code
	}{
		"error object": {`{"status":"Pulling fs layer","id":"a"}` + "\r\n" +
			`{"errorDetail":{"message":"write /x: no space left on device"},"error":"write /x: no space left on device"}`,
			fault.DiskFull},
		"denied": {`{"errorDetail":{"message":"denied: requested access to the resource is denied"}}`,
			fault.ImageDenied},
		"no end":         {`{"status":"Pulling fs layer","id":"a"}`, fault.ImagePullFailed},
		"nothing":        {``, fault.ImagePullFailed},
		"not what it is": {`<html>`, fault.ImagePullFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := openFake(t, &fake{pull: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(tt.body)) }})
			err := e.EnsureImage(t.Context(), "a/b:1", nil)
			if f, ok := errors.AsType[*fault.Fault](err); !ok || f.Code != tt.want || !strings.HasPrefix(f.Detail, "a/b:1") {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestOnePullForAll(t *testing.T) {
	t.Parallel()
	const callers = 20
	begun, finish := make(chan struct{}), make(chan struct{})
	f := &fake{}
	f.pull = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"Downloading","progressDetail":{"current":1,"total":4},"id":"a"}` + "\n"))
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-finish
		f.present.Store(true)
	}
	e := openFake(t, f)
	var told, done sync.WaitGroup
	told.Add(callers)
	failures := make(chan error, callers)
	join := func() {
		var once sync.Once
		done.Go(func() {
			failures <- e.EnsureImage(t.Context(), "a/b:1", func(p docker.Progress) {
				if p.String() == "25 % of 0 kB" {
					once.Do(told.Done)
				}
			})
		})
	}
	join()
	<-begun
	for range callers - 1 {
		join()
	}
	told.Wait() // also those who came late
	close(finish)
	done.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Error(err)
		}
	}
	if n := f.pulls.Load(); n != 1 {
		t.Errorf("%d pulls for %d callers", n, callers)
	}
}

// A pull goes on while someone wants it, ends when nobody does, and can begin
// again.
func TestPullEndsWithTheLastCaller(t *testing.T) {
	t.Parallel()
	f := &fake{}
	begun, gone := make(chan struct{}, 2), make(chan struct{}, 2)
	f.pull = func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}
	e := openFake(t, f)
	first, leaveFirst := cancelable(t)
	second, leaveSecond := cancelable(t)
	ended := make(chan error, 2)
	go func() { ended <- e.EnsureImage(first, "a/b:1", nil) }()
	<-begun
	joined := make(chan struct{})
	go func() { close(joined); ended <- e.EnsureImage(second, "a/b:1", nil) }()
	<-joined
	leaveFirst()
	if err := <-ended; fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
	leaveSecond()
	if err := <-ended; fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
	<-gone
	third, leaveThird := cancelable(t)
	go func() { ended <- e.EnsureImage(third, "a/b:1", nil) }()
	<-begun
	leaveThird()
	<-ended
	<-gone
}

func TestCloseEndsPulls(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	e := openFake(t, &fake{pull: func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(begun)
		<-r.Context().Done()
	}})
	ended := make(chan error)
	go func() { ended <- e.EnsureImage(t.Context(), "a/b:1", nil) }()
	<-begun
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	if err := <-ended; fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := e.EnsureImage(t.Context(), "a/b:1", nil); err == nil {
		t.Error("a closed engine pulls")
	}
	if _, more := <-e.Watch(t.Context()); more {
		t.Error("a closed engine watches")
	}
}
