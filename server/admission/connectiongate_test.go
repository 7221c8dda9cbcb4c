package admission

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is a connection from an address, its other end, and its addresses.
type pipe struct {
	net.Conn
	from net.Addr
}

func (p pipe) RemoteAddr() net.Addr { return p.from }

// queue is a listener whose connections and errors are put in by the test.
type queue struct {
	net.Listener
	next chan any
}

func newQueue() *queue { return &queue{next: make(chan any, 1024)} }

func (q *queue) Accept() (net.Conn, error) {
	switch v := (<-q.next).(type) {
	case net.Conn:
		return v, nil
	case error:
		return nil, v
	}
	return nil, net.ErrClosed
}

// dial puts in a connection from an address and returns the client's end and the
// server's, nil where it was refused.
func (q *queue) dial(t *testing.T, l net.Listener, from string) (client net.Conn, server *Conn) {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	client, other := net.Pipe()
	t.Cleanup(func() { client.Close() })
	q.next <- net.Conn(pipe{other, addr})
	q.next <- io.EOF // the end where the connection was refused
	c, err := l.Accept()
	if err != nil {
		return client, nil
	}
	<-q.next
	return client, c.(*Conn)
}

// reading reads one byte in a goroutine; the error comes when it is there.
func reading(c *Conn) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		done <- err
	}()
	return done
}

func newTestGate(most, perAddress int) (*Gate, *queue, net.Listener) {
	g := New(Options{Most: most, PerAddress: perAddress})
	q := newQueue()
	return g, q, g.Listener(q)
}

// settled says whether a result is there once everything waits.
func settled(done <-chan error) (error, bool) {
	synctest.Wait()
	select {
	case err := <-done:
		return err, true
	default:
		return nil, false
	}
}

// A connection is reported as idle before HTTP/2 has flushed the last answer: it is not closed at once.
func TestAnAnswerIsFlushedBeforeItsConnectionIsClosed(t *testing.T) {
	t.Parallel()
	g, q, l := newTestGate(100, 2)
	now := time.Now()
	g.opt.Now = func() time.Time { return now }
	client, c := q.dial(t, l, "192.0.2.1:1")
	g.changed(c, http.StateActive)
	g.changed(c, http.StateIdle)
	g.CloseIdle()
	go c.Conn.Write([]byte("x"))
	if _, err := client.Read(make([]byte, 1)); err != nil {
		t.Fatal("an answer is lost:", err)
	}
	now = now.Add(flushTime)
	g.CloseIdle()
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Error("an idle connection stays open")
	}
}

// TestConnectionsOfAnAddressTakeTurns: so many are served, the others wait until the
// turn of one that does nothing is over; other addresses are not concerned.
func TestConnectionsOfAnAddressTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(100, 2)
		var clients [3]net.Conn
		var conns [3]*Conn
		var done [3]<-chan error
		for i := range conns {
			clients[i], conns[i] = q.dial(t, l, "192.0.2.1:1")
			done[i] = reading(conns[i])
			synctest.Wait()
		}
		other, c := q.dial(t, l, "192.0.2.2:1")
		elsewhere := reading(c)
		go other.Write([]byte("x"))
		if err, ok := settled(elsewhere); !ok || err != nil {
			t.Errorf("another address: %v, %v", err, ok)
		}
		go clients[2].Write([]byte("x"))
		if _, ok := settled(done[2]); ok {
			t.Error("a third connection was served at once")
		}
		<-time.After(minServed)
		if err, ok := settled(done[2]); !ok || err != nil {
			t.Errorf("after a turn: %v, %v", err, ok)
		}
		if err, ok := settled(done[0]); !ok || err == nil {
			t.Error("the one that was served for longest is still there")
		}
		for _, c := range conns[1:] {
			c.Close()
		}
		c.Close()
	})
}

