package process

import (
	"context"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

// TestAStopWaitsForNoReload: however many signals ask for a reload, and however long one takes, a
// signal to stop reaches the node.
func TestAStopWaitsForNoReload(t *testing.T) {
	t.Parallel()
	p := quietProcess()
	began, over := make(chan struct{}), make(chan struct{})
	p.node = &Parts{Reload: func(context.Context, bool) (adminapi.Reloaded, error) {
		began <- struct{}{}
		<-over
		return adminapi.Reloaded{}, nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	stops, left := make(chan os.Signal, 2), make(chan struct{})
	go func() {
		p.attend(ctx, stops)
		close(left)
	}()
	p.signals.reloads <- syscall.SIGHUP
	<-began
	p.signals.reloads <- syscall.SIGHUP // no other fits: the system's further ones say the same
	p.signals.stops <- syscall.SIGTERM
	if sig := <-stops; sig != syscall.SIGTERM || !p.stopAsked() {
		t.Errorf("%v, asked %v", sig, p.stopAsked())
	}
	p.signals.request(drainStop)
	if sig := <-stops; sig != drainStop {
		t.Errorf("and then %v", sig)
	}
	over <- struct{}{}
	<-began
	cancel()
	close(over)
	<-left
}

// TestSignalsThatWait: another process gets a stop last, so that it has done the rest by then.
func TestSignalsThatWait(t *testing.T) {
	t.Parallel()
	s := newSignals()
	for range 6 { // two too many
		s.request(syscall.SIGTERM)
	}
	s.reloads <- syscall.SIGHUP
	want := []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM}
	if got := s.waiting(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := s.waiting(); len(got) != 0 {
		t.Errorf("then %v", got)
	}
}
