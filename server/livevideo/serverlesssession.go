package livevideo

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/trickle"
)

const (
	// maxMedia bounds a session's open media channels, maxRestarts how often its runner may start again in
	// restartWindow, maxUnanswered the pings without an answer.
	maxMedia      = 32
	maxRestarts   = 20
	restartWindow = time.Minute
	maxUnanswered = 3
	// idleChannel is how long ago a channel's last segment must have begun for it to be closed as idle, with
	// some time for the caller that closes it.
	idleChannel = 4 * time.Minute
)

var (
	errRestarts  = errors.New("the runner restarts too often")
	errManyMedia = errors.New("the runner asks for too many channels")
	errDirection = errors.New("the runner asks for a channel of an unknown direction")
	errSlow      = errors.New("the runner did not start in time")
	errSilent    = errors.New("the runner answers no pings")
)

// runnerState is how far the runner is.
type runnerState int

const (
	awaitsReady runnerState = iota
	awaitsStarted
	running
)

// serverlessSession is one stream at the runner. One goroutine at a time owns it.
type serverlessSession struct {
	// id names the channels, so it is a credential.
	id    string
	base  string // the address of channels
	hub   *trickle.Hub
	times ServerlessTimes
	tick  func(time.Duration) (<-chan time.Time, func())
	now   func() time.Time
	log   *slog.Logger
	meter Meter
	conn  *runnerConn
	// start is what the runner is sent when it is ready.
	start           []byte
	events, control *trickle.Channel

	state runnerState
	// late is when the runner must have started.
	late time.Time
	// begun are its starts in the last minute, unanswered the pings.
	begun      []time.Time
	unanswered int
	// media are the names of media channels by their address; made counts the requests for some.
	media map[string]string
	made  int
}

// shown is the part of the id that may be logged.
func (x *serverlessSession) shown() string { return x.id[:8] }

// begin waits until the runner has started.
func (x *serverlessSession) begin(ctx context.Context) error {
	for x.state != running {
		select {
		case m, ok := <-x.conn.in:
			if !ok {
				return x.conn.err
			}
			if err := x.take(&m); err != nil {
				return err
			}
		case <-ctx.Done():
			return errSlow
		}
	}
	return nil
}

// supervise waits until a side ends the session, and ends it for the others.
func (x *serverlessSession) supervise(ctx context.Context) {
	x.log.Info("live video session begins", "session", x.shown())
	why := x.wait(ctx)
	x.log.Info("live video session ended", "session", x.shown(), "reason", why.Error())
	x.close()
	x.meter.Close()
}

// Reasons why sessions end. Read-only.
var (
	errEventsClosed  = errors.New("its events channel was closed or idle")
	errControlClosed = errors.New("its control channel was closed")
	errUnpaid        = errors.New("it is not paid")
	errStops         = errors.New("the node stops")
	errTimeOver      = errors.New("its time is over")
)

// wait returns why the session ends.
func (x *serverlessSession) wait(ctx context.Context) error {
	pings, stopPings := x.tick(x.times.Ping)
	defer stopPings()
	limit, stopLimit := x.tick(x.times.Session)
	defer func() { stopLimit() }()
	closing := false
	for {
		var err error
		select {
		case m, ok := <-x.conn.in:
			if !ok {
				return x.conn.err
			}
			err = x.take(&m)
		case <-pings:
			err = x.ping()
		case <-limit:
			if closing {
				return errTimeOver
			}
			closing = true
			stopLimit()
			limit, stopLimit = x.tick(x.times.Grace)
			err = x.conn.send(&notice{kindClosing, endText})
		case <-x.events.Done():
			err = errEventsClosed
		case <-x.control.Done():
			err = x.reopenControl()
		case <-x.meter.Unpaid():
			err = errUnpaid
		case <-ctx.Done():
			if err = context.Cause(ctx); !errors.Is(err, lifecycle.ErrDrainOver) {
				err = errStops
			}
		}
		if err != nil {
			return err
		}
	}
}