// TestAProofLetsTheAddressIn: a proved connection does not count, and those that wait at
// its address are served.
func TestAProofLetsTheAddressIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, q, l := newTestGate(1000, 1)
		_, first := q.dial(t, l, "[2001:db8:1:2::1]:1")
		begun := reading(first)
		synctest.Wait()
		var waiting []<-chan error
		var conns []*Conn
		for range waitingPer {
			client, c := q.dial(t, l, "[2001:db8:1:2::ffff]:1") // the same /64
			go client.Write([]byte("x"))
			waiting, conns = append(waiting, reading(c)), append(conns, c)
		}
		if _, c := q.dial(t, l, "[2001:db8:1:2::2]:1"); c != nil {
			t.Error("more connections wait than may")
		}
		if _, ok := settled(waiting[0]); ok {
			t.Error("served before the proof")
		}
		Prove(connContext(context.Background(), first))
		for i, w := range waiting {
			if err, ok := settled(w); !ok || err != nil {
				t.Errorf("connection %d after the proof: %v, %v", i, err, ok)
			}
		}
		first.Close()
		<-begun
		for _, c := range conns {
			c.Close()
		}
		if len(g.open)+g.unprovedSites+g.provedOpen+len(g.fresh)+g.unproved.Len()+g.proved.Len() != 0 {
			t.Errorf("counts are left: %+v", g)
		}
	})
}

// TestBytesOfAnAddressHaveARate: after a burst its reads wait, and a deadline ends the
// wait.
func TestBytesOfAnAddressHaveARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(10, 1)
		client, c := q.dial(t, l, "192.0.2.1:1")
		go func() {
			for {
				if _, err := client.Write(make([]byte, 1024)); err != nil {
					return
				}
			}
		}()
		start, buf := time.Now(), make([]byte, 1024)
		for got := connectionCost; got < burstPer+8*ratePer; {
			n, err := c.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
		if took := time.Since(start); took < 7*time.Second || took > 8*time.Second {
			t.Errorf("eight seconds' bytes took %s", took)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		for range 2 {
			if _, err := c.Read(buf); err != nil {
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error(err)
				}
				c.Close()
				return
			}
		}
		t.Error("a deadline does not end the wait")
	})
}

// TestTheLongestIdleMakesRoom: past the bound of all connections an address with more
// than its share gives one up; a proved one goes last.
func TestTheLongestIdleMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, q, l := newTestGate(4, 32)
		_, proved := q.dial(t, l, "192.0.2.9:1")
		proved.prove()
		_, few := q.dial(t, l, "192.0.2.1:1")
		_, many := q.dial(t, l, "192.0.2.2:1")
		_, more := q.dial(t, l, "192.0.2.2:2")
		_, c := q.dial(t, l, "192.0.2.3:1")
		for name, want := range map[*Conn]bool{proved: false, few: false, many: true, more: false, c: false} {
			if name.closed.Load() != want {
				t.Errorf("%s: closed %v, want %v", name.RemoteAddr(), !want, want)
			}
		}
		if open, most := g.Connections(); open != 4 || most != 4 {
			t.Errorf("%d of %d", open, most)
		}
	})
}

// TestProvedConnectionsMakeRoom: one address with a token cannot keep all others out by
// idle connections, each of which it has proved.
func TestProvedConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(4, 32)
		proved := func(from string) *Conn {
			_, c := q.dial(t, l, from)
			c.prove()
			return c
		}
		few, first := proved("192.0.2.1:1"), proved("192.0.2.2:1")
		second, third := proved("192.0.2.2:2"), proved("192.0.2.2:3")
		_, late := q.dial(t, l, "192.0.2.3:1")
		for c, want := range map[*Conn]bool{few: false, first: true, second: false, third: false, late: false} {
			if c.closed.Load() != want {
				t.Errorf("%s: closed %v, want %v", c.RemoteAddr(), !want, want)
			}
		}
	})
}

// TestTheBusiestMakeRoom: where every connection has a request in progress, an address
// with more than its share gives one up, and no other does.
func TestTheBusiestMakeRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, q, l := newTestGate(4, 32)
		busy := func(from string) *Conn {
			_, c := q.dial(t, l, from)
			g.changed(c, http.StateActive)
			return c
		}
		few, first, second := busy("192.0.2.1:1"), busy("192.0.2.2:1"), busy("192.0.2.2:2")
		proved := busy("192.0.2.3:1")
		proved.prove()
		_, late := q.dial(t, l, "192.0.2.4:1")
		_, more := q.dial(t, l, "192.0.2.5:1")
		for name, want := range map[*Conn]bool{
			few: false, first: true, second: false, proved: false, late: true, more: false,
		} {
			if name.closed.Load() != want {
				t.Errorf("%s: closed %v, want %v", name.RemoteAddr(), !want, want)
			}
		}
	})
}

