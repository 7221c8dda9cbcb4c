package orchestrator

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/sse"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
	// maxAnswer bounds an answer that is buffered completely.
	maxAnswer = 256 << 20
	// pieceSize is the copy buffer of an answer.
	pieceSize = 32 << 10
)

// bufferPool holds copy buffers of answers.
type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) get() *[pieceSize]byte {
	if b, ok := p.pool.Get().(*[pieceSize]byte); ok {
		return b
	}
	return new([pieceSize]byte)
}

func (p *bufferPool) put(b *[pieceSize]byte) { p.pool.Put(b) }

// relay sends the runner's answer in the gateway's form.
func (x *aiJob) relay(reply *inference.Reply) error {
	stream := strings.HasPrefix(reply.ContentType, streamType)
	ok := reply.Status < 300
	switch {
	case !ok && !x.own:
		return x.relayClientError(reply)
	case ok && hasMedia(x.pipe.Capability):
		return x.relayMedia(reply)
	case ok && stream:
		return x.relayStream(reply)
	case ok && !x.own && x.pipe.Capability == capability.LLM:
		return x.relayChat(reply)
	}
	return x.relayJSON(reply)
}

// relayClientError sends a gateway of the existing network the runner's refusal of its
// client's request.
func (x *aiJob) relayClientError(reply *inference.Reply) error {
	const most = 64 << 10
	begun := x.s.opt.Now()
	body, err := io.ReadAll(io.LimitReader(reply.Body, most))
	x.addWait(begun)
	if err != nil {
		return x.broken(err)
	}
	x.relayRefusal(reply.Status, runnerText(body), nil)
	return nil
}

// relayChat sends a gateway of the existing network the fields that it reads.
func (x *aiJob) relayChat(reply *inference.Reply) error {
	body, err := x.readAnswer(reply)
	if err != nil {
		return err
	}
	defer body.release()
	x.f.Usage, _ = sse.ScanJSON(body.data)
	out, err := pipeline.NetworkAnswer(body.data, x.req.Model.ID, x.f.RequestID, x.s.opt.Now())
	if err != nil {
		return unusable(err)
	}
	return x.sendJSON(out)
}

// sendJSON answers with a complete JSON body.
func (x *aiJob) sendJSON(body []byte) error {
	x.answer.setDeadline(len(body))
	x.answer.begin(http.StatusOK, jsonType, int64(len(body)))
	if err := x.answer.write(body, false); err != nil {
		return x.notTaken(err)
	}
	return nil
}

// readAnswer reads an answer to its end and releases its slot: other jobs need not wait until the
// gateway has read the answer.
func (x *aiJob) readAnswer(reply *inference.Reply) (*upload, error) {
	begun := x.s.opt.Now()
	body, err := receiveBody(reply.Body, reply.Length, maxAnswer, x.s.uploads, x.body.resultClaim(), func(int) {})
	x.addWait(begun)
	switch fault.CodeOf(err) {
	case fault.JobTooLarge:
		return nil, unusable(errors.New("too large"))
	case fault.JobBroken:
		return nil, x.broken(errors.Unwrap(err))
	}
	_ = reply.Body.Close()
	return body, err
}

func unusable(err error) error {
	return &fault.Fault{Code: fault.ResponseUnusable, Op: "read the runner's answer",
		Detail: "the runner's answer cannot be used: " + err.Error(), Err: err}
}

// relayJSON relays an answer that is no stream, unchanged.
func (x *aiJob) relayJSON(reply *inference.Reply) error {
	var scan sse.JSONScanner
	kind := reply.ContentType
	if kind == "" || !x.own {
		kind = jsonType
	}
	err := x.copyPieces(reply.Body, func(p []byte) error {
		if !x.answer.begun {
			x.answer.begin(reply.Status, kind, reply.Length)
		}
		scan.Feed(p)
		return x.answer.write(p, false)
	})
	x.f.Usage, _ = scan.ReportedUsage()
	if err == nil && !x.answer.begun {
		x.answer.begin(reply.Status, kind, max(0, reply.Length))
	}
	return x.ended(err)
}

