package http1

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// framing determines where the answer ends. An ambiguous head is refused: a proxy on the way
// may interpret it differently.
func (h *head) framing() error {
	coding, length := h.header["Transfer-Encoding"], h.header["Content-Length"]
	if len(coding) > 0 {
		switch {
		case len(length) > 0:
			return malformed("both Content-Length and Transfer-Encoding")
		case h.minor == 0:
			return malformed("Transfer-Encoding in HTTP/1.0")
		case len(coding) > 1 || !strings.EqualFold(coding[0], "chunked"):
			return malformed("a Transfer-Encoding other than chunked")
		}
		h.chunked = true
		delete(h.header, "Transfer-Encoding")
	}
	if len(length) > 0 {
		for _, other := range length[1:] {
			if other != length[0] {
				return malformed("two lengths")
			}
		}
		n, err := contentLength(length[0])
		if err != nil {
			return err
		}
		h.length = n
		h.header["Content-Length"] = length[:1]
	}
	h.close = h.minor == 0
	for _, value := range h.header["Connection"] {
		for token := range strings.SplitSeq(value, ",") {
			switch token = strings.Trim(token, " \t"); {
			case strings.EqualFold(token, "close"):
				h.close = true
				delete(h.header, "Connection") // it is done with here
				return nil
			case strings.EqualFold(token, "keep-alive"):
				h.close = false
			}
		}
	}
	return nil
}

// contentLength reads digits and nothing else.
func contentLength(s string) (int64, error) {
	if len(s) == 0 || len(s) > 18 || strings.Trim(s, "0123456789") != "" {
		return 0, malformed("the Content-Length is not a number")
	}
	return strconv.ParseInt(s, 10, 64)
}

// bodyless reports whether an answer has no body, whatever its head says.
func bodyless(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
}

// idleFor returns how long the server keeps an idle connection, from the answer's
// Keep-Alive: timeout=5; false without one.
func (h *head) idleFor() (time.Duration, bool) {
	for _, value := range h.header["Keep-Alive"] {
		for part := range strings.SplitSeq(value, ",") {
			name, seconds, _ := strings.Cut(strings.Trim(part, " \t"), "=")
			if !strings.EqualFold(name, "timeout") {
				continue
			}
			if n, err := strconv.ParseUint(strings.Trim(seconds, `"`), 10, 24); err == nil {
				return time.Duration(n) * time.Second, true
			}
		}
	}
	return 0, false
}
