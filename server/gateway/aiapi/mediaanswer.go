package aiapi

import (
	"encoding/json"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// mediaAnswer is an answer with images, videos or sounds. It keeps the JSON text as it arrived:
// decoding untrusted JSON whole could take many times its size.
type made struct {
	answer []byte
	// urlSpans are the positions of the URLs in answer, results the media behind them, and urls the
	// replacements that the client gets.
	places  []place
	results []result
	urls    []string
}

// span is the position of a JSON string in a text, including its quotes.
type place struct{ from, to int }

// maxListDepth bounds the nesting of lists around a URL: frames are lists of lists.
const maxLists = 2

var (
	errNoPlaces   = errors.New("the answer has no results")
	errManyPlaces = errors.New("the answer has too many results")
	errDeepPlaces = errors.New("the results are nested too deep")
	errTwice      = errors.New("the answer repeats a field")
)

// readMediaAnswer finds the results in an answer: {"images":[{"url"}]}, {"audio":{"url"}} or
// {"frames":[[{"url"}]]}.
func readMade(b []byte) (*made, error) {
	m := &made{answer: b}
	seen := make(map[string]bool, 3)
	err := pipeline.Members(b, func(name []byte, from, to int) error {
		switch string(name) {
		case "images", "frames", "audio":
		default:
			return nil
		}
		if seen[string(name)] {
			return errTwice // JSON readers disagree on which one counts
		}
		seen[string(name)] = true
		return m.find(from, to, maxLists)
	})
	if err == nil && len(m.places) == 0 {
		err = errNoPlaces
	}
	if err != nil {
		return nil, unreadableAnswer("read answer", err)
	}
	return m, nil
}

// find collects the URLs in the value between from and to, which may be nested in that many lists.
func (m *made) find(from, to, lists int) error {
	switch m.answer[from] {
	case '{':
		return m.object(from, to)
	case '[':
		if lists == 0 {
			return errDeepPlaces
		}
		return pipeline.Elements(m.answer[from:to], func(a, b int) error {
			return m.find(from+a, from+b, lists-1)
		})
	}
	return nil
}

// object records the url of the object between from and to, if it has one.
func (m *made) object(from, to int) error {
	var url place
	err := pipeline.Members(m.answer[from:to], func(name []byte, a, b int) error {
		switch {
		case string(name) != "url":
		case url.to > 0:
			return errTwice
		default:
			url = place{from + a, from + b}
		}
		return nil
	})
	if err != nil || url.to == 0 || m.answer[url.from] != '"' {
		return err
	}
	if len(m.places) == maxResults {
		return errManyPlaces
	}
	m.places = append(m.places, url)
	return nil
}

// sizeWithoutURLs is the length of the answer without its URLs.
func (m *made) rest() int {
	n := len(m.answer)
	for _, p := range m.places {
		n -= p.to - p.from
	}
	return n
}

// withURLs is the answer with m.urls in place of the original ones. It calls grow for its memory.
func (m *made) readdressed(grow func(n int64) error) ([]byte, error) {
	size := m.rest() + 1
	quoted := make([][]byte, len(m.urls))
	for i, url := range m.urls {
		quoted[i], _ = json.Marshal(url) // texts cannot fail
		size += len(quoted[i])
	}
	if err := grow(int64(size)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	done := 0
	for i, p := range m.places {
		out = append(append(out, m.answer[done:p.from]...), quoted[i]...)
		done = p.to
	}
	return append(append(out, m.answer[done:]...), '\n'), nil
}

// unreadableAnswer is the fault of an answer that does not have the pipeline's form.
func unreadableAnswer(op string, err error) error {
	return &fault.Fault{Code: fault.AnswerUnreadable, Op: op, Detail: "the answer cannot be read: " + err.Error(), Err: err}
}
