package upstream_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

func TestSubmitConnections(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	refused := listen()
	refused.Close()
	stalled := listen() // the backlog takes the connection, and no server speaks TLS
	t.Cleanup(func() { stalled.Close() })
	closes := server(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	empty := server(t, func(http.ResponseWriter, *http.Request) {})
	cut := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	for name, row := range map[string]struct {
		uri  string
		want fault.Code
	}{
		"refused":               {"https://" + refused.Addr().String(), fault.OrchestratorUnreachable},
		"plain, refused":        {"http://" + refused.Addr().String(), fault.OrchestratorUnreachable},
		"TLS stalls":            {"https://" + stalled.Addr().String(), fault.OrchestratorUnreachable},
		"no answer":             {closes.URL, fault.JobBroke},
		"empty answer":          {empty.URL, fault.JobBroke},
		"ends after the header": {cut.URL, fault.JobBroke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := submit(t, row.uri, "tutti/1"); !errors.Is(err, row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
}

func TestSubmitFirstByteDeadline(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"no header": func(http.ResponseWriter) {},
		"no byte":   func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				close(arrived)
				begin(w)
				<-r.Context().Done()
				close(gone)
			})
			c := client(t, upstream.Options{Limits: inference.Limits{Whole: 500 * time.Millisecond}})
			if _, err := c.Submit(t.Context(), terms(t, c, s.URL, "tutti/1"), job()); !errors.Is(err, fault.JobLate) {
				t.Errorf("%v", err)
			}
			select {
			case <-arrived:
				<-gone // the orchestrator is canceled
			default: // the time was over before it was reached
			}
		})
	}
}

func TestSubmitHasNoLimitAfterTheFirstByte(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-more
		io.WriteString(w, "data: 2\n\n")
	})
	c := client(t, upstream.Options{Limits: inference.Limits{FirstByte: 200 * time.Millisecond}})
	reply, err := c.Submit(t.Context(), terms(t, c, s.URL, "tutti/1"), job())
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	timer := time.AfterFunc(300*time.Millisecond, func() { close(more) })
	defer timer.Stop()
	if body, err := io.ReadAll(iotest.OneByteReader(reply.Body)); err != nil || string(body) != "data: 1\n\ndata: 2\n\n" {
		t.Errorf("%q, %v", body, err)
	}
}

// TestAnAnswerMayTakeSoLong: one that takes longer than its reader allows is broken off, and
// its orchestrator sees that.
func TestAnAnswerMayTakeSoLong(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	reply, err := submit(t, s.URL, "tutti/1")
	if err != nil {
		t.Fatal(err)
	}
	reply.Allow(time.Hour)
	reply.Allow(time.Millisecond)
	if _, err := io.ReadAll(reply.Body); !errors.Is(err, fault.CompletionBroken) {
		t.Errorf("%v", err)
	}
	<-gone
	reply.Body.Close()
	reply.Allow(time.Hour) // leaves no timer behind
}

func TestSubmitEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		begin bool
		leave func(cancel func(), r *upstream.Answer)
	}{
		"before the answer": {false, nil},
		"by its context":    {true, func(cancel func(), _ *upstream.Answer) { cancel() }},
		"by closing":        {true, func(_ func(), r *upstream.Answer) { r.Body.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if row.begin {
					io.WriteString(w, "data: 1\n\n")
					w.(http.Flusher).Flush()
				}
				close(arrived)
				<-r.Context().Done()
				close(gone)
			})
			c := client(t, upstream.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ready := terms(t, c, s.URL, "tutti/1")
			if !row.begin {
				go func() { <-arrived; cancel() }()
				if _, err := c.Submit(ctx, ready, job()); !errors.Is(err, fault.Canceled) {
					t.Errorf("%v", err)
				}
				<-gone
				return
			}
			reply, err := c.Submit(ctx, ready, job())
			if err != nil {
				t.Fatal(err)
			}
			row.leave(cancel, reply)
			<-gone
			if name == "by its context" {
				if _, err := io.ReadAll(reply.Body); !errors.Is(err, fault.Canceled) {
					t.Errorf("read after the end: %v", err)
				}
			}
			reply.Body.Close()
		})
	}
}

func TestSubmitTellsABrokenAnswer(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	reply, err := submit(t, s.URL, "tutti/1")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(reply.Body); string(body) != "data: 1\n\n" || !errors.Is(err, fault.CompletionBroken) {
		t.Errorf("%q, %v", body, err)
	}
}

// A kept connection that the other side has closed costs no job.
func TestSubmitOnADeadConnection(t *testing.T) {
	t.Parallel()
	n := 0
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 2 {
			panic(http.ErrAbortHandler) // closes the reused connection without a byte
		}
		io.WriteString(w, "{}")
	})
	c := client(t, upstream.Options{})
	ready := terms(t, c, s.URL, "")
	for i := range 2 {
		reply, err := c.Submit(t.Context(), ready, job())
		if err != nil {
			t.Fatalf("job %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, reply.Body); err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
	}
	if n != 3 {
		t.Errorf("%d requests, want the second one twice", n)
	}
}
