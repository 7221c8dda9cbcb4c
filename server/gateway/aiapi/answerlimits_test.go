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

// dripping is an answer that brings a piece each while, and is broken off when the time is
// over that it is allowed.
type dripping struct {
	piece string
	every time.Duration
	// most is how many pieces come before end, 0 for no end. Without end it then stalls.
	most int
	end  string
	late *time.Timer
	cut  chan struct{}
	n    int
	rest string
}

func (d *dripping) allow(left time.Duration) {
	if d.late == nil {
		d.late = time.AfterFunc(left, sync.OnceFunc(func() { close(d.cut) }))
		return
	}
	d.late.Reset(left)
}

func (d *dripping) Read(b []byte) (int, error) {
	if d.rest == "" {
		switch d.n++; {
		case d.most == 0 || d.n <= d.most:
		case d.n == d.most+1 && d.end != "":
			d.rest = d.end
			return d.take(b), nil
		case d.end != "":
			return 0, io.EOF
		default:
			<-d.cut
		}
		select {
		case <-d.cut:
			return 0, fault.New(fault.CompletionBroken, "read", "")
		case <-time.After(d.every):
		}
		d.rest = d.piece
	}
	return d.take(b), nil
}

func (d *dripping) take(b []byte) int {
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n
}

func (d *dripping) Close() error {
	if d.late != nil {
		d.late.Stop()
	}
	return nil
}

// TestSlowAnswers: an answer that brings little or nothing new is ended; a slow model's is
// not.
func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	const large, hours = 4096, 24 * time.Hour
	for name, row := range map[string]struct {
		path, body, contentType string
		d                       dripping
		want                    inference.Ending
	}{
		"a byte a second": {"/llm", streamBody, "text/event-stream", dripping{piece: "x", every: time.Second},
			inference.Faulty},
		"comments": {"/llm", streamBody, "text/event-stream", dripping{piece: ": x\n\n", every: time.Minute},
			inference.Faulty},
		"events of nothing": {"/llm", streamBody, "text/event-stream",
			dripping{piece: "data: {\"choices\":[]}\n\n", every: time.Minute}, inference.Faulty},
		"a word in a while": {"/llm", streamBody, "text/event-stream", dripping{piece: event1, every: time.Minute},
			inference.Faulty},
		"silent after many": {"/llm", usageBody, "text/event-stream",
			dripping{piece: event1, every: time.Second, most: large, end: ""}, inference.Faulty},
		"a slow model": {"/llm", usageBody, "text/event-stream",
			dripping{piece: event1, every: 3 * time.Second, most: large, end: lastEvent + done},
			inference.Complete},
		"one that thinks": {"/llm", streamBody, "text/event-stream",
			dripping{piece: event1, every: 9 * time.Minute, most: 1, end: lastEvent + done},
			inference.Complete},
		"JSON by bytes": {"/llm", chatBody, "application/json", dripping{piece: " ", every: time.Second}, inference.Faulty},
		"slow JSON": {"/llm", chatBody, "application/json",
			dripping{piece: " ", every: 5 * time.Second, most: 100, end: chatAnswer},
			inference.Complete},
		"images by bytes": {"/text-to-image", imageBody, "application/json", dripping{piece: " ", every: time.Second},
			inference.Faulty},
		"images from afar": {"/text-to-image", imageBody, "application/json",
			dripping{piece: strings.Repeat(" ", 64<<10), every: time.Second, most: 200,
				end: images(dataURL(picture(t)), 1)}, inference.Complete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := start(t, func(o *aiapi.Options) { o.Fetcher = fetchedFiles{} })
				d := row.d
				d.cut = make(chan struct{})
				var got inference.Delivery
				n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
					a := reply(row.contentType, &d)
					a.Allowed, a.Delivered = d.allow, func(v inference.Delivery) { got = v }
					return a, nil
				}
				began := time.Now()
				w := httptest.NewRecorder()
				n.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+row.path,
					strings.NewReader(row.body)))
				if got.How != row.want || time.Since(began) > hours {
					t.Errorf("%+v after %v, want %v", got, time.Since(began), row.want)
				}
			})
		})
	}
}

// flood is an answer that never ends.
type flood struct{ piece, head string }

func (f *flood) Read(b []byte) (n int, err error) {
	n = copy(b, f.head)
	f.head = f.head[n:]
	for n < len(b) {
		f.head = f.piece
		m := copy(b[n:], f.head)
		f.head = f.head[m:]
		n += m
	}
	return n, nil
}

func (*flood) Close() error { return nil }

// TestAnswersWithoutEnd: what is far longer than what was asked for is ended.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, contentType, head, piece string }{
		"words":       {streamBody, "text/event-stream", "", event1},
		"no words":    {streamBody, "text/event-stream", "", "data: {}\n\n"},
		"comments":    {streamBody, "text/event-stream", "", ": x\n\n"},
		"one comment": {streamBody, "text/event-stream", ": ", "x"},
		"one event":   {streamBody, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"", "x"},
		"white space": {chatBody, "application/json", "{", " "},
		"one string":  {chatBody, "application/json", "{\"a\":\"", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil)
			var got inference.Delivery
			n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
				a := reply(row.contentType, &flood{row.piece, row.head})
				a.Delivered = func(d inference.Delivery) { got = d }
				return a, nil
			}
			func() {
				defer func() { _ = recover() }() // the connection is cut
				n.handler.ServeHTTP(&discarding{header: make(http.Header)},
					httptest.NewRequest(http.MethodPost, "http://127.0.0.1/llm", strings.NewReader(row.body)))
			}()
			if f := n.figures.only(t); f.Code != fault.AnswerUnreadable || got.How != inference.Faulty {
				t.Errorf("%+v, %s", got, f.Code)
			}
		})
	}
}
