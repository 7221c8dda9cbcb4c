package endpoint

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// unanswered is the fault of a request that no endpoint answered, with each one's reason. When all lack the
// same thing its code is used, otherwise ChainUnavailable; errors.Is finds the codes of the single reasons
// too.
func (p *Pool) unanswered(op string, failures []*failure) error {
	if len(failures) == 0 {
		failures = p.pauseReasons()
	}
	code := fault.ChainUnavailable
	for _, special := range []kind{behind, unsupported, logsRefused} {
		if allOf(failures, special) {
			code = codes[special]
		}
	}
	reasons := make([]string, len(failures))
	causes := make([]error, len(failures))
	for i, f := range failures {
		reasons[i], causes[i] = f.Error(), f
	}
	out := fault.New(code, op, strings.Join(reasons, "; "))
	out.Err = hiddenCause{errors.Join(causes...)}
	return out
}

func allOf(failures []*failure, k kind) bool {
	for _, f := range failures {
		if f.kind != k {
			return false
		}
	}
	return len(failures) > 0
}

// pauseReasons returns the reasons why endpoints get no requests now.
func (p *Pool) pauseReasons() []*failure {
	var out []*failure
	for _, r := range p.remotes {
		r.mu.Lock()
		if r.quarantinedLocked(p.opt.Now()) {
			out = append(out, fail(falseAnswer, r.addr.name, "%s", r.quarantineReason))
		} else if r.last != nil {
			out = append(out, r.last)
		} else {
			out = append(out, fail(timedOut, r.addr.name, "paused after failures"))
		}
		r.mu.Unlock()
	}
	return out
}

// hiddenCause keeps causes for errors.Is without repeating their text, which the fault's detail already has.
type hiddenCause struct{ error }

func (q hiddenCause) Error() string { return "see the reasons" }
func (q hiddenCause) Unwrap() error { return q.error }
