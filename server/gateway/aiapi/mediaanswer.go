package aiapi

import (
	"encoding/json"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// mediaAnswer is an answer with images, videos or sounds. It keeps the JSON text as it arrived:
// decoding untrusted JSON whole could take many times its size.
type mediaAnswer struct {
	answer []byte
	// urlSpans are the positions of the URLs in answer, results the media behind them, and urls the
	// replacements that the client gets.
	urlSpans []span
	results  []result
	urls     []string
}

// span is the position of a JSON string in a text, including its quotes.
type span struct{ from, to int }

// maxListDepth bounds the nesting of lists around a URL: frames are lists of lists.
const maxListDepth = 2

var (
	errNoResults      = errors.New("the answer has no results")
	errTooManyResults = errors.New("the answer has too many results")
	errNestedTooDeep  = errors.New("the results are nested too deep")
	errDuplicateField = errors.New("the answer repeats a field")
)

// readMediaAnswer finds the results in an answer: {"images":[{"url"}]}, {"audio":{"url"}} or
// {"frames":[[{"url"}]]}.
func readMediaAnswer(b []byte) (*mediaAnswer, error) {
	m := &mediaAnswer{answer: b}
	seen := make(map[string]bool, 3)
	err := pipeline.Members(b, func(name []byte, from, to int) error {
		switch string(name) {
		case "images", "frames", "audio":
		default:
			return nil
		}
		if seen[string(name)] {
			return errDuplicateField // JSON readers disagree on which one counts
		}
		seen[string(name)] = true
		return m.find(from, to, maxListDepth)
	})
	if err == nil && len(m.urlSpans) == 0 {
		err = errNoResults
	}
	if err != nil {
		return nil, unreadableAnswer("read answer", err)
	}
	return m, nil
}

// find collects the URLs in the value between from and to, which may be nested in that many lists.
func (m *mediaAnswer) find(from, to, lists int) error {
	switch m.answer[from] {
	case '{':
		return m.object(from, to)
	case '[':
		if lists == 0 {
			return errNestedTooDeep
		}
		return pipeline.Elements(m.answer[from:to], func(a, b int) error {
			return m.find(from+a, from+b, lists-1)
		})
	}
	return nil
}

// object records the url of the object between from and to, if it has one.
func (m *mediaAnswer) object(from, to int) error {
	var url span
	err := pipeline.Members(m.answer[from:to], func(name []byte, a, b int) error {
		switch {
		case string(name) != "url":
		case url.to > 0:
			return errDuplicateField
		default:
			url = span{from + a, from + b}
		}
		return nil
	})
	if err != nil || url.to == 0 || m.answer[url.from] != '"' {
		return err
	}
	if len(m.urlSpans) == maxResults {
		return errTooManyResults
	}
	m.urlSpans = append(m.urlSpans, url)
	return nil
}

// sizeWithoutURLs returns the length of the answer without its URLs.
func (m *mediaAnswer) sizeWithoutURLs() int {
	n := len(m.answer)
	for _, p := range m.urlSpans {
		n -= p.to - p.from
	}
	return n
}

// withURLs returns the answer with m.urls in place of the original ones. It calls grow for its memory.
func (m *mediaAnswer) withURLs(grow func(n int64) error) ([]byte, error) {
	size := m.sizeWithoutURLs() + 1
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
	for i, p := range m.urlSpans {
		out = append(append(out, m.answer[done:p.from]...), quoted[i]...)
		done = p.to
	}
	return append(append(out, m.answer[done:]...), '\n'), nil
}

// unreadableAnswer is the fault of an answer that does not have the pipeline's form.
func unreadableAnswer(op string, err error) error {
	return &fault.Fault{Code: fault.AnswerUnreadable, Op: op, Detail: "the answer cannot be read: " + err.Error(),
		Err: err}
}
