package admin

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// settingRoutes change what lives until the next start and costs nothing.
func settingRoutes() []legacy {
	return []legacy{
		{path: "/setLogLevel", changes: true, serve: (*Server).setLogLevel},
		{path: "/setMaxSessions", changes: true, serve: (*Server).setMaxSessions},
		{path: "/setMaxFaceValue", changes: true, chain: true, serve: (*Server).setMaxFaceValue},
		{path: "/setPriceForBroadcaster", changes: true, chain: true, serve: (*Server).setPriceForBroadcaster},
	}
}

// gatewayRoutes returns about a gateway's own settings and what it knows of others.
func gatewayRoutes() []legacy {
	return []legacy{
		{path: "/getBroadcastConfig", serve: (*Server).broadcastConfig},
		{path: "/setBroadcastConfig", changes: true, serve: (*Server).setBroadcastConfig},
		{path: "/setMaxPriceForCapability", changes: true, serve: (*Server).setMaxPriceForCapability},
		{path: "/getAISessionPoolsInfo", serve: (*Server).aiPools},
		{path: "/getNetworkCapabilities", serve: (*Server).networkCapabilities},
		{path: "/registerLiveRunners", changes: true, serve: (*Server).registerLiveRunners},
	}
}

func (s *Server) registerLiveRunners(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Work.LiveRunners == nil {
		return absent("live runners")
	}
	s.opts.Work.LiveRunners(w, r)
	return nil
}

func (s *Server) setLogLevel(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	level, err := f.text("loglevel")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(level)
	if err != nil {
		return badLevel(level)
	}
	return s.changeLogLevel(n)
}

func (s *Server) changeLogLevel(n int) error {
	if s.opts.Node.Verbosity == nil {
		return absent("log level that can be changed")
	}
	if s.opts.Node.Verbosity.SetVerbosity(n) != nil {
		return badLevel(strconv.Itoa(n))
	}
	s.opts.Log.Debug("log verbosity changed", "v", n)
	return nil
}

func badLevel(level string) error {
	return badParam("loglevel %s is not a verbosity such as 3 or 6", quote(level))
}

func (s *Server) setMaxSessions(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	text, err := f.text("maxSessions")
	if err != nil {
		return err
	}
	limit := adminapi.MaxSessions(text)
	n, err := limit.Number()
	if err != nil {
		return badParam("maxSessions %s must be a number of at least 1, or auto", quote(text))
	}
	if err := s.changeSessions(n); err != nil {
		return err
	}
	writeText(w, "Max sessions set to "+string(sessionsOf(n))+"\n")
	return nil
}

func (s *Server) changeSessions(n int) error {
	if s.opts.Node.SetMaxSessions == nil {
		return absent("sessions")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Node.SetMaxSessions(n)
	s.sessions = sessionsOf(n)
	s.opts.Log.Debug("session limit changed; a restart returns to -maxSessions", "limit", string(s.sessions))
	return nil
}

// sessionsOf returns a limit in the API's words.
func sessionsOf(n int) adminapi.MaxSessions {
	if n == 0 {
		return adminapi.Auto
	}
	return adminapi.MaxSessions(strconv.Itoa(n))
}

func (s *Server) setMaxFaceValue(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	most, err := value(f, "maxfacevalue", core.ParseWei)
	if err != nil {
		return err
	}
	if s.opts.Market.SetMaxFaceValue == nil {
		return absent("tickets whose face value could be bounded")
	}
	if err := s.opts.Market.SetMaxFaceValue(most); err != nil {
		return err
	}
	writeText(w, "ticket max face value set")
	return nil
}

func (s *Server) setPriceForBroadcaster(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	price, err := f.price()
	if err != nil {
		return err
	}
	name, err := f.text("broadcasterEthAddr")
	if err != nil {
		return err
	}
	var gateway core.Address // the default
	if name != "default" {
		if gateway, err = value(f, "broadcasterEthAddr", core.ParseAddress); err != nil {
			return err
		}
	}
	if err := s.setPrice(r.Context(), gateway, price); err != nil {
		return badPrice("pricePerUnit", err)
	}
	writeText(w, fmt.Sprintf("Price per pixel set to %s for broadcaster %s until the next start", price, name))
	return nil
}

func (s *Server) networkCapabilities(w http.ResponseWriter, r *http.Request) error {
	switch {
	case s.opts.Work.NetworkCapabilities != nil:
		writeJSON(w, s.opts.Work.NetworkCapabilities(r.Context()))
		return nil
	case s.opts.Orchestrator:
		return badParam("network capabilities are known to gateways, and this is an orchestrator")
	}
	return absent("list of the network's capabilities")
}