// reopenControl makes the control channel again that was idle: a client without new parameters writes
// nothing. One that closed it has ended the session.
func (x *serverlessSession) reopenControl() error {
	if x.now().Sub(x.control.StartedAt()) < idleChannel {
		return errControlClosed
	}
	x.control = x.hub.Restore(x.id, x.control.Name(), jsonType, x.control.Next())
	return nil
}

// ping asks for a sign of life, and looks whether the last ones and a start were answered.
func (x *serverlessSession) ping() error {
	now := x.now()
	switch {
	case x.unanswered >= maxUnanswered:
		return errSilent
	case x.state != running && now.After(x.late):
		return errSlow
	}
	x.unanswered++
	return x.conn.send(&ping{kindPing, "ping-" + strconv.FormatInt(now.UnixNano(), 10), now.UnixMilli()})
}

// take does what a message asks for. The error ends the session.
func (x *serverlessSession) take(m *message) error {
	switch {
	case m.Type == kindPong:
		x.unanswered = 0
		return nil
	case m.Type == kindError:
		return m.refusal()
	case m.Type == kindReady && x.state != awaitsStarted:
		return x.ready()
	case m.Type == kindStarted && x.state == awaitsStarted:
		x.state = running
		return nil
	case x.state != running:
		return errOrder
	case m.Type == kindCreate:
		return x.create(m)
	case m.Type == kindClose:
		for _, u := range m.Channels {
			x.closeMedia(u)
		}
		return nil
	case m.Type == kindRestarting:
		x.state, x.late = awaitsReady, x.now().Add(x.times.Start)
		return x.conn.send(&response{Type: kindResponse, RequestID: m.RequestID})
	}
	return errOrder
}

// ready starts the runner, for the first time or again: then its media channels are gone.
func (x *serverlessSession) ready() error {
	now := x.now()
	for len(x.begun) > 0 && now.Sub(x.begun[0]) >= restartWindow {
		x.begun = x.begun[1:]
	}
	if len(x.begun) > maxRestarts {
		return errRestarts
	}
	x.begun = append(x.begun, now)
	for u := range x.media {
		x.closeMedia(u)
	}
	x.state, x.late = awaitsStarted, now.Add(x.times.Start)
	return x.conn.write(x.start)
}

// create makes media channels.
func (x *serverlessSession) create(m *message) error {
	directions := []string{m.Direction}
	switch m.Direction {
	case directionIn, directionOut:
	case directionBoth:
		directions = []string{directionIn, directionOut}
	default:
		return errDirection
	}
	x.sweepMedia()
	if len(x.media)+len(directions) > maxMedia {
		return errManyMedia
	}
	mime := m.MIME
	if mime == "" {
		mime = typeMedia
	}
	x.made++
	answer := response{Type: kindResponse, RequestID: m.RequestID}
	for _, d := range directions {
		name := x.id + "-" + strconv.Itoa(x.made) + "-" + d
		x.hub.Open(x.id, name, mime)
		x.media[x.base+name] = name
		answer.Channels = append(answer.Channels, channel{x.base + name, d, mime})
	}
	return x.conn.send(&answer)
}

// sweepMedia forgets the channels that were closed otherwise, by a client or because they were idle.
func (x *serverlessSession) sweepMedia() {
	for u, name := range x.media {
		if x.hub.Channel(name) == nil {
			delete(x.media, u)
		}
	}
}

// closeMedia closes a media channel of the session; others are not touched.
func (x *serverlessSession) closeMedia(u string) {
	if name, ok := x.media[u]; ok {
		delete(x.media, u)
		x.hub.Close(name)
	}
}

// close ends the connection and closes all channels.
func (x *serverlessSession) close() {
	if x.conn != nil {
		x.conn.close()
	}
	for u := range x.media {
		x.closeMedia(u)
	}
	x.hub.Close(x.events.Name())
	x.hub.Close(x.control.Name())
}

// channelBase is the address below which channels are.
func channelBase(service string) string { return service + ChannelPath }
