package aiapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
	"github.com/tuttinode/tutti/server/rpc"
)

// relayBody relays an answer that is one JSON object. An answer that fits in a buffer is sent when
// it is complete, so that a broken or unusable one still gets an error status; of a larger one the
// last piece is held back until then.
func (x *relayedRequest) relayBody(a *broker.Answer, job *inference.Job) error {
	const op = "relay answer"
	if x.keepAlive.committed {
		return fault.New(fault.AnswerUnreadable, op, "a stream was requested and the answer is not one")
	}
	buf := x.server.buffers.Get().(*[bigBuffer]byte)
	defer x.server.buffers.Put(buf)
	var scan sse.JSONScanner
	defer func() { x.stats.Usage, _ = scan.ReportedUsage() }()

	if job.Model.Capability == capability.LLM {
		x.renamer = sse.NewModelRenamer(x.modelName(), false)
	}
	from := x.limits.reader()
	n, err := x.fill(from, buf[:])
	x.stats.FirstByte = time.Since(x.began)
	scan.Feed(buf[:n])
	pieces := false
	for ; err == nil; n, err = x.readMore(from, buf[:], &scan) {
		p := x.renameModel(buf[:n])
		if !pieces {
			pieces = true
			x.beginBody(a, len(p)-n, !x.chatFormat.grows(&scan))
		}
		x.collectAnswer(a.ContentType, p)
		if err := x.write(time.Now(), p); err != nil {
			// The client left with a part of the answer, possibly all of its text, and before the
			// usage at its end: the reservation counts.
			x.complete = true
			return err
		}
	}
	if err != io.EOF {
		return brokenFault(op, err)
	}
	if refused := refusal(a, &scan, job, buf[:n], pieces); refused != nil {
		x.refused = true
		return refused
	}
	if err := unusable(&scan, job); err != nil {
		return err
	}
	x.complete = true
	last := x.chatFormat.last(x.renameModel(buf[:n]), &scan)
	if !pieces {
		x.sendAnswer(a.ContentType, x.withCostInside(last))
		return nil
	}
	x.collectAnswer(a.ContentType, last)
	if err := x.write(time.Now(), last); err != nil {
		return err
	}
	x.clearDeadline()
	return nil
}

// readMore reads the next piece of an answer.
func (x *relayedRequest) readMore(body io.Reader, buf []byte, scan *sse.JSONScanner) (int, error) {
	n, err := x.fill(body, buf)
	scan.Feed(buf[:n])
	return n, err
}

// refusal is the fault of an answer with status 200 that is a refusal, which clients can cause at
// honest orchestrators: those of the network answer null when their model server rejects a chat,
// and others pass an error on.
func refusal(a *broker.Answer, scan *sse.JSONScanner, job *inference.Job, b []byte, pieces bool) error {
	const op = "relay answer"
	switch {
	case pieces || job.Model.Capability != capability.LLM:
	case a.Node == "" && string(bytes.TrimSpace(b)) == "null":
		return fault.New(fault.JobRefused, op, "the model server rejected the request without a reason")
	case scan.Complete() && scan.Failed() && !scan.Chat():
		return fault.New(fault.AnswerUnreadable, op, "the orchestrator answered with an error")
	}
	return nil
}

// unusable is why a complete answer does not fit its job's operation; nil for a good one.
func unusable(scan *sse.JSONScanner, job *inference.Job) error {
	why := ""
	switch chat := job.Model.Capability == capability.LLM; {
	case !scan.Complete():
		why = "the answer is not one JSON object"
	case scan.Failed():
		why = "the orchestrator answered with an error"
	case !chat && !scan.Text():
		why = "the answer has no text and no masks"
	case chat && job.Operation == inference.Embedding && scan.Vectors() < max(1, job.Inputs):
		why = "the answer does not have an embedding for each input"
	case chat && job.Operation == inference.Rerank && scan.Scores() < max(1, job.Inputs):
		why = "the answer does not have a score for each document"
	case chat && job.Operation.Generates() && !scan.Chat():
		why = "the answer has no choice with a message"
	default:
		return nil
	}
	return fault.New(fault.AnswerUnreadable, "relay answer", why)
}

// beginBody sends the headers of an answer that is sent in pieces. longer is by how much renaming
// the model has lengthened it. Content-Length is left out while its length may still change.
func (x *relayedRequest) beginBody(a *broker.Answer, longer int, asItCame bool) {
	h := x.w.Header()
	h["Content-Type"] = []string{a.ContentType}
	h["X-Content-Type-Options"] = nosniff
	if a.Length >= 0 && asItCame && x.renamer.Settled() {
		h["Content-Length"] = []string{strconv.FormatInt(a.Length+int64(longer), 10)}
	}
	x.rateHeaders()
	x.costHeaders()
	x.stats.Status = http.StatusOK
	x.w.WriteHeader(http.StatusOK)
}

// fill reads until buf is full or the body ends.
func (x *relayedRequest) fill(r io.Reader, buf []byte) (n int, err error) {
	began := time.Now()
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	x.waited += time.Since(began)
	return n, err
}

// maxRefusal bounds a runner's error text, in bytes.
const maxRefusal = 64 << 10

// relayRefusal relays a runner's refusal of the request as an error object.
func (x *relayedRequest) relayRefusal(a *broker.Answer) error {
	x.refused = true
	b, err := io.ReadAll(io.LimitReader(a.Body, maxRefusal))
	if err != nil {
		return brokenFault("read refusal", err)
	}
	x.stats.Code = fault.JobRefused
	b = refusalBody(a.Status, b, x.covered(guards.StageAnswer))
	if x.keepAlive.committed {
		var event bytes.Buffer
		event.WriteString("data: ")
		if json.Compact(&event, b) == nil {
			event.WriteString("\n\n")
			_ = x.send(event.Bytes())
		}
		x.clearDeadline()
		return nil
	}
	x.w.Header().Set(rpc.CodeHeader, string(fault.JobRefused))
	x.sendWhole(a.Status, "application/json", b)
	return nil
}

// refusalBody returns a runner's refusal as OpenAI's error object. One that already has that form is
// relayed unchanged, but for brief ones: of them a short message and words without spaces are left, in which an
// orchestrator gives no answer past the guards.
func refusalBody(status int, b []byte, brief bool) []byte {
	var in struct {
		Error struct {
			Message string `json:"message"`
			Type    any    `json:"type"`
			Code    any    `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(b, &in) == nil && in.Error.Message != "" {
		if !brief {
			return b
		}
		_, text := fault.Public(fault.New(fault.JobRefused, "", in.Error.Message))
		out, _ := json.Marshal(errorBody{errorObject{Message: text, Type: codeWord(in.Error.Type, errorType(status)),
			Param: param(inference.Field(b)), Code: codeWord(in.Error.Code, string(fault.JobRefused))}})
		return append(out, '\n')
	}
	text := inference.Message(b)
	if text == "" {
		text = strings.TrimSpace(string(b))
	}
	// Public texts are bounded and cleaned, also those of runners.
	_, text = fault.Public(fault.New(fault.JobRefused, "", text))
	out, _ := json.Marshal(errorBody{errorObject{
		Message: text, Type: errorType(status), Param: param(inference.Field(b)), Code: string(fault.JobRefused),
	}})
	return append(out, '\n')
}

// codeWord returns a value that is a short word, as codes of errors are, and another one in place of all else.
func codeWord(v any, other string) string {
	const longest = 40
	text, _ := v.(string)
	odd := func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	if text == "" || len(text) > longest || strings.ContainsFunc(text, odd) {
		return other
	}
	return text
}
