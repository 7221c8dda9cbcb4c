package upstream

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// passedOn reports whether a status and its body are relayed to the client: an answer, or a
// runner's explanation of the client's error.
func passedOn(resp *http.Response, own bool) bool {
	switch resp.StatusCode {
	case http.StatusOK:
		return true
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return own && resp.Header.Get(rpc.CodeHeader) == "" && isJSON(resp)
	}
	return false
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

func isJSON(resp *http.Response) bool { return strings.Contains(mediaType(resp), "json") }

// anyType are the pipelines whose answers the network accepts with any content type. Read-only.
var anyType = capability.Of(capability.LLM, capability.AudioToText, capability.ImageToVideo)

// checkAnswer checks the content type of an answer with status 200. HTML is never an answer.
func checkAnswer(resp *http.Response, job *inference.Job, own bool) error {
	t := mediaType(resp)
	switch {
	case t == "text/html":
	case own, isJSON(resp), job.Stream && t == "text/event-stream", anyType.Has(job.Model.Capability):
		return nil
	}
	return fault.New(fault.AnswerUnreadable, "read answer",
		fmt.Sprintf("content type %.64q", resp.Header.Get("Content-Type")))
}

// jobRefusal classifies a failed answer, by the code that our own nodes send or by the network's
// text.
func jobRefusal(resp *http.Response, own bool) error {
	const op = "send job"
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a partial text is better than none
	text := strings.TrimSpace(string(raw))
	if own {
		if code := fault.Code(resp.Header.Get(rpc.CodeHeader)); acceptsCode(code) {
			return withRetryAfter(resp, fault.New(gatewayCode(code), op, text))
		}
	}
	code := codeOfText(text)
	if code == fault.JobRefused {
		return runnerRefusal(op, text)
	}
	if code == "" {
		code = codeOfStatus(resp.StatusCode)
	}
	if code == fault.JobRefused {
		return &fault.Fault{Code: code, Op: op, Detail: text, Err: &inference.RefusedError{Status: resp.StatusCode}}
	}
	return withRetryAfter(resp, fault.New(code, op, fmt.Sprintf("%d %s", resp.StatusCode, text)))
}

const (
	// maxRetryAfter bounds a Retry-After; limitedFor replaces a missing one with status 429.
	maxRetryAfter = 5 * time.Minute
	limitedFor    = time.Second
)

// withRetryAfter adds the Retry-After header to the fault of a busy orchestrator.
func withRetryAfter(resp *http.Response, f *fault.Fault) error {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	switch {
	case f.Code.Class() != fault.Busy:
		return f
	case err == nil && seconds >= 1:
		return fault.After(f, min(time.Duration(min(seconds, 3600))*time.Second, maxRetryAfter))
	case resp.StatusCode == http.StatusTooManyRequests:
		return fault.After(f, limitedFor)
	}
	return f
}

// gatewayCode maps an orchestrator's code to the one that gateways act on: details about single
// tickets are of no use here.
func gatewayCode(code fault.Code) fault.Code {
	switch code {
	case fault.TicketNonceSeen, fault.TicketNonceTooMany:
		return fault.TicketNonceRefused
	}
	return code
}

// acceptsCode reports whether a peer's code is taken as it is: those about its work. Codes that
// only this gateway can find, such as a missing key, are not accepted from peers.
func acceptsCode(code fault.Code) bool {
	row, known := fault.Lookup(code)
	switch {
	case !known, code == fault.Canceled, code == fault.DeadlineExceeded,
		code == fault.RequestAboveLimit, code == fault.RequestTooExpensive: // this gateway's own limits
		return false
	}
	switch row.Class {
	case fault.BadRequest, fault.Busy, fault.Payment:
		return true
	case fault.Upstream:
		return row.Retryable // other codes would end a job that another orchestrator may do
	}
	return code == fault.InvalidAuthToken || code == fault.ExpiredAuthToken || code == fault.MissingAuthToken
}

// textCode is a text of the network and its meaning.
type textCode struct {
	text string
	code fault.Code
}

// paymentTexts are the network's texts about payments, in lower case, in matching order. Read-only.
var paymentTexts = []textCode{
	{"ticketparams expired", fault.TicketParamsStale},
	{"invalid ticket sendernonce", fault.TicketNonceRefused},
	{"insufficient balance", fault.InsufficientBalance},
	{"invalid expected price", fault.ExpectedPriceWrong},
	{"insufficient sender reserve", fault.InsufficientSenderReserve},
	{"invalid recipientrand", fault.TicketParamsForeign},
}

// jobTexts are its texts about jobs. Read-only.
var jobTexts = []textCode{
	{"insufficient capacity", fault.OrchestratorFull},
	{"orchestratorcapped", fault.OrchestratorFull},
	{"orchestratorbusy", fault.OrchestratorFull},
	{"expired auth token", fault.ExpiredAuthToken},
	{"invalid auth token", fault.InvalidAuthToken},
	{"missing auth token", fault.InvalidAuthToken},
}

// runnerRefused matches a model server's refusal in the text of an orchestrator of the network,
// which relays it with a status of its own: the status, and the server's message. Read-only.
var runnerRefused = regexp.MustCompile(`(?is)(?:returned|unexpected status code:) (400|413|415|422)\b:?\s*(.*)$`)

// runnerSaid matches the beginning of a model server's own words there, whatever their status. Read-only.
var runnerSaid = regexp.MustCompile(`(?:returned|unexpected status code:) [1-5][0-9]{2}\b`)

// runnerRefusal is the fault of a model server's refusal, with the server's message.
func runnerRefusal(op, text string) error {
	m := runnerRefused.FindStringSubmatch(text)
	status, _ := strconv.Atoi(m[1]) // three digits
	said := strings.TrimSpace(m[2])
	if said == "" {
		said = "the model server refused the request with status " + m[1] + " and gives no reason"
	}
	return &fault.Fault{Code: fault.JobRefused, Op: op, Detail: said,
		Err: &runnerRefusalError{inference.RefusedError{Status: status}}}
}

// runnerRefusalError marks a model server's refusal, as opposed to an orchestrator's own.
type runnerRefusalError struct{ refused inference.RefusedError }

// Error returns the refusal as text.
func (e *runnerRefusalError) Error() string { return "the model server " + e.refused.Error() }

// Unwrap returns the refusal.
func (e *runnerRefusalError) Unwrap() error { return &e.refused }

// isRunnerRefusal reports whether a refusal came from a model server.
func isRunnerRefusal(err error) bool {
	_, ok := errors.AsType[*runnerRefusalError](err)
	return ok
}

// paymentText returns the code of a text about payments, "" without one.
func paymentText(lower string) fault.Code { return find(lower, paymentTexts) }

func find(lower string, texts []textCode) fault.Code {
	for _, t := range texts {
		if strings.Contains(lower, t.text) {
			return t.code
		}
	}
	return ""
}

func codeOfText(text string) fault.Code {
	lower := strings.ToLower(text)
	if at := runnerSaid.FindStringIndex(lower); at != nil {
		lower = lower[:at[0]] // the rest may repeat what the client sent
	}
	if code := paymentText(lower); code != "" {
		return code
	}
	if code := find(lower, jobTexts); code != "" {
		return code
	}
	if runnerRefused.MatchString(text) {
		return fault.JobRefused
	}
	return ""
}

func codeOfStatus(status int) fault.Code {
	switch {
	case status == http.StatusTooManyRequests:
		return fault.OrchestratorFull
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge,
		status == http.StatusUnsupportedMediaType, status == http.StatusUnprocessableEntity:
		return fault.JobRefused
	case status >= 500:
		return fault.JobFailed
	case status >= 400:
		return fault.JobDeclined
	}
	return fault.AnswerUnreadable
}
