package orchestrator_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
)

// lateListener is a listener whose closing takes until late is closed, as on a busy machine.
type lateListener struct {
	net.Listener
	late chan struct{}
}

func (l *lateListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.late
	}
	return c, err
}

// TestHandoverAndStopAtOnce: after a handover an answer continues, also when the node stops before the server has
// noticed that its listener was closed. It was cut off after the time of a stop.
func TestHandoverAndStopAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		var l *lateListener
		a := newAINode(t, func(s *setup) {
			l = &lateListener{Listener: s.listener.Listener, late: make(chan struct{})}
			s.listener.Listener = l
		})
		begun := a.streams("text/event-stream")
		request := asOwn(a.chat(`"stream":true`))
		answered := make(chan error, 1)
		go func() {
			res, err := client(a).Do(request)
			if err == nil {
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
			answered <- err
		}()
		answer := <-begun
		atOnce, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.server.HandOver(atOnce); err != nil && atOnce.Err() == nil {
			t.Fatal(err)
		}
		a.cancel()
		close(l.late)
		a.stop()
		if answer.ctx.Err() != nil || a.server.Unfinished() != 1 {
			t.Fatalf("%d answers continue, the job ended: %v", a.server.Unfinished(), answer.ctx.Err())
		}
		answer.say(t, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n")
		answer.w.Close()
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if err := a.server.Finish(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