// TestWantOfDescriptorsIsNoEnd: the listener reports it, closes an idle connection, and
// goes on.
func TestWantOfDescriptorsIsNoEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		g := New(Options{Most: 10, PerAddress: 1, Scarce: func(error) { reports++ }})
		q := newQueue()
		l := g.Listener(q)
		_, idle := q.dial(t, l, "192.0.2.1:1")
		q.next <- error(&net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)})
		if _, c := q.dial(t, l, "192.0.2.2:1"); c == nil {
			t.Fatal("the listener ended")
		}
		if reports != 1 || !idle.closed.Load() {
			t.Errorf("reported %d times, idle connection closed: %v", reports, idle.closed.Load())
		}
	})
}

// TestRequestsOfAnAddress: too many in progress, or too many header fields, are refused.
func TestRequestsOfAnAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, q, l := newTestGate(10, 1)
		_, c := q.dial(t, l, "192.0.2.1:1")
		ctx := connContext(context.Background(), c)
		hold := make(chan struct{})
		h := g.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
		ask := func(header http.Header) int {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
			r.Header = header
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		for range requestsPer {
			go ask(nil)
		}
		synctest.Wait()
		if got := ask(nil); got != http.StatusServiceUnavailable {
			t.Errorf("one request too many: status %d", got)
		}
		close(hold)
		synctest.Wait()
		if got := ask(nil); got != http.StatusOK {
			t.Errorf("after the others: status %d", got)
		}
		if got := ask(http.Header{"A": make([]string, maxFields+1)}); got != http.StatusBadRequest {
			t.Errorf("too many fields: status %d", got)
		}
	})
}

// TestHeadersOnly: an address is bounded while its requests are read, not while they are
// in progress or between them; programs of this machine are not.
func TestHeadersOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(Options{Most: 100, PerAddress: 1, HeadersOnly: true, LocalFree: true})
		q := newQueue()
		l := g.Listener(q)
		read := func(from string) (*Conn, <-chan error) {
			client, c := q.dial(t, l, from)
			go client.Write([]byte("x"))
			return c, reading(c)
		}
		first, done := read("192.0.2.1:1")
		if err, ok := settled(done); !ok || err != nil {
			t.Errorf("the first: %v, %v", err, ok)
		}
		second, done := read("192.0.2.1:2")
		if _, ok := settled(done); ok {
			t.Error("two requests of one address are read")
		}
		g.changed(first, http.StateActive)
		if err, ok := settled(done); !ok || err != nil {
			t.Errorf("the second, once the first is in progress: %v, %v", err, ok)
		}
		for range 3 {
			c, done := read("127.0.0.1:1")
			if err, ok := settled(done); !ok || err != nil {
				t.Errorf("this machine: %v, %v", err, ok)
			}
			c.Close()
		}
		first.Close()
		second.Close()
	})
}

// TestAnswersThatAreNotTaken: a client that takes nothing of an answer, for which its handler set no time,
// keeps neither the connection nor the handler.
func TestAnswersThatAreNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(Options{Most: 100, PerAddress: 1, HeadersOnly: true})
		q := newQueue()
		l := g.Listener(q)
		_, c := q.dial(t, l, "192.0.2.1:1")
		defer c.Close()
		write := func() (time.Duration, error) {
			began := time.Now()
			_, err := c.Write([]byte("x"))
			return time.Since(began), err
		}
		if took, err := write(); !errors.Is(err, os.ErrDeadlineExceeded) || took != 2*time.Minute {
			t.Errorf("without a deadline: %v after %s", err, took)
		}
		_ = c.SetWriteDeadline(time.Now().Add(time.Hour))
		if took, err := write(); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Hour {
			t.Errorf("with one: %v after %s", err, took)
		}
		_ = c.SetWriteDeadline(time.Time{})
		if took, err := write(); !errors.Is(err, os.ErrDeadlineExceeded) || took != 2*time.Minute {
			t.Errorf("with none again: %v after %s", err, took)
		}
	})
}

// TestHijackedConnectionsCount: a socket that a handler took over has its descriptor until it is closed, so it
// counts until then.
func TestHijackedConnectionsCount(t *testing.T) {
	t.Parallel()
	g, q, l := newTestGate(10, 1)
	_, c := q.dial(t, l, "192.0.2.1:1")
	g.changed(c, http.StateActive)
	Prove(connContext(context.Background(), c))
	g.changed(c, http.StateHijacked)
	if open, _ := g.Connections(); open != 1 {
		t.Errorf("%d connections are open", open)
	}
	c.Close()
	if open, _ := g.Connections(); open != 0 {
		t.Errorf("%d connections are left", open)
	}
}
