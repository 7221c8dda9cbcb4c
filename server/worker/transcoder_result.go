package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	transcoderResultsPath = "/transcodeResults"
	// boundaryBytes make a boundary of 20 hex digits.
	boundaryBytes = 10
)

// failure returns the result of a segment that was not transcoded. Peers compare its text.
func (c *TranscoderClient) failure(t *transcoderTask, err error) Result {
	text := fault.Wire(err)
	r := Result{
		Path: transcoderResultsPath, Task: t.id, Length: int64(len(text)),
		Header: http.Header{"Content-Type": {rpc.TranscodingErrorType}, "Pixels": {"0"}},
		Body:   func() io.Reader { return strings.NewReader(text) },
	}
	if t.from.IsTutti() {
		r.Header.Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	}
	return r
}

// success returns the result with one part per rendition, each followed by its signature if one
// was requested.
func (c *TranscoderClient) success(t *transcoderTask, res *core.TranscodeResult, boundary string) Result {
	own := t.from.IsTutti()
	var pieces [][]byte
	start := "--" + boundary
	part := func(head string, data []byte) {
		pieces = append(pieces, []byte(start+"\r\n"+head+"\r\n"), data)
		start = "\r\n--" + boundary
	}
	for i, out := range res.Renditions {
		head := fmt.Sprintf("Content-Length: %d\r\nContent-Type: %s\r\nPixels: %d\r\n",
			len(out.Data), t.job.Profiles[i].Format.MIME(), out.Pixels)
		if own {
			head += fmt.Sprintf("%s: %d\r\n", rpc.FramesHeader, out.Frames)
		}
		part(head, out.Data)
		if t.job.Signature {
			part(fmt.Sprintf("Content-Length: %d\r\nContent-Type: application/octet-stream\r\n", len(out.Signature)),
				out.Signature)
		}
	}
	pieces = append(pieces, []byte(start+"--\r\n"))
	r := Result{
		Path: transcoderResultsPath, Task: t.id, Length: size(pieces),
		Header: http.Header{
			"Content-Type": {"multipart/mixed; boundary=" + boundary},
			"Pixels":       {strconv.FormatInt(int64(res.DecodedPixels), 10)},
		},
		Body: func() io.Reader { return transcoderRead(pieces) },
	}
	if own {
		r.Header.Set(rpc.FramesHeader, strconv.FormatInt(int64(res.DecodedFrames), 10))
		r.Header.Set(rpc.MediaTimeHeader, rpc.FormatMediaTime(res.MediaTime))
		if res.Worker != "" {
			r.Header.Set(remote.WorkerHeader, res.Worker)
		}
	}
	return r
}

func size(pieces [][]byte) (n int64) {
	for _, p := range pieces {
		n += int64(len(p))
	}
	return n
}

// transcoderRead reads the pieces one after another without copying them together.
func transcoderRead(pieces [][]byte) io.Reader {
	readers := make([]io.Reader, len(pieces))
	for i, p := range pieces {
		readers[i] = bytes.NewReader(p)
	}
	return io.MultiReader(readers...)
}

// post sends a result to the orchestrator.
func (c *TranscoderClient) post(ctx context.Context, t *transcoderTask, r Result) {
	if err := t.from.Post(ctx, r); err != nil && ctx.Err() == nil {
		c.o.Log.Warn("a result did not reach its orchestrator", "orchestrator", t.from.Addr(), fault.Attr(err))
	}
}