// relayStream relays a stream of events. Our own gateways get the runner's bytes and convert
// them for their clients; the existing network's get the only form that they support.
//
// The connection of a broken stream is aborted towards our own gateways, which detect that
// the answer is incomplete and notify their clients, or retry elsewhere before the first
// byte. The existing network's would take an aborted connection for the end of the answer;
// their stream ends with an error event, which has a choice, as they crash without one.
func (x *aiJob) relayStream(reply *inference.Reply) error {
	var own sse.Scanner
	network := sse.Network{Model: x.req.Model.ID}
	scan, from := &own, reply.Body
	if !x.own {
		scan, from = &network.Scanner, sse.NewReader(reply.Body, &network)
	}
	err := x.copyPieces(from, func(p []byte) error {
		if !x.own && scan.Events() == 0 {
			// Only the filter's end event of an empty stream: the status can still report
			// the failure.
			return nil
		}
		if !x.answer.begun {
			x.w.Header().Set("Cache-Control", "no-cache")
			x.answer.begin(http.StatusOK, streamType, -1)
		}
		if x.own {
			own.Feed(p)
		}
		return x.answer.write(p, true)
	})
	if x.own {
		own.End()
	}
	x.f.Usage, x.f.Events = scan.Usage(), scan.Events()
	if err == nil && !scan.Done() && !scan.Finished() && !scan.Failed() {
		err = brokenStream(io.ErrUnexpectedEOF)
	}
	if err = x.ended(err); err == nil && scan.Failed() {
		// The stream already has the error; this is for the log.
		err = fault.New(fault.StreamFailed, "pass the answer on", "")
	}
	return err
}

// burstGap is the time between pieces below which they are sent together: no model generates
// that fast.
const burstGap = time.Millisecond

// copyPieces reads to the end and passes every piece to write. Read errors are StreamBroken
// or the body's fault, errors of write and of a closed client connection are Canceled.
func (x *aiJob) copyPieces(from io.Reader, write func(p []byte) error) error {
	buf, intact := x.s.pieces.get(), true
	defer func() {
		if intact {
			x.s.pieces.put(buf)
		}
	}()
	for {
		begun := x.s.opt.Now()
		n, err := from.Read(buf[:])
		took := x.addWait(begun)
		if n > 0 {
			if err := write(buf[:n]); err != nil {
				intact = false // HTTP/2 may still reference it
				return x.notTaken(err)
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return x.broken(err)
		case took < burstGap:
			// A burst: yield to other goroutines, and send what has arrived by then in one
			// piece.
			runtime.Gosched()
		}
	}
}

// broken is the fault of an answer that the runner or the client ended early.
func (x *aiJob) broken(err error) error {
	if ctx := x.r.Context(); ctx.Err() != nil {
		return x.notTaken(ctx.Err())
	}
	return brokenStream(err)
}

func brokenStream(err error) error {
	if fault.CodeOf(err) != fault.Unexpected && fault.ClassOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.StreamBroken, "pass the answer on", err)
}

// notTaken is the fault of a gateway that does not read its answer.
func (x *aiJob) notTaken(err error) error {
	return fault.Wrap(fault.Canceled, "pass the answer on", err)
}

// ended ends a relayed answer. One that failed after it had begun is aborted, so that no
// reader takes it for complete.
func (x *aiJob) ended(err error) error {
	if err != nil && x.answer.begun {
		x.abort = x.own || x.r.Context().Err() != nil || !strings.HasPrefix(x.w.Header().Get("Content-Type"), streamType)
	}
	return err
}

// hasMedia reports whether a pipeline's answer carries images, video or sound.
func hasMedia(id capability.ID) bool {
	switch id {
	case capability.TextToImage, capability.ImageToImage, capability.ImageToVideo, capability.Upscale,
		capability.TextToSpeech:
		return true
	}
	return false
}
