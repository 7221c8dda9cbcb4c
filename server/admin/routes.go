package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

// chainRoutes need the chain; a node that runs off-chain answers them as the
// existing one does.
var chainRoutes = []string{
	"/orchestratorInfo", "/delegatorInfo", "/registeredOrchestrators", "/orchestratorEarningPoolsForRound",
	"/protocolParameters", "/contractAddresses", "/currentRound", "/roundInitialized", "/currentBlock", "/ethAddr",
	"/tokenBalance", "/ethBalance", "/maxGasPrice", "/minGasPrice", "/senderInfo", "/ticketBrokerParams",
	"/unbondingLocks", "/setMaxFaceValue", "/setPriceForBroadcaster", "/setMaxGasPrice", "/setMinGasPrice",
	"/activateOrchestrator", "/setOrchestratorConfig", "/bond", "/unbond", "/rebond", "/withdrawStake",
	"/withdrawFees", "/claimEarnings", "/reward", "/initializeRound", "/transferTokens", "/requestTokens",
	"/signMessage", "/vote", "/voteOnProposal", "/fundDepositAndReserve", "/fundDeposit", "/unlock",
	"/cancelUnlock", "/withdraw",
}

// routes is the mux. What changes or costs something goes through sameSite.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/status", s.status)
	mux.HandleFunc("/api/conditions", s.conditions)
	mux.HandleFunc("/IsOrchestrator", text(strconv.FormatBool(s.opts.Orchestrator)))
	mux.HandleFunc("/IsRedeemer", text(strconv.FormatBool(s.opts.Redeemer)))
	mux.HandleFunc("/EthChainID", text("0"))
	if s.opts.Verbosity != nil {
		mux.HandleFunc("/getLogLevel", s.getLogLevel)
		mux.Handle("/setLogLevel", s.sameSite(s.setLogLevel))
	}
	if s.opts.Limiter != nil {
		mux.Handle("/setMaxSessions", s.sameSite(s.setMaxSessions))
	}
	if s.opts.AIPools != nil {
		mux.HandleFunc("/getAISessionPoolsInfo", s.aiPools)
	}
	if s.opts.Metrics != nil {
		mux.Handle("/metrics", s.opts.Metrics)
	}
	mux.Handle("/debug/pprof/", s.sameSite(pprof.Index))
	mux.Handle("/debug/pprof/cmdline", s.sameSite(pprof.Cmdline))
	mux.Handle("/debug/pprof/profile", s.sameSite(pprof.Profile))
	mux.Handle("/debug/pprof/symbol", s.sameSite(pprof.Symbol))
	mux.Handle("/debug/pprof/trace", s.sameSite(pprof.Trace))
	for _, path := range chainRoutes {
		mux.HandleFunc(path, missingChain)
	}
	return mux
}

func missingChain(w http.ResponseWriter, _ *http.Request) {
	err := fault.New(fault.MissingETHClient, "admin request", "")
	http.Error(w, fault.Wire(err), status.HTTP(err))
}

func (s *Server) getLogLevel(w http.ResponseWriter, _ *http.Request) {
	writeText(w, strconv.Itoa(s.opts.Verbosity.Verbosity()))
}

func (s *Server) setLogLevel(w http.ResponseWriter, r *http.Request) {
	level, ok := s.param(w, r, "loglevel")
	if !ok {
		return
	}
	n, err := strconv.Atoi(level)
	if err == nil {
		err = s.opts.Verbosity.SetVerbosity(n)
	}
	if err != nil {
		s.refuse(w, r, fault.New(fault.AdminBadParam, "set log level", fmt.Sprintf("loglevel %q is not a verbosity such as 3 or 6", level)))
		return
	}
	s.opts.Log.Info("log verbosity changed", "v", n)
}

// auto leaves the session limit to the node.
const auto = "auto"

func (s *Server) setMaxSessions(w http.ResponseWriter, r *http.Request) {
	value, ok := s.param(w, r, "maxSessions")
	if !ok {
		return
	}
	n := 0
	if value != auto {
		var err error
		if n, err = strconv.Atoi(value); err != nil || n < 1 {
			s.refuse(w, r, fault.New(fault.AdminBadParam, "set session limit", fmt.Sprintf("maxSessions %q must be a number of at least 1, or auto", value)))
			return
		}
	}
	s.opts.Limiter.SetMaxSessions(n)
	s.opts.Log.Info("session limit changed; a restart returns to -maxSessions", "limit", value)
	if value != auto {
		value = strconv.Itoa(n)
	}
	writeText(w, "Max sessions set to "+value+"\n")
}

// maxBody bounds a request's form, in bytes.
const maxBody = 64 << 10

// param returns a form field from body or query, or answers 400.
func (s *Server) param(w http.ResponseWriter, r *http.Request, name string) (string, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if v := r.FormValue(name); v != "" {
		return v, true
	}
	s.refuse(w, r, fault.New(fault.AdminBadParam, "admin request", "missing form param: "+name))
	return "", false
}

// refuse answers with the public text of a fault.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.opts.Log.Warn("admin request refused", "path", r.URL.Path, fault.Attr(err))
	_, detail := fault.Public(err)
	http.Error(w, detail, status.HTTP(err))
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { writeText(w, s) }
}

func writeText(w http.ResponseWriter, s string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, s) // the client's absence is its own trouble
}

func writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n')) // as above
}
