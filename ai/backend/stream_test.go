package backend_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// flowing is a job that sends each text of c, until c is closed.
func flowing(c <-chan string, left chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer close(left)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case text, more := <-c:
				if !more {
					return
				}
				_, _ = io.WriteString(w, text)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
}

// What has arrived can be read, while the stream goes on.
func TestReadDoesNotWait(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	c, left := make(chan string, 1), make(chan struct{})
	f.job = flowing(c, left)
	c <- "data: 1\n\n"
	reply, err := newServer(t, options(f.url)).Run(within(t), chat(`{}`, true))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	p := make([]byte, 1<<10)
	for _, want := range []string{"data: 1\n\n", "data: 2\n\n", "data: 3\n\n"} {
		n, err := reply.Body.Read(p)
		if string(p[:n]) != want || err != nil {
			t.Fatalf("%q, %v", p[:n], err)
		}
		select {
		case c <- "data: " + string(want[6]+1) + "\n\n":
		case <-time.After(patience):
			t.Fatal("the server does not take more")
		}
	}
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(cancel func(), body io.Closer){
		"cancel": func(cancel func(), _ io.Closer) { cancel() },
		"close":  func(_ func(), body io.Closer) { _ = body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, llamaPages())
			c, left := make(chan string, 1), make(chan struct{})
			f.job = flowing(c, left)
			c <- "data: 1\n\n"
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			reply, err := newServer(t, options(f.url)).Run(ctx, chat(`{}`, true))
			if err != nil {
				t.Fatal(err)
			}
			read := make(chan error, 1)
			go func() {
				_, err := io.Copy(io.Discard, reply.Body)
				read <- err
			}()
			leave(cancel, reply.Body)
			await(t, left, "the runner to be told")
			if err := <-read; fault.CodeOf(err) != fault.Canceled {
				t.Errorf("the waiting reader got %v", err)
			}
			if err := errors.Join(reply.Body.Close(), reply.Body.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A runner that is stopped (SIGSTOP) or hangs: before it answers, before the
// first byte of a stream, and in the middle.
func TestStalled(t *testing.T) {
	t.Parallel()
	const short = 30 * time.Millisecond
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, llamaPages())
		f.job = func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}
		o := options(f.url)
		o.Limits.Whole = short
		if _, err := newServer(t, o).Run(within(t), chat(`{}`, false)); !errors.Is(err, fault.RunnerStalled) {
			t.Error(err)
		}
	})
	t.Run("no first byte", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, llamaPages())
		left := make(chan struct{})
		f.job = flowing(nil, left)
		o := options(f.url)
		o.Limits.FirstByte = short
		_, err := newServer(t, o).Run(within(t), chat(`{}`, true))
		if !errors.Is(err, fault.RunnerStalled) || fault.Wire(err) != "the model server does not answer" {
			t.Error(err)
		}
		await(t, left, "the runner to be told")
	})
	t.Run("in the middle", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, llamaPages())
		c, left := make(chan string, 1), make(chan struct{})
		f.job = flowing(c, left)
		c <- "data: 1\n\n"
		o := options(f.url)
		o.Limits.Silence = short
		reply, err := newServer(t, o).Run(within(t), chat(`{}`, true))
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if !errors.Is(err, fault.RunnerStalled) || string(text) != "data: 1\n\n" {
			t.Errorf("%q, %v", text, err)
		}
		if _, again := reply.Body.Read(make([]byte, 1)); again != err {
			t.Errorf("then %v", again)
		}
		await(t, left, "the runner to be told")
	})
}

// A stream that breaks at any byte is a fault: of the request before the first,
// of a Read after it; and all that came is read. With the line of [DONE] it is complete.
func TestBrokenAtEveryOffset(t *testing.T) {
	t.Parallel()
	whole := vector(t, "streams/vllm.sse")
	f := newFake(t, llamaPages())
	s := newServer(t, options(f.url))
	for i := range whole {
		f.job = func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, whole[:i])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		reply, err := s.Run(within(t), chat(`{}`, true))
		if i == 0 || err != nil {
			if !errors.Is(err, fault.RunnerBroke) || i > 0 {
				t.Fatalf("after %d bytes: %v", i, err)
			}
			continue
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if strings.HasSuffix(whole[:i], "[DONE]\n") {
			if err != nil || string(text) != whole {
				t.Fatalf("after [DONE]: %q, %v", text, err)
			}
			continue
		}
		if !errors.Is(err, fault.RunnerBroke) || string(text) != whole[:i] {
			t.Fatalf("after %d bytes: %d, %v", i, len(text), err)
		}
	}
}
