package trickle

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of the protocol.
const (
	headerNumber = "Lp-Trickle-Seq"
	headerNext   = "Lp-Trickle-Latest"
	headerClosed = "Lp-Trickle-Closed"
	headerReset  = "Lp-Trickle-Reset"
)

// statusNotKept is the protocol's answer for a number that is not there.
const statusNotKept = 470

// Texts of answers, as the network's nodes give them.
const (
	textNoChannel  = "Stream not found"
	textBadNumber  = "Invalid idx"
	textNoSegment  = "Nonexistent segment"
	textNotKept    = "Entry not found"
	textNotDeleted = "Invalid stream"
	terminated     = "terminated"
)

// Handler serves the hub's channels below a path prefix, which ends with a slash.
func (h *Hub) Handler(prefix string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, number, numbered := strings.Cut(strings.TrimPrefix(r.URL.Path, prefix), "/")
		c := h.Channel(name)
		switch r.Method {
		case http.MethodGet:
			h.get(w, r, c, number)
		case http.MethodPost:
			if numbered {
				h.post(w, r, c, number)
			} else {
				ask(w, c)
			}
		case http.MethodDelete:
			if numbered {
				deleteSegment(w, c, number)
			} else {
				h.deleteChannel(w, name)
			}
		default:
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		}
	}
}

func (h *Hub) get(w http.ResponseWriter, r *http.Request, c *Channel, number string) {
	if c == nil {
		http.Error(w, textNoChannel, http.StatusNotFound)
		return
	}
	if number == "next" {
		next := strconv.FormatInt(c.Next(), 10)
		w.Header().Set(headerNext, next)
		_, _ = w.Write([]byte(next))
		return
	}
	n, ok := parseNumber(number, lastNumber)
	if !ok {
		http.Error(w, textBadNumber, http.StatusBadRequest)
		return
	}
	serveRead(w, r, c, n)
}

func (h *Hub) post(w http.ResponseWriter, r *http.Request, c *Channel, number string) {
	if c == nil {
		closeAfter(w, r)
		http.Error(w, textNoChannel, http.StatusNotFound)
		return
	}
	n, ok := parseNumber(number, nextNumber)
	if !ok {
		http.Error(w, textBadNumber, http.StatusBadRequest)
		return
	}
	serveWrite(w, r, c, n)
}

// ask answers whether there is a channel. None is made over HTTP.
func ask(w http.ResponseWriter, c *Channel) {
	if c == nil {
		http.Error(w, textNoChannel, http.StatusNotFound)
	}
}

func deleteSegment(w http.ResponseWriter, c *Channel, number string) {
	if c == nil {
		http.Error(w, textNoChannel, http.StatusNotFound)
		return
	}
	n, ok := parseNumber(number, 0)
	switch {
	case !ok:
		http.Error(w, textBadNumber, http.StatusBadRequest)
	case !c.closeSegment(n):
		http.Error(w, textNoSegment, http.StatusBadRequest)
	}
}

func (h *Hub) deleteChannel(w http.ResponseWriter, name string) {
	if !h.Close(name) {
		http.Error(w, textNotDeleted, http.StatusBadRequest)
	}
}

// parseNumber parses a segment's number of at least least.
func parseNumber(text string, least int64) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= least && n < maxNumber
}

// closeAfter ends the connection after the answer, which wakes publishers that connected in advance, and
// reads nothing more of the body. Connections of HTTP/2 carry other requests as well.
func closeAfter(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex()
		_ = rc.SetReadDeadline(time.Unix(1, 0))
	}
}

func setNumber(w http.ResponseWriter, header string, n int64) {
	w.Header().Set(header, strconv.FormatInt(n, 10))
}
