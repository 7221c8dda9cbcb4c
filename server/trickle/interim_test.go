package trickle_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// pipes is a listener whose connections are in memory, so that time can be the test's.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.over); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() (net.Conn, error) {
	near, far := net.Pipe()
	p.conns <- far
	return near, nil
}

// A publisher that connected in advance gets an interim answer when the recorded one did, and a reader waits with it.
func TestRecordedInterimAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := recorded(t, "live_trickle.json")
		hub := trickle.NewHub(trickle.Limits{}, time.Now)
		hub.Open("", "SID-e", "video/MP2T")
		p := &pipes{conns: make(chan net.Conn), over: make(chan struct{})}
		srv := &http.Server{Handler: hub.Handler(prefix), ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- srv.Serve(p) }()
		g := &rig{hub: hub, dial: p.dial}
		post, get := g.post(t, "SID-e/0"), g.get(t, "SID-e/0")
		begun := time.Now()
		want := find(t, list, "pre-connected POST: first byte after 22 s")
		for _, interim := range want.Response.Interim {
			r, err := http.ReadResponse(bufio.NewReader(post.conn), nil)
			if err != nil || r.Proto+" "+r.Status != interim.Status {
				t.Fatal(r, err)
			}
			due := time.Duration(interim.After) * time.Millisecond
			if late := due - time.Since(begun); late < 0 || late > 100*time.Millisecond {
				t.Errorf("an interim answer after %s, recorded after %s", time.Since(begun), due)
			}
		}
		<-time.After(22*time.Second - time.Since(begun))
		post.send("late")
		post.send("")
		want.check(t, post.end())
		find(t, list, "reader waits as long").check(t, get.end())
		_ = post.conn.Close()
		_ = get.conn.Close()
		_ = srv.Close()
		<-served
		hub.Close("SID-e")
	})
}
