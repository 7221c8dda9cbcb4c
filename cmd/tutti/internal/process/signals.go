package process

import (
	"os"
	"os/signal"
)

// Signals are what the system sends the process. Each kind waits in a channel of its own: however
// many ask to read the configuration, one that asks to stop is not lost among them.
type Signals struct {
	// stops has those that end the node, reloads and upgrades one that was not attended to yet.
	stops, reloads, upgrades chan os.Signal
}

func newSignals() *Signals {
	return &Signals{stops: make(chan os.Signal, 4), reloads: make(chan os.Signal, 1), upgrades: make(chan os.Signal, 1)}
}

// ExpectSignals is called first of all: a process that does not expect the signals for a reload and
// an upgrade ends by them, and a node that is starting may be sent one as any other. What comes
// is attended to once the node runs. Until New is called a signal to stop ends the process as usual.
func ExpectSignals() *Signals {
	s := newSignals()
	notify(s.reloads, reloadSignals)
	notify(s.upgrades, upgradeSignals)
	return s
}

// notify is signal.Notify, which takes all signals where none are named.
func notify(c chan os.Signal, which []os.Signal) {
	if len(which) > 0 {
		signal.Notify(c, which...)
	}
}

// end gives signals to stop their usual effect again. The others stay expected: a late one would end
// the process.
func (s *Signals) end() { signal.Stop(s.stops) }

// request is a signal that the process sends itself. A stop that is under way needs no other.
func (s *Signals) request(sig os.Signal) {
	select {
	case s.stops <- sig:
	default:
	}
}

// waiting takes all that was not attended to, those that end the node last.
func (s *Signals) waiting() (out []os.Signal) {
	for {
		select {
		case sig := <-s.reloads:
			out = append(out, sig)
			continue
		case sig := <-s.upgrades:
			out = append(out, sig)
			continue
		default:
		}
		select {
		case sig := <-s.stops:
			out = append(out, sig)
		default:
			return out
		}
	}
}
