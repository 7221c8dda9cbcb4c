package node

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// A Refusal is a success of nothing: the node said why. Codes of a newer node
// that this program does not know pass as they are.
type Refusal struct {
	Status int
	Said   adminapi.Error
}

// Error returns the code and this case's facts.
func (r *Refusal) Error() string {
	if r.Said.Message == "" {
		return r.Said.Code
	}
	return r.Said.Code + " (" + r.Said.Message + ")"
}

func refusal(status int, body []byte, path string) error {
	var e adminapi.ErrorBody
	if err := json.Unmarshal(body, &e); err == nil && e.Error.Code != "" {
		return &Refusal{Status: status, Said: e.Error}
	}
	text := strings.TrimSpace(string(body))
	if len(text) > 200 {
		text = text[:200]
	}
	if !strings.HasPrefix(path, adminapi.Prefix) {
		return formRefusal(status, text, path)
	}
	return fault.New(fault.NodeAnswerUnreadable, "ask for "+path, http.StatusText(status)+": "+text)
}

// formRefusal reads the line that the paths with forms answer with: a code, where
// it has one, and the facts.
func formRefusal(status int, text, path string) error {
	code, facts, _ := strings.Cut(text, ": ")
	row, known := fault.Lookup(fault.Code(code))
	switch {
	case known:
	case status == http.StatusNotFound:
		return fault.New(fault.FeatureMissing, "ask for "+path, "this node does not offer "+path)
	default:
		row, _ = fault.Lookup(fault.AdminBadParam)
		facts = text
	}
	return &Refusal{Status: status,
		Said: adminapi.Error{Code: string(row.Code), Message: facts, Cause: row.Cause, Remedy: row.Remedy,
			Retryable: row.Retryable}}
}

// Problem is what an error says to people and programs, wherever it came from.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Explain finds the code, the facts and the remedy of an error.
func Explain(err error) Problem {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return Problem{Code: r.Said.Code, Message: cmp.Or(r.Said.Message, r.Said.Cause, r.Said.Code), Remedy: r.Said.Remedy}
	}
	code := fault.CodeOf(err)
	row, _ := fault.Lookup(code)
	p := Problem{Code: string(code), Message: err.Error(), Remedy: row.Remedy}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		p.Message = cmp.Or(f.Detail, row.Cause)
	}
	return p
}

// FromAPI is an error that came inside an answer.
func FromAPI(e *adminapi.Error) error {
	if e == nil {
		return nil
	}
	return &Refusal{Status: http.StatusOK, Said: *e}
}

// Code returns the stable code of an error, the node's or our own.
func Code(err error) string { return Explain(err).Code }
