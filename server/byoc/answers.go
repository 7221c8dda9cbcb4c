package byoc

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// Headers of the protocol.
const (
	headerJob        = "Livepeer"
	headerAccount    = "Livepeer-Eth-Address"
	headerCapability = "Livepeer-Capability"
	headerBalance    = "Livepeer-Balance"
	headerMetadata   = "X-Metadata"
	headerStream     = "X-Stream-Id"

	typeJSON   = "application/json"
	typeText   = "text/plain; charset=utf-8"
	typeEvents = "text/event-stream"
)

// refusal is an answer with a status and a text of the network.
type refusal struct {
	status int
	text   string
}

// Error returns the text.
func (r *refusal) Error() string { return r.text }

// Refusals in the network's words. Read-only.
var (
	errMethod      = &refusal{http.StatusMethodNotAllowed, "Method not allowed"}
	errSecret      = &refusal{http.StatusBadRequest, "invalid authorization"}
	errJob         = &refusal{http.StatusBadRequest, "Could not verify job creds"}
	errNoCapacity  = &refusal{http.StatusServiceUnavailable, "No capacity available for capability"}
	errBalance     = &refusal{http.StatusBadRequest, "Insufficient balance for request"}
	errBalanceOf   = &refusal{http.StatusPaymentRequired, errBalance.text}
	errPath        = &refusal{http.StatusBadRequest, "the path leads out of the capability's"}
	errStreamPath  = &refusal{http.StatusBadRequest, "streams begin and end at /ai/stream"}
	errBody        = &refusal{http.StatusBadRequest, "Invalid JSON body"}
	errStreamID    = &refusal{http.StatusBadRequest, "Invalid stream id"}
	errStreamKnown = &refusal{http.StatusInternalServerError, "Error adding stream to external capabilities"}
	errNoStream    = &refusal{http.StatusNotFound, "Stream not found"}
	errWorker      = &refusal{http.StatusInternalServerError, "Orchestrator worker failure"}
	errToken       = &refusal{http.StatusInternalServerError, removing + "worker auth token failed"}
	errUnreached   = &refusal{http.StatusInternalServerError, removing + "its server cannot be reached"}
	errBroken      = &refusal{http.StatusInternalServerError, unable + " err=its server broke off"}
	errLate        = &refusal{http.StatusGatewayTimeout, unable + " err=its time is over"}
	errStopping    = &refusal{http.StatusServiceUnavailable, unable + " err=the node stops"}
)

const (
	unable   = "job not able to be processed"
	removing = unable + ", removing capability err="
)

// refuse answers with an error in the network's form.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if own, ok := errors.AsType[*refusal](err); ok {
		http.Error(w, own.text, own.status)
		return
	}
	if r.Context().Err() != nil {
		return // the gateway has gone
	}
	s.o.Log.Debug("work of a capability refused", fault.Attr(err))
	w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	http.Error(w, fault.Wire(err), status.Job(err))
}

// unpaid is the answer to a payment that was refused, or not enough. short is the one to too little.
func unpaid(err error, short *refusal) error {
	switch code := fault.CodeOf(err); {
	case code == fault.InsufficientBalance:
		return short
	case code == fault.Draining:
		return errNoCapacity
	case code.Class() == fault.Payment, code == fault.PaymentEncoding, code == fault.PaymentMessage:
		return &refusal{http.StatusBadRequest, fault.Wire(err)}
	}
	return err
}

// setBalance tells a gateway what is left of its account.
func (s *Server) setBalance(w http.ResponseWriter, left pm.Value) {
	w.Header().Set(headerBalance, left.Floor().String())
}

// A gateway takes an answer within answerTime, and so many bytes a second as well.
const (
	answerTime = 8 * time.Second
	answerPace = 64 << 10
)

// write sends a whole answer.
func (s *Server) write(w http.ResponseWriter, code int, contentType string, body []byte) {
	allowed := answerTime + time.Duration(len(body))*time.Second/answerPace
	_ = http.NewResponseController(w).SetWriteDeadline(s.o.Now().Add(allowed))
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}
