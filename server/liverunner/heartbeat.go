package liverunner

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/trickle"
)

// eventsName is how answers call a runner's channel of events.
const eventsName = "o2r"

const typeJSON = "application/json"

// channel is a channel as clients and runners get it.
type channel struct {
	Name        string `json:"name"`
	ChannelName string `json:"channel_name"`
	URL         string `json:"url"`
	InternalURL string `json:"internal_url,omitempty"`
	MIME        string `json:"mime_type"`
}

// beatAnswer answers a heartbeat. Secret and Events come with the first one.
type beatAnswer struct {
	RunnerID     string   `json:"runner_id"`
	Orchestrator string   `json:"orchestrator"`
	Interval     string   `json:"heartbeat_interval"`
	TTL          string   `json:"heartbeat_ttl"`
	Secret       string   `json:"heartbeat_secret,omitempty"`
	Events       *channel `json:"o2r,omitempty"`
	Sessions     []string `json:"session_ids"`
}

func (s *Server) heartbeat(w http.ResponseWriter, r *http.Request) {
	if !s.registry.Knows(r.Header.Get("Authorization")) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUnknownBody)
	}
	data, err := readBody(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h, err := liverunner.ParseHeartbeat(data, s.payment())
	if err != nil {
		refuse(w, err)
		return
	}
	b, err := s.registry.Beat(h, r.Header.Get("Authorization"))
	if err != nil {
		refuse(w, err)
		return
	}
	admission.Prove(r.Context())
	a := beatAnswer{
		RunnerID: b.Runner.ID, Orchestrator: s.o.InternalURI, Interval: liverunner.HeartbeatInterval.String(),
		TTL: liverunner.HeartbeatTTL.String(), Secret: b.Secret, Sessions: append([]string{}, b.Sessions...),
	}
	if b.Secret != "" {
		c := s.openEvents(b.Runner.ID)
		a.Events = &channel{
			Name:        eventsName,
			ChannelName: c.Name(),
			URL:         s.o.InternalURI + ChannelPath + c.Name(),
			MIME:        c.MIME(),
		}
	}
	if first := b.Secret != ""; first || s.hasProblem(b.Runner.ID) {
		s.report(b.Runner, true, nil)
	}
	writeJSON(w, a)
}

func (s *Server) unregister(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if err := s.registry.Unregister(id, r.Header.Get("Authorization"), func() { s.closeEvents(id) }); err != nil {
		refuse(w, err)
		return
	}
	s.forget(liverunner.Runner{ID: id, Dynamic: true})
	w.WriteHeader(http.StatusNoContent)
}

// openEvents makes a runner's channel of events, in the place of an older one.
func (s *Server) openEvents(id string) *trickle.Channel {
	c := s.hub.Open(id, s.registry.NewEventsName(id), typeJSON)
	s.mu.Lock()
	old := s.events[id]
	s.events[id] = c
	s.mu.Unlock()
	if old != nil {
		s.hub.Close(old.Name())
	}
	return c
}

func (s *Server) closeEvents(id string) {
	s.mu.Lock()
	c := s.events[id]
	delete(s.events, id)
	s.mu.Unlock()
	if c != nil {
		s.hub.Close(c.Name())
	}
}

// keepAlive sends a sign of life on each channel of events.
func (s *Server) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.events {
		_ = c.Put([]byte(`{"keep":"alive"}`)) // a closed one is removed by its runner's end
	}
}

// notify sends an event about a session to its runner.
func (s *Server) notify(session *liverunner.Session, event string) {
	data, err := json.Marshal(struct {
		Event     string `json:"event"`
		Session   string `json:"session"`
		Timestamp string `json:"timestamp"`
	}{event, session.ID, s.o.Now().UTC().Format(time.RFC3339)})
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.events[session.RunnerID]; c != nil && err == nil {
		_ = c.Put(data)
	}
}
