package transcoders

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// ResultsPath is the path for results.
	ResultsPath = "/transcodeResults"
	// marker is the transcoders' Authorization header.
	marker = "Livepeer-Transcoder-1.0"
	// resultsType is that of renditions.
	resultsType = "multipart/mixed"
	// answerTime is the time for the reply after the body.
	answerTime = 10 * time.Second
)

const opResult = "take result"

// Handler takes results at ResultsPath.
func (s *Service) Handler() http.Handler { return http.HandlerFunc(s.result) }

// refusal is an answer to a result that is not taken.
type refusal struct {
	status int
	text   string
}

// result replies with the network's statuses and texts, which transcoders only log.
func (s *Service) result(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "MethodNotAllowed", http.StatusMethodNotAllowed)
		return
	}
	if r.Header.Get("Authorization") != marker || !s.opt.Secrets.Match(r.Header.Get("Credentials")) {
		s.refusals.Record(r.RemoteAddr, fault.New(fault.RemoteSecretWrong, opResult, ""))
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	admission.Prove(r.Context())
	if rejected := s.takeResult(w, r); rejected != nil {
		s.opt.Log.Debug("result refused", "from", r.RemoteAddr, "status", rejected.status, "detail", rejected.text)
		http.Error(w, rejected.text, rejected.status)
		return
	}
	_, _ = io.WriteString(w, "OK") // a lost reply has no consequence
}

// takeResult hands a result to its waiting task.
func (s *Service) takeResult(w http.ResponseWriter, r *http.Request) *refusal {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	id, idErr := strconv.ParseInt(r.Header.Get("TaskId"), 10, 64)
	if idErr != nil {
		if err != nil {
			return &refusal{http.StatusUnsupportedMediaType, "unparsable content type"}
		}
		return &refusal{http.StatusBadRequest, "Invalid Task ID"}
	}
	task := remote.TaskID(id)
	x := s.expected.get(task)
	var claim *remote.Claim[outcome]
	claimErr := remote.ErrOtherWorker
	if x == nil || !s.fromOtherWorker(x.worker, r.RemoteAddr) {
		claim, claimErr = s.tasks.Claim(task, r.Header.Get(remote.InstanceHeader))
	}
	if claimErr != nil {
		return &refusal{http.StatusForbidden, "the task is another worker's"}
	}
	if x == nil {
		claim = nil // the task has just ended
	}
	body := &body{r: r.Body}
	if claim != nil {
		x.arriving.Store(kind == resultsType)
		body.abandoned = claim.Abandoned()
		ctl := http.NewResponseController(w)
		// A server without deadlines bounds nothing here; Gone does.
		_ = ctl.SetReadDeadline(x.until)
		_ = ctl.SetWriteDeadline(x.until.Add(answerTime))
	}
	var out outcome
	var rejected *refusal
	switch {
	case err != nil || kind != rpc.TranscodingErrorType && kind != resultsType:
		rejected = &refusal{http.StatusUnsupportedMediaType, "unparsable content type"}
	case claim == nil:
		// No task waits for it.
		return nil
	case kind == rpc.TranscodingErrorType:
		out.err = s.failure(r, body)
	default:
		out, rejected = s.renditions(r, body, params["boundary"], x)
	}
	if claim != nil {
		s.deliver(claim, x, body, out, rejected)
	}
	return rejected
}

// deliver ends a claim. An unusable result fails its task, so that the segment is retried
// elsewhere at once, unless a tutti worker will send it again.
func (s *Service) deliver(claim *remote.Claim[outcome], x *expectedResult, body *body, out outcome, rejected *refusal) {
	if rejected != nil {
		if body.readErr != nil && x.worker.id.IsTutti() {
			claim.Release()
			return
		}
		out = outcome{err: fault.New(fault.RemoteResultRefused, opResult, rejected.text)}
	}
	if !claim.Deliver(out) {
		s.budget.Release(out.held)
	}
}

// failure reads a transcoder's error.
func (s *Service) failure(r *http.Request, body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, maxErrorText))
	if err != nil && len(text) == 0 {
		return fault.Wrap(fault.RemoteResultRefused, opResult, err)
	}
	return failureOf(string(text), r.Header.Get(rpc.CodeHeader))
}

// renditions reads a transcoder's result.
func (s *Service) renditions(r *http.Request, body io.Reader, boundary string, x *expectedResult) (outcome, *refusal) {
	pixels, err := strconv.ParseInt(r.Header.Get("Pixels"), 10, 64)
	if err != nil || pixels < 0 {
		return outcome{}, &refusal{http.StatusBadRequest, "Invalid Pixels"}
	}
	p := &parser{budget: s.budget, job: x.job, uncounted: s.logUncounted}
	if err := p.read(body, boundary); err != nil {
		p.discard()
		return outcome{}, &refusal{http.StatusInternalServerError, err.Error()}
	}
	res := &core.TranscodeResult{
		Renditions: p.out, DecodedPixels: core.Pixels(pixels),
		DecodedFrames: framesOf(r.Header.Get(rpc.FramesHeader)),
		MediaTime:     rpc.ParseMediaTime(r.Header.Get(rpc.MediaTimeHeader)),
		Worker:        x.worker.signedName(r.Header.Get(remote.WorkerHeader)),
	}
	return outcome{res: res, held: p.held}, nil
}

// logUncounted warns once that a worker's pixel count cannot be checked.
func (s *Service) logUncounted(why error) {
	s.warnUncounted.Do(func() {
		s.opt.Log.Warn("frames of a rendition cannot be counted; the worker's count is accepted within bounds",
			fault.Attr(why))
	})
}

var errGone = errors.New("the task no longer waits for the result")

// body is a request's body that ends when its task is abandoned.
type body struct {
	r         io.Reader
	abandoned <-chan struct{}
	// readErr is why it cannot be read to its end.
	readErr error
}

func (b *body) Read(p []byte) (int, error) {
	select {
	case <-b.abandoned:
		b.readErr = errGone
		return 0, errGone
	default:
	}
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		b.readErr = err
	}
	return n, err
}
