package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// page is a client that looks at its answer while it comes.
type page struct {
	mu      sync.Mutex
	header  http.Header
	status  int
	body    strings.Builder
	flushed int
}

func newPage() *page { return &page{header: make(http.Header)} }

func (p *page) Header() http.Header { return p.header }

func (p *page) WriteHeader(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.body.Write(b)
}

func (p *page) Flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushed = p.body.Len()
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.body.String()[:p.flushed]
}

func TestKeepAliveBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	const comment = ": waiting\n\n"
	tests := map[string]struct {
		wait  time.Duration
		body  string
		after func(context.Context, *inference.Job) (*broker.Answer, error)
		// waiting is what the client has just before the answer, want in the end.
		waiting, want string
		status        int
	}{
		"quick": {14 * time.Second, streamBody, streams(io.EOF, event1, lastEvent, done), "", event1 + lastEvent +
			done, 200},
		"slow": {46 * time.Second, streamBody, streams(io.EOF, event1, lastEvent, done), comment + comment +
			comment, comment + comment + comment + event1 + lastEvent + done, 200},
		"not a stream": {46 * time.Second, chatBody, says(chatAnswer), "", "", 200},
		"fails at once": {time.Second, streamBody, fails(fault.New(fault.JobFailed, "", "x")), "",
			object("x", "server_error", "JobFailed"), 502},
		"fails late": {
			16 * time.Second, streamBody, fails(fault.New(fault.JobFailed, "", "x")), comment,
			comment + `data: {"error":{"message":"x","type":"server_error","param":null,"code":"JobFailed","status":502}}` +
				"\n\n", 200},
		"refused late": {16 * time.Second, streamBody, func(context.Context, *inference.Job) (*broker.Answer, error) {
			a := reply("application/json", &pieces{parts: []string{"{\n \"detail\": {\"msg\": \"no\"} }"}, err: io.EOF})
			a.Status = http.StatusBadRequest
			return a, nil
		}, comment, comment +
			`data: {"error":{"message":"no","type":"invalid_request_error","param":null,"code":"JobRefused"}}` + "\n\n", 200},
		"JSON, late": {16 * time.Second, streamBody, says(chatAnswer), comment,
			comment + `data: {"error":{"message":"a stream was requested and the answer is not one","type":"server_error",` +
				`"param":null,"code":"AnswerUnreadable","status":502}}` + "\n\n", 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := start(t, nil)
				p := newPage()
				n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
					<-time.After(tt.wait)
					return tt.after(ctx, job)
				}
				served := make(chan struct{})
				go func() {
					defer close(served)
					n.handler.ServeHTTP(p, httptest.NewRequest(http.MethodPost, "/llm", strings.NewReader(tt.body)))
				}()
				<-time.After(tt.wait - time.Millisecond)
				synctest.Wait()
				if got := p.String(); got != tt.waiting {
					t.Errorf("while waiting:\n%s", got)
				}
				<-served
				want := tt.want
				if want == "" {
					want = chatAnswer
				}
				if got := p.body.String(); got != want || p.status != tt.status {
					t.Errorf("status %d, body\n%s\nwant %d\n%s", p.status, got, tt.status, want)
				}
			})
		})
	}
}

// One exchange after another: a comment must never come into another's answer.
func TestKeepAliveAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, nil)
		for i := range 20 {
			// At 15 s the timer fires in the same moment in which the answer comes.
			pause := 15*time.Second + time.Duration(i%3-1)*time.Nanosecond
			n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
				<-time.After(pause)
				return streams(io.EOF, event1, lastEvent, done)(ctx, job)
			}
			p := newPage()
			n.handler.ServeHTTP(p, httptest.NewRequest(http.MethodPost, "/llm", strings.NewReader(streamBody)))
			if got := strings.TrimPrefix(p.body.String(), ": waiting\n\n"); got != event1+lastEvent+done {
				t.Fatalf("answer %d:\n%s", i, p.body.String())
			}
		}
	})
}

func TestKeepAliveWhileQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) { o.Limits.PerModel = 1 })
		free := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			<-free
			return streams(io.EOF, lastEvent)(ctx, job)
		}
		pages := []*page{newPage(), newPage()}
		var wg sync.WaitGroup
		for _, p := range pages {
			wg.Go(func() {
				n.handler.ServeHTTP(p, httptest.NewRequest(http.MethodPost, "/llm", strings.NewReader(streamBody)))
			})
		}
		<-time.After(16 * time.Second)
		synctest.Wait()
		for i, p := range pages {
			if got := p.String(); got != ": waiting\n\n" {
				t.Errorf("client %d has %q", i, got)
			}
		}
		close(free)
		wg.Wait()
	})
}
