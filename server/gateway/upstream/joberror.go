package upstream

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// passedOn reports whether a status and its body go to the client as they are: an
// answer, or a runner's own words about the client's mistake.
func passedOn(resp *http.Response, own bool) bool {
	switch resp.StatusCode {
	case http.StatusOK:
		return true
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return own && resp.Header.Get(codeHeader) == "" && isJSON(resp)
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

// anyType are the pipelines whose answers the network takes whatever their type.
var anyType = capability.Of(capability.LLM, capability.AudioToText, capability.ImageToVideo)

// checkAnswer holds a 200 to what pipelines answer. A page is none, whoever sent it.
func checkAnswer(resp *http.Response, job *inference.Job, own bool) error {
	t := mediaType(resp)
	switch {
	case t == "text/html":
	case own, isJSON(resp), job.Stream && t == "text/event-stream", anyType.Has(job.Model.Capability):
		return nil
	}
	return fault.New(fault.AnswerUnreadable, "read answer", fmt.Sprintf("content type %.64q", resp.Header.Get("Content-Type")))
}

// jobRefusal names an answer that is none, by the code that our own nodes send or
// by the network's text.
func jobRefusal(resp *http.Response, own bool) error {
	const op = "send job"
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came is all there is to tell
	text := strings.TrimSpace(string(raw))
	if own {
		if code := fault.Code(resp.Header.Get(codeHeader)); takeCode(code) {
			return fault.New(gatewaysCode(code), op, text)
		}
	}
	code := codeOfText(text)
	if code == "" {
		code = codeOfStatus(resp.StatusCode)
	}
	detail := text
	if code != fault.JobRefused {
		detail = fmt.Sprintf("%d %s", resp.StatusCode, text)
	}
	return fault.New(code, op, detail)
}

// gatewaysCode is an orchestrator's code as gateways act on it: what it finds of
// single tickets comes to one of a few things here.
func gatewaysCode(code fault.Code) fault.Code {
	switch code {
	case fault.TicketNonceSeen, fault.TicketNonceTooMany:
		return fault.TicketNonceRefused
	}
	return code
}

// takeCode says which codes of a peer are taken as they are: those of its work.
// What only this gateway can find, such as that a client has no key, is not a
// peer's to say.
func takeCode(code fault.Code) bool {
	row, known := fault.Lookup(code)
	if !known || code == fault.Canceled || code == fault.DeadlineExceeded {
		return false
	}
	switch row.Class {
	case fault.BadRequest, fault.Busy, fault.Payment, fault.Upstream:
		return true
	}
	return code == fault.InvalidAuthToken || code == fault.ExpiredAuthToken || code == fault.MissingAuthToken
}

// text is a word of the network and what it means.
type text struct {
	text string
	code fault.Code
}

// paymentTexts are the network's words about payments, in lower case, in the order
// in which they are looked for.
var paymentTexts = []text{
	{"ticketparams expired", fault.TicketParamsStale},
	{"invalid ticket sendernonce", fault.TicketNonceRefused},
	{"insufficient balance", fault.InsufficientBalance},
	{"invalid expected price", fault.ExpectedPriceWrong},
	{"insufficient sender reserve", fault.InsufficientSenderReserve},
	{"invalid recipientrand", fault.TicketParamsForeign},
}

// jobTexts are its words about jobs.
var jobTexts = []text{
	{"insufficient capacity", fault.OrchestratorFull},
	{"orchestratorcapped", fault.OrchestratorFull},
	{"orchestratorbusy", fault.OrchestratorFull},
	{"expired auth token", fault.ExpiredAuthToken},
	{"invalid auth token", fault.InvalidAuthToken},
	{"missing auth token", fault.InvalidAuthToken},
}

// runnerTexts are a model server's word that the request is wrong, as orchestrators of the
// network pass it on.
var runnerTexts = []text{
	{"returned 400", fault.JobRefused},
	{"returned 413", fault.JobRefused},
	{"returned 415", fault.JobRefused},
	{"returned 422", fault.JobRefused},
	{"unexpected status code: 400", fault.JobRefused},
	{"unexpected status code: 413", fault.JobRefused},
	{"unexpected status code: 415", fault.JobRefused},
	{"unexpected status code: 422", fault.JobRefused},
}

// runnersWord reports whether a refusal has a model server's word.
func runnersWord(err error) bool {
	return fault.CodeOf(err) == fault.JobRefused && find(strings.ToLower(err.Error()), runnerTexts) != ""
}

// paymentText is what a text says of a payment, "" when nothing.
func paymentText(lower string) fault.Code { return find(lower, paymentTexts) }

func find(lower string, texts []text) fault.Code {
	for _, t := range texts {
		if strings.Contains(lower, t.text) {
			return t.code
		}
	}
	return ""
}

func codeOfText(text string) fault.Code {
	lower := strings.ToLower(text)
	if code := paymentText(lower); code != "" {
		return code
	}
	if code := find(lower, jobTexts); code != "" {
		return code
	}
	return find(lower, runnerTexts)
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
