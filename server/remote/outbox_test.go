package remote

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"
)

// stopping closes stop at the first message that is sent.
type stopping struct {
	*httptest.ResponseRecorder
	stop chan struct{}
	sent int
}

func (s *stopping) Write(p []byte) (int, error) {
	if s.sent++; s.sent == 1 {
		close(s.stop)
	}
	return s.ResponseRecorder.Write(p)
}

func stream(w http.ResponseWriter) *direct {
	d := &direct{w: w, r: httptest.NewRequest(http.MethodPost, "/", nil)}
	d.ctx = context.WithValue(context.Background(), directKey{}, d)
	return d
}

// A stream that was replaced takes no further message: the one in its place sends it.
func TestAStoppedStreamLeavesTheRest(t *testing.T) {
	t.Parallel()
	box := NewOutbox()
	var letters []*Message
	for range 3 {
		l, ok := box.Put(wrapperspb.String("x"), 1)
		if !ok {
			t.Fatal("it is full")
		}
		letters = append(letters, l)
	}
	old := &stopping{ResponseRecorder: httptest.NewRecorder(), stop: make(chan struct{})}
	if err := box.Serve(stream(old), new(StreamConn), old.stop); err != nil {
		t.Fatal(err)
	}
	if old.sent != 1 || !box.Taken(letters[0]) || box.Taken(letters[1]) || box.Taken(letters[2]) {
		t.Errorf("the old stream has sent %d", old.sent)
	}
	ctx, cancel := context.WithCancel(t.Context())
	next := stream(httptest.NewRecorder())
	next.ctx = context.WithValue(ctx, directKey{}, next)
	done := make(chan error, 1)
	go func() { done <- box.Serve(next, new(StreamConn), make(chan struct{})) }()
	<-letters[1].Sent()
	<-letters[2].Sent()
	cancel()
	<-done
}
