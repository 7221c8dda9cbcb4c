package aiapi

import (
	"encoding/hex"
	"io"
)

// maxRequestID bounds a client's request ID, in bytes.
const maxRequestID = 128

// requestID returns the client's ID of its request, or a new one where that does not fit into a log line
// and a header.
func (s *Server) requestID(given string) string {
	if validRequestID(given) {
		return given
	}
	return newID(s.opt.Rand)
}

func validRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// newID is 128 random bits in hex.
func newID(random io.Reader) string {
	var b [16]byte
	// The system's source does not fail. A test's source that fails gives zeros, which are still an
	// ID.
	_, _ = io.ReadFull(random, b[:])
	return hex.EncodeToString(b[:])
}
