package aiworkers

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// readError returns a failure in place of an answer. Our own workers say what it is
// called.
func readError(r *http.Request) (*answer, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxError))
	if err != nil {
		return nil, err
	}
	a := newAnswer(nil)
	a.err = failure(fault.Code(r.Header.Get(rpc.CodeHeader)), string(text))
	return a, nil
}

// clientMistake finds what a runner said of its client's request: the network's
// gateways look for these words, and so do its workers write them. Read-only.
var clientMistake = regexp.MustCompile(`(?i)\bcontainer returned (400|413|415|422)\b:?\s*(.*)`)

// failure is the fault that a worker's text means.
func failure(code fault.Code, text string) error {
	text = strings.TrimSpace(text)
	if code == fault.AIAnswerUndelivered {
		// For the waiting job that is the same as a lost worker.
		return fault.New(fault.AIWorkerLost, opRun, "its answer was lost on the way")
	}
	if row, known := fault.Lookup(code); known {
		if row.Class == fault.Internal || row.Class == fault.Config || row.Class == fault.Unauthenticated {
			// A worker's own problems are its operator's.
			code = fault.AIWorkerFailed
		}
		return fault.New(code, opRun, text)
	}
	lower := strings.ToLower(text)
	if m := clientMistake.FindStringSubmatch(text); m != nil {
		return fault.New(fault.JobUnreadable, opRun, m[2])
	}
	for _, w := range words {
		if strings.Contains(lower, w.text) {
			return fault.New(w.code, opRun, text)
		}
	}
	if text == "" {
		text = "the worker says nothing of it"
	}
	return fault.New(fault.AIWorkerFailed, opRun, text)
}

// words are what workers say, and what it means. Read-only.
var words = []struct {
	text string
	code fault.Code
}{
	{"no workers can process", fault.AIWorkerBusy},
	{"no workers available", fault.AIWorkerBusy},
	{"insufficient capacity", fault.AIWorkerBusy},
	{"out of memory", fault.RunnerOutOfMemory},
}

// final reports whether nothing better is to come in place of an answer: it came and
// cannot be used, where one whose connection broke may come again.
func final(err error) bool {
	_, ok := errors.AsType[*fault.Fault](err)
	return ok
}

func unusable(err error) error {
	code := fault.AIWorkerGarbled
	if errors.Is(err, remote.ErrNoMemory) {
		code = fault.JobsFull
	}
	return &fault.Fault{Code: code, Op: "read the AI worker's answer",
		Detail: "the AI worker's answer cannot be used: " + err.Error(), Err: err}
}
