package backend

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// decode takes the compression off an answer. No request asks for one; proxies in front of servers
// compress all the same. What is read is bounded as for other answers.
func (s *Server) decode(op string, resp *http.Response) error {
	switch encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		resp.Body = &unzipped{body: resp.Body}
		resp.ContentLength = -1
		resp.Header.Del("Content-Encoding")
		return nil
	default:
		_ = resp.Body.Close()
		return s.fault(fault.RunnerGarbled, op,
			fmt.Sprintf("compresses its answers as %.40q; only gzip can be read", encoding), nil)
	}
}

// unzipped is a body without its gzip. It returns what has arrived, if the server flushes.
type unzipped struct {
	body io.ReadCloser
	gzip *gzip.Reader
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.gzip == nil {
		var err error
		if u.gzip, err = gzip.NewReader(u.body); err != nil {
			return 0, noEOF(err)
		}
	}
	return u.gzip.Read(p)
}

// noEOF: a body without a gzip header is no empty one.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (u *unzipped) Close() error { return u.body.Close() }
