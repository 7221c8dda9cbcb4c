package aiapi

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// requestConn is the client's connection and request.
type requestConn struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	id      string
	began   time.Time
	// times are the client's own time limits.
	times requestTimes
	// unverified is the client's address while its key is not checked yet, else "".
	unverified string
}

// requestAccount is what a request counts for, what it holds and may cost.
type requestAccount struct {
	// entered: the request counts as in flight. held is its share of the memory budget, in bytes.
	entered bool
	held    int64
	// key is what the memory counts for once it is checked, zero without keys.
	key   apikeys.Hash
	grant *apikeys.Grant
	// cost is what is paid for the request.
	cost requestCost
	// limit is the maximum number of tokens of the answer: 0 is unknown, apikeys.NoTokens is none.
	limit inference.Tokens
	// maxPrompt is an upper bound of the tokens of the prompt.
	maxPrompt inference.Tokens
	// release gives the slot of the model's queue back.
	release func()
}

// requestTarget is what a request asks for, and the models that it may be sent to.
type requestTarget struct {
	// long are the values of the request's body that are in a file.
	long *pipeline.LongValues
	// resultsAsked is the number of results requested.
	resultsAsked int
	// askedModel is the name that the client asked for where the job's model has another one.
	askedModel string
	// targetsOf are the models that the request may be sent to, nil where it is only its own.
	targetsOf []airouting.ModelTarget
}

// relayProgress is how far the answer was sent, and what of it counts.
type relayProgress struct {
	// stats are logged and counted at the end.
	stats inference.JobStats
	span  telemetry.Span
	// waited is the time spent waiting for the next hop or the client. sent counts the answer's
	// bytes.
	waited time.Duration
	sent   int64
	// complete: the answer reached its end. abort: the connection must be closed without a proper
	// end, so that the client notices the missing part.
	complete, abort bool
	// lastWrite is when the client last accepted data; see deadline. clientStall is the total time
	// that writes to it were blocked.
	lastWrite   time.Time
	clientStall time.Duration
	// midEvent: the part of the stream that was sent ends within an event.
	midEvent bool
	// unitsDelivered is the work delivered by an answer that is not whole. partial: the answer has
	// fewer results than requested, and ended properly.
	unitsDelivered inference.Units
	partial        bool
	// refused: the answer only says that the request was refused.
	refused bool
	// detached: a background request continues the job and reports it.
	detached bool
}

// answerMemory is what an answer may take.
type answerMemory struct {
	// limits bounds the answer's time and size. answerFrom is the orchestrator whose unfinished
	// answer the memory is taken for, answerBytes the amount.
	limits      answerLimits
	answerFrom  string
	answerBytes int64
}

// answerFilters change an answer on its way to the client.
type answerFilters struct {
	keepAlive  *keepAlive
	filter     sse.HideUsage
	chatFormat openAIChat
	guards     guards.InUse
	guarded    guardedStream
	kept       keptAnswer
	// renamer puts the requested model name into the answer.
	renamer  sse.ModelRenamer
	smallBuf [smallBuffer]byte
	// filtered and renamed hold the output of the two filters.
	filtered, renamed []byte
}
