package admission

import (
	"errors"
	"net"
	"time"
)

// Listener returns only the connections that the gate admits.
func (g *Gate) Listener(l net.Listener) net.Listener {
	return &listener{Listener: l, gate: g}
}

type listener struct {
	net.Listener
	gate *Gate
}

// Pauses after a connection that could not be accepted for lack of descriptors.
const minPause, maxPause = time.Millisecond, time.Second

// Accept returns the next connection. If descriptors are lacking it closes idle connections
// until it succeeds.
func (l *listener) Accept() (net.Conn, error) {
	pause := minPause
	for {
		raw, err := l.Listener.Accept()
		if err == nil {
			if c := l.take(raw); c != nil {
				return c, nil
			}
			continue
		}
		if !Scarce(err) {
			return nil, err
		}
		if l.gate.opt.Scarce != nil {
			l.gate.opt.Scarce(err)
		}
		l.gate.Shed()
		<-time.After(pause)
		pause = min(2*pause, maxPause)
	}
}

// take admits a connection, nil if it was refused and closed.
func (l *listener) take(raw net.Conn) net.Conn {
	c, victims := l.gate.admit(raw)
	for _, v := range victims {
		v.hangUp()
	}
	if c == nil {
		_ = raw.Close() // refused
		return nil
	}
	return c
}

// Scarce reports whether an error says that this system has no descriptor or port left, or no memory for one.
func Scarce(err error) bool {
	for _, e := range scarceErrors() {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
