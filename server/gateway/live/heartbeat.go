package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// errTerminated is how the network's gateways name the end that the heartbeat's service asks for.
var errTerminated = errors.New("stream terminated: credit_exhaustion")

// HeartbeatOptions make a Heartbeat.
type HeartbeatOptions struct {
	// URL is the operator's service; Header is sent to it.
	URL      string
	Header   http.Header
	Interval time.Duration
	Board    *health.Board
}

// Heartbeat notifies a service of the streams that run, and ends those that it names.
type Heartbeat struct {
	s      *Server
	o      HeartbeatOptions
	client *http.Client
}

// NewHeartbeat makes the heartbeat of a server.
func (s *Server) NewHeartbeat(o HeartbeatOptions) *Heartbeat {
	return &Heartbeat{s: s, o: o, client: serviceClient()}
}

// Name is the component's.
func (h *Heartbeat) Name() string { return "heartbeat of live video" }

// Run notifies the service until ctx ends. While the service fails streams go on.
func (h *Heartbeat) Run(ctx context.Context, ready func()) error {
	defer h.client.CloseIdleConnections()
	ready()
	key := health.Key{Code: fault.LiveHeartbeatFailed}
	tick := time.NewTicker(h.o.Interval)
	defer tick.Stop()
	for {
		err := h.beat(ctx)
		switch {
		case ctx.Err() != nil:
			h.o.Board.Clear(key)
			return nil
		case err != nil:
			h.o.Board.Set(key, err.Error())
		default:
			h.o.Board.Clear(key)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// beat sends the ids of the running streams, null without any, and takes the answer.
func (h *Heartbeat) beat(ctx context.Context) error {
	body, err := json.Marshal(map[string][]string{"ids": h.s.ids()})
	if err != nil {
		return fmt.Errorf("write the heartbeat: %w", err)
	}
	status, data, err := call(ctx, h.client, h.o.URL, h.o.Header, body)
	switch {
	case err != nil:
		return err
	case status < 200 || status > 299:
		return fmt.Errorf("the service answered with status %d", status)
	}
	ids, err := readTerminated(data)
	if err != nil {
		return err
	}
	h.s.terminate(ids)
	return nil
}

// readTerminated reads the ids in an answer, which may be empty.
func readTerminated(data []byte) ([]string, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	var answer struct {
		Terminated []string `json:"terminatedStreamIds"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON of the known form", errAnswer)
	}
	return answer.Terminated, nil
}

// ids are those of the running streams, nil without any.
func (s *Server) ids() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if !st.over() {
			out = append(out, st.id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// terminate ends the running streams with these ids.
func (s *Server) terminate(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if slices.Contains(ids, st.id) && !st.over() {
			s.o.Log.Info("the heartbeat's service ends a live stream", "stream", st.id)
			st.stop(errTerminated)
		}
	}
}
